// SPDX-License-Identifier: Apache-2.0
// Stage 6: what a step commits to the state.
#include "commit.hpp"

#include "model/step_grid.hpp"

namespace nonsmooth::stages {

void commit_motion(const Discretisation& discretisation, SystemCaches& systems, StepSolution& solution, State& state) {
  for (SystemBatch* batch : systems.batches) batch->commit(discretisation, solution.z, state);
  state.unknowns.swap(solution.z);
}

void commit_multipliers(const ActingRows& acting, const mixed::Result& result, Eigen::VectorXd& last_multipliers,
                        State& state) {
  state.multipliers.swap(last_multipliers);
  state.multipliers.setZero(last_multipliers.size());
  state.percussions.setZero();
  state.projections.setZero();
  state.contacts.clear();
  for (const ActiveBlock& block : acting.active.blocks) {
    if (block.model_block >= 0) {
      const BlockPlan& model = acting.block(block);
      // A contact that is closed from the start, without approach, carries a force from its first step on.
      const bool approaches = state.velocities[model.row] < 0.0;
      const bool impact = model.impacts && approaches && last_multipliers[model.row] == 0.0;
      for (Index k = 0; k < block.size; ++k) {
        state.multipliers[model.row + k] = result.r[block.row + k];
        if (impact) state.percussions[model.row + k] = result.r[block.row + k];
      }
    } else {
      const PlanarContact& contact = acting.contact(block);
      const auto source = static_cast<std::uint64_t>(acting.contacts.source[static_cast<std::size_t>(block.contact)]);
      const auto c = static_cast<std::size_t>(block.contact);
      const double normal = result.r[block.row], tangential = result.r[block.row + 1];
      // u of the problem is u+ + e u- in row N.
      const double sum_normal = result.u[block.row] + (1.0 - contact.restitution) * acting.contacts.u[2 * c];
      const double sum_tangential = result.u[block.row + 1] + acting.contacts.u[2 * c + 1];
      state.contacts.push_back({contact.feature, source, normal, tangential, 0.5 * normal * sum_normal,
                                0.5 * tangential * sum_tangential, contact.gap});
    }
  }
}

void commit_time(double t_next, const Discretisation& discretisation, State& state) {
  const double h = discretisation.h;
  if (!on_grid(state, h)) {
    state.grid_step = h;
    state.t_origin = state.t;
    state.k = 0;
  }
  ++state.k;
  ++state.steps;
  state.t = t_next;
  if (discretisation.two_steps) state.differences_t = t_next;
  state.last_step = h;
  state.forces.resize(0);  // of an event-driven past
}

}  // namespace nonsmooth::stages
