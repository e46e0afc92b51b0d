// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "dynamics/relation_caches.hpp"

namespace nonsmooth::stages {

/// What the parts of a subdivided step add up to.
struct Sums {
  Eigen::VectorXd multipliers, percussions, projections;
  std::vector<ContactMemory> contacts;

  explicit Sums(Index rows)
      : multipliers(Eigen::VectorXd::Zero(rows)), percussions(multipliers), projections(multipliers) {}

  void add(const State& part) {
    multipliers += part.multipliers;
    percussions += part.percussions;
    projections += part.projections;
    for (const ContactMemory& contact : part.contacts) {
      const auto identity = [](const ContactMemory& c) { return std::pair(c.source, c.feature); };
      const auto at =
          std::lower_bound(contacts.begin(), contacts.end(), contact,
                           [&](const ContactMemory& a, const ContactMemory& b) { return identity(a) < identity(b); });
      if (at == contacts.end() || identity(*at) != identity(contact)) {
        contacts.insert(at, contact);
        continue;
      }
      at->impulse_normal += contact.impulse_normal;
      at->impulse_tangential += contact.impulse_tangential;
      at->work_normal += contact.work_normal;
      at->work_tangential += contact.work_tangential;
    }
  }

  /// Into the state at the end of a step of length h, whose multipliers are those of its last part.
  void write(double h, const RelationCaches& relations, State& state) {
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
