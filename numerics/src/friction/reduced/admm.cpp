// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/admm.hpp>

#include <string>

#include <internal/check.hpp>

#include "mixed/admm_method.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {
namespace {

void run_admm(const Problem& problem, const Admm& options, mixed::Result& result) {
  internal::Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, result);
  const mixed::Admm engine{.tolerance = options.tolerance,
                           .max_iterations = options.max_iterations,
                           .penalty = options.penalty,
                           .relaxation = options.relaxation,
                           .max_refactorizations = options.max_refactorizations,
                           .memory = options.memory};
  mixed::internal::AdmmMethod<internal::Monitor>(problem, engine, monitor, result).run();
}

}  // namespace

void Admm::validate() const {
  check::positive("friction::Admm::tolerance", tolerance);
  check::at_least("friction::Admm::max_iterations", max_iterations, 1);
  check::positive("friction::Admm::penalty", penalty);
  if (!(relaxation > 0.0 && relaxation < 2.0))
    throw InvalidArgument("friction::Admm::relaxation", std::to_string(relaxation), "a number in (0, 2)");
  check::at_least("friction::Admm::max_refactorizations", max_refactorizations, 0);
  check::within("friction::Admm::memory", memory, 0, check::most_iterates);
  detail::check_time_limit("friction::Admm::time_limit", time_limit);
}

Result solve(const Problem& problem, const Admm& options) {
  return internal::solve_by(problem, options, "admm", "friction::Admm::start", true, run_admm);
}

}  // namespace nonsmooth::friction
