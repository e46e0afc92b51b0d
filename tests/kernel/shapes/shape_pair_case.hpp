// SPDX-License-Identifier: Apache-2.0
// A pair of shapes for the tests of their relations, as it lies in space.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/joint_bodies.hpp"

namespace nonsmooth::shape_pair_cases {

using Eigen::Vector3d;
using RelationPointer = std::shared_ptr<const MechanicalRelation>;

/// A body somewhere; what is given in space is asked for in its axes. On the ground both are the same.
struct Pose {
  Eigen::VectorXd q;

  [[nodiscard]] Vector3d direction(const Vector3d& d) const {
    if (q.size() == 0) return d;
    if (q.size() == 7) return jointed::turned({q[3], -q[4], -q[5], -q[6]}, d);
    const double c = std::cos(q[2]), s = std::sin(q[2]);
    return {c * d[0] + s * d[1], c * d[1] - s * d[0], 0.0};
  }
  [[nodiscard]] Vector3d point(const Vector3d& p) const { return direction(p - origin()); }
  [[nodiscard]] Vector3d origin() const {
    if (q.size() == 0) return Vector3d::Zero();
    return {q[0], q[1], q.size() == 7 ? q[2] : 0.0};
  }
  [[nodiscard]] SphereOnBody sphere(const Vector3d& center, double radius) const { return {point(center), radius}; }
  [[nodiscard]] CapsuleOnBody capsule(const Vector3d& from, const Vector3d& to, double radius) const {
    return {point(from), point(to), radius};
  }
  [[nodiscard]] HalfSpace half_space(const Vector3d& normal, double offset) const {
    return {direction(normal), offset - normal.normalized().dot(origin())};
  }
  /// From the axes of space to those of the body.
  [[nodiscard]] Eigen::Vector4d orientation() const {
    if (q.size() == 0) return {1.0, 0.0, 0.0, 0.0};
    return {q[3], -q[4], -q[5], -q[6]};
  }
  [[nodiscard]] Eigen::Vector2d flat(const Eigen::Vector2d& p) const { return point({p[0], p[1], 0.0}).head<2>(); }
  [[nodiscard]] DiskOnBody disk(const Vector3d& center, double radius) const {
    return {point(center).head<2>(), radius};
  }
};

/// A pair as it lies in space, on two bodies or on one and the ground.
struct PairCase {
  std::string name;
  std::function<RelationPointer(const Pose& first, const Pose& second, Index rows)> make;
  double gap;  ///< as it is made; NaN: not told
  bool planar = false;
  bool of_ground = false;  ///< the second is never a body
  double steep = 0.3;      ///< of what steepness() says, so much there is at least
  bool sharp = false;      ///< both are: no way is too short for a gap to go below zero and come back
  friend void PrintTo(const PairCase& c, std::ostream* out) { *out << c.name; }
};

inline const Vector3d kCenter(0.6, 0.1, 0.9);
inline constexpr double kRadius = 0.2;

/// A sphere at `center` and a shape about the origin of space, of the second body or, turned round, of the first.
template <class Pair>
PairCase sphere_on(const std::string& name, const Pair& pair, const Vector3d& center, double gap) {
  return {name,
          [pair, center](const Pose& first, const Pose& second, Index rows) {
            Pair made = pair;
            made.sphere = (made.sphere_is_second ? second : first).sphere(center, kRadius);
            const Pose& other = made.sphere_is_second ? first : second;
            made.position = other.point(Vector3d::Zero());
            made.orientation = other.orientation();
            made.rows = rows;
            return make_relation(made);
          },
          gap};
}

}  // namespace nonsmooth::shape_pair_cases
