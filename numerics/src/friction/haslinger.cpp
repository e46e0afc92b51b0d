// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/haslinger.hpp>

#include "outer_loop.hpp"

namespace nonsmooth::friction {
namespace {

void run(const Problem& problem, const Haslinger& options, mixed::Result& result) {
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  internal::SplitProblem cylinders(problem, internal::SplitProblem::Part::All);
  Eigen::VectorXd r = result.r, u(r.size()), thresholds = cylinders.thresholds(r);
  internal::Anderson anderson(thresholds.size(), options.memory);
  internal::Safeguard safeguard;
  problem.W.multiply_add(r, problem.q, u);
  if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
  internal::InnerAccuracy accuracy;
  for (Index k = 0; k < options.max_iterations; ++k) {
    const double tolerance = accuracy.tolerance(monitor, r, u);
    const mixed::Result inner = cylinders.solve(thresholds, options.inner, tolerance, monitor.remaining(), r, u);
    result.iterations += inner.iterations;
    problem.W.multiply_add(r, problem.q, u);
    if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
    if (!accuracy.learn(monitor, inner.iterations, inner.ok()))
      return monitor.finish(Status::Stalled, "the inner solver makes no progress");
    const Eigen::VectorXd step = cylinders.thresholds(r) - thresholds;
    thresholds = safeguard.next(
        thresholds, step, [&](const auto& x, const auto& f) { return anderson.next(x, f); },
        [&] { anderson.forget(); });
    thresholds = thresholds.cwiseMax(0.0);
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace

void Haslinger::validate() const {
  check::positive("friction::Haslinger::tolerance", tolerance);
  check::at_least("friction::Haslinger::memory", memory, 0);
  check::at_least("friction::Haslinger::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::Haslinger::time_limit", time_limit);
}

Result solve(const Problem& problem, const Haslinger& options) {
  return internal::solve_by(problem, options, "haslinger", "friction::Haslinger::start", true, run);
}

}  // namespace nonsmooth::friction
