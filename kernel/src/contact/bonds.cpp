// SPDX-License-Identifier: Apache-2.0
#include "bonds.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace nonsmooth::stages {
namespace {

/// p_N of a contact in the last step, by which its bond is judged. A bond is of two shapes: a point that is new between
/// them, as where a corner slides past an edge, has that of the points that were there. Where one of these had none any
/// more (0) it has none either, as nobody knows which of them it follows; else that of the one that was pulled most.
double bonding_impulse(const State& state, Index source, std::uint64_t feature, int patch_bits) {
  if (const ContactMemory* const last = last_of(state, source, feature)) return last->impulse[0];
  const auto number = static_cast<std::uint32_t>(source);
  const std::uint64_t patch = feature >> patch_bits;
  const auto before = [](const ContactMemory& memory, const auto& wanted) {
    return std::pair(memory.source, memory.feature) < wanted;
  };
  auto at =
      std::lower_bound(state.contacts.begin(), state.contacts.end(), std::pair(number, patch << patch_bits), before);
  const auto beside = [&] {
    return at != state.contacts.end() && at->source == number && at->feature >> patch_bits == patch;
  };
  if (!beside()) return 0.0;
  double least = at->impulse[0];
  for (; beside(); ++at) {
    if (at->impulse[0] == 0.0) return 0.0;
    least = std::min(least, at->impulse[0]);
  }
  return least;
}

}  // namespace

const ContactMemory* last_of(const State& state, Index source, std::uint64_t feature) {
  const std::pair identity(static_cast<std::uint32_t>(source), feature);
  const auto at = std::lower_bound(state.contacts.begin(), state.contacts.end(), identity,
                                   [](const ContactMemory& memory, const auto& wanted) {
                                     return std::pair(memory.source, memory.feature) < wanted;
                                   });
  return at != state.contacts.end() && std::pair(at->source, at->feature) == identity ? &*at : nullptr;
}

Holding holding(const State& state, const ContactSearch& search, Index source, const DetectedContact& contact) {
  const PreparedLaw& law =
      search.sources[static_cast<std::size_t>(source)].prepared[static_cast<std::size_t>(contact.law)];
  const double cohesion = law.varies == LawVaries::Never ? law.parts.front().set.cohesion : 0.0;
  if (cohesion == 0.0) return {};
  const ContactMemory* const last = last_of(state, source, contact.feature);
  if (!last || !holds(law.impact.restitution, last->impulse[0], state.last_step)) return {};
  return {cohesion, last->impulse[0]};
}

bool is_parted(const Bond& bond, const ContactBatch& batch, Index i, const StepView& step, SystemCaches& systems,
               std::vector<double>& row) {
  const auto speed_of = [&](Index system, Index columns) {
    return system < 0 ? 0.0 : step.state.unknowns.segment(step.system(system).z, columns).lpNorm<Eigen::Infinity>();
  };
  const double speed = std::max(speed_of(bond.first, batch.columns_first), speed_of(bond.second, batch.columns_second));
  const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
  const auto left = [&](double full) {
    double sum = 0.0;
    add_inverse_mass(batch.H_first(i), batch.columns_first, bond.first, step, systems, row, sum);
    if (bond.second >= 0)
      add_inverse_mass(batch.H_second(i), batch.columns_second, bond.second, step, systems, row, sum);
    return left_of_pull(full * sum, step.state.last_step, lift_by_rounding(contact.terms));
  };
  return has_parted({.velocity = bond.velocity, .speed = speed, .gap = contact.gap, .impulse = bond.impulse},
                    bond.cohesion, step.state.last_step, left);
}

void part_cohesive(const StepView& step, SystemCaches& systems, ContactSearch& search, ContactSet& contacts) {
  const auto pulls = [](const BlockPlan& law) { return law.set.cohesion > 0.0; };
  const auto some_pull = [&](const SourcePlan& source) {
    return std::any_of(source.laws.begin(), source.laws.end(), pulls);
  };
  if (std::none_of(search.sources.begin(), search.sources.end(), some_pull)) return;
  const bool own = contacts.sets.empty();
  if (contacts.shifts.empty()) contacts.shifts.assign(contacts.u.size(), 0.0);
  std::size_t number = 0;
  contacts.for_each([&](const ContactSet::Place& place, Index i) {
    const ContactBatch& batch = *place.batch;
    const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
    if (own) {
      const SourcePlan& source = search.sources[static_cast<std::size_t>(place.source)];
      contacts.sets.push_back(source.laws[static_cast<std::size_t>(contact.law)].set);
    }
    BlockSet& set = contacts.sets[number++];
    if (!(set.cohesion > 0.0)) return;
    const int patch_bits = search.sources[static_cast<std::size_t>(place.source)].patch_bits;
    const Bond bond{.first = contact.first,
                    .second = contact.second,
                    .velocity = contacts.u[static_cast<std::size_t>(place.u + i * batch.rows)],
                    .impulse = bonding_impulse(step.state, place.source, contact.feature, patch_bits),
                    .cohesion = set.cohesion / step.h()};
    if (is_parted(bond, batch, i, step, systems, search.row)) {
      set.cohesion = 0.0;
    } else if (holding(step.state, search, place.source, contact).cohesion > 0.0) {
      contacts.shifts[static_cast<std::size_t>(place.u + i * batch.rows)] += closing_speed(contact.gap, step.h());
    }
  });
}

}  // namespace nonsmooth::stages
