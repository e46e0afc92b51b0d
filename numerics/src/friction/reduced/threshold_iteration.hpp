// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fixed point s = mu (r_N)^+ with r the solution on cylinders of radius s, which Tresca and Haslinger seek.

#include "outer_loop.hpp"

namespace nonsmooth::friction::internal {

/// Runs from result.r and concludes there. `next(s, f)` gives the thresholds after s, f = mu (r_N)^+ - s.
template <class Options, class Next>
void iterate_on_thresholds(const Problem& problem, const Options& options, Next&& next, mixed::Result& result) {
  Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  SplitProblem cylinders(problem, SplitProblem::Part::All);
  Eigen::VectorXd r = result.r, u(r.size()), thresholds = cylinders.thresholds(r);
  problem.W.multiply_add(r, problem.q, u);
  if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
  InnerAccuracy accuracy;
  for (Index k = 0; k < options.max_iterations; ++k) {
    const double tolerance = accuracy.tolerance(monitor, r, u);
    const mixed::Result inner = cylinders.solve(thresholds, options.inner, tolerance, monitor.remaining(), r, u);
    result.iterations += inner.iterations;
    problem.W.multiply_add(r, problem.q, u);
    if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
    if (!accuracy.learn(monitor, inner.iterations, inner.ok()))
      return monitor.finish(Status::Stalled, "the inner solver makes no progress");
    const Eigen::VectorXd step = cylinders.thresholds(r) - thresholds;
    thresholds = next(thresholds, step);
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace nonsmooth::friction::internal
