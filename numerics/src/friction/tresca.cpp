// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/tresca.hpp>

#include <string>

#include "outer_loop.hpp"

namespace nonsmooth::friction {
namespace {

void run(const Problem& problem, const Tresca& options, mixed::Result& result) {
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  internal::SplitProblem cylinders(problem, internal::SplitProblem::Part::All);
  Eigen::VectorXd r = result.r, u(r.size()), thresholds = cylinders.thresholds(r);
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
    thresholds += options.relaxation * (cylinders.thresholds(r) - thresholds);
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace

void Tresca::validate() const {
  check::positive("friction::Tresca::tolerance", tolerance);
  if (!(relaxation > 0.0 && relaxation <= 1.0))
    throw InvalidArgument("friction::Tresca::relaxation", std::to_string(relaxation), "a number in (0, 1]");
  check::at_least("friction::Tresca::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::Tresca::time_limit", time_limit);
}

Result solve(const Problem& problem, const Tresca& options) {
  return internal::solve_by(problem, options, "tresca", "friction::Tresca::start", true, run);
}

}  // namespace nonsmooth::friction
