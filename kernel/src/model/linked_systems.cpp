// SPDX-License-Identifier: Apache-2.0
#include "linked_systems.hpp"

namespace nonsmooth {

std::vector<LinkedSystem> linked_systems(const Layout& layout, const std::vector<std::uint32_t>& slots) {
  std::vector<LinkedSystem> systems;
  systems.reserve(slots.size());
  Index column = 0;
  for (const std::uint32_t slot : slots) {
    const Index system = layout.system_of_slot[slot];
    const Layout::System& place = layout.systems[static_cast<std::size_t>(system)];
    systems.push_back({system, place.q, place.nq, place.z, place.n, column});
    column += place.n;
  }
  return systems;
}

Eigen::VectorXd stacked_positions(const std::vector<LinkedSystem>& systems, const Eigen::VectorXd& positions) {
  Index size = 0;
  for (const LinkedSystem& linked : systems) size += linked.nq;
  Eigen::VectorXd stacked(size);
  stack_positions(systems, positions.data(), stacked.data());
  return stacked;
}

Eigen::VectorXd stacked_unknowns(const std::vector<LinkedSystem>& systems, const Eigen::VectorXd& unknowns) {
  Eigen::VectorXd stacked(systems.back().column + systems.back().n);
  stack_unknowns(systems, unknowns.data(), stacked.data());
  return stacked;
}

}  // namespace nonsmooth
