// SPDX-License-Identifier: Apache-2.0
// y and u of every interaction at a state.
#include <algorithm>

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
  if (relation.follows()) interaction.values = state.outputs.segment(interaction.row, interaction.rows);
  relation.h(t, interaction.q, interaction.lambda, interaction.values);
  relation.H(t, interaction.q, interaction.lambda, interaction.jacobian);
  state.outputs.segment(interaction.row, interaction.rows) = interaction.values;
  relation.h_t(t, interaction.q, interaction.values);
  auto velocity = state.velocities.segment(interaction.row, interaction.rows);
  velocity = interaction.values;
  velocity.noalias() += interaction.jacobian * interaction.z;
}

}  // namespace

void update_outputs_in_place(double t, double h, RelationCaches& relations, State& state) {
  for (InteractionPlan& interaction : relations.interactions) {
    double* y = state.outputs.data() + interaction.row;
    double* u = state.velocities.data() + interaction.row;
    const bool affine = interaction.offset || (interaction.first_order && interaction.constant && !interaction.special);
    if (interaction.first_order && !affine) {
      first_order_outputs(t, relations.jacobians, interaction, state);
      continue;
    }
    if (!affine) {
      mechanical_outputs(t, h, relations.jacobians, interaction, state);
      continue;
    }
    for (Index r = 0; r < interaction.rows; ++r) {
      double position =
          interaction.offset ? (*interaction.offset)[r] : relations.w[static_cast<std::size_t>(interaction.row + r)];
      double rate = 0.0;
      for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
        const double* H = relations.jacobians.hu.data() + jacobian.hu + r;
        const double* z = state.unknowns.data() + jacobian.z;
        const double* q = state.positions.data() + jacobian.q;
        for (Index k = 0; k < jacobian.n; ++k) {
          const double entry = H[k * interaction.rows];
          rate += entry * z[k];
          if (interaction.offset) position += entry * q[k];
        }
      }
      if (interaction.first_order) position += rate;
      if (interaction.D.size() > 0) {
        const double unit = interaction.first_order ? 1.0 : 1.0 / h;  // lambda = p / h
        for (Index k = 0; k < interaction.rows; ++k)
          position += unit * interaction.D(r, k) * state.multipliers[interaction.row + k];
      }
      if (interaction.first_order) {
        y[r] = position;
      } else {
        y[r] = position;
        u[r] = rate;
      }
    }
  }
}

}  // namespace nonsmooth::stages
