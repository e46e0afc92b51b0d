// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/min_newton.hpp>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "semismooth.hpp"

namespace nonsmooth::lcp {
namespace {

template <class P>
Result run(const P& problem, const MinNewton& options) {
  Result result;
  result.solver = "min-newton";
  detail::semismooth_newton(
      problem, {options.tolerance, options.max_steps, options.decrease, options.memory, true, options.time_limit},
      result);
  return result;
}

}  // namespace

void MinNewton::validate() const {
  check::positive("lcp::MinNewton::tolerance", tolerance);
  check::at_least("lcp::MinNewton::max_steps", max_steps, 1);
  check::positive("lcp::MinNewton::decrease", decrease);
  check::range("lcp::MinNewton::decrease", decrease, 0.0, 0.5);
  check::at_least("lcp::MinNewton::memory", memory, 1);
  nonsmooth::detail::check_time_limit("lcp::MinNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const MinNewton& options) {
  problem.validate();
  options.validate();
  return run(detail::view(problem), options);
}

Result solve(const SparseProblem& problem, const MinNewton& options) {
  problem.validate();
  options.validate();
  return run(problem, options);
}

}  // namespace nonsmooth::lcp
