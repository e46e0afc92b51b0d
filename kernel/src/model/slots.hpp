// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What lies in a slot now lay there in an older layout too, and was no other that was removed since.
[[nodiscard]] inline bool lives_in(std::uint32_t slot, const std::vector<std::uint32_t>& generation,
                                   const std::vector<Index>& old_index_of_slot,
                                   const std::vector<std::uint32_t>& old_generation) {
  return slot < old_index_of_slot.size() && old_index_of_slot[slot] >= 0 && old_generation[slot] == generation[slot];
}

}  // namespace nonsmooth
