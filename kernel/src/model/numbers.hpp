// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace nonsmooth {

/// Tells models, their revisions and their records apart, so that a handle or a state of one is refused by another; it
/// reaches no result.
inline std::uint32_t next_number() {
  static std::atomic<std::uint32_t> counter{0};
  return ++counter;
}

/// Of an interaction that was given none.
inline std::string default_name(std::uint32_t slot) { return "interaction " + std::to_string(slot); }

}  // namespace nonsmooth
