// SPDX-License-Identifier: Apache-2.0
// Stage 6: what a step commits to the state.
#include "commit.hpp"

#include <algorithm>

#include "model/step_grid.hpp"

namespace nonsmooth::stages {
namespace {

/// Of a detected contact: impulses r and u as the problem has it, that is u+ and what was added. The work on the bodies
/// is that of H v: u without h_t, the velocity of a surface that moves by itself.
void remember(const StepView& step, const ActingRows& acting, const ActiveBlock& block, const double* r,
              const double* u, ContactMemory& memory) {
  const double* const u_before = acting.u_before(step.state, block);
  double normal = 0.0, tangential = 0.0;
  memory.impulse = {};
  for (Index k = 0; k < block.size; ++k) {
    const double moving = block.w ? block.w[k] : 0.0;
    const double work = 0.5 * r[k] * (u[k] - acting.added(step, block, k) + u_before[k]) - r[k] * moving;
    memory.impulse[static_cast<std::size_t>(k)] = r[k];
    (k == 0 ? normal : tangential) += work;
  }
  memory.feature = block.contact->feature;
  memory.source = block.source;
  memory.rows = static_cast<std::uint32_t>(block.size);
  memory.work_normal = normal;
  memory.work_tangential = tangential;
  memory.gap = block.contact->gap;
  memory.sleeper = -1;
}

}  // namespace

void commit_motion(const Discretisation& discretisation, SystemCaches& systems, StepSolution& solution, State& state) {
  for (SystemBatch* batch : systems.batches) batch->commit(discretisation, solution.z, state);
  state.unknowns.swap(solution.z);
}

void commit_multipliers(const StepView& step, const ActingRows& acting, const mixed::Result& result,
                        Eigen::VectorXd& last_multipliers, State& state) {
  state.multipliers.swap(last_multipliers);
  state.multipliers.setZero(last_multipliers.size());
  state.percussions.setZero();
  state.projections.setZero();
  const auto& blocks = acting.active.blocks;
  const auto first_contact =
      std::find_if(blocks.begin(), blocks.end(), [](const ActiveBlock& block) { return block.contact != nullptr; });
  for (auto at = blocks.begin(); at != first_contact; ++at) {
    const ActiveBlock& block = *at;
    const double* r = result.r.data() + block.row;
    const BlockPlan& law = *block.law;
    // A contact that is closed from the start, without approach, carries a force from its first step on.
    const bool approaches = state.velocities[law.row] < 0.0;
    const bool impact = law.impacts && approaches && last_multipliers[law.row] == 0.0;
    for (Index k = 0; k < block.size; ++k) {
      state.multipliers[law.row + k] = r[k];
      if (impact) state.percussions[law.row + k] = r[k];
    }
  }
  state.contacts.resize(static_cast<std::size_t>(blocks.end() - first_contact));
  auto memory = state.contacts.begin();
  for (auto block = first_contact; block != blocks.end(); ++block, ++memory)
    remember(step, acting, *block, result.r.data() + block->row, result.u.data() + block->row, *memory);
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
  if (discretisation.keeps_unknowns) state.differences_t = t_next;
  state.last_step = h;
  state.forces.resize(0);  // of an event-driven past
}

}  // namespace nonsmooth::stages
