// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nonsmooth::problems {

/// Numbers in [-1, 1) that are the same on every machine: xorshift of 64 bits (Marsaglia 2003), one seed.
class UniformNumbers {
 public:
  double operator()() {
    bits_ ^= bits_ << 13;
    bits_ ^= bits_ >> 7;
    bits_ ^= bits_ << 17;
    return 0x1p-52 * static_cast<double>(bits_ >> 11) - 1.0;
  }

 private:
  std::uint64_t bits_ = 88172645463325252u;
};

}  // namespace nonsmooth::problems
