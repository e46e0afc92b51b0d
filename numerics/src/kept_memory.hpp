// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace nonsmooth {

/// Memory that a workspace keeps from call to call, made when it is first asked for. Where it is not asked for, Memory
/// may be incomplete, as in a header that is not to show it.
template <class Memory>
class KeptMemory {
 public:
  [[nodiscard]] Memory& get() {
    if (!memory_) memory_ = Pointer(new Memory, [](Memory* memory) { delete memory; });
    return *memory_;
  }

 private:
  using Pointer = std::unique_ptr<Memory, void (*)(Memory*)>;
  Pointer memory_{nullptr, nullptr};
};

}  // namespace nonsmooth
