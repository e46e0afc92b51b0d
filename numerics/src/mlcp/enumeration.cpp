// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/enumeration.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {
namespace {

/// @throws InvalidArgument for too many combinations.
void check_combinations(const Problem& problem, const Enumeration& options) {
  double bases = 1.0;
  for (Index i = 0; i < problem.num_constrained(); ++i) {
    const double low = detail::lower(problem, i);
    const double high = detail::upper(problem, i);
    if (low == high) continue;
    bases *= 1.0 + (low > -relay::detail::infinity) + (high < relay::detail::infinity);
  }
  relay::detail::check_num_bases("mlcp::Problem::B", bases, options.max_bases);
}

}  // namespace

Result solve(const Problem& problem, const Enumeration& options) {
  problem.validate();
  options.validate();
  check_combinations(problem, options);
  return detail::from_relay(problem, relay::solve(detail::relay_form(problem), options));
}

std::vector<Result> all_solutions(const Problem& problem, const Enumeration& options, bool* complete) {
  problem.validate();
  options.validate();
  check_combinations(problem, options);
  std::vector<Result> all;
  for (relay::Result& one : relay::all_solutions(detail::relay_form(problem), options, complete))
    all.push_back(detail::from_relay(problem, std::move(one)));
  return all;
}

}  // namespace nonsmooth::mlcp
