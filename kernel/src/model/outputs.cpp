// SPDX-License-Identifier: Apache-2.0
// Outputs evaluated at a state, and what is asked of a state before that.
#include "outputs.hpp"

#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "linked_systems.hpp"
#include "model/equations/first_order.hpp"
#include "model/equations/relation_evaluator.hpp"

namespace nonsmooth {
namespace {

void require_size(const char* array, const Eigen::VectorXd& values, Index wanted) {
  if (values.size() == wanted) return;
  check::size(std::string("State::") + array, values.size(), wanted, "as the layout has it");
}

/// Nobody sleeps, or each system has what it needs for that.
void require_sleep(const State& state) {
  const SleepMemory& sleep = state.sleep;
  if (sleep.island.empty() && sleep.rested.empty() && sleep.accelerations.size() == 0) return;
  const auto systems = static_cast<Index>(state.layout()->systems.size());
  check::size("State::sleep.island", static_cast<Index>(sleep.island.size()), systems, "one a system");
  check::size("State::sleep.rested", static_cast<Index>(sleep.rested.size()), systems, "one a system");
  require_size("sleep.accelerations", sleep.accelerations, state.layout()->num_unknowns);
  if (sleep.taken.size() > 0) require_size("sleep.taken", sleep.taken, state.layout()->num_unknowns);
  for (const auto& pair : sleep.touching) {
    for (const Index system : pair) check::within("State::sleep.touching", system, 0, systems - 1);
  }
  if (!check::all_finite(sleep.accelerations))
    throw InvalidArgument("State::sleep.accelerations", "an entry that is not finite", "finite entries");
}

}  // namespace

void require_sound(const State& state) {
  if (!state.layout()) throw InvalidArgument("State", "an empty state", "one made by a model or a simulation");
  const Layout& layout = *state.layout();
  const Index rows = layout.num_rows, unknowns = layout.num_unknowns;
  const bool has_differences = state.differences.size() == unknowns || state.differences.size() == unknowns + rows + 1;
  const Index wrong =
      (state.positions.size() ^ layout.num_positions) | (state.unknowns.size() ^ unknowns) | (has_differences ? 0 : 1) |
      (state.law_memory.size() ^ layout.num_memory) | (state.outputs.size() ^ rows) | (state.velocities.size() ^ rows) |
      (state.multipliers.size() ^ rows) | (state.percussions.size() ^ rows) | (state.projections.size() ^ rows);
  require_sleep(state);
  if (wrong == 0 && std::isfinite(state.t) && check::all_finite(state.positions) && check::all_finite(state.unknowns) &&
      check::all_finite(state.law_memory))
    return;
  check::finite("State::t", state.t);
  require_size("positions", state.positions, layout.num_positions);
  require_size("unknowns", state.unknowns, layout.num_unknowns);
  if (!has_differences) require_size("differences", state.differences, layout.num_unknowns);
  require_size("law_memory", state.law_memory, layout.num_memory);
  const std::pair<const char*, const Eigen::VectorXd*> of_rows[] = {{"outputs", &state.outputs},
                                                                    {"velocities", &state.velocities},
                                                                    {"multipliers", &state.multipliers},
                                                                    {"percussions", &state.percussions},
                                                                    {"projections", &state.projections}};
  for (const auto& [name, values] : of_rows) require_size(name, *values, rows);
  if (!check::all_finite(state.law_memory))
    throw InvalidArgument("step: state", "what a law remembers is not finite", "finite entries of State::law_memory");
  if (!check::all_finite(state.positions) || !check::all_finite(state.unknowns)) {
    throw InvalidArgument("step: state", "a coordinate, velocity or state that is not finite", "finite entries");
  }
}

void require_configurations(const NonSmoothDynamicalSystem& model, const State& state) {
  for (const Layout::System& place : state.layout()->systems) {
    const MechanicalSystem* const system = model.systems()[place.slot].mechanical;
    if (!system) continue;
    try {
      system->validate_position(state.positions.segment(place.q, place.nq));
    } catch (const InvalidArgument& refusal) {
      throw InvalidArgument("State: q of " + place.name + ": " + refusal.argument(), refusal.found(),
                            refusal.expected());
    }
  }
}

void update_outputs(const NonSmoothDynamicalSystem& model, State& state) {
  try {
    ask_outputs(model, state);
  } catch (const CallableFailure& failure) {
    throw InvalidArgument("update_outputs: model", failure.detail, "functions that can be asked at the state");
  }
}

void ask_outputs(const NonSmoothDynamicalSystem& model, State& state) {
  const auto layout = model.layout();
  if (!state.layout() || state.layout()->revision != layout->revision) {
    throw InvalidArgument("update_outputs: state", "a state of another revision",
                          "one of the model's present revision");
  }
  for (const auto& place : layout->interactions) {
    const auto& interaction = model.interactions()[place.slot];
    const auto linked = linked_systems(*layout, interaction.systems);
    const Eigen::VectorXd q = stacked_positions(linked, state.positions), z = stacked_unknowns(linked, state.unknowns);
    auto y = state.outputs.segment(place.row, place.rows);
    auto u = state.velocities.segment(place.row, place.rows);
    const auto multipliers = state.multipliers.segment(place.row, place.rows);
    if (const auto* mechanical = interaction.mechanical) {
      Eigen::MatrixXd H(place.rows, z.size());
      Eigen::VectorXd h_t(place.rows), lambda = Eigen::VectorXd::Zero(place.rows);
      if (state.last_step > 0.0) lambda = multipliers / state.last_step;
      const RelationEvaluator relation(*mechanical, place.name);
      if (relation.follows()) relation.value_before(state.t, q, lambda, y);
      relation.h(state.t, q, lambda, y);
      relation.H(state.t, q, lambda, H);
      relation.h_t(state.t, q, h_t);
      u = H * z + h_t;
    } else {
      FirstOrderRelationEvaluator::of(interaction).h(state.t, z, multipliers, y);
    }
  }
}

}  // namespace nonsmooth
