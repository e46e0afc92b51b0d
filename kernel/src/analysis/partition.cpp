// SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include <numeric>

namespace nonsmooth::analysis::detail {
namespace {

/// Union-find over the systems of a layout.
class Ties {
 public:
  explicit Ties(std::size_t count) : root_(count) { std::iota(root_.begin(), root_.end(), 0); }
  Index find(Index i) {
    while (root_[at(i)] != i) i = root_[at(i)] = root_[at(root_[at(i)])];
    return i;
  }
  void tie(Index i, Index j) {  // the smaller number stays the root
    i = find(i);
    j = find(j);
    root_[at(std::max(i, j))] = std::min(i, j);
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  std::vector<Index> root_;
};

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
  Ties ties(layout.systems.size());
  const auto first_system = [&](std::size_t interaction) {
    return layout.system_of_slot[model.interactions()[layout.interactions[interaction].slot].systems.front()];
  };
  for (std::size_t i = 0; i < layout.interactions.size(); ++i) {
    for (const std::uint32_t slot : model.interactions()[layout.interactions[i].slot].systems)
      ties.tie(first_system(i), layout.system_of_slot[slot]);
  }
  const std::vector<DetectedContact> contacts = detected_contacts(model, state);
  for (const DetectedContact& contact : contacts) {
    if (contact.second >= 0) ties.tie(contact.first, contact.second);
  }
  std::vector<Island> islands;
  std::vector<std::size_t> island_of(layout.systems.size());
  for (Index i = 0; i < static_cast<Index>(layout.systems.size()); ++i) {
    const auto root = static_cast<std::size_t>(ties.find(i));
    if (static_cast<Index>(root) == i) {
      island_of[root] = islands.size();
      islands.push_back(
          {.first_order = layout.systems[root].first_order, .systems = {}, .interactions = {}, .contacts = {}});
    }
    islands[island_of[root]].systems.push_back(i);
  }
  for (std::size_t i = 0; i < layout.interactions.size(); ++i) {
    const auto root = static_cast<std::size_t>(ties.find(first_system(i)));
    islands[island_of[root]].interactions.push_back(static_cast<Index>(i));
  }
  for (const DetectedContact& contact : contacts)
    islands[island_of[static_cast<std::size_t>(ties.find(contact.first))]].contacts.push_back(contact);
  return islands;
}

}  // namespace nonsmooth::analysis::detail
