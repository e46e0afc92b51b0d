// SPDX-License-Identifier: Apache-2.0
// Stage 2: which blocks act in a step.
#include <algorithm>

#include "dynamics/relation_values.hpp"

namespace nonsmooth::stages {
namespace {

/// Rows of H of the relation at the state's positions into interaction.jacobian.
void evaluate_jacobian(const State& state, InteractionPlan& interaction, Plan& plan) {
  gather(state.positions, true, interaction, plan);
  interaction.jacobian.setZero();
  guarded(interaction.name, "H(q)", [&] { interaction.relation->H(state.t, interaction.q, interaction.jacobian); });
  require_finite(interaction.name, "H(q)", interaction.jacobian);
}

/// A^-1 of a nonlinear system at the state's positions: M alone says how large it is.
void factor_mass(const State& state, Index system, Plan& plan) {
  if (plan.kind[static_cast<std::size_t>(system)] != SystemKind::Nonlinear) return;
  NonlinearSystem& s = plan.nonlinear[static_cast<std::size_t>(plan.place[static_cast<std::size_t>(system)])];
  const auto& place = plan.system(system);
  s.mass.setZero();
  guarded(place.name, "mass(q)", [&] { s.description->mass(state.positions.segment(place.q, place.nq), s.mass); });
  require_finite(place.name, "mass(q)", s.mass);
  s.factor.compute(s.mass);
}

/// How far rounding alone may have lifted a contact that pressed in the last step, or was set up closed.
double lift(const BlockPlan& block, InteractionPlan& interaction, const State& state, Plan& plan) {
  const Index row = block.local;
  const double p = state.multipliers[block.row];
  if (!interaction.offset) evaluate_jacobian(state, interaction, plan);
  double terms = interaction.offset ? std::abs((*interaction.offset)[row]) : 0.0, stopped = 0.0;
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    auto P = interaction.scratch.segment(leg.column, leg.n);  // H, then A^-1 H^T
    double largest = 0.0;
    for (Index k = 0; k < leg.n; ++k) {
      P[k] = interaction.offset ? plan.hu[static_cast<std::size_t>(leg.hu + k * interaction.rows + row)]
                                : interaction.jacobian(row, leg.column + k);
      if (leg.n == leg.nq) terms += std::abs(P[k] * state.positions[leg.q + k]);
      largest = std::max(largest, std::abs(P[k]));
    }
    // On a manifold the coordinates of q are not those of H.
    if (leg.n != leg.nq) terms += largest * state.positions.segment(leg.q, leg.nq).lpNorm<1>();
    if (!(p > 0.0)) continue;
    if (interaction.constant) {
      const Eigen::Map<const Eigen::VectorXd> known(plan.p.data() + leg.p + row * leg.n, leg.n);
      stopped += std::abs(P.dot(known)) * p;
      continue;
    }
    factor_mass(state, leg.system, plan);
    interaction.z.segment(leg.column, leg.n) = P;
    apply_inverse(plan, leg.system, P);
    stopped += std::abs(P.dot(interaction.z.segment(leg.column, leg.n))) * p;
  }
  return lift_by_rounding(terms, plan.h * stopped);
}

/// The gap that is forecast at part of the step is closed, or a bond still holds.
bool is_closed(const BlockPlan& block, InteractionPlan& interaction, const State& state, Plan& plan) {
  if (block.bond && state.law_memory[block.memory] < block.bond->opening) return true;
  const double gap = state.outputs[block.row];
  const double change = plan.h * state.velocities[block.row];
  // A spring that a step went into without feeling it would give back more than that step took.
  if (interaction.law->stiffness > 0.0) return std::min(gap, gap + change) <= 0.0;
  const double forecast = gap + interaction.scheme.forecast * change;
  if (forecast <= 0.0) return true;
  const bool rests = state.multipliers[block.row] > 0.0 || state.last_step == 0.0;
  return rests && block.impacts && !interaction.compliant && forecast <= lift(block, interaction, state, plan);
}

}  // namespace

void index_sets(const State& state, Plan& plan) {
  if (plan.active_stands) return;
  plan.active_stands = plan.contacts.empty();
  plan.active.clear();
  plan.active_legs.clear();
  plan.key.clear();
  Index row = 0;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const BlockPlan& block = plan.blocks[b];
    InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(block.interaction)];
    const bool joined = b < plan.joined.size() && plan.joined[b];
    if (block.unilateral) {
      plan.active_stands = false;
      if (!joined && !is_closed(block, interaction, state, plan)) continue;
    }
    ActiveBlock active;
    active.size = block.size;
    active.row = row;
    active.first_leg = static_cast<Index>(plan.active_legs.size());
    active.num_legs = block.has_legs ? interaction.num_legs : 0;
    active.model_block = static_cast<Index>(b);
    for (Index l = interaction.first_leg; l < interaction.first_leg + active.num_legs; ++l) {
      const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
      plan.active_legs.push_back({leg.system, leg.n, leg.z, static_cast<Index>(plan.active.size()),
                                  plan.hu.data() + leg.hu + block.local, 1, interaction.rows,
                                  plan.p.data() + leg.p + block.local * leg.n,
                                  plan.schemes[static_cast<std::size_t>(leg.system)].relation_weight});
    }
    plan.active.push_back(active);
    plan.key.push_back({b, -1, -1, -1});
    row += block.size;
  }
  for (std::size_t c = 0; c < plan.contacts.size(); ++c) {
    const PlanarContact& contact = plan.contacts[c];
    ActiveBlock active;
    active.size = 2;
    active.row = row;
    active.first_leg = static_cast<Index>(plan.active_legs.size());
    active.num_legs = contact.second >= 0 ? 2 : 1;
    active.contact = static_cast<Index>(c);
    const auto block = static_cast<Index>(plan.active.size());
    plan.active_legs.push_back({contact.first, 3, plan.system(contact.first).z, block, contact.H_first.data(), 3, 1,
                                plan.contact_p.data() + 12 * c});
    if (contact.second >= 0) {
      plan.active_legs.push_back({contact.second, 3, plan.system(contact.second).z, block, contact.H_second.data(), 3,
                                  1, plan.contact_p.data() + 12 * c + 6});
    }
    plan.active.push_back(active);
    plan.key.push_back({contact.feature, plan.contact_source[c], contact.first, contact.second});
    row += 2;
  }
}

}  // namespace nonsmooth::stages
