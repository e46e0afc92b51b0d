// SPDX-License-Identifier: Apache-2.0
// Multipliers of positions within a step, beside those of its velocities.
#include "position_level.hpp"

#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "dynamics/relations/relation_values.hpp"
#include "stepping/alpha_systems.hpp"
#include "stepping/workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

constexpr signed char kActive = 1, kTookPart = 2;  ///< of ProjectionProblem::state within a step: on velocities; by mu

/// The systems' U + D from own.move and moves.slide.
void set_moves(const Discretisation& discretisation, SystemCaches& systems, const ProjectionProblem& own,
               MovesInStep& moves) {
  moves.sum = own.move + moves.slide;
  for_each_alpha(discretisation, systems, [&](const Layout::System& place, SystemBatch& batch, Index at) {
    batch.part_positions(at, moves.sum.segment(place.z, place.n));
  });
}

/// How many of an active block's first rows hold positions, by mu.
Index rows_of_positions(const RelationCaches& relations, const ActiveBlock& block) {
  if (block.contact) return 1;
  const InteractionPlan& interaction = relations.interaction_of(*block.law);
  return is_of_gap(*block.law, interaction) ? rows_of_gap(*block.law, interaction) : 0;
}

/// Whether two moves of all unknowns are the same, to the tolerance.
bool are_same(const ProjectionOptions& options, const Eigen::VectorXd& one, const Eigen::VectorXd& other) {
  return (one - other).lpNorm<Eigen::Infinity>() <= std::min(options.unilateral_tolerance, options.bilateral_tolerance);
}

/// D = h/2 M^-1 H^T p of the rows that hold no positions, of the step that ended at `end`, to moves.slide, and the D
/// that it was made with to moves.slid. Returns whether they are the same, to the tolerance.
bool find_slide(const ProjectionOptions& options, const StepView& end, Workspace::Implementation& caches) {
  MovesInStep& own = caches.moves;
  own.slid.swap(own.slide);
  own.slide.setZero(own.slid.size());
  bool any = false;
  for (const ActiveBlock& block : caches.active.blocks) {
    for (Index r = rows_of_positions(caches.relations, block); r < block.size; ++r) {
      const double p = caches.one_step.problem.result.r[block.row + r];
      if (p == 0.0) continue;
      any = true;
      for (const ActiveJacobian& jacobian : caches.acting.jacobians(block)) {
        for (Index k = 0; k < jacobian.n; ++k)
          own.slide[jacobian.z + k] += p * jacobian.hu[r * jacobian.row_stride + k * jacobian.column_stride];
      }
    }
  }
  if (any) {
    for_each_alpha(end.discretisation, caches.systems, [&](const Layout::System& place, SystemBatch& batch, Index at) {
      auto D = own.slide.segment(place.z, place.n);
      batch.factor_mass(end, at);
      batch.apply_inverse(at, D);
      D *= 0.5 * end.h();
    });
  }
  return are_same(options, own.slide, own.slid);
}

/// How far a row is out of its tolerance, which is set: at most 1 where it is not.
template <class Rounding>
double out_of_tolerance(const ProjectionOptions& options, bool presses, Rounding rounding, ProjectionRow& row) {
  const double off = row.bilateral || presses ? std::abs(row.gap) : -row.gap;
  set_tolerance(options, off, rounding, row);
  return off / row.tolerance;
}

/// Lists joints and contacts that are entered or took part before, with their gaps: without those that pressed in
/// another turn, turns could go round in a circle. Returns how far the worst row is out of tolerance.
double list_rows_of_step(const ProjectionOptions& options, const State& state, const RelationCaches& relations,
                         ProjectionProblem& own) {
  double worst = 0.0;
  own.rows.clear();
  own.state.resize(relations.blocks.size(), 0);
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    const BlockPlan& block = relations.blocks[b];
    const InteractionPlan& interaction = relations.interaction_of(block);
    if (!is_of_gap(block, interaction)) continue;
    const bool unilateral = interaction.law->unilateral;
    for (Index r = 0; r < rows_of_gap(block, interaction); ++r) {
      const double y = state.outputs[block.row + r];
      const bool presses = own.multipliers[block.row + r] > 0.0, enters = y < -options.unilateral_tolerance;
      if (unilateral && !enters && (own.state[b] & kTookPart) == 0) continue;
      ProjectionRow row;
      row.interaction = block.interaction;
      row.local = block.local + r;
      row.bilateral = !unilateral;
      row.gap = y;
      const auto rounding = [&] { return rounding_of_gap(state, relations, interaction, row.local); };
      worst = std::max(worst, out_of_tolerance(options, presses, rounding, row));
      own.rows.push_back(row);
    }
  }
  return worst;
}

/// Contacts found where the step ended, those that are entered or took part before, behind the rows that are listed.
/// Returns as list_rows_of_step does.
double list_contacts_of_step(const NonSmoothDynamicalSystem& model, const ProjectionOptions& options,
                             const State& state, Workspace::Implementation& caches) {
  ProjectionProblem& own = caches.projection;
  const auto& pressing = caches.moves.pressing;
  const auto is_among = [](const auto& sorted, Index source, const DetectedContact& contact) {
    return std::binary_search(sorted.begin(), sorted.end(), std::pair(source, contact.feature));
  };
  // One that presses may be open by what mu did not know of its own move U, far less than U: it is looked for as far as
  // -U goes, as bodies at rest look nowhere.
  Eigen::VectorXd& back = caches.moves.sum;
  back = own.move / (-caches.discretisation.forecast * caches.discretisation.h);
  own.contacts.found.resize(model.sources().size());
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    ask_source(model, s, state, {.z = back}, caches.discretisation, caches.search, own.contacts.found[s]);
    for (ContactBatch& batch : own.contacts.found[s]) {
      const auto keep = [&](Index i) {
        const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
        return contact.gap < -options.unilateral_tolerance || is_among(own.activated, static_cast<Index>(s), contact);
      };
      keep_contacts(caches.search.sources[s].bodies.systems, batch, batch.rows, batch.columns_first,
                    batch.columns_second, keep);
    }
  }
  own.contacts.list_places();
  double worst = 0.0;
  own.contacts.for_each([&](const ContactSet::Place& place, Index i) {
    ProjectionRow row;
    row.place = &place;
    row.contact = i;
    row.gap = contact_of(row).gap;
    const auto rounding = [&] { return lift_by_rounding(contact_of(row).terms); };
    const bool presses = is_among(pressing, place.source, contact_of(row));
    worst = std::max(worst, out_of_tolerance(options, presses, rounding, row));
    own.rows.push_back(row);
  });
  return worst;
}

/// Contacts of sources whose rows are listed, to those that took part in the step.
void note_contacts(ProjectionProblem& own) {
  const auto before = static_cast<std::ptrdiff_t>(own.activated.size());
  for (const ProjectionRow& row : own.rows) {
    if (row.place == nullptr) continue;
    const std::pair identity(row.place->source, contact_of(row).feature);
    if (!std::binary_search(own.activated.begin(), own.activated.begin() + before, identity))
      own.activated.push_back(identity);
  }
  std::sort(own.activated.begin(), own.activated.end());
}

/// The solution to the multipliers by state row; contacts that press and do not act on velocities join those that do.
/// Returns whether one does.
bool take_multipliers(const RelationCaches& relations, const ContactSet& contacts, const ActiveSet& active,
                      MovesInStep& moves, ProjectionProblem& own, Joining& joining) {
  bool any = false;
  own.multipliers.setZero();
  moves.pressing.clear();
  note_contacts(own);
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const ProjectionRow& row = own.rows[i];
    const double mu = own.problem.result.r[static_cast<Index>(i)];
    if (row.interaction >= 0) {
      own.multipliers[relations.interaction(row.interaction).row + row.local] = mu;
    } else if (mu > 0.0) {
      const Index source = row.place->source;
      const std::uint64_t feature = contact_of(row).feature;
      moves.pressing.emplace_back(source, feature);
      if (contacts.has(source, feature)) continue;
      any = true;
      joining.contacts.resize(own.contacts.found.size());
      static_cast<void>(
          insert_contact(*row.place->batch, row.contact, row.gap, joining.contacts[static_cast<std::size_t>(source)]));
    }
  }
  std::sort(moves.pressing.begin(), moves.pressing.end());
  for (signed char& state : own.state) state &= kTookPart;
  for (const ActiveBlock& block : active.blocks) {
    if (block.model_block >= 0) own.state[static_cast<std::size_t>(block.model_block)] |= kActive;
  }
  joining.blocks.resize(relations.blocks.size(), 0);
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    const BlockPlan& block = relations.blocks[b];
    if (!block.unilateral || !(own.multipliers[block.row] > 0.0)) continue;
    const bool acts = (own.state[b] & kActive) != 0;
    own.state[b] |= kTookPart;
    if (acts) continue;
    any = true;
    joining.blocks[b] = 1;
  }
  return any;
}

}  // namespace

void check_positions(const TimeSteppingOptions& options, const Discretisation& discretisation) {
  if (options.projection.kind != Projection::WithinStep) return;
  for (std::size_t s = 0; s < discretisation.schemes.size(); ++s) {
    const Layout::System& place = discretisation.layout->systems[s];
    if (place.first_order || discretisation.schemes[s].generalised_alpha) continue;
    throw InvalidArgument("ProjectionOptions::kind",
                          "WithinStep with " + discretisation.schemes[s].integrator->name() + " for " + place.name,
                          "GeneralisedAlpha, whose steps have multipliers of positions; or Direct, All or Combined");
  }
}

PositionsApart::PositionsApart(const Discretisation& discretisation, SystemCaches& systems, ProjectionProblem& own,
                               MovesInStep& moves)
    : discretisation_(discretisation), systems_(systems) {
  own.multipliers.setZero(discretisation.layout->num_rows);
  own.move.setZero(discretisation.layout->num_unknowns);
  own.problem.blocks.clear();
  own.redundant.begin_step();
  moves.h = discretisation.h;
  moves.pressing.clear();
  own.activated.clear();
  own.state.clear();
  moves.slide.setZero(discretisation.layout->num_unknowns);
  moves.slid.setZero(discretisation.layout->num_unknowns);
  set_moves(discretisation, systems, own, moves);
}

PositionsApart::~PositionsApart() {
  for_each_alpha(discretisation_, systems_,
                 [](const Layout::System&, SystemBatch& batch, Index at) { batch.join_positions(at); });
}

bool hold_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, State& state,
                    Workspace::Implementation& caches, bool& solved) {
  const Discretisation& discretisation = caches.discretisation;
  ProjectionProblem& own = caches.projection;
  MovesInStep& moves = caches.moves;
  solved = true;
  const StepView end{state, state.t, discretisation};
  const bool slides_on = find_slide(options.projection, end, caches);
  double worst = list_rows_of_step(options.projection, state, caches.relations, own);
  if (!model.sources().empty())
    worst = std::max(worst, list_contacts_of_step(model, options.projection, state, caches));
  if (worst <= 1.0 && slides_on) {
    state.projections = own.multipliers;
    return true;
  }
  if (own.rows.empty()) {
    set_moves(discretisation, caches.systems, own, moves);
    return false;
  }
  for_each_alpha(discretisation, caches.systems,
                 [&](const Layout::System&, SystemBatch& batch, Index at) { batch.factor_mass(end, at); });
  moves.sum = own.move + moves.slid - moves.slide;
  for_each_alpha(discretisation, caches.systems, [&](const Layout::System& place, SystemBatch& batch, Index at) {
    batch.respond_to_move(moves.h, at, moves.sum.segment(place.z, place.n));
  });
  assemble_projection(discretisation, caches.relations, caches.search.asleep, caches.systems, options.dependent_rows,
                      &moves, own);
  own.solver.solve(own.problem.reduced, projection_solver(options, own.problem.reduced), false, own.problem.result,
                   &caches.threads);
  own.redundant.end_solution(own.problem);
  solved = own.problem.result.r.allFinite();
  if (!solved) return false;
  moves.slid += own.move;  // U + D of the step that was made
  sum_moves(discretisation, own);
  set_moves(discretisation, caches.systems, own, moves);
  const bool joins = take_multipliers(caches.relations, caches.contacts, caches.active, moves, own, caches.joining);
  // Where p is not unique, as friction beside joints, D is not either, nor mu; what they add up to is.
  if (joins || worst > 1.0 || !are_same(options.projection, moves.sum, moves.slid)) return false;
  state.projections = own.multipliers;
  return true;
}

}  // namespace nonsmooth::stages
