// SPDX-License-Identifier: Apache-2.0
// Stage 6: what a step commits to the state.
#include <algorithm>

#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

/// v_{k+1} = (q_{k+1} - q_{k-1}) / (2 h) of a scheme of two steps; plan.z holds (q_{k+1} - q_k) / h.
void from_differences(const Layout::System& place, State& state, Plan& plan) {
  auto difference = state.differences.segment(place.z, place.n);
  if (!state.has_differences()) difference = state.unknowns.segment(place.z, place.n);
  auto z = plan.z.segment(place.z, place.n);
  for (Index i = 0; i < place.n; ++i) {
    const double backward = difference[i];
    difference[i] = z[i];
    z[i] = 0.5 * (z[i] + backward);
  }
}

void first_order_outputs(double t, State& state, InteractionPlan& interaction, Plan& plan) {
  for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
    const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
    interaction.z.segment(leg.column, leg.n) = state.unknowns.segment(leg.z, leg.n);
  }
  interaction.lambda = state.multipliers.segment(interaction.row, interaction.rows);
  auto y = state.outputs.segment(interaction.row, interaction.rows);
  interaction.values.setZero();
  if (interaction.nonlinear) {
    guarded(interaction.name, "h(t, x, lambda)",
            [&] { interaction.nonlinear->h(t, interaction.z, interaction.lambda, interaction.values); });
    require_finite(interaction.name, "h(t, x, lambda)", interaction.values);
    y = interaction.values;
    return;
  }
  const FirstOrderLinearRelation& linear = *interaction.linear;
  if (const auto* e = linear.e.constant()) interaction.values = *e;
  if (const auto* e = linear.e.function()) guarded(interaction.name, "e(t)", [&] { (*e)(t, interaction.values); });
  y = interaction.values;
  y.noalias() += interaction.jacobian * interaction.z;
  if (interaction.D.size() > 0) y.noalias() += interaction.D * interaction.lambda;
}

}  // namespace

void update_outputs_in_place(double t, State& state, Plan& plan) {
  for (InteractionPlan& interaction : plan.interactions) {
    double* y = state.outputs.data() + interaction.row;
    double* u = state.velocities.data() + interaction.row;
    const bool affine = interaction.offset || (interaction.first_order && interaction.constant && !interaction.special);
    if (interaction.first_order && !affine) {
      first_order_outputs(t, state, interaction, plan);
      continue;
    }
    if (!affine) {
      Index at = 0;
      for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
        const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
        interaction.q.segment(at, leg.nq) = state.positions.segment(leg.q, leg.nq);
        interaction.z.segment(leg.column, leg.n) = state.unknowns.segment(leg.z, leg.n);
        at += leg.nq;
      }
      const auto rows = interaction.rows;
      interaction.values.setZero();
      interaction.jacobian.setZero();
      if (interaction.compliant) {
        interaction.lambda = state.multipliers.segment(interaction.row, rows) / plan.h;
        guarded(interaction.name, "h(q, lambda)",
                [&] { interaction.relation->compliant_h(t, interaction.q, interaction.lambda, interaction.values); });
        guarded(interaction.name, "H(q)",
                [&] { interaction.relation->compliant_H(t, interaction.q, interaction.lambda, interaction.jacobian); });
      } else {
        guarded(interaction.name, "h(q)", [&] { interaction.relation->h(t, interaction.q, interaction.values); });
        guarded(interaction.name, "H(q)", [&] { interaction.relation->H(t, interaction.q, interaction.jacobian); });
      }
      require_finite(interaction.name, "h(q)", interaction.values);
      std::copy(interaction.values.begin(), interaction.values.end(), y);
      require_finite(interaction.name, "H(q)", interaction.jacobian);
      interaction.values.setZero();
      guarded(interaction.name, "h_t", [&] { interaction.relation->h_t(t, interaction.q, interaction.values); });
      require_finite(interaction.name, "h_t", interaction.values);
      Eigen::Map<Eigen::VectorXd> velocity(u, rows);
      velocity = interaction.values;
      velocity.noalias() += interaction.jacobian * interaction.z;
      continue;
    }
    for (Index r = 0; r < interaction.rows; ++r) {
      double position =
          interaction.offset ? (*interaction.offset)[r] : plan.w[static_cast<std::size_t>(interaction.row + r)];
      double rate = 0.0;
      for (Index l = interaction.first_leg; l < interaction.first_leg + interaction.num_legs; ++l) {
        const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
        const double* H = plan.hu.data() + leg.hu + r;
        const double* z = state.unknowns.data() + leg.z;
        const double* q = state.positions.data() + leg.q;
        for (Index k = 0; k < leg.n; ++k) {
          const double entry = H[k * interaction.rows];
          rate += entry * z[k];
          if (interaction.offset) position += entry * q[k];
        }
      }
      if (interaction.first_order) position += rate;
      if (interaction.D.size() > 0) {
        const double unit = interaction.first_order ? 1.0 : 1.0 / plan.h;  // lambda = p / h
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

void update(double t_next, State& state, Plan& plan) {
  const double h = plan.h;
  double* positions = state.positions.data();
  const double* before = state.unknowns.data();
  const double* after = plan.z.data();
  for (const DiagonalRun& run : plan.runs) {
    const double theta = run.theta;
    plan.threads.for_each_range(run.count, Index{2048}, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        positions[run.q + i] += h * (theta * after[run.z + i] + (1.0 - theta) * before[run.z + i]);
      }
    });
  }
  const auto advance = [&](Index system) {
    const auto& place = plan.system(system);
    if (place.first_order) return;
    const Scheme& scheme = plan.schemes[static_cast<std::size_t>(system)];
    const double theta = scheme.two_steps ? 1.0 : scheme.theta;
    for (Index i = 0; i < place.n; ++i) {
      positions[place.q + i] += h * (theta * after[place.z + i] + (1.0 - theta) * before[place.z + i]);
    }
    if (scheme.two_steps) from_differences(place, state, plan);
  };
  for (const DenseSystem& s : plan.dense) advance(s.system);
  for (const SparseSystem& s : plan.sparse) advance(s.system);
  for (NonlinearSystem& s : plan.nonlinear) {
    const auto& place = plan.system(s.system);
    const double theta = plan.schemes[static_cast<std::size_t>(s.system)].theta;
    s.w = h * (theta * plan.z.segment(place.z, place.n) + (1.0 - theta) * state.unknowns.segment(place.z, place.n));
    guarded(place.name, "retract(q, w)",
            [&] { s.description->retract(state.positions.segment(place.q, place.nq), s.w); });
  }
  state.unknowns.swap(plan.z);

  state.multipliers.swap(plan.last_multipliers);
  state.multipliers.setZero(plan.last_multipliers.size());
  state.percussions.setZero();
  state.projections.setZero();
  state.contacts.clear();
  for (const ActiveBlock& block : plan.active) {
    if (block.model_block >= 0) {
      const BlockPlan& model = plan.blocks[static_cast<std::size_t>(block.model_block)];
      // A contact that is closed from the start, without approach, carries a force from its first step on.
      const bool approaches = state.velocities[model.row] < 0.0;
      const bool impact = model.impacts && approaches && plan.last_multipliers[model.row] == 0.0;
      for (Index k = 0; k < block.size; ++k) {
        state.multipliers[model.row + k] = plan.result.r[block.row + k];
        if (impact) state.percussions[model.row + k] = plan.result.r[block.row + k];
      }
    } else {
      const PlanarContact& contact = plan.contacts[static_cast<std::size_t>(block.contact)];
      const auto source = static_cast<std::uint64_t>(plan.contact_source[static_cast<std::size_t>(block.contact)]);
      const auto c = static_cast<std::size_t>(block.contact);
      const double normal = plan.result.r[block.row], tangential = plan.result.r[block.row + 1];
      // u of the problem is u+ + e u- in row N.
      const double sum_normal = plan.result.u[block.row] + (1.0 - contact.restitution) * plan.contact_u[2 * c];
      const double sum_tangential = plan.result.u[block.row + 1] + plan.contact_u[2 * c + 1];
      state.contacts.push_back({contact.feature, source, normal, tangential, 0.5 * normal * sum_normal,
                                0.5 * tangential * sum_tangential, contact.gap});
    }
  }
  if (!on_grid(state, h)) {
    state.grid_step = h;
    state.t_origin = state.t;
    state.k = 0;
  }
  ++state.k;
  ++state.steps;
  state.t = t_next;
  if (plan.two_steps) state.differences_t = t_next;
  state.last_step = h;
  state.forces.resize(0);  // of an event-driven past
  update_outputs_in_place(t_next, state, plan);
  if (plan.sets_vary) {
    for (const BlockPlan& block : plan.blocks) {
      if (block.bond)
        state.law_memory[block.memory] = std::max(state.law_memory[block.memory], state.outputs[block.row]);
    }
  }
}

}  // namespace nonsmooth::stages
