// SPDX-License-Identifier: Apache-2.0
// Stage 3: relations and laws at the iterate, as blocks of H and P, the coupling of their multipliers, and rows w.
#include <algorithm>

#include "law_batches.hpp"
#include "model/guarded.hpp"
#include "relation_values.hpp"

namespace nonsmooth::stages {
namespace {

/// P of one interaction: A^-1 H^T, or the scheme's input operator times B = dg/dlambda.
void compute_p(const Discretisation& discretisation, const InteractionPlan& interaction, SystemCaches& systems,
               JacobianBlocks& jacobians) {
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    Eigen::Map<Eigen::MatrixXd> P(jacobians.p.data() + jacobian.p, jacobian.n, interaction.rows);
    if (!interaction.first_order) {
      P = Eigen::Map<const Eigen::MatrixXd>(jacobians.hu.data() + jacobian.hu, interaction.rows, jacobian.n)
              .transpose();
    } else if (interaction.input.size() > 0) {
      P = interaction.input.middleRows(jacobian.column, jacobian.n);
    } else {
      P = interaction.linear->B.dense()->middleRows(jacobian.column, jacobian.n);
    }
    apply_input(discretisation, systems, jacobian.system, P);
  }
}

/// Gaps at t_{k-1} into interaction.values, from z of the last step: the state's differences where the scheme keeps z,
/// else v_k.
void gaps_before(const StepView& step, const JacobianBlocks& jacobians, SystemCaches& systems,
                 InteractionPlan& interaction) {
  const State& state = step.state;
  const bool kept = interaction.scheme.keeps_unknown;
  const bool known = kept ? state.has_differences() : state.last_step > 0.0;
  const double length = known ? state.last_step : step.h();
  const Eigen::VectorXd& rate = kept && known ? state.differences : state.unknowns;
  Index at = 0;
  for (const JacobianBlock& jacobian : jacobians.of(interaction)) {
    auto q = interaction.q.segment(at, jacobian.nq);
    auto back = interaction.scratch.segment(jacobian.column, jacobian.n);
    q = state.positions.segment(jacobian.q, jacobian.nq);
    back = -length * rate.segment(jacobian.z, jacobian.n);
    const SystemCaches::Place& own = systems.at(jacobian.system);
    own.batch->retract(step.system(jacobian.system), own.place, back, q);
    at += jacobian.nq;
  }
  const RelationEvaluator relation = interaction.evaluator();
  if (relation.follows()) interaction.values = state.outputs.segment(interaction.row, interaction.rows);
  relation.h(state.t - length, interaction.q, interaction.values);
}

/// y, H, h_t (and D) of a mechanical relation at the iterate, and the gap that position-level rows start from.
void evaluate_mechanics(const StepView& step, const Iterate& iterate, InteractionPlan& interaction,
                        RelationCaches& relations) {
  const RelationEvaluator relation = interaction.evaluator();
  gather(iterate.q_middle, true, relations.jacobians, interaction);
  if (interaction.compliant) interaction.lambda = iterate.lambda.segment(interaction.row, interaction.rows) / step.h();
  relation.H(step.t_next, interaction.q, interaction.lambda, interaction.jacobian);
  if (interaction.compliant) relation.compliance(step.t_next, interaction.q, interaction.lambda, interaction.D);
  relation.h_t(step.t_next, interaction.q, interaction.values);
  std::copy(interaction.values.begin(), interaction.values.end(), row(relations.w, interaction));
  copy_jacobian(interaction, relations.jacobians);

  if (!interaction.special) return;
  // y_{k+1} = h(q_i, lambda_i) + s H (z - z_i) + D (lambda - lambda_i), s = dq/dz; u+ = H z + h_t.
  gather(iterate.q, true, relations.jacobians, interaction);
  if (relation.follows()) {
    interaction.y_free = step.state.outputs.segment(interaction.row, interaction.rows);
    if (interaction.compliant) {
      if (step.state.last_step > 0.0)
        interaction.y_free.noalias() -=
            interaction.D * (step.state.multipliers.segment(interaction.row, interaction.rows) / step.state.last_step);
      interaction.g_before = interaction.y_free;
    }
  }
  relation.h(step.t_next, interaction.q, interaction.lambda, interaction.y_free);
  if (interaction.compliant) interaction.y_free.noalias() -= interaction.D * interaction.lambda;
  const double s = step.h() * interaction.scheme.position;
  for (Index r = 0; r < interaction.rows; ++r)
    interaction.y_free[r] -=
        s * (output_of(interaction, relations.jacobians, iterate.z.data(), r) + interaction.values[r]);
}

/// Parts of w that the state at t_k gives: rows at the level of positions and rates.
void rows_from_history(const StepView& step, SystemCaches& systems, RelationCaches& relations) {
  const double h = step.h();
  for (InteractionPlan& interaction : relations.interactions) {
    if (!interaction.special) continue;
    const PreparedLaw& law = *interaction.law;
    const Scheme& scheme = interaction.scheme;
    double* w = row(relations.w, interaction);
    if (!interaction.first_order) {
      const bool affine = interaction.offset != nullptr;
      if (affine) std::fill_n(w, interaction.rows, 0.0);
      const auto p_k = step.state.multipliers.segment(interaction.row, interaction.rows);
      if (scheme.at_positions() && law.impact.restitution > 0.0)
        gaps_before(step, relations.jacobians, systems, interaction);
      for (Index r = 0; r < interaction.rows; ++r) {
        if (law.level == LawLevel::Rate && interaction.D.size() > 0 && step.state.last_step > 0.0)
          w[r] -= interaction.D.row(r).dot(p_k) / (h * step.state.last_step);
        if (r % law.size != 0 || !(scheme.at_positions() || law.level == LawLevel::Position)) continue;
        double gap = interaction.y_free[r];
        if (affine) {
          gap =
              (*interaction.offset)[r] + position_of(interaction, relations.jacobians, step.state.positions.data(), r);
          if (scheme.position != 1.0) gap += h * (1.0 - scheme.position) * step.state.velocities[interaction.row + r];
        }
        if (scheme.at_positions() && law.impact.restitution > 0.0)
          gap += law.impact.restitution * interaction.values[r];
        if (law.offset.size() > 0 && law.level == LawLevel::Position)
          gap += interaction.law_block(r / law.size).offset[0];
        w[r] += gap / interaction.weight[r];
      }
    } else if (scheme.relation_weight != 1.0) {
      for (Index r = 0; r < interaction.rows; ++r)
        w[r] +=
            (1.0 - scheme.relation_weight) * output_of(interaction, relations.jacobians, step.state.unknowns.data(), r);
    }
    if (law.offset.size() > 0) {
      const double unit = law.in_forces && !interaction.first_order ? h : 1.0;
      const Index n = law.size, extra = law.auxiliary, after_gap = law.level == LawLevel::Position ? 1 : 0;
      for (Index b = 0; b < interaction.rows / n; ++b) {
        const Eigen::VectorXd& offset = interaction.law_block(b).offset;
        for (Index i = after_gap; i < n; ++i) w[b * n + i] += offset[i];
        for (Index i = 0; i < extra; ++i) w[interaction.rows + b * extra + i] = unit * offset[n + i];
      }
    }
  }
}

}  // namespace

void prepare_values(const Discretisation& discretisation, SystemCaches& systems, InteractionPlan& interaction,
                    RelationCaches& relations) {
  if (interaction.first_order) {
    if (interaction.linear) {
      if (const auto* C = interaction.linear->C.dense()) interaction.jacobian = *C;
      if (const auto* e = interaction.linear->e.constant())
        std::copy(e->begin(), e->end(), row(relations.w, interaction));
    }
  } else if (const auto* H = interaction.relation->constant_jacobian()) {
    interaction.jacobian = *H;
  }
  copy_jacobian(interaction, relations.jacobians);
  if (interaction.constant) compute_p(discretisation, interaction, systems, relations.jacobians);
  compute_coupling(discretisation.h, interaction);
}

void compute_coupling(double h, InteractionPlan& interaction) {
  const PreparedLaw& law = *interaction.law;
  const Index m = interaction.rows;
  const Scheme& scheme = interaction.scheme;
  const double step = h * scheme.position;
  const bool positions = !interaction.first_order && (law.level == LawLevel::Position || scheme.at_positions());
  for (Index r = 0; r < m; ++r) {
    const bool leading = positions && (law.size == 1 || r % law.size == 0);
    interaction.weight[r] = leading ? step + (law.stiffness > 0.0 ? law.damping / law.stiffness : 0.0) : 1.0;
  }
  if (interaction.D.size() == 0 && law.coupling.size() == 0 && law.stiffness == 0.0) return;
  interaction.coupling.setZero(interaction.extended, interaction.extended);
  auto own = interaction.coupling.topLeftCorner(m, m);
  if (interaction.D.size() > 0) own = interaction.D;
  if (!interaction.first_order) {
    if (law.level == LawLevel::Rate) own /= h * h;
    if (positions) {
      own /= h;  // lambda = p / h
      for (Index r = 0; r < m; ++r) own.row(r) /= interaction.weight[r];
    }
    if (law.stiffness > 0.0) {
      for (Index r = 0; r < m; ++r) own(r, r) += 1.0 / (law.stiffness * h * interaction.weight[r]);
    }
  }
  if (law.coupling.size() == 0) return;
  const double unit = law.in_forces && !interaction.first_order ? h : 1.0;
  const Index n = law.size, extra = law.auxiliary;
  for (Index b = 0; b < m / n; ++b) {
    const Index first = b * n, behind = m + b * extra;
    const Eigen::MatrixXd& coupling = interaction.law_block(b).coupling;
    interaction.coupling.block(first, first, n, n) += coupling.topLeftCorner(n, n) / unit;
    interaction.coupling.block(first, behind, n, extra) += coupling.topRightCorner(n, extra);
    interaction.coupling.block(behind, first, extra, n) += coupling.bottomLeftCorner(extra, n);
    interaction.coupling.block(behind, behind, extra, extra) += unit * coupling.bottomRightCorner(extra, extra);
  }
}

void begin_iterate(const StepView& step, const RelationCaches& relations, Iterate& iterate) {
  iterate.first = true;
  iterate.z = step.state.unknowns;
  if (!relations.any_iterates) return;
  iterate.lambda = step.state.multipliers;
  if (!(step.state.last_step > 0.0) || step.state.last_step == step.h()) return;
  for (const InteractionPlan& interaction : relations.interactions) {  // impulses of the forces that act
    if (!interaction.first_order)
      iterate.lambda.segment(interaction.row, interaction.extended) *= step.h() / step.state.last_step;
  }
}

void evaluate_relations(const StepView& step, const Iterate& iterate, SystemCaches& systems,
                        RelationCaches& relations) {
  if (relations.laws_vary) evaluate_law_blocks(step, iterate, relations);
  if (relations.all_constant && relations.inputs_constant && !relations.any_special) return;
  for (InteractionPlan& interaction : relations.interactions) {
    if (interaction.constant && !interaction.first_order) continue;
    if (interaction.nonlinear) {
      evaluate_first_order(step, iterate, interaction, systems, relations);
      compute_coupling(step.h(), interaction);
    } else if (interaction.linear) {
      evaluate_linear(step, iterate, interaction, relations);
      if (!interaction.constant) compute_coupling(step.h(), interaction);
    } else if (interaction.evaluated) {
      evaluate_mechanics(step, iterate, interaction, relations);
      if (interaction.compliant || !interaction.law_blocks.empty()) compute_coupling(step.h(), interaction);
    } else if (!interaction.law_blocks.empty()) {
      compute_coupling(step.h(), interaction);
    }
  }
  if (relations.any_special) rows_from_history(step, systems, relations);
}

void linearise_inputs(const StepView& step, const Iterate& iterate, SystemCaches& systems, RelationCaches& relations,
                      Eigen::VectorXd& z_free) {
  if (!relations.all_constant) {
    for (const InteractionPlan& interaction : relations.interactions) {
      if (!interaction.constant) compute_p(step.discretisation, interaction, systems, relations.jacobians);
    }
  }
  if (!relations.any_input_history) return;
  for (InteractionPlan& interaction : relations.interactions) {
    if (!interaction.first_order) continue;
    const double weight = interaction.scheme.multiplier_weight;
    if (!interaction.nonlinear && weight == 1.0) continue;
    for (const JacobianBlock& jacobian : relations.jacobians.of(interaction)) {
      auto z = z_free.segment(jacobian.z, jacobian.n);
      if (interaction.linear && interaction.linear->B.function()) {
        auto input = interaction.scratch.segment(jacobian.column, jacobian.n);
        input = (1.0 - weight) / weight * interaction.g_before.segment(jacobian.column, jacobian.n);
        apply_input(step.discretisation, systems, jacobian.system, input);
        z += input;
        continue;
      }
      if (!interaction.nonlinear) {
        // h A^-1 (1-w) B lambda_k, P = h w A^-1 B.
        const Eigen::Map<const Eigen::MatrixXd> P(relations.jacobians.p.data() + jacobian.p, jacobian.n,
                                                  interaction.rows);
        z.noalias() +=
            (1.0 - weight) / weight * (P * step.state.multipliers.segment(interaction.row, interaction.rows));
        continue;
      }
      // h A^-1 (w (g_i - dg/dlambda lambda_i) + (1-w) g_k); dg/dx of the system's own x is in A, of others' in the next
      // g.
      auto input = interaction.scratch.segment(jacobian.column, jacobian.n);
      input = interaction.g.segment(jacobian.column, jacobian.n);
      input.noalias() -= interaction.input.middleRows(jacobian.column, jacobian.n) *
                         iterate.lambda.segment(interaction.row, interaction.rows);
      if (weight != 1.0) input += (1.0 - weight) / weight * interaction.g_before.segment(jacobian.column, jacobian.n);
      apply_input(step.discretisation, systems, jacobian.system, input);
      z += input;
    }
  }
}

}  // namespace nonsmooth::stages
