// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/admm.hpp>

#include <algorithm>
#include <string>

#include <internal/check.hpp>

#include "admm_workspace.hpp"
#include "mixed/admm_method.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction {

struct internal::FrictionAdmmMemory {
  MonitorMemory<GrowingVector> monitor;
  mixed::internal::AdmmMemory iteration;
};

namespace {

constexpr std::string_view admm_name = "admm", admm_start = "friction::Admm::start";

void run_admm(const Problem& problem, const Admm& options, internal::FrictionAdmmMemory& memory,
              mixed::Result& result) {
  using Monitor = internal::BasicMonitor<GrowingVector>;
  Monitor monitor(problem, options.tolerance, options.measure, options.time_limit, &memory.monitor, result);
  const mixed::Admm engine{.tolerance = options.tolerance,
                           .max_iterations = options.max_iterations,
                           .penalty = options.penalty,
                           .relaxation = options.relaxation,
                           .max_refactorizations = options.max_refactorizations,
                           .memory = options.memory};
  mixed::internal::AdmmMethod<Monitor>(problem, engine, memory.iteration, monitor, result).run();
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
  return internal::solve_by(problem, options, admm_name, admm_start, true,
                            [](const Problem& form, const Admm& given, mixed::Result& result) {
                              internal::FrictionAdmmMemory memory;
                              run_admm(form, given, memory, result);
                            });
}

namespace internal {

void AdmmWorkspace::reserve(const Problem& problem) {
  FrictionAdmmMemory& own = memory_.get();
  for (GrowingVector* vector : {&own.monitor.rho, &own.monitor.error, &own.monitor.best_r, &own.monitor.u})
    vector->resize(std::max(problem.W.rows(), vector->size()));
  own.iteration.reserve(problem, Admm{}.memory);
}

void AdmmWorkspace::solve(const Problem& problem, const Admm& options, ConstVectorRef r, Result& result) {
  problem.validate();
  options.validate();
  check_sets(admm_name, problem.K, true);
  const auto run = [this](const Problem& of, const Admm& by, mixed::Result& found) {
    run_admm(of, by, memory_.get(), found);
  };
  solve_canonical_into(problem, options, admm_name, admm_start, r, run, result);
}

}  // namespace internal

}  // namespace nonsmooth::friction
