// SPDX-License-Identifier: Apache-2.0
#pragma once

// The linkage of both four-bar examples in closed form: A turns about the origin, B is where two circles meet (SI
// units).
#include <Eigen/Core>

#include <array>
#include <cmath>

using Point = Eigen::Vector2d;

inline constexpr double kCrank = 0.10, kCoupler = 0.25, kRocker = 0.22, kGround = 0.28;  // lengths [m]
inline constexpr double kSpin = 10.0, kGravity = 9.81, kDensity = 2.0;                   // [rad/s], [m/s^2], [kg/m]

inline Point across(const Point& a) { return {-a[1], a[0]}; }

// Pins A and B, spins, centres and their velocities of crank, coupler and rocker, which are slender bars.
struct Linkage {
  Point A, B, D{kGround, 0.0};
  std::array<double, 3> spin{};
  std::array<Point, 3> centre, velocity;

  explicit Linkage(double angle) : A(kCrank * std::cos(angle), kCrank * std::sin(angle)) {
    const Point r = D - A;
    const double L = r.norm(), p = (kCoupler * kCoupler - kRocker * kRocker + L * L) / (2.0 * L);
    B = A + (p * r + std::sqrt(kCoupler * kCoupler - p * p) * across(r)) / L;
    const Point of_A = kSpin * across(A), coupler = B - A, rocker = B - D;
    spin = {kSpin, -of_A.dot(rocker) / across(coupler).dot(rocker), of_A.dot(coupler) / across(rocker).dot(coupler)};
    centre = {0.5 * A, 0.5 * (A + B), 0.5 * (B + D)};
    velocity = {0.5 * of_A, of_A + 0.5 * spin[1] * across(coupler), 0.5 * spin[2] * across(rocker)};
  }
  [[nodiscard]] double energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double length = std::array{kCrank, kCoupler, kRocker}[i], m = kDensity * length;
      sum += 0.5 * m * (velocity[i].squaredNorm() + length * length / 12.0 * spin[i] * spin[i]);
      sum += m * kGravity * centre[i][1];
    }
    return sum;
  }
};
