// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/panagiotopoulos.hpp>

#include <internal/check.hpp>

#include "outer_loop.hpp"

namespace nonsmooth::friction {
namespace {

using Part = internal::SplitProblem::Part;

void run_panagiotopoulos(const Problem& problem, const Panagiotopoulos& options, mixed::Result& result) {
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  internal::SplitProblem normal(problem, Part::Normal), tangential(problem, Part::Tangential);
  const bool alternates = problem.K.count(SetKind::Orthant) + problem.K.count(SetKind::Free) < problem.K.num_blocks();
  Eigen::VectorXd r = result.r, u(r.size()), x, scratch(r.size());
  problem.W.multiply_add(r, problem.q, u);
  if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
  x = tangential.rows_of(r);
  internal::Anderson anderson(x.size(), options.memory);
  internal::Safeguard safeguard;
  internal::InnerAccuracy accuracy;
  double tolerance = accuracy.tolerance(monitor, r, u);
  for (Index k = 0; k < options.max_iterations; ++k) {
    const mixed::Result first = normal.solve({}, options.inner, tolerance, monitor.remaining(), r, scratch);
    result.iterations += first.iterations;
    Index steps = first.iterations;
    bool ok = first.ok();
    if (alternates) {
      const mixed::Result second =
          tangential.solve(tangential.thresholds(r), options.inner, tolerance, monitor.remaining(), r, scratch);
      result.iterations += second.iterations;
      steps += second.iterations;
      ok = ok && second.ok();
    }
    problem.W.multiply_add(r, problem.q, u);
    if (monitor.observe(r, u)) return monitor.finish(Status::Stalled, "");
    if (!accuracy.learn(monitor, steps, ok))
      return monitor.finish(Status::Stalled, "the inner solvers make no progress");
    const Eigen::VectorXd step = tangential.rows_of(r) - x;
    x = safeguard.next(
        x, step, [&](const auto& at, const auto& f) { return anderson.next(at, f); }, [&] { anderson.forget(); });
    tolerance = accuracy.tolerance(monitor, r, u);
    tangential.set_rows(x, r);
  }
  monitor.finish(Status::IterationLimit, "max_iterations reached");
}

}  // namespace

void Panagiotopoulos::validate() const {
  check::positive("friction::Panagiotopoulos::tolerance", tolerance);
  check::within("friction::Panagiotopoulos::memory", memory, 0, check::most_iterates);
  check::at_least("friction::Panagiotopoulos::max_iterations", max_iterations, 1);
  detail::check_time_limit("friction::Panagiotopoulos::time_limit", time_limit);
}

Result solve(const Problem& problem, const Panagiotopoulos& options) {
  return internal::solve_by(problem, options, "panagiotopoulos", "friction::Panagiotopoulos::start", true,
                            run_panagiotopoulos);
}

}  // namespace nonsmooth::friction
