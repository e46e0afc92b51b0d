// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/enumeration.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay/enumeration.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {
namespace {

/// @throws InvalidArgument for too many combinations.
relay::Enumeration inner_of(const Problem& problem, const Enumeration& options) {
  double bases = 1.0;
  for (Index i = 0; i < problem.num_constrained(); ++i) {
    const double low = detail::lower(problem, i);
    const double high = detail::upper(problem, i);
    if (low == high) continue;
    bases *= 1.0 + (low > -relay::detail::infinity) + (high < relay::detail::infinity);
  }
  relay::detail::check_num_bases("mlcp::Problem::B", bases, options.max_bases);
  relay::Enumeration inner;
  inner.tolerance = options.tolerance;
  inner.max_bases = options.max_bases;
  inner.max_combinations = options.max_combinations;
  inner.time_limit = options.time_limit;
  return inner;
}

}  // namespace

void Enumeration::validate() const {
  check::positive("mlcp::Enumeration::tolerance", tolerance);
  check::at_least("mlcp::Enumeration::max_bases", max_bases, 1);
  check::at_least("mlcp::Enumeration::max_combinations", max_combinations, 0);
  nonsmooth::detail::check_time_limit("mlcp::Enumeration::time_limit", time_limit);
}

Result solve(const Problem& problem, const Enumeration& options) {
  problem.validate();
  options.validate();
  return detail::from_relay(problem, relay::solve(detail::relay_form(problem), inner_of(problem, options)));
}

std::vector<Result> all_solutions(const Problem& problem, const Enumeration& options, bool* complete) {
  problem.validate();
  options.validate();
  std::vector<Result> all;
  for (relay::Result& one : relay::all_solutions(detail::relay_form(problem), inner_of(problem, options), complete)) {
    all.push_back(detail::from_relay(problem, std::move(one)));
  }
  return all;
}

}  // namespace nonsmooth::mlcp
