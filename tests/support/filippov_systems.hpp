// SPDX-License-Identifier: Apache-2.0
// FilippovSystems with known motions.
#pragma once

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/filippov.hpp>

namespace nonsmooth::filippov_systems {

/// c = x_k - level, with its gradient.
inline SwitchingFunction coordinate(Index k, double level = 0.0) {
  return {.name = "x" + std::to_string(k),
          .value = [=](double, ConstVectorRef x) { return x[k] - level; },
          .gradient = [=](double, ConstVectorRef, VectorRef gradient) { gradient[k] = 1.0; }};
}

/// c = x0 - x1.
inline SwitchingFunction diagonal() {
  return {.name = "diagonal",
          .value = [](double, ConstVectorRef x) { return x[0] - x[1]; },
          .gradient =
              [](double, ConstVectorRef, VectorRef gradient) {
                gradient[0] = 1.0;
                gradient[1] = -1.0;
              }};
}

/// A field that does not change.
inline FilippovRegion constant(std::vector<int> signs, std::vector<double> field) {
  return {.signs = std::move(signs),
          .f =
              [field](double, ConstVectorRef, VectorRef f) {
                for (std::size_t k = 0; k < field.size(); ++k) f[static_cast<Index>(k)] = field[k];
              },
          .f_dx = [](double, ConstVectorRef, MatrixRef) {}};
}

/// x' = -a Sgn x from x0: at 0 from |x0| / a on.
inline FilippovSystem sign(double x0, double a = 1.0) {
  return {.x0 = {x0}, .switches = {coordinate(0)}, .regions = {constant({1}, {-a}), constant({-1}, {a})}};
}

/// x' = t - l, y' = -l y, l in Sgn x, from (1/4, 1): at x = 0 from 1 - 1 / sqrt 2 to 1; (1/2, exp(-7/4)) at t = 2.
inline FilippovSystem sliding_and_exit() {
  const auto field = [](double l) {
    return [l](double t, ConstVectorRef x, VectorRef f) {
      f[0] = t - l;
      f[1] = -l * x[1];
    };
  };
  return {.x0 = {0.25, 1.0},
          .switches = {coordinate(0)},
          .regions = {{.signs = {1}, .f = field(1.0)}, {.signs = {-1}, .f = field(-1.0)}}};
}

/// x' = (1 w; -w 1) x where |x| < 1, (1 -w; w 1) x outside, w = 2 pi, from (1/e, 0): |x| = 1 at t = 1, (e, 0) at t = 2.
inline FilippovSystem oscillator() {
  const auto field = [](double w) {
    return [w](double, ConstVectorRef x, VectorRef f) {
      f[0] = x[0] + w * x[1];
      f[1] = -w * x[0] + x[1];
    };
  };
  const auto slope = [](double w) {
    return [w](double, ConstVectorRef, MatrixRef J) {
      J(0, 0) = J(1, 1) = 1.0;
      J(0, 1) = w;
      J(1, 0) = -w;
    };
  };
  const double w = 2.0 * std::numbers::pi;
  return {.x0 = {std::exp(-1.0), 0.0},
          .switches = {{.name = "circle",
                        .value = [](double, ConstVectorRef x) { return x.squaredNorm() - 1.0; },
                        .gradient = [](double, ConstVectorRef x, VectorRef gradient) { gradient = 2.0 * x; }}},
          .regions = {{.name = "inside", .signs = {-1}, .f = field(w), .f_dx = slope(w)},
                      {.name = "outside", .signs = {1}, .f = field(-w), .f_dx = slope(-w)}}};
}

/// x1' = -s1 + 2 s2, x2' = -2 s1 - s2, s_k in Sgn x_k: d(|x1| + |x2|)/dt = -2, so that x is 0 from (|x1| + |x2|) / 2
/// on, after infinitely many switches.
inline FilippovSystem spiral(double x1, double x2) {
  std::vector<FilippovRegion> regions;
  for (const int s1 : {1, -1})
    for (const int s2 : {1, -1}) regions.push_back(constant({s1, s2}, {-s1 + 2.0 * s2, -2.0 * s1 - s2}));
  return {.x0 = {x1, x2}, .switches = {coordinate(0), coordinate(1)}, .regions = regions};
}

/// Outside of the unit circle x' = (-x0 - x1, x0 - x1): towards it, and about it with angular speed 1. Inside x' = (2
/// x0 + x1, -x0 + 2 x1): away from its centre, the other way. On it r' = -1 and 2: theta = 2/3 of the outer field,
/// angular speed 2/3 - 1/3 = 1/3.
inline FilippovSystem circle(double x0) {
  const auto field = [](double a, double w) {
    return [=](double, ConstVectorRef x, VectorRef f) {
      f[0] = a * x[0] - w * x[1];
      f[1] = w * x[0] + a * x[1];
    };
  };
  FilippovSystem system = oscillator();
  system.x0 = {x0, 0.0};
  system.regions = {{.signs = {1}, .f = field(-1.0, 1.0)}, {.signs = {-1}, .f = field(2.0, -1.0)}};
  return system;
}

/// x' = -2 where x > y, 2 where x < y; y' = 1.5 and -3. As one switching function.
inline FilippovSystem one_relay() {
  return {
      .x0 = {1.5, 1.0}, .switches = {diagonal()}, .regions = {constant({1}, {-2.0, 1.5}), constant({-1}, {2.0, -3.0})}};
}

/// The same as two switches that know nothing of one another.
inline FilippovSystem two_relays(FilippovMeaning meaning = FilippovMeaning::Hull) {
  return {.x0 = {1.5, 1.0},
          .switches = {diagonal(), diagonal()},
          .regions = {constant({1, 1}, {-2.0, 1.5}), constant({1, -1}, {-2.0, -3.0}), constant({-1, 1}, {2.0, 1.5}),
                      constant({-1, -1}, {2.0, -3.0})},
          .meaning = meaning};
}

/// x1 and x2 go to zero and stay there; x3' = f3 of the region: on the line the hull has x3' from 0 to 1, and the
/// multi-affine set 1/2 alone where all four normal velocities are one.
inline FilippovSystem line_in_space() {
  return {.x0 = {0.25, 0.125, 0.0},
          .switches = {coordinate(0), coordinate(1)},
          .regions = {constant({1, 1}, {-1.0, -1.0, 1.0}), constant({-1, 1}, {1.0, -1.0, 0.0}),
                      constant({1, -1}, {-1.0, 1.0, 0.0}), constant({-1, -1}, {1.0, 1.0, 1.0})}};
}

}  // namespace nonsmooth::filippov_systems
