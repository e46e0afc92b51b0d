// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/josephy_newton.hpp>

#include <nonsmooth/numerics/mlcp/automatic.hpp>
#include <nonsmooth/numerics/vi/cao_ferris.hpp>

#include "affine_path.hpp"
#include "damped_newton.hpp"
#include "numbers.hpp"
#include "polyhedral_kkt.hpp"

namespace nonsmooth::vi {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// The natural map, its steps those of linearised variational inequalities; x stays in K.
class Linearised final : public detail::Equation {
 public:
  Linearised(detail::Run& run, Polyhedron K) : run_(run), K_(std::move(K)), p_(run.size()) {}

  VectorXd unknowns(const VectorXd& x_of_K, const VectorXd&) const override { return x_of_K; }
  bool go(const VectorXd& from, double t, const VectorXd& d) override {
    x.resize(from.size());
    w.resize(from.size());
    // v meets the rows of K to the tolerance of the complementarity problem, not to rounding.
    if (t == 0.0)
      x = from;
    else if (!run_.project(from + t * d, x))
      return false;
    s = x;
    if (!run_.evaluate(x, w) || !run_.project(x - run_.rho() * w, p_)) return false;
    norm = detail::norm_of((x - p_) / run_.rho());
    return true;
  }
  bool direction(VectorXd& d) override {
    if (!run_.jacobian(x, w, J_)) return false;
    const mlcp::Problem step = detail::polyhedral_kkt(J_, w - J_ * x, K_);
    mlcp::Automatic options;
    options.tolerance = 1e-12;
    options.time_limit = run_.time_left();
    const mlcp::Result result = mlcp::solve(step, options);
    if (result.certificate.residual <= 1e-6) {
      d = result.u.head(x.size()) - x;
      return d.allFinite();
    }
    return pivot_from_vertex(d);
  }

 private:
  /// For J that is not monotone: the conditions above may have no solution that those pivots come to.
  bool pivot_from_vertex(VectorXd& d) {
    detail::AffinePath path(J_.sparseView(0.0, 1.0), w - J_ * x, K_, true);
    const nonsmooth::detail::Deadline deadline(run_.time_left());
    if (path.run(x, 0, CaoFerris{}.refactor_every, deadline) != relay::detail::PivotEnd::Complementary) return false;
    d = path.x() - x;
    return d.allFinite();
  }

  detail::Run& run_;
  Polyhedron K_;
  VectorXd p_;
  MatrixXd J_;
};

}  // namespace

void JosephyNewton::validate() const { detail::check_newton("vi::JosephyNewton", *this); }

Result solve(const Problem& problem, const JosephyNewton& options) {
  problem.validate();
  options.validate();
  std::optional<Polyhedron> K = problem.K.polyhedron();
  if (!K) {
    throw InvalidArgument("vi::JosephyNewton: problem.K", "a set that is not known to be a polyhedron",
                          "boxes, half-spaces, polyhedra, products or intersections of these");
  }
  detail::Run run(problem, options.tolerance, options.time_limit, options.start, "vi::JosephyNewton::start",
                  "josephy newton");
  if (!run.ready()) return run.fail(0);
  if (options.check_jacobian) run.check_jacobian();
  run.show(options.on_iterate);
  Linearised equation(run, std::move(*K));
  return detail::damped_newton(run, detail::newton_options(options), equation);
}

}  // namespace nonsmooth::vi
