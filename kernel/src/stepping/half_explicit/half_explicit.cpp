// SPDX-License-Identifier: Apache-2.0
// A half-explicit step: forces at both ends, each a problem of its own, and impacts at its end (D1MinusLinear).
#include "half_explicit.hpp"

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "dynamics/relations/relation_values.hpp"
#include "stepping/commit.hpp"
#include "stepping/failure.hpp"
#include "stepping/sums.hpp"
#include "stepping/workspace_implementation.hpp"

namespace nonsmooth::stages {
namespace {

using Caches = Workspace::Implementation;
using StepRow = HalfExplicit::Row;

/// M, F, H, h_t at the state, and z_free = v + h M^-1 F.
void evaluate_instant(const StepView& at, Caches& caches) {
  Eigen::VectorXd& z_free = caches.solution.z_free;
  free_state(at, caches.systems, z_free);
  if (caches.relations.all_constant && caches.systems.nonlinear.empty()) return;
  begin_iterate(at, caches.relations, caches.iterate);
  predict_positions(at, caches.systems, caches.iterate);
  evaluate_systems(at, caches.iterate, caches.systems);
  evaluate_relations(at, caches.iterate, caches.systems, caches.relations);
  linearise_systems(at, caches.iterate, caches.systems, z_free);
  linearise_inputs(at, caches.iterate, caches.systems, caches.relations, z_free);
}

/// u = H v + h_t of a row, at the instant that was evaluated last.
double rate_of(const RelationCaches& relations, const InteractionPlan& interaction, const Eigen::VectorXd& v, Index r) {
  return output_of(interaction, relations.jacobians, v.data(), r) +
         relations.w[static_cast<std::size_t>(interaction.row + r)];
}

/// u of all rows into the state that the problems start from.
void write_rates(const Eigen::VectorXd& v, Caches& caches) {
  for (const InteractionPlan& interaction : caches.relations.interactions) {
    for (Index r = 0; r < interaction.rows; ++r)
      caches.half_explicit.at.velocities[interaction.row + r] = rate_of(caches.relations, interaction, v, r);
  }
}

/// du/dt - H a of an interaction's rows into its `values`.
void evaluate_curvature(const State& at, const JacobianBlocks& jacobians, InteractionPlan& interaction) {
  if (interaction.offset) {
    interaction.values.setZero();
    return;
  }
  gather(at.positions, true, jacobians, interaction);
  gather(at.unknowns, false, jacobians, interaction);
  interaction.evaluator().curvature(at.t, interaction.q, interaction.z, interaction.values);
}

/// Calls write(interaction, row within it) for the rows of blocks that `takes`, curvatures being in `values`.
template <class Takes, class Write>
void write_rows_of_forces(Caches& caches, bool curvatures, Takes takes, Write write) {
  RelationCaches& relations = caches.relations;
  const InteractionPlan* known = nullptr;
  for (std::size_t b = 0; b < relations.blocks.size(); ++b) {
    if (!takes(caches.half_explicit.rows[b])) continue;
    const BlockPlan& block = relations.blocks[b];
    InteractionPlan& interaction = relations.interactions[static_cast<std::size_t>(block.interaction)];
    if (curvatures && known != &interaction)
      evaluate_curvature(caches.half_explicit.at, relations.jacobians, interaction);
    known = &interaction;
    for (Index r = block.local; r < block.local + block.size; ++r) write(interaction, block, r);
  }
}

/// Lists the blocks of the model that `takes`, with the laws that `law_of` gives; their rows have w beside H z.
template <class Takes, class LawOf>
void list_acting(const StepView& at, const double* w, Takes takes, LawOf law_of, Caches& caches) {
  ActiveSet& active = caches.active;
  active.stands = false;
  active.blocks.clear();
  active.jacobians.clear();
  for (std::size_t b = 0; b < caches.relations.blocks.size(); ++b) {
    if (!takes(caches.half_explicit.rows[b])) continue;
    ActiveBlock& block = append_block(at, caches.relations, b, active);
    block.law = &law_of(b);
    block.w = w + block.law->row;
  }
}

/// What no friction of this step can stop: mu W_TT p_N, p_N that of the step before, is less than the slip.
bool slides_on(const StepView& at, const ActingRows& acting, const ActiveBlock& block, double slip) {
  const double last = at.state.last_step;
  const double p = last > 0.0 ? std::abs(at.state.multipliers[block.law->row]) * at.h() / last : 0.0;
  double W = 0.0;
  for (Index r = 1; r < block.size; ++r) {
    double diagonal = 0.0;
    for (const ActiveJacobian& one : acting.jacobians(block)) {
      for (Index k = 0; k < one.n; ++k)
        diagonal += one.hu[r * one.row_stride + k * one.column_stride] * one.p[r * one.n + k];
    }
    W = std::max(W, diagonal);
  }
  return slip > block.set->mu * W * p;
}

/// Contacts in space that slide: one row, and a force along the friction that their slip at t_k has.
void make_sliding(const StepView& at, Caches& caches) {
  HalfExplicit& own = caches.half_explicit;
  ActiveSet& active = caches.active;
  Index row = 0;
  for (ActiveBlock& block : active.blocks) {
    block.row = row;
    row += block.size;
    if (block.set->kind != SetKind::Coulomb3D || block.set->mu_2 >= 0.0 || !(block.set->mu > 0.0)) continue;
    const double* const u = at.state.velocities.data() + block.law->row;
    const double slip = std::hypot(u[1], u[2]);
    if (own.stops[static_cast<std::size_t>(block.model_block)] || !slides_on(at, caches.acting, block, slip)) continue;
    double* const direction = own.directions.data() + block.law->row;
    for (Index r = 1; r < 3; ++r) direction[r] = -block.set->mu * u[r] / slip;
    double* P = own.slides.data() + own.slide_begin[static_cast<std::size_t>(block.model_block)];
    for (Index l = block.first_jacobian; l < block.first_jacobian + block.num_jacobians; ++l) {
      ActiveJacobian& one = active.jacobians[static_cast<std::size_t>(l)];
      for (Index k = 0; k < one.n; ++k)
        P[k] = one.p[k] + direction[1] * one.p[one.n + k] + direction[2] * one.p[2 * one.n + k];
      one.p = P;
      P += one.n;
    }
    block.set = &own.sliding;
    block.size = 1;
    row -= 2;
    caches.one_step.matrix_stands = false;  // P is of the direction
  }
}

/// Whether contacts that were to slide on have come past rest and back with the forces that were found, as p_N grew
/// since the step before, or a first step knows none: they stop.
bool find_stops(const StepView& at, Caches& caches) {
  HalfExplicit& own = caches.half_explicit;
  bool found = false;
  for (const ActiveBlock& block : caches.active.blocks) {
    if (block.set != &own.sliding) continue;
    const BlockPlan& law = *block.law;
    const InteractionPlan& interaction = caches.relations.interaction_of(law);
    const double* const u = at.state.velocities.data() + law.row;
    double along = 0.0;
    for (Index r = 1; r < law.size; ++r)
      along += u[r] * rate_of(caches.relations, interaction, caches.solution.z, law.local + r);
    if (along >= 0.0) continue;
    own.stops[static_cast<std::size_t>(block.model_block)] = 1;
    found = true;
  }
  if (found) caches.one_step.matrix_stands = false;
  return found;
}

void list_keys(ActiveSet& active) {
  active.keys.begin();
  for (const ActiveBlock& block : active.blocks)
    active.keys.add(
        {.identity = static_cast<std::uint64_t>(block.model_block), .size = static_cast<std::int32_t>(block.size)});
  active.keys.end();
}

/// solution.z from solution.z_free by the rows that are listed; false where the step ends there.
bool solve_rows(const TimeSteppingOptions& options, const StepView& at, Caches& caches, StepReport& report) {
  StepSolution& solution = caches.solution;
  OneStepSolver& one_step = caches.one_step;
  if (caches.active.blocks.empty()) {
    solution.z = solution.z_free;
    return true;
  }
  list_keys(caches.active);
  assemble(at, caches.acting, caches.systems.inputs, solution.z_free, options.dependent_rows, one_step);
  solve(options, at.state, caches.acting, true, caches.threads, one_step);
  const mixed::Result& result = one_step.problem.result;
  add_problem(result, report);
  report.redundant_rows = std::max(report.redundant_rows, one_step.redundant.count());
  report.unexamined_rows = std::max(report.unexamined_rows, one_step.redundant.unexamined());
  if (!result.ok()) {
    report.outcome = StepReport::Outcome::SolverFailed;
    report.detail = place_of_failure(one_step.problem);
    if (options.on_failure != OnFailure::Accept) {
      report.taken = false;
      if (const std::string redundant = redundant_equalities(one_step.problem); !redundant.empty())
        report.detail += (report.detail.empty() ? "" : " ") + redundant;
      return false;
    }
  }
  apply_multipliers(caches.threads, caches.acting, one_step, solution);
  return true;
}

/// Adds weight times what the last problem found to the impulses of the step, of impacts to its percussions too.
void add_impulses(double weight, bool impact, Caches& caches) {
  HalfExplicit& own = caches.half_explicit;
  const JacobianBlocks& jacobians = caches.relations.jacobians;
  for (const ActiveBlock& block : caches.active.blocks) {
    const BlockPlan& law = *block.law;
    const InteractionPlan& interaction = caches.relations.interaction_of(law);
    const bool percussion = impact && own.rows[static_cast<std::size_t>(block.model_block)] == StepRow::Closes;
    const double* const r = caches.one_step.problem.result.r.data() + block.row;
    for (Index i = 0; i < law.size; ++i) {
      const double p = weight * (i < block.size ? r[i] : own.directions[static_cast<std::size_t>(law.row + i)] * r[0]);
      own.impulses[law.row + i] += p;
      if (percussion) own.percussions[law.row + i] += p;
      for (Index l = interaction.first_jacobian; l < interaction.first_jacobian + interaction.num_jacobians; ++l) {
        const JacobianBlock& one = jacobians.list[static_cast<std::size_t>(l)];
        const double* const H = jacobians.hu.data() + one.hu + law.local + i;
        double* const sum = own.reactions.data() + own.reaction_begin[static_cast<std::size_t>(l)];
        for (Index k = 0; k < one.n; ++k) sum[k] += H[k * interaction.rows] * p;
      }
    }
  }
}

/// The gap is closed, but for rounding.
bool is_shut(const StepView& at, const BlockPlan& block, Caches& caches) {
  const double gap = at.state.outputs[block.row];
  if (gap <= 0.0) return true;
  InteractionPlan& interaction = caches.relations.interactions[static_cast<std::size_t>(block.interaction)];
  return is_lifted(gap, block, at, caches.relations.jacobians, interaction, caches.systems);
}

/// Closed where the gap is, or where the contact pressed in the last step; equalities always.
bool is_closed_at_start(const StepView& at, const BlockPlan& block, Caches& caches) {
  return !block.unilateral || was_loaded(block.set, at.state.multipliers[block.row]) || is_shut(at, block, caches);
}

/// (3) at the instant that was evaluated last, from v in solution.z_free: to solution.z.
bool solve_impacts(const TimeSteppingOptions& options, const StepView& at, bool stays_bounce, Caches& caches,
                   StepReport& report) {
  HalfExplicit& own = caches.half_explicit;
  write_rates(caches.solution.z_free, caches);
  const auto takes = [](StepRow row) { return row == StepRow::Stays || row == StepRow::Closes; };
  list_acting(
      at, caches.relations.w.data(), takes,
      [&](std::size_t b) -> const BlockPlan& {
        return own.rows[b] == StepRow::Closes || stays_bounce ? caches.relations.blocks[b] : own.forces[b];
      },
      caches);
  if (!solve_rows(options, at, caches, report)) return false;
  add_impulses(1.0, true, caches);
  if (caches.watch.impacts.looked_at && !caches.active.blocks.empty())
    measure_impacts(at, caches.acting, caches.one_step.problem, caches.watch.impacts);
  return true;
}

/// Contacts that are closed when a run begins, and approach: v_k of what follows.
bool solve_start(const TimeSteppingOptions& options, const StepView& at, Caches& caches, StepReport& report) {
  HalfExplicit& own = caches.half_explicit;
  bool approaches = false;
  for (std::size_t b = 0; b < own.rows.size(); ++b) {
    const BlockPlan& block = caches.relations.blocks[b];
    if (own.rows[b] == StepRow::Open) continue;
    approaches = approaches || (block.unilateral && at.state.velocities[block.row] < 0.0);
  }
  if (!approaches) return true;
  for (StepRow& row : own.rows) {
    if (row == StepRow::Closed) row = StepRow::Closes;
  }
  caches.solution.z_free = own.at.unknowns;
  if (!solve_impacts(options, at, true, caches, report)) return false;
  own.at.unknowns = caches.solution.z;
  write_rates(own.at.unknowns, caches);
  for (StepRow& row : own.rows) {
    if (row == StepRow::Closes) row = StepRow::Closed;
  }
  evaluate_instant(at, caches);
  return true;
}

/// (1): z = v_k + h a_k+ into solution.z, and who stays closed.
bool solve_forces_of_start(const TimeSteppingOptions& options, const StepView& at, Caches& caches, StepReport& report) {
  HalfExplicit& own = caches.half_explicit;
  const auto takes = [](StepRow row) { return row == StepRow::Closed; };
  write_rows_of_forces(caches, true, takes, [&](const InteractionPlan& interaction, const BlockPlan&, Index r) {
    const auto row = static_cast<std::size_t>(interaction.row + r);
    own.w[row] = caches.relations.w[row] + at.h() * interaction.values[r];
  });
  std::fill(own.stops.begin(), own.stops.end(), char{0});
  do {
    list_acting(
        at, own.w.data(), takes, [&](std::size_t b) -> const BlockPlan& { return own.forces[b]; }, caches);
    make_sliding(at, caches);
    if (!solve_rows(options, at, caches, report)) return false;
  } while (find_stops(at, caches));
  add_impulses(0.5, false, caches);
  for (const ActiveBlock& block : caches.active.blocks) {
    const mixed::Result& result = caches.one_step.problem.result;
    const bool parts = block.law->unilateral && !(result.r[block.row] > 0.0) && result.u[block.row] > 0.0;
    if (!parts) own.rows[static_cast<std::size_t>(block.model_block)] = StepRow::Stays;
  }
  return true;
}

/// (2): v_k + h a_k+ + h a_{k+1}- = 2 v_{k+1}- - v_k into solution.z.
bool solve_forces_of_end(const TimeSteppingOptions& options, const StepView& at, Caches& caches, StepReport& report) {
  HalfExplicit& own = caches.half_explicit;
  const bool rates = caches.discretisation.schemes.front().level == SchemeCoefficients::Level::HalfExplicitRates;
  const auto takes = [](StepRow row) { return row == StepRow::Stays; };
  write_rows_of_forces(caches, rates, takes, [&](const InteractionPlan& interaction, const BlockPlan& block, Index r) {
    const auto row = static_cast<std::size_t>(interaction.row + r);
    const double h_t = caches.relations.w[row];
    const bool tangential = block.unilateral && r != block.local;
    if (rates && !tangential) {  // h du/dt
      own.w[row] = at.h() * interaction.values[r] -
                   output_of(interaction, caches.relations.jacobians, own.at.unknowns.data(), r);
    } else {  // 2 u-
      own.w[row] = 2.0 * h_t + output_of(interaction, caches.relations.jacobians, own.v_before.data(), r);
    }
  });
  list_acting(
      at, own.w.data(), takes, [&](std::size_t b) -> const BlockPlan& { return own.forces[b]; }, caches);
  if (!solve_rows(options, at, caches, report)) return false;
  add_impulses(0.5, false, caches);
  return true;
}

/// v- += M^-1 J of the impulses in (t_k, t_{k+1}]. True where there is one.
bool apply_loads(const StepView& at, double t_before, SystemCaches& systems, Eigen::VectorXd& v) {
  bool any = false;
  for (const ImpulsiveLoad& load : systems.inputs.impulsive_loads) {
    if (!(load.instant > t_before && load.instant <= at.state.t)) continue;
    Eigen::VectorXd change = *load.impulse;
    apply_inverse(systems, load.system, change);
    const Layout::System& place = at.system(load.system);
    v.segment(place.z, place.n) += change;
    any = true;
  }
  return any;
}

/// v_{k+1}- in solution.z_free to v_{k+1} in solution.z.
bool solve_end(const TimeSteppingOptions& options, const StepView& at, double t_before, Caches& caches,
               StepReport& report) {
  HalfExplicit& own = caches.half_explicit;
  StepSolution& solution = caches.solution;
  const bool loads = apply_loads(at, t_before, caches.systems, solution.z_free);
  bool impacts = loads || caches.discretisation.schemes.front().level == SchemeCoefficients::Level::HalfExplicitRates;
  for (std::size_t b = 0; b < own.rows.size(); ++b) {
    const BlockPlan& block = caches.relations.blocks[b];
    const bool joined = b < caches.joining.blocks.size() && caches.joining.blocks[b];
    if (own.rows[b] == StepRow::Stays) continue;
    own.rows[b] = joined || is_shut(at, block, caches) ? StepRow::Closes : StepRow::Open;
    if (own.rows[b] == StepRow::Open) continue;
    const InteractionPlan& interaction = caches.relations.interaction_of(block);
    impacts = impacts || rate_of(caches.relations, interaction, solution.z_free, block.local) < 0.0;
  }
  if (impacts) return solve_impacts(options, at, loads, caches, report);
  solution.z = solution.z_free;
  return true;
}

/// The end of the step, whose positions and y the state of the problems has, to the state.
void commit_half_explicit(double t_next, Caches& caches, State& state) {
  HalfExplicit& own = caches.half_explicit;
  StepSolution& solution = caches.solution;
  write_rates(solution.z, caches);
  state.positions = own.at.positions;
  state.outputs = own.at.outputs;
  state.velocities = own.at.velocities;
  state.unknowns.swap(solution.z);
  solution.last_multipliers = state.multipliers;
  state.multipliers = own.impulses;
  state.percussions = own.percussions;
  state.projections.setZero();
  state.contacts.clear();
  if (!state.sleep.island.empty()) state.wake();
  commit_time(t_next, caches.discretisation, state);
}

}  // namespace

StepReport solve_half_explicit(const TimeSteppingOptions& options, double t_next, State& state, Caches& caches) {
  HalfExplicit& own = caches.half_explicit;
  StepReport report;
  report.t = t_next;
  caches.one_step.redundant.begin_step();
  caches.one_step.percussions.resize(0);
  own.at = state;
  own.impulses.setZero(state.multipliers.size());
  own.percussions.setZero(state.multipliers.size());
  std::fill(own.reactions.begin(), own.reactions.end(), 0.0);
  {
    const StepView start{own.at, state.t, caches.discretisation};
    evaluate_instant(start, caches);
    for (std::size_t b = 0; b < own.rows.size(); ++b)
      own.rows[b] = is_closed_at_start(start, caches.relations.blocks[b], caches) ? StepRow::Closed : StepRow::Open;
    if (state.last_step == 0.0 && !solve_start(options, start, caches, report)) return report;
    own.v_before = own.at.unknowns;
    if (!solve_forces_of_start(options, start, caches, report)) return report;
  }
  for (SystemBatch* batch : caches.systems.batches) batch->commit(caches.discretisation, caches.solution.z, own.at);
  own.at.unknowns = caches.solution.z;
  own.at.t = t_next;
  update_outputs_in_place(t_next, caches.discretisation.h, caches.relations, own.at);
  const StepView end{own.at, t_next, caches.discretisation};
  evaluate_instant(end, caches);
  if (!solve_forces_of_end(options, end, caches, report)) return report;
  caches.solution.z_free = 0.5 * (own.v_before + caches.solution.z);
  if (!solve_end(options, end, state.t, caches, report)) return report;
  if (!check::all_finite(caches.solution.z)) {
    report.outcome = StepReport::Outcome::SolverFailed;
    report.solver = Status::NumericalFailure;
    report.at_round_off = false;
    report.taken = false;
    report.detail = first_not_finite(*caches.discretisation.layout, caches.solution.z);
    return report;
  }
  measure_penetration(end, caches.acting, caches.joining, caches.solution.z_free, report);
  commit_half_explicit(t_next, caches, state);
  return report;
}

}  // namespace nonsmooth::stages
