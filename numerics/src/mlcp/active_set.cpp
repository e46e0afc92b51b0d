// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/active_set.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay/active_set.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {

void ActiveSet::validate() const {
  check::positive("mlcp::ActiveSet::tolerance", tolerance);
  check::at_least("mlcp::ActiveSet::max_steps", max_steps, 1);
  check::finite("mlcp::ActiveSet::start_u", ConstVectorRef(start_u));
  check::finite("mlcp::ActiveSet::start_v", ConstVectorRef(start_v));
  nonsmooth::detail::check_time_limit("mlcp::ActiveSet::time_limit", time_limit);
}

Result solve(const Problem& problem, const ActiveSet& options) {
  problem.validate();
  options.validate();
  const Index n = problem.num_free();
  const Index m = problem.num_constrained();
  relay::Problem form = detail::relay_form(problem);
  relay::ActiveSet inner;
  inner.tolerance = options.tolerance;
  inner.max_steps = options.max_steps;
  inner.time_limit = options.time_limit;
  if (options.start_u.size() + options.start_v.size() > 0) {
    check::size("mlcp::ActiveSet::start_u", options.start_u.size(), n, "one a column of A");
    check::size("mlcp::ActiveSet::start_v", options.start_v.size(), m, "one a row of B");
    inner.start.setZero(form.q.size());
    inner.start.head(n) = options.start_u;
    inner.start.tail(m) = options.start_v;
  }
  return detail::from_relay(problem, relay::solve(form, inner));
}

}  // namespace nonsmooth::mlcp
