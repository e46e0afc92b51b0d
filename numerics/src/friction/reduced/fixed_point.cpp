// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/fixed_point.hpp>

#include "adaptive_step.hpp"

namespace nonsmooth::friction {
namespace {

void run_fixed_point(const Problem& problem, const FixedPoint& options, mixed::Result& result) {
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  internal::AdaptiveStep step(problem, options, monitor.rho(), result.r);
  if (monitor.observe(step.r, step.u)) return monitor.finish(Status::Stalled, "");
  while (result.iterations < options.max_iterations) {
    if (!step.predict()) return monitor.finish(Status::Stalled, "no step, however short, satisfies the rule");
    step.r.swap(step.y);
    step.u.swap(step.y_u);
    step.v.swap(step.y_v);
    step.adapt();
    ++result.iterations;
    if (internal::Monitor::due(result.iterations) && monitor.observe(step.r, step.u)) break;
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace

void FixedPoint::validate() const { internal::validate_step("friction::FixedPoint", *this); }

Result solve(const Problem& problem, const FixedPoint& options) {
  return internal::solve_by(problem, options, "fixed point", "friction::FixedPoint::start", true, run_fixed_point);
}

}  // namespace nonsmooth::friction
