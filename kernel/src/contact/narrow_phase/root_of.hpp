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

/// The least value of a convex function, to 1e-10 of the way from its place: by the golden section.
template <class Function>
[[nodiscard]] double least_of(double low, double high, Function value) {
  constexpr double kGolden = 0.61803398874989485;
  constexpr int kSections = 48;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double of_left = value(left), of_right = value(right);
  double least = std::min(std::min(value(low), value(high)), std::min(of_left, of_right));
  for (int k = 0; k < kSections; ++k) {
    if (of_left < of_right) {
      high = right;
      right = left;
      of_right = of_left;
      left = high - kGolden * (high - low);
      of_left = value(left);
    } else {
      low = left;
      left = right;
      of_left = of_right;
      right = low + kGolden * (high - low);
      of_right = value(right);
    }
    least = std::min(least, std::min(of_left, of_right));
  }
  return least;
}

}  // namespace nonsmooth::narrow_phase
