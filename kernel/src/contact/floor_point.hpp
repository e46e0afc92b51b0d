// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <nonsmooth/kernel/floor_profile.hpp>

namespace nonsmooth {

/// A point (s, height) of a floor, and the slope there.
struct FloorPoint {
  double s, height, slope;
};
inline FloorPoint floor_point(const FloorProfile& floor, double s) { return {s, floor.height(s), floor.slope(s)}; }

/// The floor's point next to (x, y): Newton on (s - x) + (height - y) slope = 0 from s = x.
/// False where it does not converge: `point` is that at x then.
inline bool find_floor_point(const FloorProfile& floor, double x, double y, FloorPoint& point) {
  constexpr int kIterations = 20;  // Newton needs 3-5; the bound only guards a wild profile
  double s = x;
  for (int i = 0; i < kIterations; ++i) {
    point = floor_point(floor, s);
    const double above = point.height - y, slope = point.slope;
    const double residual = s - x + above * slope;
    const double rate = 1.0 + slope * slope + above * floor.curvature(s);
    const double move = residual / (rate > 0.1 ? rate : 1.0 + slope * slope);
    s -= move;
    if (!(std::abs(move) <= 1e-14 * (1.0 + std::abs(s)))) continue;
    if (s != point.s) point = floor_point(floor, s);  // else the last bits stand, and nothing is asked twice
    return true;
  }
  point = floor_point(floor, x);
  return false;
}

}  // namespace nonsmooth
