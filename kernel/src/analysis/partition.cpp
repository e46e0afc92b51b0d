// SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include <utility>

#include <internal/disjoint_sets.hpp>

#include "model/impact_matrix.hpp"

namespace nonsmooth::analysis::detail {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<IslandContact> detected_contacts(const NonSmoothDynamicalSystem& model, const State& state) {
  std::vector<IslandContact> result;
  const describe::KnownCoefficients known(model);
  for (std::size_t s = 0; s < model.sources().size(); ++s) {
    const std::shared_ptr<const ContactSource>& source = model.sources()[s];
    const bool by_rule = known.rule_of_source(state.layout()->sources[s].number) >= 0;
    const ContactBatches found = contacts_at(state, *source);
    for (const ContactBatch& batch : found) {
      for (Index i = 0; i < batch.size(); ++i) {
        IslandContact one;
        one.contact = batch.contacts[static_cast<std::size_t>(i)];
        one.law = describe::prepare_law(source->laws()[static_cast<std::size_t>(one.contact.law)].pointer(), {});
        one.by_rule = by_rule;
        const auto system = [&](Index body) {
          return state.layout()->index(source->bodies()[static_cast<std::size_t>(body)]);
        };
        one.contact.first = system(one.contact.first);
        one.H_first = Eigen::Map<const RowMajor>(batch.H_first(i), batch.rows, batch.columns_first);
        if (one.contact.second >= 0) {
          one.contact.second = system(one.contact.second);
          one.H_second = Eigen::Map<const RowMajor>(batch.H_second(i), batch.rows, batch.columns_second);
        }
        one.h_t = Eigen::VectorXd::Zero(batch.rows);
        if (const double* h_t = batch.h_t_of(i)) one.h_t = Eigen::Map<const Eigen::VectorXd>(h_t, batch.rows);
        result.push_back(std::move(one));
      }
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
  const std::vector<IslandContact> contacts = detected_contacts(model, state);
  for (const IslandContact& one : contacts) {
    if (one.contact.second >= 0) sets.join(one.contact.first, one.contact.second);
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
  for (const IslandContact& one : contacts) island_of(one.contact.first).contacts.push_back(one);
  return islands;
}

}  // namespace nonsmooth::analysis::detail
