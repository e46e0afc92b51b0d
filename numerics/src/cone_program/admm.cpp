// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/cone_program/admm.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "best.hpp"
#include "proofs.hpp"
#include "qp/splitting.hpp"

namespace nonsmooth::cone_program {
namespace {

using Vector = Eigen::VectorXd;

constexpr Index look_every = 20;  // iterations between two looks at the certificate

class Method {
 public:
  Method(const Problem& problem, const Admm& options, const nonsmooth::detail::Deadline& deadline, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(deadline),
        splitting_(detail::as_quadratic(problem), problem.cones),
        p_(problem.num_equations()),
        m_(problem.num_rows()),
        proofs_(problem, splitting_.scaled) {}

  void run() {
    look(Vector::Zero(problem_.num_unknowns()), Vector::Zero(p_ + m_));
    Status end = Status::IterationLimit;
    std::string_view reason = "max_iterations reached";
    while (!(result_.certificate.residual <= options_.tolerance) && result_.iterations < options_.max_iterations) {
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      if (!splitting_.iterate() || !splitting_.finite()) {
        end = Status::NumericalFailure;
        reason = "the factors of the system broke down, or numbers overflowed";
        break;
      }
      ++result_.iterations;
      if (result_.iterations % look_every != 0 && result_.iterations != options_.max_iterations) continue;
      look(splitting_.scaled.x(splitting_.w.value), -splitting_.scaled.y(splitting_.t.multiplier));
      if (prove()) return;
      splitting_.adapt();
    }
    qp::detail::conclude(options_.tolerance, end, reason, result_);
  }

 private:
  /// Certifies x and the multipliers of all rows.
  void look(const Vector& x, const Vector& multipliers) {
    detail::keep_better(certifier_, x, multipliers.head(p_), multipliers.tail(m_), result_);
  }

  bool prove() {
    if (result_.certificate.residual < 0.5 * best_) {
      best_ = result_.certificate.residual;
      return false;
    }
    for (const Vector& candidate : {splitting_.t.change, splitting_.t.multiplier}) {
      if (proofs_.infeasible(-splitting_.scaled.y(candidate), result_)) return true;
    }
    for (const Vector& candidate : {splitting_.step, splitting_.x}) {
      if (proofs_.unbounded(splitting_.scaled.x(candidate), result_)) return true;
    }
    return false;
  }

  const Problem& problem_;
  const Admm& options_;
  Result& result_;
  const nonsmooth::detail::Deadline& deadline_;
  qp::detail::Splitting<qp::SparseProblem> splitting_;
  Index p_, m_;
  detail::Certifier certifier_{problem_};
  detail::Proofs proofs_;
  double best_ = qp::detail::infinity;
};

}  // namespace

void Admm::validate() const {
  check::positive("cone_program::Admm::tolerance", tolerance);
  check::at_least("cone_program::Admm::max_iterations", max_iterations, 1);
  nonsmooth::detail::check_time_limit("cone_program::Admm::time_limit", time_limit);
}

Result solve(const Problem& problem, const Admm& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  result.solver = "admm";
  Method(problem, options, deadline, result).run();
  return result;
}

}  // namespace nonsmooth::cone_program
