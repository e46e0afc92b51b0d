// SPDX-License-Identifier: Apache-2.0
// After a step: positions moved back to the constraints, along A^-1 H^T.
#include "projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "contact/contact_velocity.hpp"
#include "dynamics/relations/relation_values.hpp"
#include "model/guarded.hpp"
#include "stepping/failure.hpp"
#include "stepping/workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

constexpr Index kMostProjectionSweeps = 2000;  ///< of a projection by sweeps
constexpr double kShareOfDeepest = 0.1;        ///< of the deepest gap: what sweeps over many may leave

/// The deepest penetration of what was found.
double deepest_of(const ContactSet& contacts) {
  double deepest = 0.0;
  for (const ContactBatches& found : contacts.found) {
    for (const ContactBatch& batch : found) {
      for (const DetectedContact& contact : batch.contacts) deepest = std::max(deepest, -contact.gap);
    }
  }
  return deepest;
}

std::size_t count_found(const ContactSet& contacts) {
  std::size_t number = 0;
  for (const ContactBatches& found : contacts.found)
    for (const ContactBatch& batch : found) number += batch.contacts.size();
  return number;
}

/// Detected contacts at the state's positions: those that are active, or were activated, or (where all are projected)
/// penetrate, or are so near that what penetrates may be pushed into them, as far as the source finds these: it looks
/// as far as the bodies move in a step, next to nowhere where they rest. What a move closes beyond, the next one opens.
void list_contacts(const NonSmoothDynamicalSystem& model, const ProjectionOptions& options, const State& state,
                   Workspace::Implementation& caches) {
  ProjectionProblem& own = caches.projection;
  own.contacts.found.resize(model.sources().size());
  for (std::size_t s = 0; s < model.sources().size(); ++s)
    ask_source(model, s, state, caches.discretisation, caches.search, own.contacts.found[s]);
  own.reach = std::max(own.reach, deepest_of(own.contacts));
  own.num_found = count_found(own.contacts);
  const bool all = options.kind != Projection::Direct && own.reach > options.unilateral_tolerance;
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    const auto source = static_cast<Index>(s);
    for (ContactBatch& batch : own.contacts.found[s]) {
      const auto keep = [&](Index i) {
        const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
        if (caches.search.sources[s].bodies.sleep(contact)) return false;
        const auto identity = std::pair(source, contact.feature);
        const auto place = std::lower_bound(own.activated.begin(), own.activated.end(), identity);
        const bool was_activated = place != own.activated.end() && *place == identity;
        if (was_activated || caches.contacts.has(source, contact.feature)) return true;
        if (all && contact.gap < -options.unilateral_tolerance) own.activated.insert(place, identity);
        return all && contact.gap <= own.reach;
      };
      keep_contacts(caches.search.sources[s].bodies.systems, batch, batch.rows, batch.columns_first,
                    batch.columns_second, keep);
    }
  }
  own.contacts.list_places();
}

double off_by(const ProjectionRow& row) { return row.bilateral ? std::abs(row.gap) : -row.gap; }

/// How far the row is out of tolerance: at most 1 where it is not.
double excess(const ProjectionRow& row) { return off_by(row) / row.tolerance; }

}  // namespace

/// How its problem is solved where it is small or has equalities: gaps to a tenth of what is left alone, however deep
/// the deepest is; by the user's automatic choice no looser than that is.
mixed::Automatic projection_solver(const TimeSteppingOptions& options, const mixed::Problem& problem) {
  const auto* automatic = options.solver.get_if<mixed::Automatic>();
  mixed::Automatic solver = automatic ? *automatic : mixed::Automatic{.tolerance = 1e-3};
  const double left = 0.1 * std::min(options.projection.unilateral_tolerance, options.projection.bilateral_tolerance);
  const double scale = problem.q.lpNorm<Eigen::Infinity>();
  if (solver.tolerance * scale > left) solver.tolerance = std::max(left / scale, 1e-12);
  return solver;
}

double rounding_of_gap(const State& state, const RelationCaches& relations, const InteractionPlan& interaction,
                       Index row) {
  double terms = interaction.offset ? std::abs((*interaction.offset)[row]) : 0.0;
  for (const JacobianBlock& one : relations.jacobians.of(interaction)) {
    const bool in_space = one.nq == 7 && one.n == 6;
    if (one.nq != one.n && !in_space) return 0.0;
    for (Index k = 0; k < one.n; ++k) {
      const double H = interaction.offset
                           ? relations.jacobians.hu[static_cast<std::size_t>(one.hu + k * interaction.rows + row)]
                           : interaction.jacobian(row, one.column + k);
      // Turns of a body are those of a unit quaternion.
      terms += std::abs(in_space && k >= 3 ? H : H * state.positions[one.q + k]);
    }
  }
  return lift_by_rounding(terms);
}

std::string unprojected(const ProjectionProblem& own) {
  const auto worst = std::max_element(own.rows.begin(), own.rows.end(),
                                      [&](const auto& one, const auto& other) { return excess(one) < excess(other); });
  if (worst == own.rows.end()) return {};
  std::ostringstream text;
  text.precision(3);
  text << "Worst: " << own.problem.place(worst - own.rows.begin()) << ", where y = " << worst->gap << ".";
  const mixed::Result& result = own.problem.result;
  if (result.status == Status::Infeasible && result.proof.size() == own.problem.num_rows())
    text << " No positions nearby satisfy " << list_of(places_in_proof(own.problem)) << " at once.";
  return text.str();
}

namespace {

/// The rows to project, with their gaps. Returns how far the worst is out of tolerance: at most 1 where none is.
double list_rows(const ProjectionOptions& options, const State& state, const RelationCaches& relations,
                 ProjectionProblem& own) {
  const bool all = options.kind != Projection::Direct;
  double worst = 0.0;
  own.rows.clear();
  const auto add = [&](ProjectionRow row, const auto& rounding) {
    set_tolerance(options, off_by(row), rounding, row);
    worst = std::max(worst, excess(row));
    own.rows.push_back(row);
  };
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    const BlockPlan& block = relations.blocks[b];
    if (own.state[b] < 0) continue;
    if (own.state[b] == 0 && all && state.outputs[block.row] < -options.unilateral_tolerance) own.state[b] = 2;
    if (own.state[b] == 0) continue;
    const bool unilateral = relations.interaction_of(block).law->unilateral;
    const Index rows = rows_of_gap(block, relations.interaction_of(block));
    for (Index r = 0; r < rows; ++r) {
      ProjectionRow row;
      row.interaction = block.interaction;
      row.local = block.local + r;
      row.bilateral = !unilateral;
      row.gap = state.outputs[block.row + r];
      add(row, [&] { return rounding_of_gap(state, relations, relations.interaction_of(block), row.local); });
    }
  }
  own.contacts.for_each([&](const ContactSet::Place& place, Index i) {
    ProjectionRow row;
    row.place = &place;
    row.contact = i;
    row.gap = contact_of(row).gap;
    add(row, [&] { return lift_by_rounding(contact_of(row).terms); });
  });
  return worst;
}

/// The user's sweeps over contacts where these are chosen, else ours, to that residual.
friction::GaussSeidel sweeps_of(const TimeSteppingOptions& options, double tolerance) {
  const auto* chosen = options.solver.get_if<friction::GaussSeidel>();
  const friction::GaussSeidel sweeps = chosen ? *chosen : friction::GaussSeidel{.conjugate = true};
  return {.tolerance = tolerance,
          .max_iterations = std::min(sweeps.max_iterations, kMostProjectionSweeps),
          .relaxation = sweeps.relaxation,
          .extrapolate = sweeps.extrapolate,
          .conjugate = sweeps.conjugate,
          .freeze = sweeps.freeze};
}

/// Solves the problem. Many gaps alone by sweeps, to a tenth of the deepest: gaps are linearised, and the next move
/// sees what this one left, at the cost of finding contacts once more, where sweeps to the end would take ten times as
/// many. Where sweeps did not halve the deepest, or the move before did not (`falls` is false), automatically, as
/// whatever else there is. `worst`: how far the worst row is out of tolerance.
void solve_projection(const TimeSteppingOptions& options, ThreadPool& threads, double worst, bool falls,
                      ProjectionProblem& own) {
  const mixed::Problem& problem = own.problem.reduced;
  mixed::Result& result = own.problem.result;
  mixed::Automatic automatic = projection_solver(options, problem);
  const bool gaps = problem.K.all(SetKind::Orthant), chosen = options.solver.get_if<friction::GaussSeidel>() != nullptr;
  if (gaps && problem.W.rows() > automatic.dense_limit) {
    const double scale = problem.q.lpNorm<Eigen::Infinity>(), deepest = worst * options.projection.unilateral_tolerance;
    automatic.tolerance = std::max(automatic.tolerance, kShareOfDeepest * deepest / scale);
    own.sweeps = sweeps_of(options, automatic.tolerance);
    own.sweeper.solve(own.sweeps, problem, false, threads, result, own.decisions);
    if (result.ok() || (falls && result.certificate.error <= 0.5 * deepest)) return;
    result.r.setZero(problem.q.size());
  } else if (gaps && chosen) {
    own.sweeps = sweeps_of(options, automatic.tolerance);
    own.sweeper.solve(own.sweeps, problem, false, threads, result, own.decisions);
    if (result.ok()) return;
    result.r.setZero(problem.q.size());
  }
  own.solver.solve(problem, automatic, false, result, &threads);
}

/// q := retract(q, P mu), and mu to the state.
void move_positions(const Discretisation& discretisation, const RelationCaches& relations, SystemCaches& systems,
                    ProjectionProblem& own, State& state) {
  sum_moves(discretisation, own);
  for (std::size_t s = 0; s < discretisation.layout->systems.size(); ++s) {
    if (own.system_begin[s] == own.system_begin[s + 1]) continue;
    const auto& place = discretisation.system(static_cast<Index>(s));
    const auto& at = systems.at(static_cast<Index>(s));
    at.batch->retract(place, at.place, own.move.segment(place.z, place.n), state.positions.segment(place.q, place.nq));
  }
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const ProjectionRow& row = own.rows[i];
    if (row.interaction >= 0) {
      const InteractionPlan& interaction = relations.interaction(row.interaction);
      state.projections[interaction.row + row.local] += own.problem.result.r[static_cast<Index>(i)];
    }
  }
}

/// The gap of a contact when the step began, by its rows where it ended: y_k = y_{k+1} - h (H v_{k+1} + h_t). What it
/// was projected before it joined counts as if it had moved so.
double gap_at_start(const Discretisation& discretisation, const State& state, const ContactBatch& batch, Index i) {
  const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
  const auto velocity = [&](Index system) { return state.unknowns.data() + discretisation.system(system).z; };
  double u = 0.0;
  contact_velocity(Index{1}, batch.rows, batch.columns_first, batch.columns_second, batch.H_first(i),
                   velocity(contact.first), contact.second >= 0 ? velocity(contact.second) : nullptr, batch.h_t_of(i),
                   &u);
  return contact.gap - discretisation.h * u;
}

/// Detected contacts that were moved apart and are not in the velocity problem: to be, when it is solved again. At
/// linearised gaps with the y_k that its rows are about.
void note_joining(const State& state, const Workspace::Implementation& caches, ProjectionProblem& own,
                  Joining& joining) {
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const ProjectionRow& row = own.rows[i];
    if (!row.place || !(own.problem.result.r[static_cast<Index>(i)] > 0.0)) continue;
    if (caches.contacts.has(row.place->source, contact_of(row).feature)) continue;
    joining.contacts.resize(own.contacts.found.size());
    ContactBatches& joined = joining.contacts[static_cast<std::size_t>(row.place->source)];
    const double gap =
        caches.search.at_gaps ? gap_at_start(caches.discretisation, state, *row.place->batch, row.contact) : row.gap;
    if (insert_contact(*row.place->batch, row.contact, gap, joined)) own.joins = true;
  }
}

/// Makes the memory of a first move before there is one: of the rows of all gaps, as if each had to open by what is
/// left alone. It moves nothing; nor does it change what a later move comes to, which depends on no move before.
void make_room(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, const State& state,
               Workspace::Implementation& caches) {
  ProjectionProblem& own = caches.projection;
  own.room = own.num_found + caches.relations.blocks.size();
  own.reach = std::numeric_limits<double>::infinity();
  list_contacts(model, options.projection, state, caches);
  for (signed char& block : own.state)
    if (block == 0 && options.projection.kind != Projection::Direct) block = 1;
  list_rows(options.projection, state, caches.relations, own);
  for (ProjectionRow& row : own.rows)
    row.gap = row.bilateral ? options.projection.bilateral_tolerance : -options.projection.unilateral_tolerance;
  assemble_projection(caches.discretisation, caches.relations, caches.search.asleep, caches.systems,
                      options.dependent_rows, nullptr, own);
  solve_projection(options, caches.threads, 1.0, true, own);
  own.redundant.end_solution(own.problem);
  sum_moves(caches.discretisation, own);
  if (options.projection.kind == Projection::Combined) caches.joining.contacts.resize(own.contacts.found.size());
  own.problem.blocks.clear();  // it is of no step
}

/// Moves the positions until every listed row is within its tolerance; own.state tells which blocks are. `before`: what
/// laws remembered at the start of the step.
bool project_listed(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options,
                    const Eigen::VectorXd& before, State& state, Workspace::Implementation& caches,
                    StepReport& report) {
  const Discretisation& discretisation = caches.discretisation;
  RelationCaches& relations = caches.relations;
  ProjectionProblem& own = caches.projection;
  own.activated.clear();
  own.reach = 0.0;
  own.joins = false;
  own.redundant.begin_step();
  double before_move = std::numeric_limits<double>::infinity();  // how far out of tolerance the worst was
  for (Index iteration = 0;; ++iteration) {
    list_contacts(model, options.projection, state, caches);
    const double worst = list_rows(options.projection, state, relations, own);
    if (worst <= 1.0) {
      if (!own.has_moved && own.num_found + relations.blocks.size() > own.room)
        make_room(model, options, state, caches);
      break;
    }
    own.has_moved = true;
    assemble_projection(discretisation, relations, caches.search.asleep, caches.systems, options.dependent_rows,
                        nullptr, own);
    if (iteration == options.projection.max_iterations) {
      report.detail = unprojected(own);
      return false;
    }
    ++report.projections;
    solve_projection(options, caches.threads, worst, worst <= 0.5 * before_move, own);
    before_move = worst;
    own.redundant.end_solution(own.problem);
    if (!own.problem.result.r.allFinite()) {
      report.detail = unprojected(own);
      return false;
    }
    move_positions(discretisation, relations, caches.systems, own, state);
    if (options.projection.kind == Projection::Combined) note_joining(state, caches, own, caches.joining);
    update_outputs_in_place(state.t, discretisation.h, relations, state);
  }
  update_law_memory(before, relations, state);  // of the positions that stay
  return true;
}

}  // namespace

bool project_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, State& state,
                       Workspace::Implementation& caches, StepReport& report) {
  const RelationCaches& relations = caches.relations;
  ProjectionProblem& own = caches.projection;
  own.state.assign(relations.blocks.size(), 0);
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    const InteractionPlan& interaction = relations.interaction_of(relations.blocks[b]);
    if (!is_of_gap(relations.blocks[b], interaction) || interaction.scheme.at_positions() ||
        all_sleep(relations.jacobians.of(interaction), caches.search.asleep))
      own.state[b] = -1;
  }
  for (const ActiveBlock& block : caches.active.blocks) {
    if (block.model_block < 0) continue;
    auto& kept = own.state[static_cast<std::size_t>(block.model_block)];
    if (kept == 0) kept = 1;
  }
  return project_listed(model, options, caches.backup.law_memory, state, caches, report);
}

bool repair_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, State& state,
                      Workspace::Implementation& caches) {
  const RelationCaches& relations = caches.relations;
  // A and P of what is not linear, at the state itself.
  const StepView step{state, state.t + caches.discretisation.h, caches.discretisation};
  free_state(step, caches.systems, caches.solution.z_free);
  begin_iterate(step, relations, caches.iterate);
  predict_positions(step, caches.systems, caches.iterate);
  evaluate_systems(step, caches.iterate, caches.systems);
  linearise_systems(step, caches.iterate, caches.systems, caches.solution.z_free);
  update_outputs_in_place(state.t, caches.discretisation.h, caches.relations, state);
  ProjectionProblem& own = caches.projection;
  own.state.assign(relations.blocks.size(), 1);
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    if (!is_of_gap(relations.blocks[b], relations.interaction_of(relations.blocks[b]))) own.state[b] = -1;
  }
  caches.contacts.clear();
  TimeSteppingOptions of_all = options;
  of_all.projection.kind = Projection::Combined;
  const Eigen::VectorXd before = Eigen::VectorXd::Zero(state.law_memory.size());  // blocks that begin here
  StepReport report;
  const bool repaired = project_listed(model, of_all, before, state, caches, report);
  state.projections.setZero();
  own.problem.blocks.clear();  // it is of no step
  return repaired;
}

bool join_closed(const State& state, const ProjectionProblem& projection, const RelationCaches& relations,
                 Joining& joining) {
  bool joins = projection.joins;
  joining.blocks.resize(relations.blocks.size(), 0);
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    if (projection.state[b] != 2 || !(state.projections[relations.blocks[b].row] > 0.0)) continue;
    joining.blocks[b] = 1;
    joins = true;
  }
  return joins;
}

}  // namespace nonsmooth::stages
