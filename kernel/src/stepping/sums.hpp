// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "dynamics/relation_caches.hpp"

namespace nonsmooth::stages {

/// The end of the parts of a subdivided step, and what they add up to.
struct Sums {
  State state;
  Eigen::VectorXd multipliers, percussions, projections;
  std::vector<ContactMemory> contacts;

  explicit Sums(const State& start)
      : state(start),
        multipliers(Eigen::VectorXd::Zero(start.multipliers.size())),
        percussions(multipliers),
        projections(multipliers) {}

  /// The part that ends at `state`.
  void add_part() {
    multipliers += state.multipliers;
    percussions += state.percussions;
    projections += state.projections;
    for (const ContactMemory& contact : state.contacts) {
      const auto identity = [](const ContactMemory& c) { return std::pair(c.source, c.feature); };
      const auto at =
          std::lower_bound(contacts.begin(), contacts.end(), contact,
                           [&](const ContactMemory& a, const ContactMemory& b) { return identity(a) < identity(b); });
      if (at == contacts.end() || identity(*at) != identity(contact)) {
        contacts.insert(at, contact);
        continue;
      }
      for (std::size_t row = 0; row < contact.impulse.size(); ++row) at->impulse[row] += contact.impulse[row];
      at->work_normal += contact.work_normal;
      at->work_tangential += contact.work_tangential;
      at->sleeper = contact.sleeper;
    }
  }

  /// Into the state, the end of a step of length h; its multipliers are those of the last part.
  void write(double h, const RelationCaches& relations) {
    for (const InteractionPlan& interaction : relations.interactions) {
      if (interaction.first_order) continue;
      auto multiplier = state.multipliers.segment(interaction.row, interaction.extended);
      if (interaction.D.size() > 0) {
        multiplier *= h / state.last_step;  // y_{k+1} depends on the force at t_{k+1}
      } else {
        multiplier = multipliers.segment(interaction.row, interaction.extended);
      }
    }
    state.percussions = std::move(percussions);
    state.projections = std::move(projections);
    state.contacts = std::move(contacts);
    state.last_step = h;
  }
};

}  // namespace nonsmooth::stages
