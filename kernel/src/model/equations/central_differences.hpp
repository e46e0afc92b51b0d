// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/types.hpp>

/// Central differences of fourth order, for derivatives of what is as smooth as the user's functions.
namespace nonsmooth::differences {

/// Of the time or size L in which a function changes: balances (h / L)^4 of the truncation and eps L / h of the
/// rounding.
inline const double kCentralStep = std::pow(eps, 0.2);

/// Size of a coordinate: |x|; where it passes zero, a part of the largest |x| met that still leaves 1e-10 to rounding,
/// and does not reach beyond what matters to one that decayed; at least absolute / relative tolerance.
[[nodiscard]] inline double size_of(double x, double largest, double floor) {
  return std::max({std::abs(x), 1e-3 * largest, floor});
}

/// slope (m) := d value / d moved[k] over h; value(moved, out) sets out (m).
template <class Value>
void central(Eigen::VectorXd& moved, Index k, double h, Value&& value, Eigen::VectorXd& out, Eigen::VectorXd& slope) {
  const double at = moved[k];
  const auto add = [&](double place, double weight) {
    moved[k] = at + place * h;
    value(moved, out);
    if (place == -2.0) slope.setZero(out.size());
    slope += weight / (12.0 * h) * out;
  };
  add(-2.0, 1.0);
  add(2.0, -1.0);
  add(-1.0, -8.0);
  add(1.0, 8.0);
  moved[k] = at;
}

}  // namespace nonsmooth::differences
