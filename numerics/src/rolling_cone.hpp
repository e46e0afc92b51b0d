// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cone {|r_G| <= bound_G r_N for each group G of rows}: sliding, rolling and spinning friction.

#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth::detail {

/// Rows first .. first + size - 1 with |r_G| <= bound r_N.
struct RollingGroup {
  Index first = 1, size = 0;
  double bound = 0.0;
};

/// The groups of a cone: up to three of a Rolling block, one of every other cone.
struct RollingGroups {
  RollingGroup groups[3];
  int count = 0;

  [[nodiscard]] const RollingGroup* begin() const noexcept { return groups; }
  [[nodiscard]] const RollingGroup* end() const noexcept { return groups + count; }
};

/// Of a block of n rows; rows are ordered as SetKind::Rolling says.
[[nodiscard]] inline RollingGroups rolling_groups(const BlockSet& set, Index n) noexcept {
  RollingGroups list;
  const auto add = [&](Index first, Index size, double bound) { list.groups[list.count++] = {first, size, bound}; };
  if (set.kind != SetKind::Rolling) {
    add(1, n - 1, set.mu);
  } else if (n == 3) {
    add(1, 1, set.mu), add(2, 1, set.rolling);
  } else {
    add(1, 2, set.mu);
    if (n >= 5) add(3, 2, set.rolling);
    if (n % 2 == 0) add(n - 1, 1, set.spinning);
  }
  return list;
}

/// What a projection on the cone does: r_N := axial, and each group outside becomes bound axial z_G / |z_G|.
template <class Real>
struct RollingProjection {
  Real axial = 0;
  bool apex = false;
  bool moved = false;  ///< axial differs from z_N
  bool outside[3] = {};

  [[nodiscard]] bool inside() const noexcept { return !apex && !moved && !outside[0] && !outside[1] && !outside[2]; }
};

/// Minimises (x - z_N)^2 + sum_G max(0, |z_G| - bound_G x)^2 over x >= 0, exactly: the derivative is piecewise linear
/// and increasing, with kinks at |z_G| / bound_G; the groups leave the sum from the smallest kink on.
template <class Real>
[[nodiscard]] RollingProjection<Real> project_on_rolling_cone(const RollingGroups& groups, Real z_N,
                                                              const Real* length) noexcept {
  RollingProjection<Real> result;
  Real nan = z_N;
  for (int k = 0; k < groups.count; ++k) {
    result.outside[k] = true;
    nan = std::isnan(length[k]) ? length[k] : nan;
  }
  if (std::isnan(nan)) {  // NaN stays NaN
    result.axial = nan;
    result.moved = true;
    return result;
  }
  while (true) {
    // Divided by the largest bound, so that no square overflows.
    Real largest = 1;
    for (int k = 0; k < groups.count; ++k)
      if (result.outside[k]) largest = std::max(largest, static_cast<Real>(groups.groups[k].bound));
    Real sum = z_N / largest, weight = 1 / largest, smallest = 0;
    int first = -1;
    result.moved = false;
    for (int k = 0; k < groups.count; ++k) {
      if (!result.outside[k]) continue;
      const Real bound = groups.groups[k].bound;
      if (!(bound > 0)) continue;
      result.moved = true;
      sum += bound / largest * length[k];
      weight += bound / largest * bound;
      if (first < 0 || length[k] / bound < smallest) {
        first = k;
        smallest = length[k] / bound;
      }
    }
    result.axial = result.moved ? sum / weight : z_N;
    if (!(result.axial > 0)) {
      result.axial = 0;
      result.apex = true;
      return result;
    }
    if (first < 0) break;
    // The derivative at the kink: axial and kink themselves may differ by less than rounding, as 1 / (1 + bound^2).
    Real derivative = (smallest - z_N) / largest;
    for (int k = 0; k < groups.count; ++k)
      if (result.outside[k] && k != first)
        derivative -= groups.groups[k].bound / largest * (length[k] - groups.groups[k].bound * smallest);
    if (derivative > 0) break;
    result.outside[first] = false;
  }
  for (int k = 0; k < groups.count; ++k)
    if (!(groups.groups[k].bound > 0)) result.outside[k] = length[k] > 0;
  return result;
}

}  // namespace nonsmooth::detail
