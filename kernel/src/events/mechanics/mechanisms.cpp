// SPDX-License-Identifier: Apache-2.0
#include "mechanisms.hpp"

#include <algorithm>

#include <internal/disjoint_sets.hpp>

namespace nonsmooth::events {

std::vector<Index> mechanisms(const MechanicalModel& model, const std::vector<char>& flagged) {
  const std::size_t count = flagged.size();
  const auto with_contact = [&](std::size_t i) {
    const Contact& one = model.contact(i);
    return flagged[i] || (one.kind == Contact::Kind::Turning && flagged[i - one.behind]);
  };
  DisjointSets sets(static_cast<Index>(count) + std::ssize(model.layout().systems));
  std::vector<Index> systems;
  for (std::size_t i = 0; i < count; ++i) {
    if (!with_contact(i)) continue;
    systems.clear();
    model.append_systems(model.contact(i), systems);
    for (const Index system : systems) sets.join(static_cast<Index>(i), static_cast<Index>(count) + system);
  }
  (void)sets.lists();
  std::vector<Index> number(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    if (with_contact(i)) number[i] = sets.number(static_cast<Index>(i));
  }
  return number;
}

std::vector<double> largest_forces(const MechanicalModel& model, const std::vector<Index>& mechanism,
                                   const Eigen::VectorXd& forces) {
  std::vector<double> largest(mechanism.size(), 0.0);
  for (std::size_t i = 0; i < mechanism.size(); ++i) {
    if (mechanism[i] < 0) continue;
    const Contact& one = model.contact(i);
    double& own = largest[static_cast<std::size_t>(mechanism[i])];
    own = std::max(own, forces.segment(one.row, one.size).lpNorm<Eigen::Infinity>());
  }
  return largest;
}

}  // namespace nonsmooth::events
