// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include <Eigen/Geometry>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// The rotation matrix of a quaternion (w, x, y, z).
/// @throws InvalidArgument, naming it (and its number, if that is >= 0): its norm is farther from 1.
[[nodiscard]] inline Eigen::Matrix3d turn_of(const double* quaternion, double tolerance, const char* name,
                                             Index number = -1) {
  const Eigen::Quaterniond own(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
  if (!(std::abs(own.norm() - 1.0) <= tolerance)) {
    throw InvalidArgument(number < 0 ? name : name + std::to_string(number),
                          "a quaternion of norm " + check::text(own.norm()), "a unit quaternion (w, x, y, z)");
  }
  return own.normalized().toRotationMatrix();
}

}  // namespace nonsmooth
