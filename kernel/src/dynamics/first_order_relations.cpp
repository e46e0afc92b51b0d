// SPDX-License-Identifier: Apache-2.0
// Stage 3, first order: relations y = h(t, x, lambda), r = g(t, x, lambda) at the iterate.
#include <algorithm>

#include "model/guarded.hpp"
#include "model/searched_differences.hpp"
#include "relation_values.hpp"

namespace nonsmooth::stages {

/// h, g and their Jacobians at the iterate (t, x_g, lambda), x_g = g x + (1-g) x_k.
void evaluate_first_order(const StepView& step, const Iterate& iterate, InteractionPlan& interaction,
                          SystemCaches& systems, RelationCaches& relations) {
  const FirstOrderInputOutputRelation& relation = *interaction.nonlinear;
  const std::string& name = interaction.name;
  const double weight = interaction.scheme.relation_weight;
  const Eigen::VectorXd& x = interaction.z;
  using Of = FirstOrderInputOutputRelation;
  using Function = void (Of::*)(double, ConstVectorRef, ConstVectorRef, VectorRef) const;
  using Jacobian = bool (Of::*)(double, ConstVectorRef, ConstVectorRef, MatrixRef) const;
  const auto evaluate = [&](double t, const char* what, Function f, VectorRef value) {
    value.setZero();
    guarded(name, what, [&] { (relation.*f)(t, x, interaction.lambda, value); });
    require_finite(name, what, value);
  };
  const auto differentiate = [&](const char* what, Jacobian given, Function f, bool by_lambda, Eigen::MatrixXd& value) {
    value.setZero();
    guarded(name, what, [&] {
      if ((relation.*given)(step.t_next, x, interaction.lambda, value)) return;
      if (by_lambda) {
        differences::searched_jacobian(interaction.lambda, value, [&](ConstVectorRef at, VectorRef out) {
          (relation.*f)(step.t_next, x, at, out);
        });
      } else {
        differences::searched_jacobian(x, value, [&](ConstVectorRef at, VectorRef out) {
          (relation.*f)(step.t_next, at, interaction.lambda, out);
        });
      }
    });
    require_finite(name, what, value);
  };
  if (iterate.first && interaction.scheme.multiplier_weight != 1.0) {
    gather(step.state.unknowns, false, relations.jacobians, interaction);
    interaction.lambda = step.state.multipliers.segment(interaction.row, interaction.rows);
    evaluate(step.state.t, "g(t, x, lambda)", &Of::g, interaction.g_before);
  }
  gather(iterate.z, false, relations.jacobians, interaction);
  interaction.lambda = iterate.lambda.segment(interaction.row, interaction.rows);
  evaluate(step.t_next, "g(t, x, lambda)", &Of::g, interaction.g);
  differentiate("g_dlambda", &Of::g_dlambda, &Of::g, true, interaction.input);
  differentiate("g_dx", &Of::g_dx, &Of::g, false, interaction.input_dx);
  if (weight != 1.0) {
    for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
      auto part = interaction.z.segment(jacobian.column, jacobian.n);
      part = weight * part + (1.0 - weight) * step.state.unknowns.segment(jacobian.z, jacobian.n);
    }
  }
  evaluate(step.t_next, "h(t, x, lambda)", &Of::h, interaction.y_free);
  differentiate("h_dx", &Of::h_dx, &Of::h, false, interaction.jacobian);
  differentiate("h_dlambda", &Of::h_dlambda, &Of::h, true, interaction.D);
  copy_jacobian(interaction, relations.jacobians);
  // w = h - C x_g - D lambda; what x_k adds through the weight comes with the rows of history.
  interaction.y_free.noalias() -= interaction.jacobian * interaction.z;
  interaction.y_free.noalias() -= interaction.D * interaction.lambda;
  std::copy(interaction.y_free.begin(), interaction.y_free.end(), row(relations.w, interaction));
  for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
    const auto& system = systems.at(jacobian.system);
    *system.batch->input_jacobian(system.place) +=
        interaction.scheme.multiplier_weight *
        interaction.input_dx.block(jacobian.column, jacobian.column, jacobian.n, jacobian.n);
  }
}

void evaluate_linear(const StepView& step, const Iterate& iterate, InteractionPlan& interaction,
                     RelationCaches& relations) {
  const FirstOrderLinearRelation& relation = *interaction.linear;
  const auto evaluate_at = [&](double t, const char* what, const MatrixData::Function& function,
                               Eigen::MatrixXd& value) {
    value.setZero();
    guarded(interaction.name, what, [&] { function(t, value); });
    require_finite(interaction.name, what, value);
  };
  const auto evaluate = [&](const char* what, const MatrixData::Function& function, Eigen::MatrixXd& value) {
    evaluate_at(step.t_next, what, function, value);
  };
  if (const auto* e = relation.e.function()) {
    interaction.values.setZero();
    guarded(interaction.name, "e(t)", [&] { (*e)(step.t_next, interaction.values); });
    require_finite(interaction.name, "e(t)", interaction.values);
    std::copy(interaction.values.begin(), interaction.values.end(), row(relations.w, interaction));
  } else if (interaction.special) {
    std::fill_n(row(relations.w, interaction), interaction.rows, 0.0);
    if (const auto* constant = relation.e.constant())
      std::copy(constant->begin(), constant->end(), row(relations.w, interaction));
  }
  if (const auto* C = relation.C.function()) {
    evaluate("C(t)", *C, interaction.jacobian);
    copy_jacobian(interaction, relations.jacobians);
  }
  if (const auto* D = relation.D.function()) evaluate("D(t)", *D, interaction.D);
  if (const auto* B = relation.B.function()) {
    if (iterate.first && interaction.scheme.multiplier_weight != 1.0) {  // r_k = B(t_k) lambda_k
      evaluate_at(step.state.t, "B(t)", *B, interaction.input);
      interaction.g_before.noalias() =
          interaction.input * step.state.multipliers.segment(interaction.row, interaction.rows);
    }
    evaluate("B(t)", *B, interaction.input);
  } else if (interaction.input.size() > 0) {
    interaction.input = *relation.B.dense();
  }
}

}  // namespace nonsmooth::stages
