// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where pins lie in their bearings, and where the forces of the linkage without play press them (SI units).
#include <nonsmooth/kernel.hpp>

#include <array>
#include <cmath>
#include <cstddef>

#include "../four_bar/linkage.hpp"

inline constexpr double kPin = 5e-3, kFriction = 0.1;  // radius of a pin [m], mu

// d from the centre of the bearing to that of the pin: at A, B and D.
using Pins = std::array<Point, 3>;

inline Point sum(const Pins& pins) { return pins[0] + pins[1] + pins[2]; }

// A point of a body, `along` its axis from the centre.
inline Point point_of(const nonsmooth::ConstVectorRef& q, double along) {
  return q.head<2>() + along * Point(std::cos(q[2]), std::sin(q[2]));
}

inline Pins pins_at(const Linkage& ideal, const nonsmooth::ConstVectorRef& coupler,
                    const nonsmooth::ConstVectorRef& rocker) {
  return {ideal.A - point_of(coupler, -0.5 * kCoupler),
          point_of(coupler, 0.5 * kCoupler) - point_of(rocker, 0.5 * kRocker),
          point_of(rocker, -0.5 * kRocker) - ideal.D};
}

// Forces on the bearings at A (on the coupler), B (on the rocker) and D (on the ground) of the linkage without play:
// moments of coupler and rocker about A and D give that at B, accelerations are central differences.
inline Pins forces(double angle) {
  const double step = 1e-5;
  const Linkage at(angle), before(angle - step), after(angle + step);
  const auto rate = [&](const auto& now, const auto& then) { return ((then - now) * (kSpin / (2.0 * step))).eval(); };
  const double m_2 = kDensity * kCoupler, m_4 = kDensity * kRocker, per = kSpin / (2.0 * step);
  const Point g(0.0, -kGravity), coupler = at.B - at.A, rocker = at.B - at.D;
  const Point needed_2 = m_2 * (rate(before.velocity[1], after.velocity[1]) - g);
  const Point needed_4 = m_4 * (rate(before.velocity[2], after.velocity[2]) - g);
  const double turns_2 = m_2 * kCoupler * kCoupler / 12.0 * (after.spin[1] - before.spin[1]) * per;
  const double turns_4 = m_4 * kRocker * kRocker / 12.0 * (after.spin[2] - before.spin[2]) * per;
  const double of_2 = turns_2 + across(0.5 * coupler).dot(needed_2),
               of_4 = turns_4 + across(0.5 * rocker).dot(needed_4);
  const Point F_B = of_4 / across(rocker).dot(coupler) * coupler - of_2 / across(coupler).dot(rocker) * rocker;
  return {needed_2 + F_B, F_B, F_B - needed_4};
}

// What turns in each bearing: crank in coupler, coupler in rocker, rocker in ground [rad/s].
inline std::array<double, 3> turning(const Linkage& ideal) {
  return {ideal.spin[0] - ideal.spin[1], ideal.spin[1] - ideal.spin[2], ideal.spin[2]};
}

// d / c of pins that are pressed: friction turns them by its angle from the force, up the bearing.
inline Pins pressed(double angle) {
  const std::array<double, 3> spins = turning(Linkage(angle));
  Pins pins = forces(angle);
  for (std::size_t i = 0; i < 3; ++i) {
    const Point along = pins[i].normalized();
    pins[i] = (along - std::copysign(kFriction, spins[i]) * across(along)) / std::hypot(1.0, kFriction);
  }
  return pins;
}

// What friction takes then in the first `count` bearings [W].
inline double heat(double angle, std::size_t count) {
  const std::array<double, 3> spins = turning(Linkage(angle));
  const Pins pins = forces(angle);
  double result = 0.0;
  for (std::size_t i = 0; i < count; ++i) result += kPin * std::abs(spins[i]) * pins[i].norm();
  return kFriction / std::hypot(1.0, kFriction) * result;
}

// u . r', the sine of the angle from the coupler to the rocker.
inline double transmission(const Linkage& ideal) {
  return (ideal.B - ideal.A).dot(across(ideal.B - ideal.D)) / (kCoupler * kRocker);
}

// l_4 (psi - psi_0) (u . r') = -u . w to first order [m].
inline double moved(const Linkage& ideal, const Point& w) { return -(ideal.B - ideal.A).dot(w) / kCoupler; }
