// SPDX-License-Identifier: Apache-2.0
// After a step: positions moved back to the constraints, along A^-1 H^T.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

bool is_listed(const std::vector<PlanarContact>& contacts, const std::vector<Index>& sources, Index source,
               std::uint64_t feature) {
  std::size_t first = 0, last = contacts.size();
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (std::pair(sources[middle], contacts[middle].feature) < std::pair(source, feature)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first < contacts.size() && sources[first] == source && contacts[first].feature == feature;
}

/// Detected contacts at the state's positions: those that are active, or were drawn in, or (all) penetrate.
void detect_again(const NonSmoothDynamicalSystem& model, const State& state, bool all, double tolerance, Plan& plan) {
  ProjectionProblem& own = plan.projection;
  own.contacts.clear();
  own.contact_source.clear();
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    const auto& systems = plan.source_systems[s];
    const auto source = static_cast<Index>(s);
    ask_source(*model.sources()[s], systems, state, plan);
    for (const PlanarContact& contact : plan.found) {
      const auto identity = std::pair(source, contact.feature);
      const auto drawn = std::lower_bound(own.drawn.begin(), own.drawn.end(), identity);
      const bool was_drawn = drawn != own.drawn.end() && *drawn == identity;
      if (!was_drawn && !is_listed(plan.contacts, plan.contact_source, source, contact.feature)) {
        if (!all || !(contact.gap < -tolerance)) continue;
        own.drawn.insert(drawn, identity);
      }
      own.contacts.push_back(contact);
      own.contacts.back().first = systems[static_cast<std::size_t>(contact.first)];
      if (contact.second >= 0) own.contacts.back().second = systems[static_cast<std::size_t>(contact.second)];
      own.contact_source.push_back(source);
    }
  }
}

/// How far the row is out of tolerance: at most 1 where it is not.
double excess(const ProjectionRow& row, const ProjectionOptions& options) {
  return row.bilateral ? std::abs(row.gap) / options.bilateral_tolerance : -row.gap / options.unilateral_tolerance;
}

/// The rows to project, with their gaps. Returns how far the worst is out of tolerance: at most 1 where none is.
double list_rows(const NonSmoothDynamicalSystem& model, const ProjectionOptions& options, const State& state,
                 Plan& plan) {
  ProjectionProblem& own = plan.projection;
  const bool all = options.kind == Projection::Combined;
  double worst = 0.0;
  own.rows.clear();
  const auto add = [&](ProjectionRow row) {
    worst = std::max(worst, excess(row, options));
    own.rows.push_back(row);
  };
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const BlockPlan& block = plan.blocks[b];
    if (own.state[b] < 0) continue;
    if (own.state[b] == 0 && all && state.outputs[block.row] < -options.unilateral_tolerance) own.state[b] = 2;
    if (own.state[b] == 0) continue;
    const bool unilateral = plan.interactions[static_cast<std::size_t>(block.interaction)].law->unilateral;
    const Index rows = unilateral ? 1 : block.size;
    for (Index r = 0; r < rows; ++r) {
      ProjectionRow row;
      row.interaction = block.interaction;
      row.local = block.local + r;
      row.bilateral = !unilateral;
      row.gap = state.outputs[block.row + r];
      add(row);
    }
  }
  if (!model.sources().empty()) {
    detect_again(model, state, all, options.unilateral_tolerance, plan);
    for (std::size_t c = 0; c < own.contacts.size(); ++c) {
      ProjectionRow row;
      row.contact = static_cast<Index>(c);
      row.gap = own.contacts[c].gap;
      add(row);
    }
  }
  return worst;
}

/// H and P = A^-1 H^T of one row on one system, behind those that are there.
double* add_leg(Index system, Index row, Plan& plan) {
  ProjectionProblem& own = plan.projection;
  const auto& place = plan.system(system);
  const std::size_t at = own.H.size();
  own.legs.push_back({system, place.n, place.z, row, static_cast<Index>(at)});
  own.H.resize(at + static_cast<std::size_t>(place.n));
  own.P.resize(at + static_cast<std::size_t>(place.n));
  return own.H.data() + at;
}

void solve_leg(Plan& plan) {
  ProjectionProblem& own = plan.projection;
  const ProjectionLeg& leg = own.legs.back();
  std::copy_n(own.H.data() + leg.at, leg.n, own.P.data() + leg.at);
  apply_inverse(plan, leg.system, Eigen::Map<Eigen::MatrixXd>(own.P.data() + leg.at, leg.n, 1));
}

void write_legs(Plan& plan) {
  ProjectionProblem& own = plan.projection;
  own.legs.clear();
  own.H.clear();
  own.P.clear();
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    ProjectionRow& row = own.rows[i];
    row.first_leg = static_cast<Index>(own.legs.size());
    if (row.contact >= 0) {
      const PlanarContact& contact = own.contacts[static_cast<std::size_t>(row.contact)];
      std::copy_n(contact.H_first.data(), 3, add_leg(contact.first, static_cast<Index>(i), plan));
      solve_leg(plan);
      if (contact.second >= 0) {
        std::copy_n(contact.H_second.data(), 3, add_leg(contact.second, static_cast<Index>(i), plan));
        solve_leg(plan);
      }
    } else {
      const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(row.interaction)];
      for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
        const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
        double* H = add_leg(leg.system, static_cast<Index>(i), plan);
        for (Index k = 0; k < leg.n; ++k) {
          // What the last outputs were computed with: the state's own positions.
          H[k] = interaction.offset ? plan.hu[static_cast<std::size_t>(leg.hu + k * interaction.rows + row.local)]
                                    : interaction.jacobian(row.local, leg.column + k);
        }
        if (interaction.constant) {
          std::copy_n(plan.p.data() + leg.p + row.local * leg.n, leg.n, own.P.data() + own.legs.back().at);
        } else {
          solve_leg(plan);
        }
      }
    }
    row.num_legs = static_cast<Index>(own.legs.size()) - row.first_leg;
  }
}

/// Legs on each system, in the order of the rows (compressed).
void list_projection_legs_by_system(Plan& plan) {
  ProjectionProblem& own = plan.projection;
  const auto systems = plan.layout->systems.size();
  own.system_begin.assign(systems + 2, 0);
  for (const ProjectionLeg& leg : own.legs) ++own.system_begin[static_cast<std::size_t>(leg.system) + 2];
  for (std::size_t s = 2; s < own.system_begin.size(); ++s) own.system_begin[s] += own.system_begin[s - 1];
  own.system_legs.resize(own.legs.size());
  for (std::size_t l = 0; l < own.legs.size(); ++l) {
    Index& next = own.system_begin[static_cast<std::size_t>(own.legs[l].system) + 1];
    own.system_legs[static_cast<std::size_t>(next++)] = static_cast<Index>(l);
  }
}

/// Calls visit(leg, other) for each pair of a leg of row i and a leg of any row on the same system.
template <class Visit>
void for_each_pair(const ProjectionProblem& own, const ProjectionRow& row, Visit&& visit) {
  for (Index a = row.first_leg; a < row.first_leg + row.num_legs; ++a) {
    const ProjectionLeg& leg = own.legs[static_cast<std::size_t>(a)];
    const auto system = static_cast<std::size_t>(leg.system);
    for (Index l = own.system_begin[system]; l < own.system_begin[system + 1]; ++l)
      visit(leg, own.legs[static_cast<std::size_t>(own.system_legs[static_cast<std::size_t>(l)])]);
  }
}

void assemble_projection(Plan& plan) {
  ProjectionProblem& own = plan.projection;
  const auto count = static_cast<Index>(own.rows.size());
  write_legs(plan);
  list_projection_legs_by_system(plan);
  own.sizes.assign(own.rows.size(), 1);
  own.stamp.assign(own.rows.size(), -1);
  BlockSparseMatrix& W = own.problem.W;
  W.begin_pattern(own.sizes);
  for (Index i = 0; i < count; ++i) {
    for_each_pair(own, own.rows[static_cast<std::size_t>(i)], [&](const ProjectionLeg&, const ProjectionLeg& other) {
      if (own.stamp[static_cast<std::size_t>(other.row)] == i) return;
      own.stamp[static_cast<std::size_t>(other.row)] = i;
      W.insert(other.row);
    });
    W.next_row();
  }
  W.end_pattern();
  own.problem.q.resize(count);
  own.problem.K.clear();
  own.result.r.setZero(count);
  for (Index i = 0; i < count; ++i) {
    const ProjectionRow& row = own.rows[static_cast<std::size_t>(i)];
    own.problem.q[i] = row.gap;
    BlockSet set;
    set.kind = row.bilateral ? SetKind::Free : SetKind::Orthant;
    own.problem.K.push_back(set, 1);
    for_each_pair(own, row, [&](const ProjectionLeg& leg, const ProjectionLeg& other) {
      double sum = 0.0;
      for (Index k = 0; k < leg.n; ++k)
        sum += own.H[static_cast<std::size_t>(leg.at + k)] * own.P[static_cast<std::size_t>(other.at + k)];
      *W.values(W.find(i, other.row)) += sum;
    });
  }
}

/// q := retract(q, P mu), and mu to the state.
void move_positions(State& state, Plan& plan) {
  ProjectionProblem& own = plan.projection;
  own.move.setZero(plan.layout->num_unknowns);
  for (const ProjectionLeg& leg : own.legs) {
    const double mu = own.result.r[leg.row];
    for (Index k = 0; k < leg.n; ++k) own.move[leg.z + k] += own.P[static_cast<std::size_t>(leg.at + k)] * mu;
  }
  for (std::size_t s = 0; s < plan.layout->systems.size(); ++s) {
    if (own.system_begin[s] == own.system_begin[s + 1]) continue;
    const auto& place = plan.system(static_cast<Index>(s));
    if (plan.kind[s] != SystemKind::Nonlinear) {
      state.positions.segment(place.q, place.nq) += own.move.segment(place.z, place.n);
      continue;
    }
    NonlinearSystem& nonlinear = plan.nonlinear[static_cast<std::size_t>(plan.place[s])];
    nonlinear.w = own.move.segment(place.z, place.n);
    guarded(place.name, "retract(q, w)",
            [&] { nonlinear.description->retract(state.positions.segment(place.q, place.nq), nonlinear.w); });
  }
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const ProjectionRow& row = own.rows[i];
    if (row.interaction >= 0) {
      const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(row.interaction)];
      state.projections[interaction.row + row.local] += own.result.r[static_cast<Index>(i)];
    }
  }
}

/// Detected contacts that were moved apart and are not in the velocity problem: to be, when it is solved again.
void note_joining(Plan& plan) {
  ProjectionProblem& own = plan.projection;
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    if (own.rows[i].contact < 0 || !(own.result.r[static_cast<Index>(i)] > 0.0)) continue;
    const auto c = static_cast<std::size_t>(own.rows[i].contact);
    const Index source = own.contact_source[c];
    const std::uint64_t feature = own.contacts[c].feature;
    if (is_listed(plan.contacts, plan.contact_source, source, feature) ||
        is_listed(plan.joining, plan.joining_source, source, feature))
      continue;
    std::size_t at = 0;
    while (at < plan.joining.size() &&
           std::pair(plan.joining_source[at], plan.joining[at].feature) < std::pair(source, feature))
      ++at;
    plan.joining.insert(plan.joining.begin() + static_cast<std::ptrdiff_t>(at), own.contacts[c]);
    plan.joining_source.insert(plan.joining_source.begin() + static_cast<std::ptrdiff_t>(at), source);
    own.joins = true;
  }
}

std::string place_of_row(const ProjectionRow& row, const Plan& plan) {
  return row.contact >= 0 ? place_of(plan.projection.contacts[static_cast<std::size_t>(row.contact)], plan)
                          : place_of(row.interaction, row.local, plan);
}

/// The listed row that is furthest from where it has to be, or those that no positions satisfy at once.
std::string unprojected(const ProjectionOptions& options, const Plan& plan) {
  const ProjectionProblem& own = plan.projection;
  const auto worst = std::max_element(own.rows.begin(), own.rows.end(), [&](const auto& one, const auto& other) {
    return excess(one, options) < excess(other, options);
  });
  if (worst == own.rows.end()) return {};
  std::ostringstream text;
  text.precision(3);
  text << "Worst: " << place_of_row(*worst, plan) << ", where y = " << worst->gap << ".";
  const Eigen::VectorXd& proof = own.result.proof;
  if (own.result.status != Status::Infeasible || proof.size() != static_cast<Index>(own.rows.size())) return text.str();
  std::vector<std::string> places;
  for (Index i = 0; i < proof.size(); ++i) {
    if (std::abs(proof[i]) > 1e-12 * proof.cwiseAbs().maxCoeff())
      places.push_back(place_of_row(own.rows[static_cast<std::size_t>(i)], plan));
  }
  text << " No positions nearby satisfy " << list_of(places) << " at once.";
  return text.str();
}

/// Moves the positions until every listed row is within its tolerance; own.state tells which blocks are.
bool project_listed(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, State& state, Plan& plan,
                    StepReport& report) {
  ProjectionProblem& own = plan.projection;
  own.drawn.clear();
  own.joins = false;
  const auto* automatic = std::get_if<mixed::Automatic>(&options.solver);
  for (Index iteration = 0;; ++iteration) {
    const double worst = list_rows(model, options.projection, state, plan);
    if (worst <= 1.0) break;
    if (iteration == options.projection.max_iterations) {
      report.detail = unprojected(options.projection, plan);
      return false;
    }
    ++report.projections;
    assemble_projection(plan);
    own.solver.solve(own.problem, automatic ? *automatic : mixed::Automatic{}, false, own.result);
    if (!own.result.r.allFinite()) {
      report.detail = unprojected(options.projection, plan);
      return false;
    }
    move_positions(state, plan);
    if (options.projection.kind == Projection::Combined) note_joining(plan);
    update_outputs_in_place(state.t, state, plan);
  }
  if (!plan.sets_vary) return true;
  for (const BlockPlan& block : plan.blocks) {  // of the positions that stay
    if (block.bond)
      state.law_memory[block.memory] = std::max(plan.backup.law_memory[block.memory], state.outputs[block.row]);
  }
  return true;
}

}  // namespace

bool is_of_gap(const BlockPlan& block, const InteractionPlan& interaction) {
  if (interaction.first_order || interaction.compliant) return false;
  const LawBlock& law = *interaction.law;
  if (law.unilateral) return block.has_legs && law.stiffness == 0.0;
  return block.set.kind == SetKind::Free && !block.custom && law.level == LawBlock::Level::Velocity &&
         law.coupling.size() == 0 && law.offset.size() == 0;
}

bool project_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, State& state,
                       Plan& plan, StepReport& report) {
  ProjectionProblem& own = plan.projection;
  own.state.assign(plan.blocks.size(), 0);
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const auto& interaction = plan.interactions[static_cast<std::size_t>(plan.blocks[b].interaction)];
    if (!is_of_gap(plan.blocks[b], interaction) || interaction.scheme.two_steps) own.state[b] = -1;
  }
  for (const ActiveBlock& block : plan.active) {
    if (block.model_block < 0) continue;
    auto& kept = own.state[static_cast<std::size_t>(block.model_block)];
    if (kept == 0) kept = 1;
  }
  return project_listed(model, options, state, plan, report);
}

bool repair_positions(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, State& state,
                      Plan& plan) {
  // A and P of what is not linear, at the state itself.
  const double t_next = state.t + plan.h;
  free_state(state, t_next, plan);
  plan.z_iterate = state.unknowns;
  predict_positions(state, true, plan);
  evaluate_systems(state, t_next, true, plan);
  linearise_systems(state, t_next, true, plan);
  update_outputs_in_place(state.t, state, plan);
  ProjectionProblem& own = plan.projection;
  own.state.assign(plan.blocks.size(), 1);
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const BlockPlan& block = plan.blocks[b];
    if (!is_of_gap(block, plan.interactions[static_cast<std::size_t>(block.interaction)])) own.state[b] = -1;
  }
  plan.backup = state;
  plan.contacts.clear();
  plan.contact_source.clear();
  TimeSteppingOptions of_all = options;
  of_all.projection.kind = Projection::Combined;
  StepReport report;
  const bool repaired = project_listed(model, of_all, state, plan, report);
  state.projections.setZero();
  return repaired;
}

bool join_closed(const State& state, Plan& plan) {
  bool joins = plan.projection.joins;
  plan.joined.resize(plan.blocks.size(), 0);
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    if (plan.projection.state[b] != 2 || !(state.projections[plan.blocks[b].row] > 0.0)) continue;
    plan.joined[b] = 1;
    joins = true;
  }
  return joins;
}

}  // namespace nonsmooth::stages
