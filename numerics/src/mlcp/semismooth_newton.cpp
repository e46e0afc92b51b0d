// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mlcp/semismooth_newton.hpp>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/relay/semismooth_newton.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp {

void SemismoothNewton::validate() const {
  check::positive("mlcp::SemismoothNewton::tolerance", tolerance);
  check::at_least("mlcp::SemismoothNewton::max_steps", max_steps, 1);
  check::positive("mlcp::SemismoothNewton::decrease", decrease);
  check::range("mlcp::SemismoothNewton::decrease", decrease, 0.0, 0.5);
  check::at_least("mlcp::SemismoothNewton::memory", memory, 1);
  nonsmooth::detail::check_time_limit("mlcp::SemismoothNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const SemismoothNewton& options) {
  problem.validate();
  options.validate();
  relay::SemismoothNewton inner;
  inner.tolerance = options.tolerance;
  inner.reformulation = options.reformulation;
  inner.max_steps = options.max_steps;
  inner.decrease = options.decrease;
  inner.memory = options.memory;
  inner.time_limit = options.time_limit;
  return detail::from_relay(problem, relay::solve(detail::relay_form(problem), inner));
}

}  // namespace nonsmooth::mlcp
