// SPDX-License-Identifier: Apache-2.0
// The layout of a model's revision and its states: at the start, and carried over from an older revision.
#include <algorithm>
#include <limits>

#include <internal/check.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "guarded.hpp"
#include "prepared_law.hpp"
#include "slots.hpp"

namespace nonsmooth {
namespace {

/// Nothing is known of the y that a relation follows.
void forget_turns(const NonSmoothDynamicalSystem::InteractionRecord& record, const Layout::Interaction& place,
                  State& state) {
  if (record.mechanical && record.mechanical->follows_outputs())
    state.outputs.segment(place.row, place.rows).setConstant(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

const std::shared_ptr<const Layout>& NonSmoothDynamicalSystem::layout() const {
  if (layout_) return layout_;
  auto layout = std::make_shared<Layout>();
  layout->model = model_;
  layout->revision = revision_;
  layout->sources_linked_in = sources_linked_in_;
  for (std::size_t slot = 0; slot < systems_.size(); ++slot) {
    const System& system = systems_[slot];
    layout->system_generation.push_back(system.generation);
    layout->system_of_slot.push_back(system.alive ? static_cast<Index>(layout->systems.size()) : -1);
    if (!system.alive) continue;
    layout->systems.push_back({layout->num_positions, system.nq, layout->num_unknowns, system.n, system.nq == 0,
                               static_cast<std::uint32_t>(slot), system.name});
    layout->num_positions += system.nq;
    layout->num_unknowns += system.n;
  }
  for (std::size_t slot = 0; slot < interactions_.size(); ++slot) {
    const InteractionRecord& interaction = interactions_[slot];
    layout->interaction_generation.push_back(interaction.generation);
    layout->interaction_of_slot.push_back(interaction.alive ? static_cast<Index>(layout->interactions.size()) : -1);
    if (!interaction.alive) continue;
    const PreparedLaw& law = *interaction.law;
    const Index blocks = interaction.rows / law.size;
    layout->interactions.push_back({layout->num_rows, interaction.rows, blocks * law.auxiliary, layout->num_memory,
                                    interaction.first_order != nullptr, static_cast<std::uint32_t>(slot),
                                    interaction.name});
    layout->num_rows += interaction.rows + blocks * law.auxiliary;
    layout->num_memory += blocks * law.memory;
  }
  for (std::size_t s = 0; s < sources_.size(); ++s) layout->sources.push_back({source_numbers_[s], sources_[s]});
  layout_ = std::move(layout);
  return layout_;
}

/// What a law that is new remembers of what it starts from.
void NonSmoothDynamicalSystem::begin_memory(const Layout::Interaction& place, State& state) const {
  const PreparedLaw& law = *interactions_[place.slot].law;
  for (Index b = 0; law.memory > 0 && b < place.rows / law.size; ++b) {
    const Index at = place.memory + b * law.memory;
    auto memory = state.law_memory.segment(at, law.memory);
    memory.setZero();
    try {
      guarded(place.name, "what the law remembers", [&] {
        law.law->commit(law_context(law, state, 0.0, place.row + b * law.size, at, state.multipliers), memory);
      });
    } catch (const CallableFailure& failure) {
      throw InvalidArgument("NonSmoothLaw::commit", failure.detail, "a law that can be asked at the state");
    }
  }
}

State NonSmoothDynamicalSystem::initial_state(double t0) const {
  check::finite("initial_state: t0", t0);
  State state(layout());
  state.t = state.t_origin = t0;
  for (const auto& system : state.layout()->systems) {
    auto q = state.positions.segment(system.q, system.nq);
    auto z = state.unknowns.segment(system.z, system.n);
    const DynamicalSystem& description = *systems_[system.slot].description;
    q = description.initial_position();
    z = description.initial_unknowns();
    if (system.nq > 0) state.differences.segment(system.z, system.n) = z;
  }
  for (const auto& place : state.layout()->interactions) forget_turns(interactions_[place.slot], place, state);
  update_outputs(*this, state);
  for (const auto& place : state.layout()->interactions) begin_memory(place, state);
  return state;
}

State NonSmoothDynamicalSystem::migrate(const State& old) const {
  State state = initial_state(old.t);
  state.t_origin = old.t_origin;
  state.grid_step = old.grid_step;
  state.k = old.k;
  state.steps = old.steps;
  state.last_step = old.last_step;
  state.differences_t = old.differences_t;
  if (!old.layout() || old.layout()->model != model_) {
    throw InvalidArgument("migrate: state", "a state of another model", "a state of an earlier revision of this one");
  }
  carry_contacts(old, state);
  const Layout& before = *old.layout();
  for (const auto& system : state.layout()->systems) {
    if (!lives_in(system.slot, state.layout()->system_generation, before.system_of_slot, before.system_generation))
      continue;
    const auto& was = before.systems[static_cast<std::size_t>(before.system_of_slot[system.slot])];
    state.positions.segment(system.q, system.nq) = old.positions.segment(was.q, was.nq);
    state.unknowns.segment(system.z, system.n) = old.unknowns.segment(was.z, was.n);
    state.differences.segment(system.z, system.n) = old.differences.segment(was.z, was.n);
  }
  const auto known = [&](const Layout::Interaction& place) {
    return lives_in(place.slot, state.layout()->interaction_generation, before.interaction_of_slot,
                    before.interaction_generation);
  };
  // Forces of joints go over where all of them do: without one, or with another, they are others from here on.
  const auto& places = state.layout()->interactions;
  if (old.differences.size() > old.unknowns.size() && places.size() == before.interactions.size() &&
      std::all_of(places.begin(), places.end(), known)) {
    state.differences.conservativeResize(state.unknowns.size() + state.outputs.size() + 1);
    state.differences[state.differences.size() - 1] = old.differences[old.differences.size() - 1];
    for (const auto& interaction : places) {
      const auto& was = before.interactions[static_cast<std::size_t>(before.interaction_of_slot[interaction.slot])];
      const Index rows = interaction.rows + interaction.auxiliary;
      state.differences.segment(state.unknowns.size() + interaction.row, rows) =
          old.differences.segment(old.unknowns.size() + was.row, rows);
    }
  }
  for (const auto& interaction : state.layout()->interactions) {
    if (!known(interaction)) {
      forget_turns(interactions_[interaction.slot], interaction, state);
      continue;
    }
    const auto& was = before.interactions[static_cast<std::size_t>(before.interaction_of_slot[interaction.slot])];
    const Index rows = interaction.rows + interaction.auxiliary;
    state.multipliers.segment(interaction.row, rows) = old.multipliers.segment(was.row, rows);
    state.percussions.segment(interaction.row, rows) = old.percussions.segment(was.row, rows);
    state.outputs.segment(interaction.row, rows) = old.outputs.segment(was.row, rows);  // which relations may follow
    const PreparedLaw& law = *interactions_[interaction.slot].law;
    const Index entries = interaction.rows / law.size * law.memory;
    state.law_memory.segment(interaction.memory, entries) = old.law_memory.segment(was.memory, entries);
  }
  update_outputs(*this, state);
  for (const auto& place : state.layout()->interactions) {
    if (!known(place)) begin_memory(place, state);
  }
  return state;
}

}  // namespace nonsmooth
