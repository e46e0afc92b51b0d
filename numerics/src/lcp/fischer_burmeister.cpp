// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/fischer_burmeister.hpp>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "semismooth.hpp"

namespace nonsmooth::lcp {
namespace {

template <class P>
void run(const P& problem, const FischerBurmeister& options, Result& result) {
  result.solver = "fischer-burmeister";
  detail::semismooth_newton(
      problem, {options.tolerance, options.max_steps, options.decrease, 1, false, options.time_limit}, result);
}

}  // namespace

void FischerBurmeister::validate() const {
  check::positive("lcp::FischerBurmeister::tolerance", tolerance);
  check::at_least("lcp::FischerBurmeister::max_steps", max_steps, 1);
  check::positive("lcp::FischerBurmeister::decrease", decrease);
  check::range("lcp::FischerBurmeister::decrease", decrease, 0.0, 0.5);
  nonsmooth::detail::check_time_limit("lcp::FischerBurmeister::time_limit", time_limit);
}

void detail::fischer_burmeister(const View& problem, double tolerance, Result& result) {
  result = Result();
  FischerBurmeister options;
  options.tolerance = tolerance;
  run(problem, options, result);
}

Result solve(const Problem& problem, const FischerBurmeister& options) {
  problem.validate();
  options.validate();
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

Result solve(const SparseProblem& problem, const FischerBurmeister& options) {
  problem.validate();
  options.validate();
  Result result;
  run(problem, options, result);
  return result;
}

}  // namespace nonsmooth::lcp
