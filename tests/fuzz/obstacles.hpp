// SPDX-License-Identifier: Apache-2.0
// Obstacles along motions known in closed form, and the instants at which they are met: an independent search by
// bounds.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace nonsmooth::fuzz {

/// One coordinate: c_0 + c_1 t + c_2 t^2 + a cos(w t) + b sin(w t) + d exp(-r t), or 1 / (k + m t) beside that.
struct Path {
  std::array<double, 3> power{};
  double cosine = 0.0, sine = 0.0, angular = 0.0;
  double decaying = 0.0, rate = 0.0;
  double pole = 0.0, approach = 0.0;  ///< k, m of 1 / (k + m t), m >= 0; none where k = 0

  [[nodiscard]] double at(double t) const {
    double value = power[0] + t * (power[1] + t * power[2]) + decaying * std::exp(-rate * t);
    if (angular != 0.0) value += cosine * std::cos(angular * t) + sine * std::sin(angular * t);
    if (pole != 0.0) value += 1.0 / (pole + approach * t);
    return value;
  }
  [[nodiscard]] double speed(double t) const {
    double value = power[1] + 2.0 * t * power[2] - rate * decaying * std::exp(-rate * t);
    if (angular != 0.0) value += angular * (sine * std::cos(angular * t) - cosine * std::sin(angular * t));
    if (pole != 0.0) value -= approach / ((pole + approach * t) * (pole + approach * t));
    return value;
  }
  /// A bound of |speed| on [a, b].
  [[nodiscard]] double fastest(double a, double b) const {
    double value = std::max(std::abs(power[1] + 2.0 * a * power[2]), std::abs(power[1] + 2.0 * b * power[2]));
    value += std::abs(rate * decaying) * std::exp(-rate * a) + angular * std::hypot(cosine, sine);
    if (pole != 0.0) value += approach / ((pole + approach * a) * (pole + approach * a));
    return value;
  }
};

enum class Shape : unsigned char { Gaussian, Cosine, Arc, Box };

/// height shape(|s - place - rate t| / width), shape from 1 to 0.
struct Hill {
  Shape shape = Shape::Gaussian;
  double place = 0.0, rate = 0.0, width = 1.0, height = 1.0;
  double flank = 0.3;  ///< of a box's half width: where it rises

  /// Falls with z >= 0.
  [[nodiscard]] double profile(double z) const {
    switch (shape) {
      case Shape::Gaussian:
        return std::exp(-z * z);
      case Shape::Cosine:
        return z < 1.0 ? 0.5 + 0.5 * std::cos(std::numbers::pi * z) : 0.0;
      case Shape::Arc:
        return z < 1.0 ? std::sqrt(1.0 - z * z) : 0.0;
      case Shape::Box: {
        if (z <= 1.0 - flank) return 1.0;
        if (z >= 1.0) return 0.0;
        const double x = (1.0 - z) / flank;
        return x * x * x * (10.0 + x * (6.0 * x - 15.0));
      }
    }
    return 0.0;
  }
  [[nodiscard]] double profile_slope(double z) const {
    switch (shape) {
      case Shape::Gaussian:
        return -2.0 * z * std::exp(-z * z);
      case Shape::Cosine:
        return z < 1.0 ? -0.5 * std::numbers::pi * std::sin(std::numbers::pi * z) : 0.0;
      case Shape::Arc:
        return z < 1.0 ? -z / std::sqrt(1.0 - z * z) : 0.0;
      case Shape::Box: {
        if (z <= 1.0 - flank || z >= 1.0) return 0.0;
        const double x = (1.0 - z) / flank;
        return -30.0 * x * x * (1.0 - x) * (1.0 - x) / flank;
      }
    }
    return 0.0;
  }
};

/// Sum of the hills at (t, s), and its derivative with respect to s.
inline double hills_at(const std::vector<Hill>& hills, double t, double s) {
  double sum = 0.0;
  for (const Hill& hill : hills)
    sum += hill.height * hill.profile(std::abs(s - hill.place - hill.rate * t) / hill.width);
  return sum;
}
inline double hills_slope(const std::vector<Hill>& hills, double t, double s) {
  double sum = 0.0;
  for (const Hill& hill : hills) {
    const double x = s - hill.place - hill.rate * t;
    sum += hill.height * hill.profile_slope(std::abs(x) / hill.width) * (x < 0.0 ? -1.0 : 1.0) / hill.width;
  }
  return sum;
}
/// Its derivative with respect to t.
inline double hills_rate(const std::vector<Hill>& hills, double t, double s) {
  double sum = 0.0;
  for (const Hill& hill : hills) sum -= hill.rate * hills_slope({hill}, t, s);
  return sum;
}

/// base(t) - hills(t, along(t)) >= 0 until the event. What the integration leaves of base and along is within `slack`.
struct Course {
  Path base, along;
  std::vector<Hill> hills;
  double base_slack = 0.0, along_slack = 0.0;

  /// slack = -1: the least that the value may be; 1: the most; z moves by at most `way`, the base by `rise`, outwards.
  [[nodiscard]] double bound(double t, int slack, double rise, double way) const {
    double value = base.at(t) + slack * base_slack + rise;
    const double s = along.at(t);
    for (const Hill& hill : hills) {
      const double off = std::abs(s - hill.place - hill.rate * t) + slack * along_slack + way;
      value -= hill.height * hill.profile(std::max(off, 0.0) / hill.width);
    }
    return value;
  }
};

/// The first t in [from, to] with sign * value(t) <= 0, sign = 1 or -1, value with its slack; halving, left half first,
/// of intervals on which the bounds by largest speeds leave it open. Exact to `resolution`; intervals so short that
/// stay open count as `found_if_open`. Empty: none, or, with `exhausted`, not known after a million evaluations.
class FirstPassage {
 public:
  double resolution = 0.0;
  bool exhausted = false;

  [[nodiscard]] std::optional<double> find(const Course& course, double from, double to, int sign, int slack,
                                           bool found_if_open) {
    left_ = 1'000'000;
    return search(course, from, to, sign, slack, found_if_open);
  }

 private:
  std::optional<double> search(const Course& c, double a, double b, int sign, int slack, bool found_if_open) {
    if (--left_ < 0) {
      exhausted = true;
      return std::nullopt;
    }
    const double half = 0.5 * (b - a), middle = a + half;
    double fastest_hill = 0.0;
    for (const Hill& hill : c.hills) fastest_hill = std::max(fastest_hill, std::abs(hill.rate));
    const double rise = c.base.fastest(a, b) * half, way = (c.along.fastest(a, b) + fastest_hill) * half;
    if (sign * c.bound(middle, slack, -sign * rise, -sign * way) > 0.0) return std::nullopt;
    const bool there = sign * c.bound(middle, slack, 0.0, 0.0) <= 0.0;
    if (b - a <= resolution) return there || found_if_open ? std::optional(a) : std::nullopt;
    if (const auto first = search(c, a, middle, sign, slack, found_if_open)) return first;
    if (there) return middle;
    return search(c, middle, b, sign, slack, found_if_open);
  }

  long left_ = 0;
};

}  // namespace nonsmooth::fuzz
