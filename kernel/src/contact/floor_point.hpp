// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <nonsmooth/kernel/floor_profile.hpp>

namespace nonsmooth {

/// Of the floor's point (s, height(s)) next to (x, y): Newton on (s - x) + (height - y) slope = 0 from s = x.
/// False where it does not converge: s is x then.
inline bool find_floor_point(const FloorProfile& floor, double x, double y, double& s) {
  constexpr int kIterations = 20;  // Newton needs 3-5; the bound only guards a wild profile
  s = x;
  for (int i = 0; i < kIterations; ++i) {
    const double above = floor.height(s) - y, slope = floor.slope(s);
    const double residual = s - x + above * slope;
    const double rate = 1.0 + slope * slope + above * floor.curvature(s);
    const double move = residual / (rate > 0.1 ? rate : 1.0 + slope * slope);
    s -= move;
    if (std::abs(move) <= 1e-14 * (1.0 + std::abs(s))) return true;
  }
  s = x;
  return false;
}

}  // namespace nonsmooth
