// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/any_solver.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_automatic.hpp>
#include <nonsmooth/numerics/friction/global_registry.hpp>
#include <nonsmooth/numerics/friction/registry.hpp>
#include <nonsmooth/numerics/mixed/registry.hpp>

#include "friction/reduced/projection_method.hpp"
#include "friction_global.hpp"
#include "kept_memory.hpp"
#include "mixed/internal.hpp"
#include "mixed/refinement.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth {
namespace {

constexpr std::string_view kOtherSizes = "the algorithm gave vectors of other sizes than the problem's";

/// The start that an algorithm is given: none where it is 0, as some then find a better one.
ConstVectorRef start_of(ConstVectorRef r, Index rows) {
  static const Eigen::VectorXd none;
  return r.size() == rows && r.allFinite() && !r.isZero(0.0) ? r : ConstVectorRef(none);
}

/// What mixed::Automatic is for the global form.
friction::GlobalAutomatic global_choice(const mixed::Automatic& options) {
  return {.tolerance = options.tolerance, .max_iterations = options.max_iterations, .time_limit = options.time_limit};
}

/// What a registry ends with (mixed/refinement.hpp, solved_to_round_off.hpp).
void finish(const mixed::Problem& problem, const friction::GaussSeidel& options, const detail::Deadline& deadline,
            KeptMemory<mixed::internal::RefinementMemory>& refinement, mixed::Result& result) {
  const bool own_limit = options.max_iterations != friction::GaussSeidel{}.max_iterations;
  if (options.measure == friction::Measure::Certificate)
    mixed::internal::refine(problem, options.tolerance, own_limit ? options.max_iterations : 0, deadline, refinement,
                            result);
  mixed::internal::tell_round_off(problem, result);
}

}  // namespace

AnySolver AnySolver::named(std::string_view name, const Limits& limits) {
  limits.validate();
  std::string known;
  std::optional<AnySolver> found;
  const auto search = [&](const std::string& family, const auto& entries) {
    for (const auto& entry : entries) {
      const std::string qualified = family + "::" + std::string(entry.name);
      if (!found && (name == entry.name || name == qualified)) found = entry.within(limits);
      known += (known.empty() ? "" : ", ") + qualified;
    }
  };
  search("mixed", mixed::registry());
  search("friction", friction::registry());
  search("global", friction::global_registry());
  if (!found) throw InvalidArgument("AnySolver: name", "'" + std::string(name) + "'", "one of " + known);
  return *found;
}

void AnySolver::validate() const {
  std::visit(
      [](const auto& held) {
        if constexpr (requires { held->validate(); })
          held->validate();
        else
          held.validate();
      },
      held_);
}

bool AnySolver::takes_reduced() const noexcept {
  return !std::holds_alternative<Pointer<friction::GlobalProblem>>(held_);
}

bool AnySolver::takes_global() const noexcept {
  return !takes_reduced() || std::holds_alternative<mixed::Automatic>(held_);
}

friction::Result AnySolver::solve_from(ConstVectorRef start, const mixed::Problem& problem) const {
  if (!takes_reduced())
    throw InvalidArgument("AnySolver::solve_from: problem", "W and q for an algorithm of the global form", "(A, H)");
  friction::Result result;
  result.r = start;
  if (!problem.q.allFinite() || !problem.W.entries().allFinite()) {
    mixed::internal::begin(problem, {}, result);
    mixed::internal::end(result, Status::NumericalFailure, "an entry of W or q is not finite");
  } else if (const auto* automatic = get_if<mixed::Automatic>()) {
    mixed::Workspace().solve(problem, *automatic, false, result);
  } else if (const auto* sweeps = get_if<mixed::GaussSeidel>()) {
    mixed::GaussSeidelWorkspace().solve(problem, *sweeps, result);
  } else if (const auto* contact_sweeps = get_if<friction::GaussSeidel>()) {
    const detail::Deadline deadline(contact_sweeps->time_limit);
    friction::GaussSeidel from = *contact_sweeps;
    from.start = start_of(start, problem.q.size());
    result = friction::solve(problem, from);
    KeptMemory<mixed::internal::RefinementMemory> refinement;
    finish(problem, *contact_sweeps, deadline, refinement, result);
  } else {
    const auto& algorithm = *std::get<Pointer<mixed::Problem>>(held_);
    const detail::Deadline deadline(algorithm.time_limit);
    result = algorithm.run(problem, start_of(start, problem.q.size()));
    if (result.r.size() != problem.q.size() || result.u.size() != problem.q.size()) {
      mixed::internal::begin(problem, result.solver, result);
      mixed::internal::end(result, Status::NumericalFailure, kOtherSizes);
      return result;
    }
    if (algorithm.refines) mixed::internal::refine(problem, algorithm.tolerance, 0, deadline, result);
    mixed::internal::tell_round_off(problem, result);
  }
  return result;
}

friction::GlobalResult AnySolver::solve_from(ConstVectorRef start, const friction::GlobalProblem& problem) const {
  if (const auto* automatic = get_if<mixed::Automatic>()) {
    friction::GlobalAutomatic options = global_choice(*automatic);
    options.start = start_of(start, problem.w.size());
    return friction::solve(problem, options);
  }
  const auto* pointer = std::get_if<Pointer<friction::GlobalProblem>>(&held_);
  if (!pointer)
    throw InvalidArgument("AnySolver::solve_from: problem", "(A, H) for an algorithm that needs W", "W and q");
  friction::GlobalResult found = (*pointer)->run(problem, start_of(start, problem.w.size()));
  if (found.v.size() != problem.f.size() || found.r.size() != problem.w.size() || found.u.size() != problem.w.size()) {
    found.v.setZero(problem.f.size());
    found.r.setZero(problem.w.size());
    found.u.setZero(problem.w.size());
    found.status = Status::NumericalFailure;
    found.reason = kOtherSizes;
    return found;
  }
  detail::call_solved(found);
  return found;
}

struct AnySolverWorkspace::Implementation {
  mixed::Workspace automatic;
  mixed::GaussSeidelWorkspace sweeps;
  friction::GaussSeidelWorkspace contact_sweeps;
  friction::internal::GlobalAutomaticWorkspace global;
  friction::Result contact_result;
  KeptMemory<mixed::internal::RefinementMemory> refinement;  // of what contact_sweeps leave
  bool automatic_knows = false;                              // the W of the last call
};

AnySolverWorkspace::AnySolverWorkspace() : implementation_(std::make_unique<Implementation>()) {}
AnySolverWorkspace::~AnySolverWorkspace() = default;
AnySolverWorkspace::AnySolverWorkspace(AnySolverWorkspace&&) noexcept = default;
AnySolverWorkspace& AnySolverWorkspace::operator=(AnySolverWorkspace&&) noexcept = default;

void AnySolverWorkspace::solve(const AnySolver& solver, const mixed::Problem& problem, bool same_matrix,
                               ThreadPool& threads, mixed::Result& result, std::vector<friction::Decision>& decisions) {
  if (!implementation_) implementation_ = std::make_unique<Implementation>();
  Implementation& work = *implementation_;
  decisions.clear();
  const auto* automatic = solver.get_if<mixed::Automatic>();
  if (automatic) {
    work.automatic.solve(problem, *automatic, same_matrix && work.automatic_knows, result, &threads);
  } else if (const auto* sweeps = solver.get_if<mixed::GaussSeidel>()) {
    work.sweeps.solve(problem, *sweeps, result, &threads);
  } else if (const auto* contacts = solver.get_if<friction::GaussSeidel>();
             contacts && contacts->order != friction::GaussSeidel::Order::User) {
    friction::internal::check_sets("gauss-seidel", problem.K, true);
    const detail::Deadline deadline(contacts->time_limit);
    static_cast<mixed::Result&>(work.contact_result) = std::move(result);
    work.contact_sweeps.solve(problem, *contacts, work.contact_result, &threads);
    result = std::move(static_cast<mixed::Result&>(work.contact_result));
    finish(problem, *contacts, deadline, work.refinement, result);
  } else {
    friction::Result found = solver.solve_from(result.r, problem);
    decisions = std::move(found.decisions);
    result = std::move(static_cast<mixed::Result&>(found));
  }
  work.automatic_knows = automatic != nullptr;
}

void AnySolverWorkspace::solve(const AnySolver& solver, const friction::GlobalProblem& problem, ConstVectorRef start,
                               friction::GlobalResult& result) {
  if (!implementation_) implementation_ = std::make_unique<Implementation>();
  if (const auto* automatic = solver.get_if<mixed::Automatic>())
    implementation_->global.solve(problem, global_choice(*automatic), start_of(start, problem.w.size()), result);
  else
    result = solver.solve_from(start, problem);
}

void AnySolverWorkspace::reset() noexcept {
  if (implementation_) implementation_->automatic.reset();
}

}  // namespace nonsmooth
