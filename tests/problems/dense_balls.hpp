// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::problems {

/// Balls as dense as in a random close packing: centres at random in a cube, of which their volumes are the part
/// `filled`; they overlap. Radii from 1 to `largest` have equal volumes in equal ranges of log r, as well graded
/// gravel: N(> r) ~ r^-3; `largest` = 1: all alike.
struct DenseBalls {
  static constexpr double filled = 0.64;
  std::vector<std::array<double, 4>> balls;  ///< centre and radius [m]
  double side = 0.0;                         ///< of the cube [m]

  DenseBalls(Index count, double largest, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    const auto part = [&random] { return 0x1p-53 * static_cast<double>(random() >> 11); };
    const double dropped = 1.0 - 1.0 / (largest * largest * largest);
    double volume = 0.0;
    for (Index i = 0; i < count; ++i) {
      const double radius = 1.0 / std::cbrt(1.0 - dropped * part());
      volume += 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
      balls.push_back({0.0, 0.0, 0.0, radius});
    }
    side = std::cbrt(volume / filled);
    for (auto& ball : balls) {
      for (std::size_t axis = 0; axis < 3; ++axis) ball[axis] = side * part();
    }
  }
};

}  // namespace nonsmooth::problems
