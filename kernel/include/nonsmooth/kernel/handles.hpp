// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nonsmooth {

/// Names a system of a model for as long as it lives there; a removed one's handle is refused, not reused.
struct SystemHandle {
  std::uint32_t model = 0, slot = 0, generation = 0;
  friend bool operator==(const SystemHandle&, const SystemHandle&) = default;
};

/// Names an interaction of a model.
struct InteractionHandle {
  std::uint32_t model = 0, slot = 0, generation = 0;
  friend bool operator==(const InteractionHandle&, const InteractionHandle&) = default;
};

/// Names a source of contacts of a model, whichever stands there now: replace() goes on with it.
struct SourceHandle {
  std::uint32_t model = 0, number = 0;
  friend bool operator==(const SourceHandle&, const SourceHandle&) = default;
};

}  // namespace nonsmooth
