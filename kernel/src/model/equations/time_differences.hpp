// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/types.hpp>

/// Derivatives of users' functions of time, whose time scale nobody tells.
namespace nonsmooth::differences {

/// Weights w of f'(x) = sum w_k f(x + (k + shift) s), k = -2..2, exact for polynomials of degree 4.
[[nodiscard]] inline std::array<double, 5> slope_weights(double shift, double s) {
  std::array<double, 5> offsets{}, weights{};
  for (std::size_t k = 0; k < 5; ++k) offsets[k] = static_cast<double>(k) - 2.0 + shift;
  for (std::size_t k = 0; k < 5; ++k) {
    double below = 1.0, sum = 0.0;
    for (std::size_t j = 0; j < 5; ++j) {
      if (j == k) continue;
      below *= offsets[k] - offsets[j];
      double product = 1.0;
      for (std::size_t l = 0; l < 5; ++l)
        if (l != k && l != j) product *= -offsets[l];
      sum += product;
    }
    weights[k] = sum / (below * s);
  }
  return weights;
}

/// f'(0) from f(0) = here and the nodes of slope_weights(shift, s); returns the largest magnitude of f there.
template <class Function>
double slope_at_zero(Function&& f, double here, double shift, double s, double& slope) {
  const std::array<double, 5> weights = slope_weights(shift, s);
  double size = std::abs(here);
  slope = 0.0;
  for (std::size_t k = 0; k < 5; ++k) {
    const double offset = static_cast<double>(k) - 2.0 + shift;
    const double value = offset == 0.0 ? here : f(offset * s);
    slope += weights[k] * (value - here);
    size = std::max(size, std::abs(value));
  }
  return size;
}

/// A step of differences, and how far from where it was found it serves.
struct Step {
  double length = 0.0;  ///< 0: no step tells a slope, as of constants
  double reach = 0.0;
};

/// The step at which a fourth-order difference of a function is best: from `smallest` on, in powers of four, as far as
/// rounding, 1 / s, is more than truncation, s^4; what a step leaves is taken from how far it is from the one before.
/// No unit takes part but that of `smallest`. difference(s, slope) gives the slope by step s (of nodes that do not lie
/// symmetrically, else even functions tell nothing) and returns the largest magnitude of a sample, negative where the
/// step does not fit. A step serves to 64 of its lengths, a constant as far as it was seen to be one.
template <class Difference>
[[nodiscard]] Step best_step(double smallest, Difference&& difference) {
  constexpr int kLevels = 48;
  double s = std::exp2(2.0 * std::ceil(0.5 * std::log2(smallest)));
  double best = std::numeric_limits<double>::infinity(), chosen = 0.0, before = 0.0, last = 0.0, largest = 0.0;
  double constant = 0.0;
  int level = 0;
  for (; level < kLevels; ++level, s *= 4.0) {
    double slope = 0.0;
    const double size = difference(s, slope);
    if (!(size >= 0.0) || !std::isfinite(slope)) break;
    // What was constant and is not by far: a change s away from here, which is none here.
    if (level > 0 && largest == 0.0 && std::abs(slope) * s > 1e4 * eps * size) break;
    largest = std::max(largest, std::abs(slope));
    if (largest == 0.0) {
      constant = 0.25 * s;
    } else if (level > 0) {
      double error = (std::abs(slope - last) + eps * size / s) / largest;
      error = std::max(error, before / 16.0);  // two differences may agree by chance
      if (error < best) {
        best = error;
        chosen = s;
      }
      if (error <= 8.0 * eps || error > 1e3 * best) break;
      before = error;
    }
    last = slope;
  }
  if (best < 0.1) return {chosen, 64.0 * chosen};
  return {0.0, largest == 0.0 && level == kLevels ? std::numeric_limits<double>::infinity() : constant};
}

/// |t|, of which searches for a step start at 2^-40; at zero, where nothing has a unit of time, 1 s.
[[nodiscard]] inline double time_scale(double t) { return std::abs(t) > 1e-200 ? std::abs(t) : 1.0; }

}  // namespace nonsmooth::differences
