// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace nonsmooth::narrow_phase {

constexpr int kBisections = 60;

/// Where a function that grows passes zero, or the end that is nearest to that: by bisection, to the last bit.
template <class Function>
[[nodiscard]] double root_of(double low, double high, Function grows) {
  if (grows(low) >= 0.0) return low;
  if (grows(high) <= 0.0) return high;
  for (int k = 0; k < kBisections; ++k) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (grows(middle) > 0.0 ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

/// The same to some last bits, in some ten steps where the function is smooth: by secants that keep a bracket, of which
/// an end that stays counts half (Illinois), each fourth a bisection. Source: dowell1971.
template <class Function>
[[nodiscard]] double root_by_secants(double low, double high, Function grows) {
  double below = grows(low), above = grows(high), last = low;
  if (below >= 0.0) return low;
  if (above <= 0.0) return high;
  int moved = 0;  // which end, before
  for (int k = 1; k <= kBisections; ++k) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    double x = k % 4 == 0 ? middle : low - below * ((high - low) / (above - below));
    if (!(x > low && x < high)) x = middle;
    const double value = grows(x);
    if (value == 0.0 || std::abs(x - last) <= 2e-16 * std::max(std::abs(low), std::abs(high))) return x;
    last = x;
    if (value > 0.0) {
      high = x;
      above = value;
      if (moved == 1) below *= 0.5;
      moved = 1;
    } else {
      low = x;
      below = value;
      if (moved == -1) above *= 0.5;
      moved = -1;
    }
  }
  return 0.5 * (low + high);
}

}  // namespace nonsmooth::narrow_phase
