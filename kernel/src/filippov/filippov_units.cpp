// SPDX-License-Identifier: Apache-2.0
// The FilippovSystems of a model.
#include <nonsmooth/numerics/error.hpp>

#include "filippov_unit.hpp"

namespace nonsmooth::filippov {

const Layout::Interaction* interaction_of_fields(const NonSmoothDynamicalSystem& model, const Layout::System& place) {
  const auto* process = dynamic_cast<const FilippovProcess*>(model.systems()[place.slot].first_order);
  if (!process) return nullptr;
  const Layout::Interaction* own = nullptr;
  for (const Layout::Interaction& interaction : model.layout()->interactions) {
    const auto& linked = model.interactions()[interaction.slot];
    const auto* relation = dynamic_cast<const FilippovRelation*>(linked.first_order);
    if (relation && relation->fields() == process->fields() && linked.systems.front() == place.slot) own = &interaction;
  }
  return own;
}

std::vector<FilippovUnit> filippov_units(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options) {
  std::vector<FilippovUnit> units;
  const Layout& layout = *model.layout();
  for (const Layout::System& place : layout.systems) {
    const auto& record = model.systems()[place.slot];
    const auto* process = dynamic_cast<const FilippovProcess*>(record.first_order);
    if (!process) continue;
    const Layout::Interaction* own = interaction_of_fields(model, place);
    if (!own) {
      throw InvalidArgument("EventDriven", "the FilippovSystem " + record.name + " without its fields",
                            "the interaction that link_filippov() gave it");
    }
    units.emplace_back(process->fields(), record.name,
                       InteractionHandle{layout.model, own->slot, layout.interaction_generation[own->slot]},
                       FilippovUnit::Place{.z = layout.num_positions + place.z,
                                           .num_positions = layout.num_positions,
                                           .num_unknowns = layout.num_unknowns,
                                           .row = own->row,
                                           .num_rows = layout.num_rows},
                       options);
  }
  return units;
}

}  // namespace nonsmooth::filippov
