// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests of cylinders and cones share: random poses, supports from their definition, a search over directions.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <contact/narrow_phase/frustum.hpp>
#include <nonsmooth/kernel.hpp>

namespace nonsmooth::frusta {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using narrow_phase::PatchPoint;
using narrow_phase::PlacedFrustum;

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3d vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Matrix3d turn() {
    return Eigen::Quaterniond(number(0.1, 1.0), number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0))
        .normalized()
        .toRotationMatrix();
  }

 private:
  std::mt19937_64 random_;
};

inline Frustum frustum(double low, double high, double half) {
  return {{low, high}, half, std::hypot(std::max(low, high), half)};
}

inline PlacedFrustum frustum_at(const Frustum& shape, const Vector3d& centre, const Matrix3d& turn) {
  return {&shape, centre, turn.col(2), turn.col(0), turn.col(1)};
}

/// max over the frustum of direction . x, from its definition.
inline double support(const PlacedFrustum& own, const Vector3d& direction) {
  double most = -std::numeric_limits<double>::infinity();
  for (const int end : {0, 1}) {
    const double across = std::hypot(direction.dot(own.x), direction.dot(own.y));
    const double height =
        direction.dot(own.centre) + (end == 0 ? -1.0 : 1.0) * own.frustum->half * direction.dot(own.axis);
    most = std::max(most, height + own.frustum->radii[static_cast<std::size_t>(end)] * across);
  }
  return most;
}

/// The largest value of separation(n) over many directions n, the best of them refined: a lower bound that comes near.
template <class Separation>
double brute_force(Separation separation) {
  constexpr int count = 600, kept = 4;
  std::vector<std::pair<double, Vector3d>> found;
  for (int k = 0; k < count; ++k) {  // a spiral over the sphere
    const double z = 1.0 - (2.0 * k + 1.0) / count, r = std::sqrt(1.0 - z * z),
                 angle = k * std::numbers::pi * (3.0 - std::sqrt(5.0));
    const Vector3d n(r * std::cos(angle), r * std::sin(angle), z);
    found.emplace_back(separation(n), n);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  double best = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < kept; ++k) {
    auto [value, n] = found[static_cast<std::size_t>(k)];
    for (double step = 0.06; step > 1e-6;) {  // a pattern search
      const Vector3d u = n.unitOrthogonal(), w = n.cross(u);
      bool better = false;
      for (int d = 0; d < 8; ++d) {
        const double angle = d * std::numbers::pi / 4.0;
        const Vector3d trial = (n + step * (std::cos(angle) * u + std::sin(angle) * w)).normalized();
        const double own_value = separation(trial);
        if (own_value <= value) continue;
        value = own_value;
        n = trial;
        better = true;
        break;
      }
      if (!better) step *= 0.5;
    }
    best = std::max(best, value);
  }
  return best;
}

inline const PatchPoint& least_of(const std::vector<PatchPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const PatchPoint& a, const PatchPoint& b) { return a.gap < b.gap; });
}

/// The least of the points of two shapes, `first` a frustum. A direction that separates by the gap is a lower bound on
/// it; there are no others that brute force, which comes near to it, finds; and two points that are apart by it, the
/// first on `first`, are an upper bound. Sizes are 1 m: sums of some ten terms.
template <class Separation>
void expect_least_gap(const PatchPoint& least, const PlacedFrustum& first, Separation separation_along, int trial) {
  ASSERT_NEAR(least.gap, separation_along(least.normal), 1e-12 + 1e-16 / std::abs(least.gap)) << trial;
  const double brute = brute_force(separation_along);
  ASSERT_GE(least.gap, brute - 1e-12) << trial;
  ASSERT_LE(least.gap, brute + 5e-3) << trial;
  ASSERT_NEAR(least.normal.dot(least.on_first - least.on_second), least.gap, 1e-13) << trial;
  if (least.gap < 0.0) return;
  ASSERT_NEAR((least.on_first - least.on_second).norm(), least.gap, 1e-13) << trial;
  ASSERT_NEAR(narrow_phase::distance_from(first, least.on_first).distance, 0.0, 1e-12) << trial;
}

// ---- Bodies ----

inline constexpr double kMass = 2.0, kGravity = 9.81;

inline RigidBody cylinder_body(double radius, double half_length) {
  return {.mass = kMass,
          .inertia = MassProperties::of_mass(Cylinder{radius, half_length}, kMass).inertia,
          .gravity = {0.0, 0.0, -kGravity}};
}

}  // namespace nonsmooth::frusta
