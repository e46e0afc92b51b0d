// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What of an H by differences is none: they know it to 1e-8 or so of its entries, and rows of which so little is left
/// count as dependent in any case (TimeSteppingOptions::dependent_rows).
inline constexpr double kNoCommonMotion = 1e-6;

/// A row of a relation changes under a motion that its systems, of n velocities each, have in common, v_k = 1 of all of
/// them: |sum_s H_sk| > 1e-6 sum_s |H_sk| for some k. `entry(s, k)` is H of system s. Cost O(systems n).
template <class Entry>
[[nodiscard]] bool sees_common_motion(Index systems, Index n, Entry&& entry) {
  for (Index k = 0; k < n; ++k) {
    double sum = 0.0, size = 0.0;
    for (Index s = 0; s < systems; ++s) {
      sum += entry(s, k);
      size += std::abs(entry(s, k));
    }
    if (std::abs(sum) > kNoCommonMotion * size) return true;
  }
  return false;
}

}  // namespace nonsmooth
