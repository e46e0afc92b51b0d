// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <internal/check.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/bodies/rotation.hpp"

/// Checks of the fields that descriptions of pairs share.
namespace nonsmooth::shape_pairs {

/// `all`: 2 in the plane, 3 in space; more are those of friction against rolling and spinning.
inline Index rows_of(const std::string& pair, Index rows, Index all) {
  if (rows != 1 && (rows < all || rows > (all == 2 ? 3 : 6))) {
    throw InvalidArgument(pair + "::rows", std::to_string(rows),
                          all == 2 ? "1 (N), 2 (N, T) or 3 (N, T, R)"
                                   : "1 (N), 3 (N, T1, T2) or 4 to 6, as NewtonImpactRollingFrictionLaw");
  }
  return rows;
}

inline void check_round(const std::string& field, ConstVectorRef center, double radius) {
  check::finite(field + ".center", center);
  check::positive(field + ".radius", radius);
}

/// The matrix of a unit quaternion, and a position that is finite.
inline Eigen::Matrix3d turn_of_shape(const std::string& pair, const Eigen::Vector3d& position,
                                     const Eigen::Vector4d& orientation) {
  check::finite(pair + "::position", ConstVectorRef(position));
  const double length = orientation.norm();
  if (!(std::abs(length - 1.0) <= rotation::kUnitTolerance)) {
    throw InvalidArgument(pair + "::orientation", "a quaternion of norm " + check::text(length),
                          "a unit quaternion (w, x, y, z)");
  }
  return rotation::matrix_of_any_length(orientation);
}

/// n along a half-space's or half-plane's normal.
inline Eigen::Vector3d unit_normal(const std::string& plane, const Eigen::Vector3d& normal, double offset) {
  check::finite(plane + ".normal", ConstVectorRef(normal));
  check::positive(plane + ".normal: length", normal.norm());
  check::finite(plane + ".offset", offset);
  return normal.normalized();
}

}  // namespace nonsmooth::shape_pairs
