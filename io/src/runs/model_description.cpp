// SPDX-License-Identifier: Apache-2.0
#include "model_description.hpp"

#include <cstdint>
#include <utility>

#include <nonsmooth/io/scene.hpp>
#include <nonsmooth/kernel/law_name.hpp>

#include "step_numbers.hpp"

namespace nonsmooth::runs {
namespace {

/// Those on the ground and on bodies that this revision has.
std::vector<DrawnShape> shapes_of(const Layout& layout, std::vector<DrawnShape> shapes) {
  std::erase_if(shapes, [&](const DrawnShape& shape) {
    const SystemHandle body = shape.body;
    return !(body == SystemHandle{}) &&
           (body.model != layout.model || body.slot >= layout.system_of_slot.size() ||
            body.generation != layout.system_generation[body.slot] || layout.system_of_slot[body.slot] < 0);
  });
  return shapes;
}

}  // namespace

RunDescription describe_model(const NonSmoothDynamicalSystem& model, const std::vector<DrawnShape>& shapes,
                              const State& state) {
  const Layout& layout = *model.layout();
  RunDescription description;
  for (const Layout::System& one : layout.systems)
    description.systems.push_back({one.name, one.q, one.nq, one.z, one.n, one.first_order});
  for (const Layout::Interaction& one : layout.interactions) {
    std::vector<Index> systems;
    for (const std::uint32_t slot : model.interactions()[one.slot].systems)
      systems.push_back(layout.system_of_slot[slot]);
    description.interactions.push_back(
        {one.name, law_name(model, one.slot), one.row, one.rows, one.auxiliary, one.first_order, std::move(systems)});
  }
  description.sizes = {state.positions.size(),  state.unknowns.size(),    state.outputs.size(),
                       state.velocities.size(), state.multipliers.size(), state.percussions.size(),
                       state.forces.size()};
  description.columns = {step_columns.begin(), step_columns.end()};
  describe_scene(scene_of(model, shapes_of(layout, shapes)), description);
  return description;
}

}  // namespace nonsmooth::runs
