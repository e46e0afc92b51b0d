// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/lemke.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay/lemke.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {

void Lemke::validate() const {
  check::positive("mlcp::Lemke::tolerance", tolerance);
  check::at_least("mlcp::Lemke::max_pivots", max_pivots, 0);
  check::at_least("mlcp::Lemke::refactor_every", refactor_every, 1);
  nonsmooth::detail::check_time_limit("mlcp::Lemke::time_limit", time_limit);
}

Result solve(const Problem& problem, const Lemke& options) {
  problem.validate();
  options.validate();
  relay::Lemke inner;
  inner.tolerance = options.tolerance;
  inner.max_pivots = options.max_pivots;
  inner.refactor_every = options.refactor_every;
  inner.equilibrate = options.equilibrate;
  inner.time_limit = options.time_limit;
  return detail::from_relay(problem, relay::solve(detail::relay_form(problem), inner));
}

}  // namespace nonsmooth::mlcp
