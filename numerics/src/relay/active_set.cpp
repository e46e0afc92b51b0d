// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/active_set.hpp>

#include <set>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::relay {
namespace {

constexpr Index least_norm_limit = 400;  // rows; an orthogonal decomposition a step

void run(const View& problem, double tolerance, Index max_steps, double time_limit, ConstVectorRef start,
         Result& result) {
  const Index n = problem.q.size();
  const nonsmooth::detail::Deadline deadline(time_limit);
  result.solver = "active set";
  detail::Partition partition(problem);
  Eigen::VectorXd s(n), z(n), w(n), scratch(n), inside(n);
  detail::row_scales(problem, s);
  for (Index i = 0; i < n; ++i) z[i] = start.size() == n ? start[i] : 0.0;
  detail::clamp(problem, z);
  w = problem.q;
  for (Index j = 0; j < n; ++j) {
    if (z[j] != 0.0) w += z[j] * problem.M.col(j);
  }
  detail::Places places(static_cast<std::size_t>(n), detail::Place::Between);
  std::set<detail::Places> seen;
  bool singular = false;
  Status end = Status::IterationLimit;
  std::string_view reason = "max_steps reached";
  for (result.iterations = 0;; ++result.iterations) {
    const double zero = detail::sign_floor(problem.q, w);
    bool changed = result.iterations == 0;
    for (Index i = 0; i < n; ++i) {
      detail::Place& place = places[static_cast<std::size_t>(i)];
      const double below = s[i] * (z[i] - problem.lower[i]) - w[i];  // <= 0: at the lower bound
      const double above = w[i] - s[i] * (z[i] - problem.upper[i]);  // <= 0: at the upper bound
      detail::Place now = detail::Place::Between;
      // Where both z is at its bound and w is zero, up to round-off, the row stays where it is.
      if (below <= zero && (below < -zero || place == detail::Place::Lower || result.iterations == 0)) {
        now = detail::Place::Lower;
      } else if (above <= zero && (above < -zero || place == detail::Place::Upper || result.iterations == 0)) {
        now = detail::Place::Upper;
      }
      if (problem.lower[i] == problem.upper[i]) now = detail::Place::Lower;
      changed = changed || now != place;
      place = now;
    }
    // Unchanged places: z is within its bounds and w has its signs, up to round-off.
    inside = z;
    detail::clamp(problem, inside);
    const bool stop = !changed || result.iterations >= max_steps;
    if (stop || (result.iterations & 7) == 0 || n <= 8) detail::keep_better(problem, inside, scratch, result);
    if (result.certificate.residual <= tolerance) break;
    if (!changed) {
      end = Status::Stalled;
      reason = "the final places are too ill-conditioned for the tolerance";
      break;
    }
    if (result.iterations >= max_steps) break;
    if (deadline.passed()) {
      end = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    if (result.iterations > 0 && !seen.insert(places).second) {
      end = Status::Stalled;
      reason = "the places cycle";
      detail::keep_better(problem, inside, scratch, result);
      break;
    }
    singular = !partition.solve(places, z, w);
    if (singular && !(n <= least_norm_limit && partition.solve_least(places, z, w))) {
      end = Status::NumericalFailure;
      reason = "a principal submatrix is singular and its rows contradict";
      break;
    }
  }
  detail::conclude(problem, tolerance, result, end, reason);
  if (singular && result.ok()) result.reason = detail::least_norm_reason;
}

}  // namespace

void ActiveSet::validate() const {
  check::positive("relay::ActiveSet::tolerance", tolerance);
  check::at_least("relay::ActiveSet::max_steps", max_steps, 1);
  check::finite("relay::ActiveSet::start", ConstVectorRef(start));
  nonsmooth::detail::check_time_limit("relay::ActiveSet::time_limit", time_limit);
}

void detail::active_set(const View& problem, double tolerance, Index max_steps, double time_limit, ConstVectorRef start,
                        Result& result) {
  result = Result();
  run(problem, tolerance, max_steps, time_limit, start, result);
}

Result solve(const Problem& problem, const ActiveSet& options) {
  problem.validate();
  options.validate();
  if (options.start.size() != 0) {
    check::size("relay::ActiveSet::start", options.start.size(), problem.q.size(), "one a row of M");
  }
  Result result;
  run(detail::view(problem), options.tolerance, options.max_steps, options.time_limit, options.start, result);
  return result;
}

}  // namespace nonsmooth::relay
