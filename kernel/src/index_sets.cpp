// SPDX-License-Identifier: Apache-2.0
// Stage 2: which blocks act in a step.
#include <algorithm>

#include "plan.hpp"

namespace nonsmooth::stages {
namespace {

/// The gap that is forecast at part of the step is closed, or a bond still holds.
bool is_closed(const BlockPlan& block, const InteractionPlan& interaction, const State& state, const Plan& plan) {
  if (block.bond && state.law_memory[block.memory] < block.bond->opening) return true;
  double gap = state.outputs[block.row];
  if (block.by_distance && state.last_step > 0.0) {
    gap -= interaction.D.row(block.local).dot(state.multipliers.segment(interaction.row, interaction.rows)) /
           state.last_step;
  }
  const double change = plan.h * state.velocities[block.row];
  // A spring that a step went into without feeling it would give back more than that step took.
  if (interaction.law->stiffness > 0.0) return std::min(gap, gap + change) <= 0.0;
  return gap + interaction.scheme.forecast * change <= 0.0;
}

}  // namespace

void index_sets(const State& state, Plan& plan) {
  plan.active.clear();
  plan.active_legs.clear();
  plan.key.clear();
  Index row = 0;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
    const BlockPlan& block = plan.blocks[b];
    const InteractionPlan& interaction = plan.interactions[static_cast<std::size_t>(block.interaction)];
    const bool joined = b < plan.joined.size() && plan.joined[b];
    if ((block.unilateral || block.by_distance) && !joined && !is_closed(block, interaction, state, plan)) continue;
    ActiveBlock active;
    active.size = block.size;
    active.row = row;
    active.first_leg = static_cast<Index>(plan.active_legs.size());
    active.num_legs = block.has_legs ? interaction.num_legs : 0;
    active.model_block = static_cast<Index>(b);
    for (Index l = interaction.first_leg; l < interaction.first_leg + active.num_legs; ++l) {
      const Leg& leg = plan.legs[static_cast<std::size_t>(l)];
      plan.active_legs.push_back({leg.system, leg.n, leg.z, static_cast<Index>(plan.active.size()),
                                  plan.hu.data() + leg.hu + block.local, 1, interaction.rows,
                                  plan.p.data() + leg.p + block.local * leg.n,
                                  plan.schemes[static_cast<std::size_t>(leg.system)].relation_weight});
    }
    plan.active.push_back(active);
    plan.key.push_back({b, -1, -1, -1});
    row += block.size;
  }
  for (std::size_t c = 0; c < plan.contacts.size(); ++c) {
    const PlanarContact& contact = plan.contacts[c];
    ActiveBlock active;
    active.size = 2;
    active.row = row;
    active.first_leg = static_cast<Index>(plan.active_legs.size());
    active.num_legs = contact.second >= 0 ? 2 : 1;
    active.contact = static_cast<Index>(c);
    const auto block = static_cast<Index>(plan.active.size());
    plan.active_legs.push_back({contact.first, 3, plan.system(contact.first).z, block, contact.H_first.data(), 3, 1,
                                plan.contact_p.data() + 12 * c});
    if (contact.second >= 0) {
      plan.active_legs.push_back({contact.second, 3, plan.system(contact.second).z, block, contact.H_second.data(), 3,
                                  1, plan.contact_p.data() + 12 * c + 6});
    }
    plan.active.push_back(active);
    plan.key.push_back({contact.feature, plan.contact_source[c], contact.first, contact.second});
    row += 2;
  }
}

}  // namespace nonsmooth::stages
