// SPDX-License-Identifier: Apache-2.0
// Bodies for tests of contacts of shapes by events.
#pragma once

#include <cmath>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::shape_bodies {

using Eigen::Vector3d;

/// The unit quaternion of the turn about w by |w|.
inline Eigen::Vector4d turned_by(const Vector3d& w) {
  const double half = 0.5 * w.norm();
  return (Eigen::Vector4d() << std::cos(half), std::sin(half) * w.normalized()).finished();
}
/// A ball that is turned somehow where it starts.
inline RigidBody ball(double radius, double mass, const Vector3d& position, const Vector3d& velocity = Vector3d::Zero(),
                      double gravity = 0.0) {
  return {.mass = mass,
          .inertia = 0.4 * mass * radius * radius * Eigen::Matrix3d::Identity(),
          .position = position,
          .orientation = turned_by({0.3, -0.5, 0.8}),
          .velocity = velocity,
          .gravity = {0.0, 0.0, -gravity}};
}

}  // namespace nonsmooth::shape_bodies
