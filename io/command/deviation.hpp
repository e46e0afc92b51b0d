// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::command {

/// What a column, an entry or a number of contacts or events of two runs is apart.
struct Deviation {
  std::string name;
  double worst = 0.0;         ///< |a - b| / largest |a|, |b|, of a residual 1e-12 at least; infinity: one is no number
  Index at = -1, first = -1;  ///< the step of the worst; the first one beyond the tolerance
};

/// Which steps of two runs are compared: `count` of each, from these on.
struct StepPairs {
  Index first = 0, second = 0, count = 0;
};

/// Bit by bit; any two that are no numbers are the same.
inline bool same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

}  // namespace nonsmooth::command
