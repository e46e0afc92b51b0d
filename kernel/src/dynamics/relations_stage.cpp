// SPDX-License-Identifier: Apache-2.0
// Stage 3: relations and laws at the iterate, as blocks of H and P, the coupling of their multipliers, and rows w.
#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "relation_values.hpp"

namespace nonsmooth::stages {
namespace {

/// P of one interaction: A^-1 H^T, or the scheme's input operator times B = dg/dlambda.
void compute_p(const InteractionPlan& interaction, Plan& plan) {
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    Eigen::Map<Eigen::MatrixXd> P(plan.p.data() + leg.p, leg.n, interaction.rows);
    if (!interaction.first_order) {
      P = Eigen::Map<const Eigen::MatrixXd>(plan.hu.data() + leg.hu, interaction.rows, leg.n).transpose();
    } else if (interaction.input.size() > 0) {
      P = interaction.input.middleRows(leg.column, leg.n);
    } else {
      P = interaction.linear->B.dense()->middleRows(leg.column, leg.n);
    }
    apply_input(plan, leg.system, P);
  }
}

/// Gaps at t_{k-1} into interaction.values, from the state's differences.
void gaps_before(const State& state, InteractionPlan& interaction, const Plan& plan) {
  const double length = state.has_differences() ? state.last_step : plan.h;
  Index at = 0;
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    const Eigen::VectorXd& rate = state.has_differences() ? state.differences : state.unknowns;
    interaction.q.segment(at, leg.nq) = state.positions.segment(leg.q, leg.nq) - length * rate.segment(leg.z, leg.n);
    at += leg.nq;
  }
  interaction.values.setZero();
  guarded(interaction.name, "h(q)",
          [&] { interaction.relation->h(state.t - length, interaction.q, interaction.values); });
  require_finite(interaction.name, "h(q)", interaction.values);
}

/// Forces of an interaction at the iterate: lambda = p / h.
void forces_at_iterate(InteractionPlan& interaction, const Plan& plan) {
  interaction.lambda = plan.lambda_iterate.segment(interaction.row, interaction.rows) / plan.h;
}

/// y, H, h_t (and D) of a mechanical relation at the iterate, and the gap that position-level rows start from.
void evaluate_mechanics(double t_next, InteractionPlan& interaction, Plan& plan) {
  const Relation& relation = *interaction.relation;
  gather(plan.q_middle, true, interaction, plan);
  interaction.jacobian.setZero();
  if (interaction.compliant) {
    forces_at_iterate(interaction, plan);
    guarded(interaction.name, "H(q)",
            [&] { relation.compliant_H(t_next, interaction.q, interaction.lambda, interaction.jacobian); });
    interaction.D.setZero();
    guarded(interaction.name, "D(q, lambda)",
            [&] { relation.compliance(t_next, interaction.q, interaction.lambda, interaction.D); });
    require_finite(interaction.name, "D(q, lambda)", interaction.D);
  } else {
    guarded(interaction.name, "H(q)", [&] { relation.H(t_next, interaction.q, interaction.jacobian); });
  }
  require_finite(interaction.name, "H(q)", interaction.jacobian);
  interaction.values.setZero();
  guarded(interaction.name, "h_t", [&] { relation.h_t(t_next, interaction.q, interaction.values); });
  require_finite(interaction.name, "h_t", interaction.values);
  std::copy(interaction.values.begin(), interaction.values.end(), row(plan.w, interaction));
  copy_jacobian(interaction, plan);

  if (!interaction.special) return;
  // y_{k+1} = h(q_i, lambda_i) + s H (z - z_i) + D (lambda - lambda_i), s = dq/dz; u+ = H z + h_t.
  gather(plan.q_iterate, true, interaction, plan);
  interaction.y_free.setZero();
  if (interaction.compliant) {
    guarded(interaction.name, "h(q, lambda)",
            [&] { relation.compliant_h(t_next, interaction.q, interaction.lambda, interaction.y_free); });
    interaction.y_free.noalias() -= interaction.D * interaction.lambda;
  } else {
    guarded(interaction.name, "h(q)", [&] { relation.h(t_next, interaction.q, interaction.y_free); });
  }
  require_finite(interaction.name, "h(q)", interaction.y_free);
  const double s = plan.h * (interaction.scheme.two_steps ? 1.0 : interaction.scheme.theta);
  for (Index r = 0; r < interaction.rows; ++r)
    interaction.y_free[r] -= s * (output_of(interaction, plan, plan.z_iterate.data(), r) + interaction.values[r]);
}

}  // namespace

void prepare_values(InteractionPlan& interaction, Plan& plan) {
  if (interaction.first_order) {
    if (interaction.linear) {
      if (const auto* C = interaction.linear->C.dense()) interaction.jacobian = *C;
      if (const auto* e = interaction.linear->e.constant()) std::copy(e->begin(), e->end(), row(plan.w, interaction));
    }
  } else if (const auto* H = interaction.relation->constant_jacobian()) {
    if (H->rows() != interaction.rows || H->cols() != interaction.columns) {
      throw InvalidArgument("Relation::constant_jacobian",
                            std::to_string(H->rows()) + " x " + std::to_string(H->cols()),
                            std::to_string(interaction.rows) + " x " + std::to_string(interaction.columns));
    }
    interaction.jacobian = *H;
  }
  copy_jacobian(interaction, plan);
  if (interaction.constant) compute_p(interaction, plan);
  compute_coupling(interaction, plan);
}

void compute_coupling(InteractionPlan& interaction, const Plan& plan) {
  const LawBlock& law = *interaction.law;
  const Index m = interaction.rows;
  const double h = plan.h;
  const Scheme& scheme = interaction.scheme;
  const double step = h * (scheme.two_steps ? 1.0 : scheme.theta);
  const bool positions = !interaction.first_order && (law.level == LawBlock::Level::Position || scheme.two_steps);
  for (Index r = 0; r < m; ++r) {
    const bool leading = positions && (law.size == 1 || r % law.size == 0);
    interaction.weight[r] = leading ? step + (law.stiffness > 0.0 ? law.damping / law.stiffness : 0.0) : 1.0;
  }
  if (interaction.D.size() == 0 && law.coupling.size() == 0 && law.stiffness == 0.0) return;
  interaction.coupling.setZero(interaction.extended, interaction.extended);
  auto own = interaction.coupling.topLeftCorner(m, m);
  if (interaction.D.size() > 0) own = interaction.D;
  if (!interaction.first_order) {
    if (law.level == LawBlock::Level::Rate) own /= h * h;
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
    interaction.coupling.block(first, first, n, n) += law.coupling.topLeftCorner(n, n) / unit;
    interaction.coupling.block(first, behind, n, extra) += law.coupling.topRightCorner(n, extra);
    interaction.coupling.block(behind, first, extra, n) += law.coupling.bottomLeftCorner(extra, n);
    interaction.coupling.block(behind, behind, extra, extra) += unit * law.coupling.bottomRightCorner(extra, extra);
  }
}

bool needs_newton(const Plan& plan) {
  if (!plan.nonlinear.empty() || !plan.nonlinear_first_order.empty()) return true;
  if (!plan.any_iterates) return false;
  return std::any_of(plan.active.begin(), plan.active.end(), [&plan](const ActiveBlock& active) {
    if (active.model_block < 0) return false;
    const auto& block = plan.blocks[static_cast<std::size_t>(active.model_block)];
    return plan.interactions[static_cast<std::size_t>(block.interaction)].iterates;
  });
}

void evaluate_relations(const State& state, double t_next, bool first, Plan& plan) {
  if (plan.all_constant && plan.inputs_constant && !plan.any_special) return;
  if (first && plan.any_iterates) {
    plan.lambda_iterate = state.multipliers;
    if (state.last_step > 0.0 && state.last_step != plan.h) {  // impulses of the forces that act
      for (const InteractionPlan& interaction : plan.interactions) {
        if (!interaction.first_order)
          plan.lambda_iterate.segment(interaction.row, interaction.extended) *= plan.h / state.last_step;
      }
    }
  }
  for (NonlinearFirstOrder& s : plan.nonlinear_first_order) s.relations.setZero();
  for (InteractionPlan& interaction : plan.interactions) {
    if (interaction.constant && !interaction.first_order) continue;
    if (interaction.nonlinear) {
      evaluate_first_order(state, t_next, first, interaction, plan);
      compute_coupling(interaction, plan);
    } else if (interaction.linear) {
      evaluate_linear(state, t_next, first, interaction, plan);
      if (!interaction.constant) compute_coupling(interaction, plan);
    } else if (interaction.evaluated) {
      evaluate_mechanics(t_next, interaction, plan);
      if (interaction.compliant) compute_coupling(interaction, plan);
    }
    if (interaction.law->shockley) linearise_shockley(state, first, interaction, plan);
  }
  if (plan.any_special) rows_from_history(state, plan);
}

void linearise_inputs(const State& state, Plan& plan) {
  if (!plan.all_constant) {
    for (const InteractionPlan& interaction : plan.interactions) {
      if (!interaction.constant) compute_p(interaction, plan);
    }
  }
  if (!plan.any_input_history) return;
  for (InteractionPlan& interaction : plan.interactions) {
    if (!interaction.first_order) continue;
    const double weight = interaction.scheme.multiplier_weight;
    if (!interaction.nonlinear && weight == 1.0) continue;
    for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
      const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
      auto z = plan.z_free.segment(leg.z, leg.n);
      if (interaction.linear && interaction.linear->B.function()) {
        auto input = interaction.scratch.segment(leg.column, leg.n);
        input = (1.0 - weight) / weight * interaction.g_before.segment(leg.column, leg.n);
        apply_input(plan, leg.system, input);
        z += input;
        continue;
      }
      if (!interaction.nonlinear) {
        // h A^-1 (1-w) B lambda_k, P = h w A^-1 B.
        const Eigen::Map<const Eigen::MatrixXd> P(plan.p.data() + leg.p, leg.n, interaction.rows);
        z.noalias() += (1.0 - weight) / weight * (P * state.multipliers.segment(interaction.row, interaction.rows));
        continue;
      }
      // h A^-1 (w (g_i - dg/dlambda lambda_i) + (1-w) g_k); dg/dx of the system's own x is in A, of others' in the next
      // g.
      auto input = interaction.scratch.segment(leg.column, leg.n);
      input = interaction.g.segment(leg.column, leg.n);
      input.noalias() -= interaction.input.middleRows(leg.column, leg.n) *
                         plan.lambda_iterate.segment(interaction.row, interaction.rows);
      if (weight != 1.0) input += (1.0 - weight) / weight * interaction.g_before.segment(leg.column, leg.n);
      apply_input(plan, leg.system, input);
      z += input;
    }
  }
}

void rows_from_history(const State& state, Plan& plan) {
  const double h = plan.h;
  for (InteractionPlan& interaction : plan.interactions) {
    if (!interaction.special) continue;
    const LawBlock& law = *interaction.law;
    const Scheme& scheme = interaction.scheme;
    double* w = row(plan.w, interaction);
    if (!interaction.first_order) {
      const bool affine = interaction.offset != nullptr;
      if (affine) std::fill_n(w, interaction.rows, 0.0);
      const auto p_k = state.multipliers.segment(interaction.row, interaction.rows);
      if (scheme.two_steps && law.restitution > 0.0) gaps_before(state, interaction, plan);
      for (Index r = 0; r < interaction.rows; ++r) {
        if (law.level == LawBlock::Level::Rate && interaction.D.size() > 0 && state.last_step > 0.0)
          w[r] -= interaction.D.row(r).dot(p_k) / (h * state.last_step);
        if (r % law.size != 0 || !(scheme.two_steps || law.level == LawBlock::Level::Position)) continue;
        if (law.bond) {  // rigid: a theta rule for y would give velocities back that a landing has to take
          w[r] += std::max(state.outputs[interaction.row + r], 0.0) / h;
          continue;
        }
        double gap = interaction.y_free[r];
        if (affine) {
          gap = (*interaction.offset)[r] + position_of(interaction, plan, state.positions.data(), r);
          if (!scheme.two_steps) gap += h * (1.0 - scheme.theta) * state.velocities[interaction.row + r];
        }
        if (scheme.two_steps && law.restitution > 0.0) gap += law.restitution * interaction.values[r];
        if (law.offset.size() > 0) gap += law.offset[0];
        w[r] += gap / interaction.weight[r];
      }
    } else if (scheme.relation_weight != 1.0) {
      for (Index r = 0; r < interaction.rows; ++r)
        w[r] += (1.0 - scheme.relation_weight) * output_of(interaction, plan, state.unknowns.data(), r);
    }
    if (law.shockley) {
      for (Index r = 0; r < interaction.rows; ++r) w[r] += interaction.point_offset[r];
    } else if (law.offset.size() > 0 && law.level != LawBlock::Level::Position) {
      const double unit = law.in_forces && !interaction.first_order ? h : 1.0;
      const Index n = law.size, extra = law.auxiliary;
      for (Index b = 0; b < interaction.rows / n; ++b) {
        for (Index i = 0; i < n; ++i) w[b * n + i] += law.offset[i];
        for (Index i = 0; i < extra; ++i) w[interaction.rows + b * extra + i] = unit * law.offset[n + i];
      }
    }
  }
}

}  // namespace nonsmooth::stages
