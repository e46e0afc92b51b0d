// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "moving.hpp"

namespace nonsmooth::shape_pairs {

/// The point of a circle about c, r its radius and u its unit axis, that is lowest along the unit n, as all of these
/// move: c - r d, d along n - (n . u) u. None where the sine of its tilt is `flat` or less: it lies flat.
inline std::optional<Moving> lowest_of_rim(const Moving& c, const Moving& u, double r, const Moving& n, double flat) {
  const double along = u.value.dot(n.value), along_rate = u.rate.dot(n.value) + u.value.dot(n.rate);
  double tilt = 0.0;
  const Moving d = unit_of({n.value - along * u.value, n.rate - along_rate * u.value - along * u.rate}, tilt);
  if (!(tilt > flat)) return {};
  return shifted(c, -r, d);
}

inline constexpr double kNoLowest = 1e-15;  ///< sine of a tilt below which rounding decides where a rim is lowest

}  // namespace nonsmooth::shape_pairs
