// SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include <utility>

#include <internal/disjoint_sets.hpp>

namespace nonsmooth::analysis::detail {
namespace {

std::vector<DetectedContact> detected_contacts(const NonSmoothDynamicalSystem& model, const State& state) {
  const Layout& layout = *state.layout();
  std::vector<DetectedContact> result;
  std::vector<PlanarContact> found;
  std::vector<Index> scratch;
  for (const auto& source : model.sources()) {
    const auto count = static_cast<Index>(source->bodies().size());
    Eigen::VectorXd q(3 * count), v(3 * count);
    std::vector<Index> systems;
    for (const SystemHandle body : source->bodies()) {
      const Layout::System& place = layout.at(body);
      const auto b = static_cast<Index>(systems.size());
      q.segment<3>(3 * b) = state.positions.segment<3>(place.q);
      v.segment<3>(3 * b) = state.unknowns.segment<3>(place.z);
      systems.push_back(layout.index(body));
    }
    found.clear();
    source->detect(q, v, 0.0, scratch, found);
    for (const PlanarContact& contact : found) {
      result.push_back({contact, systems[static_cast<std::size_t>(contact.first)],
                        contact.second < 0 ? -1 : systems[static_cast<std::size_t>(contact.second)]});
    }
  }
  return result;
}

}  // namespace

std::vector<Island> find_islands(const NonSmoothDynamicalSystem& model, const State& state) {
  const Layout& layout = *state.layout();
  DisjointSets sets(static_cast<Index>(layout.systems.size()));
  const auto first_system = [&](std::size_t interaction) {
    return layout.system_of_slot[model.interactions()[layout.interactions[interaction].slot].systems.front()];
  };
  for (std::size_t i = 0; i < layout.interactions.size(); ++i) {
    for (const std::uint32_t slot : model.interactions()[layout.interactions[i].slot].systems)
      sets.join(first_system(i), layout.system_of_slot[slot]);
  }
  const std::vector<DetectedContact> contacts = detected_contacts(model, state);
  for (const DetectedContact& contact : contacts) {
    if (contact.second >= 0) sets.join(contact.first, contact.second);
  }
  std::vector<Island> islands;
  for (std::vector<Index>& systems : sets.lists()) {
    const bool first_order = layout.systems[static_cast<std::size_t>(systems.front())].first_order;
    islands.push_back({first_order, std::move(systems), {}, {}});
  }
  const auto island_of = [&](Index system) -> Island& {
    return islands[static_cast<std::size_t>(sets.number(system))];
  };
  for (std::size_t i = 0; i < layout.interactions.size(); ++i)
    island_of(first_system(i)).interactions.push_back(static_cast<Index>(i));
  for (const DetectedContact& contact : contacts) island_of(contact.first).contacts.push_back(contact);
  return islands;
}

}  // namespace nonsmooth::analysis::detail
