// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/extragradient.hpp>

#include "adaptive_step.hpp"

namespace nonsmooth::friction {
namespace {

void run_extragradient(const Problem& problem, const Extragradient& options, mixed::Result& result) {
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  internal::AdaptiveStep step(problem, options, monitor.rho(), result.r);
  if (monitor.observe(step.r, step.u)) return monitor.finish(Status::Stalled, "");
  while (result.iterations < options.max_iterations) {
    if (!step.predict()) return monitor.finish(Status::Stalled, "no step, however short, satisfies the rule");
    step.correct(step.y_v);
    step.r.swap(step.y);
    step.refresh();
    step.adapt();
    ++result.iterations;
    if (internal::Monitor::due(result.iterations) && monitor.observe(step.r, step.u)) break;
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace

void Extragradient::validate() const { internal::validate_step("friction::Extragradient", *this); }

Result solve(const Problem& problem, const Extragradient& options) {
  return internal::solve_by(problem, options, "extragradient", "friction::Extragradient::start", true,
                            run_extragradient);
}

}  // namespace nonsmooth::friction
