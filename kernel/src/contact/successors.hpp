// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nonsmooth/kernel/handles.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// Where each of some bodies stands in another list, -1: nowhere. Cost: O(n log n).
[[nodiscard]] inline std::vector<Index> places_of(const std::vector<SystemHandle>& bodies,
                                                  const std::vector<SystemHandle>& list) {
  const auto at = [&list](Index i) { return list[static_cast<std::size_t>(i)]; };
  std::vector<Index> by_slot(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) by_slot[i] = static_cast<Index>(i);
  std::stable_sort(by_slot.begin(), by_slot.end(),
                   [&](Index one, Index other) { return at(one).slot < at(other).slot; });
  std::vector<Index> places;
  for (const SystemHandle& body : bodies) {
    auto place = std::lower_bound(by_slot.begin(), by_slot.end(), body.slot,
                                  [&](Index i, std::uint32_t slot) { return at(i).slot < slot; });
    places.push_back(place != by_slot.end() && at(*place) == body ? *place : -1);
  }
  return places;
}

}  // namespace nonsmooth
