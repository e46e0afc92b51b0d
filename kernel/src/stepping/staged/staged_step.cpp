// SPDX-License-Identifier: Apache-2.0
// A step of a scheme of several stages, from the state to the state.
#include <limits>

#include <internal/check.hpp>

#include "staged.hpp"
#include "stepping/commit.hpp"
#include "stepping/failure.hpp"
#include "stepping/workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

void begin_staged(const State& state, const RelationCaches& relations, Staged& staged) {
  staged.start.t = state.t;
  staged.start.x = state.unknowns;
  staged.start.lambda.setZero();
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    const InteractionPlan& interaction = relations.interactions[i];
    staged.start.lambda.segment(staged.first_row[i], interaction.rows) =
        state.multipliers.segment(interaction.row, interaction.rows);
  }
  const bool keeps = staged.scheme->kept() != StagedIntegrator::Kept::Nothing && state.has_differences();
  staged.kept_step = keeps ? state.last_step : 0.0;
  if (keeps) {
    staged.kept = state.differences;
  } else {
    staged.kept.setZero();
  }
}

/// What the next step is to know of this one, where it was one piece.
void keep_step(double t_next, const Staged& staged, bool divided, State& state) {
  using Kept = StagedIntegrator::Kept;
  if (staged.scheme->kept() == Kept::Nothing) return;
  state.differences_t = divided ? -std::numeric_limits<double>::infinity() : t_next;
  if (staged.scheme->kept() == Kept::Difference) state.differences = staged.stop.x - staged.start.x;
  if (staged.scheme->kept() == Kept::Slope) state.differences = staged.slope;
}

void commit_staged(double t_next, const StepReport& report, Workspace::Implementation& caches, State& state) {
  const Staged& staged = caches.staged;
  StepSolution& solution = caches.solution;
  solution.z = state.unknowns;
  solution.z_free = staged.z_free;
  state.unknowns = staged.stop.x;
  solution.last_multipliers = state.multipliers;
  for (std::size_t i = 0; i < caches.relations.interactions.size(); ++i) {
    const InteractionPlan& interaction = caches.relations.interactions[i];
    state.multipliers.segment(interaction.row, interaction.rows) =
        staged.stop.lambda.segment(staged.first_row[i], interaction.rows);
  }
  state.percussions.setZero();
  state.projections.setZero();
  commit_time(t_next, caches.discretisation, state);
  keep_step(t_next, staged, report.subdivisions > 0, state);
  update_outputs_in_place(t_next, caches.discretisation.h, caches.relations, state);
}

}  // namespace

StepReport solve_staged(const TimeSteppingOptions& options, double t_next, State& state,
                        Workspace::Implementation& caches) {
  Staged& staged = caches.staged;
  const double h = caches.discretisation.h;
  StepReport report;
  report.t = t_next;
  caches.active.blocks.clear();
  staged.last = nullptr;
  begin_staged(state, caches.relations, staged);
  caches.systems.inputs.sample({state, t_next, caches.discretisation});
  const StagedWork work{options, caches.discretisation, caches.systems.inputs, caches.relations, caches.threads, staged,
                        report};
  bool solved = false;
  if (staged.scheme->locates()) {
    solved = solve_located(work, h);
  } else {
    lay_stages(caches.discretisation, caches.relations, staged.kept_step > 0.0 ? h / staged.kept_step : 0.0, staged,
               staged.whole);
    solved = solve_part(work, h, nullptr, staged.whole);
  }
  if (!solved) {
    report.taken = false;
    return report;
  }
  if (!check::all_finite(staged.stop.x)) {
    report.outcome = StepReport::Outcome::SolverFailed;
    report.solver = Status::NumericalFailure;
    report.at_round_off = false;
    report.taken = false;
    report.detail = first_not_finite(*caches.discretisation.layout, staged.stop.x);
    return report;
  }
  if (!caches.relations.outputs_call_users) {
    commit_staged(t_next, report, caches, state);
    return report;
  }
  caches.backup = state;
  try {
    commit_staged(t_next, report, caches, state);
  } catch (const CallableFailure&) {
    state = caches.backup;  // the outputs at t_{k+1} could not be had: nothing of the step stays
    throw;
  }
  return report;
}

}  // namespace nonsmooth::stages
