// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/primal_active_set.hpp>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/qp/dual_active_set.hpp>

#include "working_set.hpp"

namespace nonsmooth::qp {
namespace {

constexpr signed char passed_by = 2;  // a constraint not to be added before another leaves, in `side`

class PrimalMethod : public detail::WorkingSet {
 public:
  /// From a feasible x.
  explicit PrimalMethod(ConstVectorRef feasible) : feasible_(feasible) {}

 private:
  End minimise(const detail::ActiveSetLimits& limits, const nonsmooth::detail::Deadline& deadline) override {
    x = feasible_;
    multipliers.setZero();
    for (signed char& s : side) s = s == passed_by ? static_cast<signed char>(0) : s;
    for (;;) {
      if (deadline.passed()) return End::Time;
      const Vector before = x;
      correct();
      if (!x.allFinite()) return End::Lost;
      double part = 1.0, sign = 1.0;
      const Index met = first_met(before, part, sign);
      if (met >= 0) {
        x = before + part * dx;
      } else if (worst_sign() < 0) {
        correct();
        feasible_ = x;
        return End::Optimal;
      }
      feasible_ = x;
      if (iterations >= limits.max_steps) return End::Steps;
      if (met >= 0) {
        if (try_to_add(met, sign))
          ++iterations;
        else
          side[at(met)] = passed_by;  // it depends on the active ones: dx moves along it, but for rounding
        continue;
      }
      ++iterations;
      drop(worst_sign());
      for (signed char& s : side) s = s == passed_by ? static_cast<signed char>(0) : s;
    }
  }

  /// The row or bound that is met first on the way dx from `before`, of those met at once the one that is met most
  /// squarely, and where; -1: none before its end.
  Index first_met(const Vector& before, double& part, double& sign) const {
    const double way = dx.norm(), size = std::max(before.norm(), x.norm());
    if (factors.num_active() == n || way <= 64.0 * eps * size) return -1;
    Index found = -1;
    double squarest = 0.0;
    for (Index k = 0; k < m + n; ++k) {
      if (side[at(k)] != 0) continue;
      const double norm = k < m ? norms[k] : 1.0, slope = value(k, dx);
      if (std::abs(slope) <= 64.0 * eps * norm * way) continue;
      const double border = slope > 0.0 ? high(k) : low(k);
      if (!std::isfinite(border)) continue;
      const double t = std::max((border - value(k, before)) / slope, 0.0), square = std::abs(slope) / norm;
      if (t > part || (t == part && square <= squarest) || (found < 0 && t >= 1.0)) continue;
      part = t;
      squarest = square;
      sign = slope > 0.0 ? -1.0 : 1.0;
      found = k;
    }
    return found;
  }

  Vector feasible_;
};

/// The feasible x that is nearest to the start, in units of x that Q knows.
Result feasible_start(const Problem& problem, const PrimalActiveSet& options, double seconds) {
  const Index n = problem.num_unknowns();
  Problem nearest = problem;
  Eigen::VectorXd weight = problem.Q.diagonal();
  for (double& entry : weight) entry = entry > 0.0 ? entry : 1.0;
  nearest.Q = weight.asDiagonal();
  nearest.c = options.start.size() ? Eigen::VectorXd(-weight.cwiseProduct(options.start)) : Eigen::VectorXd::Zero(n);
  DualActiveSet search;
  search.tolerance = options.tolerance;
  search.max_steps = options.max_steps;
  search.time_limit = seconds;
  Result found;
  DualActiveSetWorkspace().solve(nearest, search, false, found);
  found.solver = "primal active set";
  return found;
}

}  // namespace

void PrimalActiveSet::validate() const {
  check::positive("qp::PrimalActiveSet::tolerance", tolerance);
  check::at_least("qp::PrimalActiveSet::max_steps", max_steps, 1);
  check::finite("qp::PrimalActiveSet::start", ConstVectorRef(start));
  nonsmooth::detail::check_time_limit("qp::PrimalActiveSet::time_limit", time_limit);
}

Result solve(const Problem& problem, const PrimalActiveSet& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  if (options.start.size())
    check::size("qp::PrimalActiveSet::start", options.start.size(), problem.num_unknowns(), "one an unknown, or none");
  Result result = feasible_start(problem, options, deadline.remaining());
  const Index used = result.iterations, left = options.max_steps - used;
  nonsmooth::detail::Buffer scratch;
  if (result.status == Status::Infeasible) {
    detail::certify_result(problem, scratch, result);  // what is there is of the search for a start
    return result;
  }
  if (left < 1 || !(result.figures.primal <= 1e-6)) {  // no feasible x, and no proof: what there is, as it is
    detail::certify_result(problem, scratch, result);
    const Status open = result.status == Status::Solved ? Status::Stalled : result.status;
    detail::conclude(options.tolerance, left < 1 ? Status::IterationLimit : open,
                     left < 1 ? "max_steps reached" : "no feasible x was found", result);
    return result;
  }
  PrimalMethod method(result.x);
  method.solve(problem, {"primal active set", options.tolerance, left, deadline.remaining()}, false, result);
  result.iterations += used;
  return result;
}

}  // namespace nonsmooth::qp
