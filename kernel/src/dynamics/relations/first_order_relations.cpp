// SPDX-License-Identifier: Apache-2.0
// Stage 3, first order: relations y = h(t, x, lambda), r = g(t, x, lambda) at the iterate.
#include <algorithm>

#include "model/equations/searched_differences.hpp"
#include "relation_values.hpp"

namespace nonsmooth::stages {

/// h, g and their Jacobians at the iterate (t, x_g, lambda), x_g = g x + (1-g) x_k.
void evaluate_first_order(const StepView& step, const Iterate& iterate, InteractionPlan& interaction,
                          SystemCaches& systems, RelationCaches& relations) {
  const FirstOrderRelationEvaluator relation = interaction.first_order_relation();
  const double weight = interaction.scheme.relation_weight;
  const auto input = [&](double t, Eigen::VectorXd& value) {
    relation.g(t, interaction.z, interaction.lambda, value);
    require_finite(interaction.name, "g(t, x, lambda)", value);
  };
  const auto differentiate = [&](const FirstOrderDerivative& derivative, Eigen::MatrixXd& value) {
    relation.differentiate(derivative, step.t_next, interaction.z, interaction.lambda, value,
                           [](ConstVectorRef x, MatrixRef jacobian, auto&& function) {
                             differences::searched_jacobian(x, jacobian, function);
                           });
    require_finite(interaction.name, derivative.name, value);
  };
  if (iterate.first && interaction.scheme.multiplier_weight != 1.0) {
    gather(step.state.unknowns, false, relations.jacobians, interaction);
    interaction.lambda = step.state.multipliers.segment(interaction.row, interaction.rows);
    input(step.state.t, interaction.g_before);
  }
  gather(iterate.z, false, relations.jacobians, interaction);
  interaction.lambda = iterate.lambda.segment(interaction.row, interaction.rows);
  input(step.t_next, interaction.g);
  differentiate(kInputByMultipliers, interaction.input);
  differentiate(kInputByState, interaction.input_dx);
  if (weight != 1.0) {
    for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
      auto part = interaction.z.segment(jacobian.column, jacobian.n);
      part = weight * part + (1.0 - weight) * step.state.unknowns.segment(jacobian.z, jacobian.n);
    }
  }
  relation.h(step.t_next, interaction.z, interaction.lambda, interaction.y_free);
  require_finite(interaction.name, "h(t, x, lambda)", interaction.y_free);
  differentiate(kOutputByState, interaction.jacobian);
  differentiate(kOutputByMultipliers, interaction.D);
  copy_jacobian(interaction, relations.jacobians);
  // w = h - C x_g - D lambda; what x_k adds through the weight comes with the rows of history.
  interaction.y_free.noalias() -= interaction.jacobian * interaction.z;
  interaction.y_free.noalias() -= interaction.D * interaction.lambda;
  std::copy(interaction.y_free.begin(), interaction.y_free.end(), row(relations.w, interaction));
  for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
    const auto& system = systems.at(jacobian.system);
    auto dg_dx = interaction.input_dx.block(jacobian.column, jacobian.column, jacobian.n, jacobian.n);
    dg_dx *= interaction.scheme.multiplier_weight;
    system.batch->add_input_jacobian(step.system(jacobian.system), system.place, interaction.name, dg_dx);
  }
}

void evaluate_linear(const StepView& step, const Iterate& iterate, InteractionPlan& interaction,
                     RelationCaches& relations) {
  const FirstOrderRelationEvaluator relation = interaction.first_order_relation();
  const FirstOrderLinearRelation& data = *relation.linear;
  if (data.e.function() || interaction.special) {
    relation.e(step.t_next, interaction.values);
    require_finite(interaction.name, "e(t)", interaction.values);
    std::copy(interaction.values.begin(), interaction.values.end(), row(relations.w, interaction));
  }
  if (data.C.function()) {
    relation.C(step.t_next, interaction.jacobian);
    require_finite(interaction.name, "C(t)", interaction.jacobian);
    copy_jacobian(interaction, relations.jacobians);
  }
  if (data.D.function()) {
    relation.D(step.t_next, interaction.D);
    require_finite(interaction.name, "D(t)", interaction.D);
  }
  if (interaction.input.size() == 0) return;
  const auto input = [&](double t) {
    relation.B(t, interaction.input);
    require_finite(interaction.name, "B(t)", interaction.input);
  };
  if (data.B.function() && iterate.first && interaction.scheme.multiplier_weight != 1.0) {  // r_k = B(t_k) lambda_k
    input(step.state.t);
    interaction.g_before.noalias() =
        interaction.input * step.state.multipliers.segment(interaction.row, interaction.rows);
  }
  input(step.t_next);
}

}  // namespace nonsmooth::stages
