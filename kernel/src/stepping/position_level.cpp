// SPDX-License-Identifier: Apache-2.0
// Multipliers of positions within a step, beside those of its velocities.
#include "position_level.hpp"

#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "dynamics/relation_values.hpp"
#include "workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

/// Of the mechanical systems, which are all in batches of generalised-alpha.
template <class Visit>
void for_each_held(const Discretisation& discretisation, SystemCaches& systems, Visit visit) {
  for (std::size_t s = 0; s < discretisation.schemes.size(); ++s) {
    if (!discretisation.schemes[s].generalised_alpha) continue;
    const SystemCaches::Place& at = systems.at(static_cast<Index>(s));
    visit(discretisation.system(static_cast<Index>(s)), *at.batch, at.place);
  }
}

/// The systems' U from own.move.
void set_moves(const Discretisation& discretisation, SystemCaches& systems, const ProjectionProblem& own) {
  for_each_held(discretisation, systems, [&](const Layout::System& place, SystemBatch& batch, Index at) {
    batch.part_positions(at, own.move.segment(place.z, place.n));
  });
}

/// Lists joints, contacts that press and those that are entered, with their gaps. Returns how far the worst row is out
/// of tolerance: at most 1 where none is.
double list_rows_of_step(const ProjectionOptions& options, const State& state, const RelationCaches& relations,
                         ProjectionProblem& own) {
  double worst = 0.0;
  own.rows.clear();
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    const BlockPlan& block = relations.blocks[b];
    const InteractionPlan& interaction = relations.interaction_of(block);
    if (!is_of_gap(block, interaction)) continue;
    const bool unilateral = interaction.law->unilateral;
    for (Index r = 0; r < rows_of_gap(block, interaction); ++r) {
      const double y = state.outputs[block.row + r];
      const bool presses = own.multipliers[block.row + r] > 0.0, enters = y < -options.unilateral_tolerance;
      if (unilateral && !presses && !enters) continue;
      ProjectionRow row;
      row.interaction = block.interaction;
      row.local = block.local + r;
      row.bilateral = !unilateral;
      row.gap = y;
      own.rows.push_back(row);
      worst = std::max(worst, std::abs(y) / (unilateral ? options.unilateral_tolerance : options.bilateral_tolerance));
    }
  }
  return worst;
}

/// The solution to the multipliers by state row; contacts that press and do not act on velocities join those that do.
void take_multipliers(const RelationCaches& relations, const ActiveSet& active, ProjectionProblem& own,
                      Joining& joining) {
  own.multipliers.setZero();
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const ProjectionRow& row = own.rows[i];
    own.multipliers[relations.interaction(row.interaction).row + row.local] =
        own.problem.result.r[static_cast<Index>(i)];
  }
  own.state.assign(relations.blocks.size(), 0);
  for (const ActiveBlock& block : active.blocks) own.state[static_cast<std::size_t>(block.model_block)] = 1;
  joining.blocks.resize(relations.blocks.size(), 0);
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    const BlockPlan& block = relations.blocks[b];
    if (block.unilateral && own.state[b] == 0 && own.multipliers[block.row] > 0.0) joining.blocks[b] = 1;
  }
}

}  // namespace

void check_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                     const Discretisation& discretisation) {
  if (options.projection.kind != Projection::WithinStep) return;
  for (std::size_t s = 0; s < discretisation.schemes.size(); ++s) {
    const Layout::System& place = discretisation.layout->systems[s];
    if (place.first_order || discretisation.schemes[s].generalised_alpha) continue;
    throw InvalidArgument("ProjectionOptions::kind",
                          "WithinStep with " + discretisation.schemes[s].integrator->name() + " for " + place.name,
                          "GeneralisedAlpha, whose steps have multipliers of positions; or Direct, All or Combined");
  }
  if (!model.sources().empty())
    throw InvalidArgument("ProjectionOptions::kind", "WithinStep with a source of contacts",
                          "contacts that are linked (NonSmoothDynamicalSystem::link_sources); or All or Combined");
}

PositionsApart::PositionsApart(const Discretisation& discretisation, SystemCaches& systems, ProjectionProblem& own)
    : discretisation_(discretisation), systems_(systems) {
  own.multipliers.setZero(discretisation.layout->num_rows);
  own.move.setZero(discretisation.layout->num_unknowns);
  own.problem.blocks.clear();
  own.redundant.begin_step();
  set_moves(discretisation, systems, own);
}

PositionsApart::~PositionsApart() {
  for_each_held(discretisation_, systems_,
                [](const Layout::System&, SystemBatch& batch, Index at) { batch.join_positions(at); });
}

bool hold_positions(const TimeSteppingOptions& options, State& state, Workspace::Implementation& caches, bool& solved) {
  const Discretisation& discretisation = caches.discretisation;
  ProjectionProblem& own = caches.projection;
  solved = true;
  if (list_rows_of_step(options.projection, state, caches.relations, own) <= 1.0) {
    state.projections = own.multipliers;
    return true;
  }
  const StepView end{state, state.t, discretisation};
  for_each_held(discretisation, caches.systems,
                [&](const Layout::System&, SystemBatch& batch, Index at) { batch.factor_mass(end, at); });
  assemble_projection(discretisation, caches.relations, caches.search.asleep, caches.systems, options.dependent_rows,
                      &own.move, own);
  own.solver.solve(own.problem.reduced, projection_solver(options, own.problem.reduced), false, own.problem.result,
                   &caches.threads);
  own.redundant.end_solution(own.problem);
  solved = own.problem.result.r.allFinite();
  if (!solved) return false;
  sum_moves(discretisation, own);
  set_moves(discretisation, caches.systems, own);
  take_multipliers(caches.relations, caches.active, own, caches.joining);
  return false;
}

}  // namespace nonsmooth::stages
