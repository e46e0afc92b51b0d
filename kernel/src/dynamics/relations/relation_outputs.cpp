// SPDX-License-Identifier: Apache-2.0
// y and u of every interaction at a state.
#include <span>

#include "model/guarded.hpp"
#include "relation_values.hpp"

namespace nonsmooth::stages {
namespace {

void first_order_outputs(double t, const JacobianBlocks& jacobians, InteractionPlan& interaction, State& state) {
  const FirstOrderRelationEvaluator relation = interaction.first_order_relation();
  gather(state.unknowns, false, jacobians, interaction);
  interaction.lambda = state.multipliers.segment(interaction.row, interaction.rows);
  auto y = state.outputs.segment(interaction.row, interaction.rows);
  if (interaction.nonlinear) {
    relation.h(t, interaction.z, interaction.lambda, interaction.values);
    require_finite(interaction.name, "h(t, x, lambda)", interaction.values);
    y = interaction.values;
    return;
  }
  relation.e(t, interaction.values);
  y = interaction.values;
  y.noalias() += interaction.jacobian * interaction.z;
  if (interaction.D.size() > 0) y.noalias() += interaction.D * interaction.lambda;
}

/// y and u of a relation that is asked.
void mechanical_outputs(double t, double h, const JacobianBlocks& jacobians, InteractionPlan& interaction,
                        State& state) {
  gather(state.positions, true, jacobians, interaction);
  gather(state.unknowns, false, jacobians, interaction);
  const RelationEvaluator relation = interaction.evaluator();
  if (interaction.compliant) interaction.lambda = state.multipliers.segment(interaction.row, interaction.rows) / h;
  if (relation.follows()) {
    if (interaction.g_before.size() > 0) {  // of a compliant one: multipliers are already those of the step's end
      interaction.values = interaction.g_before;
    } else {
      interaction.values = state.outputs.segment(interaction.row, interaction.rows);
    }
  }
  relation.h(t, interaction.q, interaction.lambda, interaction.values);
  relation.H(t, interaction.q, interaction.lambda, interaction.jacobian);
  state.outputs.segment(interaction.row, interaction.rows) = interaction.values;
  relation.h_t(t, interaction.q, interaction.values);
  auto velocity = state.velocities.segment(interaction.row, interaction.rows);
  velocity = interaction.values;
  velocity.noalias() += interaction.jacobian * interaction.z;
}

/// y = b + H q, u = H v of mechanics, y = e + C x of first order, and D lambda: the matrices stand.
void standing_outputs(double h, const RelationCaches& relations, const InteractionPlan& interaction, State& state) {
  const std::span<const JacobianBlock> jacobians = relations.jacobians.of(interaction);
  const double* const entries = relations.jacobians.hu.data();
  const bool of_positions = interaction.offset != nullptr;
  const double* const constants = of_positions ? interaction.offset->data() : relations.w.data() + interaction.row;
  const Index rows = interaction.rows;
  for (Index r = 0; r < rows; ++r) {
    double position = constants[r], rate = 0.0;
    for (const JacobianBlock& jacobian : jacobians) {
      const double* const H = entries + jacobian.hu + r;
      const double* const z = state.unknowns.data() + jacobian.z;
      for (Index k = 0; k < jacobian.n; ++k) rate += H[k * rows] * z[k];
      if (!of_positions) continue;
      const double* const q = state.positions.data() + jacobian.q;
      for (Index k = 0; k < jacobian.n; ++k) position += H[k * rows] * q[k];
    }
    if (interaction.first_order) position += rate;
    if (interaction.D.size() > 0) {
      const double unit = interaction.first_order ? 1.0 : 1.0 / h;  // lambda = p / h
      for (Index k = 0; k < rows; ++k) position += unit * interaction.D(r, k) * state.multipliers[interaction.row + k];
    }
    state.outputs[interaction.row + r] = position;
    if (!interaction.first_order) state.velocities[interaction.row + r] = rate;
  }
}

}  // namespace

void update_outputs_in_place(double t, double h, RelationCaches& relations, State& state) {
  for (InteractionPlan& interaction : relations.interactions) {
    if (interaction.offset || (interaction.first_order && interaction.constant && !interaction.special)) {
      standing_outputs(h, relations, interaction, state);
    } else if (interaction.first_order) {
      first_order_outputs(t, relations.jacobians, interaction, state);
    } else {
      mechanical_outputs(t, h, relations.jacobians, interaction, state);
    }
  }
}

}  // namespace nonsmooth::stages
