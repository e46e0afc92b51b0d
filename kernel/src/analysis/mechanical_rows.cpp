// SPDX-License-Identifier: Apache-2.0
#include "mechanical_rows.hpp"

#include <algorithm>
#include <cmath>

#include <nonsmooth/kernel/laws/force.hpp>

#include "dynamics/system_caches.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/guarded.hpp"
#include "model/impact_matrix.hpp"
#include "model/linked_systems.hpp"

namespace nonsmooth::analysis::detail {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// What is constant and what depends on time, of one system.
void note_kind(const NonSmoothDynamicalSystem::System& record, Dynamics& model) {
  const MechanicalSystem& system = *record.mechanical;
  const LagrangianLinearSystem* linear = system.linear();
  const bool forced = linear && linear->force.function();
  const bool acted_on = system.feedback() || !system.prescribed().empty() || forced;
  model.constant = model.constant && linear;
  model.driven = model.driven || acted_on || !system.impulses().empty();
  model.analytic = model.analytic && linear && !acted_on;
}

std::vector<FrictionRows> friction_of(const PreparedLaw& law) {
  if (!is_cone(law)) return {};
  const BlockSet& set = law.parts.front().set;
  const Index size = law.parts.front().size;
  if (set.kind != SetKind::Rolling) return {{.size = size - 1, .bound = std::max(set.mu, set.mu_2)}};
  const Index tangents = size == 3 ? 1 : 2;
  std::vector<FrictionRows> result{{.size = tangents, .bound = set.mu}};
  if (size != 4) result.push_back({.size = tangents, .bound = set.rolling});
  if (size % 2 == 0) result.push_back({.size = 1, .bound = set.spinning});
  return result;
}

/// Friction apart.
bool is_monotone(const PreparedLaw& law) {
  return law.has_monotone_coupling() && std::all_of(law.parts.begin(), law.parts.end(), [](const LawBlock::Part& part) {
           return part.set.kind != SetKind::DruckerPrager || part.set.lift == 0.0;  // associated flow
         });
}

void add_interaction(const NonSmoothDynamicalSystem& model, const State& state, Index i, const Dynamics& dynamics,
                     MechanicalRows& result) {
  const Layout& layout = *state.layout();
  const auto& record = interaction_at(model, state, i);
  const Layout::Interaction& place = layout.interactions[static_cast<std::size_t>(i)];
  const MechanicalRelation& relation = *record.mechanical;
  const auto linked = linked_systems(layout, record.systems);
  const Vector q = stacked_positions(linked, state.positions);
  const Index m = place.rows;
  const Vector lambda = state.multipliers.segment(place.row, m) / (state.last_step > 0.0 ? state.last_step : 1.0);
  Matrix own(m, linked.back().column + linked.back().n), D(m, m);
  Vector y(m), h_t(m);
  const RelationEvaluator evaluator(relation, record.name);
  y = state.outputs.segment(place.row, m);
  evaluator.h(state.t, q, lambda, y);
  evaluator.H(state.t, q, lambda, own);
  evaluator.compliance(state.t, q, lambda, D);
  evaluator.h_t(state.t, q, h_t);
  result.constant = result.constant && relation.constant_jacobian() != nullptr;
  const ForceLaw* const force = record.law->law->force_law();
  const bool active = force && !force->is_passive();
  result.driven = result.driven || active || !h_t.isZero(0.0);
  result.monotone = result.monotone && !active && is_monotone(*record.law);
  const std::vector<FrictionRows> friction = friction_of(*record.law);
  const bool in_matrix = describe::KnownCoefficients(model).has(place.slot);
  for (Index r = 0; r < m; ++r) {
    const Index of_block = r % record.law->size;
    MechanicalRow row{.role = record.law->stiffness > 0.0 ? RowRole::Spring : role_of(*record.law, of_block),
                      .name = "row " + std::to_string(r) + " of " + record.name,
                      .y = y[r],
                      .drift = h_t[r],
                      .exact = relation.constant_jacobian() != nullptr};
    if (relation.is_compliant()) row.role = RowRole::Spring;
    if (row.role == RowRole::Spring) {
      row.stiffness = D(r, r) > 0.0 ? 1.0 / D(r, r) : record.law->stiffness;
      row.damping = record.law->damping;
    }
    Vector h = Vector::Zero(dynamics.v.size());
    for (const LinkedSystem& one : linked) {
      h.segment(dynamics.first[static_cast<std::size_t>(one.system)], one.n) =
          own.row(r).segment(one.column, one.n).transpose();
    }
    if (force) {
      ForceLaw::Slopes slopes;
      guarded(record.name, "the slopes of the law",
              [&] { slopes = force->slopes(state.t, y[r], h.dot(dynamics.v) + h_t[r]); });
      row.stiffness = -slopes.dy;
      row.damping = -slopes.du;
    }
    row.terms = h.cwiseAbs().dot(dynamics.q_scale) + std::abs(y[r]);
    if (row.role == RowRole::Normal) {
      const bool closed = !record.law->unilateral || y[r] <= kClosed * row.terms;
      result.contacts.push_back({.name = record.law->size == 1
                                             ? row.name
                                             : "rows " + std::to_string(r) + " to " +
                                                   std::to_string(r + record.law->size - 1) + " of " + record.name,
                                 .row = static_cast<Index>(result.rows.size()),
                                 .size = record.law->size,
                                 .gap = y[r],
                                 .friction = friction,
                                 .closed = closed,
                                 .restitution = record.law->impact.restitution,
                                 .impacts = record.law->impact.kind == ImpactRule::Kind::Newton && !in_matrix});
    }
    if (row.role == RowRole::Normal || row.role == RowRole::Tangential)
      row.contact = static_cast<Index>(result.contacts.size()) - 1;
    result.append(std::move(row), h);
  }
}

void add_prescribed(double t, const MechanicalSystem& system, const std::string& name, Index first,
                    MechanicalRows& result) {
  for (const PrescribedVelocity& motion : system.prescribed()) {
    Vector h = Vector::Zero(result.H.cols());
    h[first + motion.component] = 1.0;
    result.append({.role = RowRole::Prescribed,
                   .name = "velocity " + std::to_string(motion.component) + " of " + name,
                   .drift = -motion.velocity(t)},
                  h);
  }
}

void add_detected(const IslandContact& one, const Dynamics& dynamics, MechanicalRows& result) {
  const std::string name = "detected contact " + std::to_string(one.contact.feature);
  const Index rows = one.H_first.rows();
  result.contacts.push_back({.name = name,
                             .row = static_cast<Index>(result.rows.size()),
                             .size = rows,
                             .gap = one.contact.gap,
                             .friction = friction_of(one.law),
                             .restitution = one.law.impact.restitution,
                             .impacts = one.law.impact.kind == ImpactRule::Kind::Newton && !one.by_rule});
  result.driven = result.driven || !one.h_t.isZero(0.0);
  result.monotone = result.monotone && is_monotone(one.law);
  const auto number = static_cast<Index>(result.contacts.size()) - 1;
  for (Index r = 0; r < rows; ++r) {
    Vector h = Vector::Zero(dynamics.v.size());
    const auto add = [&](Index system, const Matrix& H) {
      h.segment(dynamics.first[static_cast<std::size_t>(system)], H.cols()) = H.row(r);
    };
    add(one.contact.first, one.H_first);
    if (one.contact.second >= 0) add(one.contact.second, one.H_second);
    result.append({.role = r == 0 ? RowRole::Normal : RowRole::Tangential,
                   .name = name,
                   .contact = number,
                   .y = one.contact.gap,
                   .drift = one.h_t[r],
                   .terms = h.cwiseAbs().dot(dynamics.q_scale)},
                  h);
    UnilateralContact& last = result.contacts.back();
    if (r == 0) last.closed = one.contact.gap <= kClosed * std::max(one.contact.terms, result.rows.back().terms);
  }
}

}  // namespace

Dynamics dynamics_of(const NonSmoothDynamicalSystem& model, const State& state, const Island& island, Index n) {
  const Layout& layout = *state.layout();
  Dynamics result{.M = Matrix::Zero(n, n),
                  .F_q = Matrix::Zero(n, n),
                  .F_v = Matrix::Zero(n, n),
                  .F = Vector::Zero(n),
                  .q_scale = Vector::Zero(n),
                  .v = Vector::Zero(n),
                  .first = std::vector<Index>(layout.systems.size(), -1)};
  Index at = 0;
  for (const Index s : island.systems) {
    const Layout::System& place = layout.systems[static_cast<std::size_t>(s)];
    const auto q = state.positions.segment(place.q, place.nq);
    result.first[static_cast<std::size_t>(s)] = at;
    result.v.segment(at, place.n) = state.unknowns.segment(place.z, place.n);
    result.q_scale.segment(at, place.n) = place.nq == place.n ? Vector(q.cwiseAbs()) : Vector(Vector::Ones(place.n));
    note_kind(system_at(model, state, s), result);
    at += place.n;
  }
  SystemCaches systems;
  stages::prepare_instants(model, layout, island.systems, result.first, systems);
  for (SystemBatch* batch : systems.batches) {
    batch->evaluate_motion(state.t, state.positions, result.v, result.F);
    batch->masses(result.M);
    batch->jacobians(state.t, state.positions, result.v, result.F_q, result.F_v);
  }
  return result;
}

MechanicalRows rows_of(const NonSmoothDynamicalSystem& model, const State& state, const Island& island,
                       const Dynamics& dynamics) {
  MechanicalRows rows;
  rows.H.resize(0, dynamics.v.size());
  for (const Index i : island.interactions) add_interaction(model, state, i, dynamics, rows);
  for (const Index s : island.systems) {
    const auto i = static_cast<std::size_t>(s);
    add_prescribed(state.t, *system_at(model, state, s).mechanical, state.layout()->systems[i].name, dynamics.first[i],
                   rows);
  }
  for (const IslandContact& contact : island.contacts) add_detected(contact, dynamics, rows);
  return rows;
}

}  // namespace nonsmooth::analysis::detail
