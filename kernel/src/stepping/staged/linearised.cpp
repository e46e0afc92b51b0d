// SPDX-License-Identifier: Apache-2.0
// f + g = J x + G lambda + k and u = H x + D lambda + w of all systems and rows, about a stage.
#include "dynamics/relations/relation_values.hpp"
#include "model/equations/differences.hpp"
#include "model/equations/searched_differences.hpp"
#include "model/guarded.hpp"
#include "staged.hpp"

namespace nonsmooth::stages {
namespace {

/// The coupling of the rows of an interaction, of its D and its law, into D of all.
void write_coupling(Index first, InteractionPlan& interaction, Eigen::MatrixXd& D) {
  compute_coupling(1.0, interaction);  // of first order: no length enters
  if (interaction.coupling.size() > 0)
    D.block(first, first, interaction.extended, interaction.extended) = interaction.coupling;
}

/// H and G of an interaction from its jacobian and its input, by system.
void write_columns(Index first, const JacobianBlocks& jacobians, const InteractionPlan& interaction,
                   const Eigen::MatrixXd& input, Staged::Linearised& at) {
  const Index m = interaction.rows;
  for (const JacobianBlock& one : jacobians.of(interaction)) {
    at.H.block(first, one.z, m, one.n) = interaction.jacobian.middleCols(one.column, one.n);
    at.G.block(one.z, first, one.n, m) = input.middleRows(one.column, one.n);
  }
}

/// What a law adds to u, row by row; auxiliary rows have nothing else.
void add_offset(Index first, const InteractionPlan& interaction, Eigen::VectorXd& w) {
  const PreparedLaw& law = *interaction.law;
  if (law.offset.size() == 0) return;
  for (Index b = 0; b < interaction.rows / law.size; ++b) {
    w.segment(first + b * law.size, law.size) += law.offset.head(law.size);
    w.segment(first + interaction.rows + b * law.auxiliary, law.auxiliary) = law.offset.tail(law.auxiliary);
  }
}

void linearise_linear(double t, Index first, InteractionPlan& interaction, RelationCaches& relations, Staged& staged,
                      Staged::Linearised& at) {
  const FirstOrderRelationEvaluator relation = interaction.first_order_relation();
  relation.e(t, interaction.values);
  require_finite(interaction.name, "e(t)", interaction.values);
  std::copy(interaction.values.begin(), interaction.values.end(), row(relations.w, interaction));
  at.w.segment(first, interaction.rows) = interaction.values;
  if (relation.has_constant_matrices()) return;
  relation.C(t, interaction.jacobian);
  require_finite(interaction.name, "C(t)", interaction.jacobian);
  staged.input_matrix.resize(interaction.columns, interaction.rows);
  relation.B(t, staged.input_matrix);
  require_finite(interaction.name, "B(t)", staged.input_matrix);
  if (relation.linear->D.function()) {
    relation.D(t, interaction.D);
    require_finite(interaction.name, "D(t)", interaction.D);
  }
  write_columns(first, relations.jacobians, interaction, staged.input_matrix, at);
  write_coupling(first, interaction, at.D);
}

/// About (x, lambda), which interaction.z and interaction.lambda are: what g adds to J and k too.
void linearise_nonlinear(double t, Index first, InteractionPlan& interaction, RelationCaches& relations,
                         Staged::Linearised& at) {
  const FirstOrderRelationEvaluator relation = interaction.first_order_relation();
  const auto differentiate = [&](const FirstOrderDerivative& derivative, Eigen::MatrixXd& value) {
    relation.differentiate(derivative, t, interaction.z, interaction.lambda, value,
                           [](ConstVectorRef at_x, MatrixRef jacobian, auto&& function) {
                             differences::searched_jacobian(at_x, jacobian, function);
                           });
    require_finite(interaction.name, derivative.name, value);
  };
  relation.g(t, interaction.z, interaction.lambda, interaction.g);
  require_finite(interaction.name, "g(t, x, lambda)", interaction.g);
  differentiate(kInputByMultipliers, interaction.input);
  differentiate(kInputByState, interaction.input_dx);
  relation.h(t, interaction.z, interaction.lambda, interaction.values);
  require_finite(interaction.name, "h(t, x, lambda)", interaction.values);
  differentiate(kOutputByState, interaction.jacobian);
  differentiate(kOutputByMultipliers, interaction.D);
  interaction.values.noalias() -= interaction.jacobian * interaction.z;
  interaction.values.noalias() -= interaction.D * interaction.lambda;
  at.w.segment(first, interaction.rows) = interaction.values;
  interaction.g.noalias() -= interaction.input_dx * interaction.z;
  interaction.g.noalias() -= interaction.input * interaction.lambda;
  const auto blocks = relations.jacobians.of(interaction);
  for (const JacobianBlock& a : blocks) {
    at.k.segment(a.z, a.n) += interaction.g.segment(a.column, a.n);
    for (const JacobianBlock& b : blocks)
      at.J.block(a.z, b.z, a.n, b.n) += interaction.input_dx.block(a.column, b.column, a.n, b.n);
  }
  write_columns(first, relations.jacobians, interaction, interaction.input, at);
  write_coupling(first, interaction, at.D);
}

/// J and k of one system; J of a constant one stands.
void linearise_system(double t, const Layout::System& place, const FirstOrderSystemEvaluator& system,
                      const Eigen::VectorXd& x, Staged& staged, Staged::Linearised& at) {
  auto k = at.k.segment(place.z, place.n);
  if (system.linear) {
    system.b(t, k);
    require_finite(place.name, "b(t)", k);
    if (staged.constant) return;
    staged.matrix.resize(place.n, place.n);
    system.A(t, staged.matrix);
    require_finite(place.name, "A(t)", staged.matrix);
    at.J.block(place.z, place.z, place.n, place.n) = staged.matrix;
    return;
  }
  const auto at_x = x.segment(place.z, place.n);
  system.f(t, at_x, k);
  require_finite(place.name, "f(t, x)", k);
  staged.matrix.resize(place.n, place.n);
  system.differentiate(t, at_x, staged.matrix, [](ConstVectorRef point, MatrixRef jacobian, auto&& rate) {
    differences::jacobian(point, jacobian, rate);
  });
  require_finite(place.name, "df/dx", staged.matrix);
  at.J.block(place.z, place.z, place.n, place.n) = staged.matrix;
  k.noalias() -= staged.matrix * at_x;
}

}  // namespace

void write_constants(const Discretisation& discretisation, RelationCaches& relations, Staged& staged,
                     Staged::Linearised& at) {
  for (std::size_t i = 0; i < staged.systems.size(); ++i) {
    const Layout::System& place = discretisation.layout->systems[i];
    if (!staged.systems[i].has_constant_matrix()) continue;
    staged.matrix.setZero(place.n, place.n);
    staged.systems[i].A(0.0, staged.matrix);
    at.J.block(place.z, place.z, place.n, place.n) = staged.matrix;
  }
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    InteractionPlan& interaction = relations.interactions[i];
    const FirstOrderRelationEvaluator relation = interaction.first_order_relation();
    if (!relation.has_constant_matrices()) continue;
    relation.C(0.0, interaction.jacobian);
    staged.input_matrix.setZero(interaction.columns, interaction.rows);
    relation.B(0.0, staged.input_matrix);
    write_columns(staged.first_row[i], relations.jacobians, interaction, staged.input_matrix, at);
    write_coupling(staged.first_row[i], interaction, at.D);
  }
}

void linearise_stage(const StagedWork& work, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& lambda,
                     Staged::Linearised& at) {
  Staged& staged = work.staged;
  RelationCaches& relations = work.relations;
  if (!staged.constant) at.J.setZero();
  for (std::size_t i = 0; i < staged.systems.size(); ++i) {
    const Layout::System& place = work.discretisation.layout->systems[i];
    linearise_system(t, place, staged.systems[i], x, staged, at);
    if (const auto* value = work.inputs.feedback_of(static_cast<Index>(i))) at.k.segment(place.z, place.n) += *value;
  }
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    InteractionPlan& interaction = relations.interactions[i];
    const Index first = staged.first_row[i];
    if (interaction.nonlinear) {
      gather(x, false, relations.jacobians, interaction);
      interaction.lambda = lambda.segment(first, interaction.rows);
      linearise_nonlinear(t, first, interaction, relations, at);
    } else {
      linearise_linear(t, first, interaction, relations, staged, at);
    }
    add_offset(first, interaction, at.w);
  }
}

}  // namespace nonsmooth::stages
