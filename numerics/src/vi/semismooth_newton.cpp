// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/semismooth_newton.hpp>

#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "damped_newton.hpp"
#include "numbers.hpp"

namespace nonsmooth::vi {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

class NewtonEquation : public detail::Equation {
 public:
  explicit NewtonEquation(detail::Run& run) : run_(run), p_(run.size()), D_(run.size(), run.size()), J_(D_), V_(D_) {}

 protected:
  /// d = -V^-1 e; a singular V once more with a small multiple of I / rho.
  bool solve_newton(const VectorXd& e, VectorXd& d) {
    for (const double shift : {0.0, 1e-8}) {
      V_.diagonal().array() += shift / run_.rho();
      if (!V_.allFinite() || !factors_.factorize(V_)) continue;
      d = -e;
      factors_.solve_in_place(d);
      if (d.allFinite()) return true;
    }
    return false;
  }

  detail::Run& run_;
  VectorXd e_, p_;
  MatrixXd D_, J_, V_;
  DenseFactorization factors_;
};

class NaturalMap final : public NewtonEquation {
 public:
  using NewtonEquation::NewtonEquation;

  VectorXd unknowns(const VectorXd& x_of_K, const VectorXd&) const override { return x_of_K; }
  bool go(const VectorXd& from, double t, const VectorXd& d) override {
    x.resize(from.size());
    w.resize(from.size());
    if (t == 0.0)
      x = from;
    else if (!run_.project(from + t * d, x))
      return false;
    s = x;
    if (!run_.evaluate(x, w) || !run_.project(x - run_.rho() * w, p_)) return false;
    e_ = (x - p_) / run_.rho();
    norm = detail::norm_of(e_);
    return true;
  }
  bool direction(VectorXd& d) override {
    if (!run_.jacobian(x, w, J_)) return false;
    run_.problem().K.jacobian(x - run_.rho() * w, D_);
    V_.noalias() = D_ * J_;
    V_ += (MatrixXd::Identity(s.size(), s.size()) - D_) / run_.rho();
    return solve_newton(e_, d);
  }
};

class NormalMap final : public NewtonEquation {
 public:
  using NewtonEquation::NewtonEquation;

  VectorXd unknowns(const VectorXd& x_of_K, const VectorXd& w_of_K) const override {
    return x_of_K - run_.rho() * w_of_K;
  }
  bool go(const VectorXd& from, double t, const VectorXd& d) override {
    x.resize(from.size());
    w.resize(from.size());
    s = from + t * d;
    if (!run_.project(s, x) || !run_.evaluate(x, w)) return false;
    e_ = w + (s - x) / run_.rho();
    norm = detail::norm_of(e_);
    return true;
  }
  bool direction(VectorXd& d) override {
    if (!run_.jacobian(x, w, J_)) return false;
    run_.problem().K.jacobian(s, D_);
    V_.noalias() = J_ * D_;
    V_ += (MatrixXd::Identity(s.size(), s.size()) - D_) / run_.rho();
    return solve_newton(e_, d);
  }
};

}  // namespace

void SemismoothNewton::validate() const { detail::check_newton("vi::SemismoothNewton", *this); }

Result solve(const Problem& problem, const SemismoothNewton& options) {
  problem.validate();
  options.validate();
  if (!problem.K.has_jacobian()) {
    throw InvalidArgument("vi::SemismoothNewton: problem.K", "a set whose projection has no known Jacobian",
                          "boxes, balls, half-spaces, polyhedra, canonical blocks or products of these");
  }
  const bool natural = options.equation == SemismoothNewton::Equation::Natural;
  detail::Run run(problem, options.tolerance, options.time_limit, options.start, "vi::SemismoothNewton::start",
                  natural ? "semismooth newton" : "semismooth newton on the normal map");
  if (!run.ready()) return run.fail(0);
  run.show(options.on_iterate);
  if (natural) {
    NaturalMap equation(run);
    return detail::damped_newton(run, detail::newton_options(options), equation);
  }
  NormalMap equation(run);
  return detail::damped_newton(run, detail::newton_options(options), equation);
}

}  // namespace nonsmooth::vi
