// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "contact_relation.hpp"

namespace nonsmooth::shape_pairs {

/// How far a point x is from a shape, in the axes of the shape: negative inside. The normal, a unit, is its gradient
/// and the bend its second derivative: where x moves at w, the distance grows by normal . w and the normal turns by
/// bend w.
struct Distance {
  double value = 0.0;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();
  Eigen::Matrix3d bend = Eigen::Matrix3d::Zero();
};

/// From a vertex, `between` from there to x; `sign` -1: x is inside.
inline Distance from_vertex(const Eigen::Vector3d& between, double sign = 1.0) {
  const double length = between.norm();
  if (length == 0.0) return {};
  const Eigen::Vector3d n = between / length;
  const Eigen::Matrix3d bend = (sign / length) * (Eigen::Matrix3d::Identity() - n * n.transpose());
  return {sign * length, sign * n, bend};
}
/// From a line along the unit t, of which x is `between` away.
inline Distance from_line(const Eigen::Vector3d& between, const Eigen::Vector3d& t, double sign = 1.0) {
  Distance result = from_vertex(between, sign);
  if (result.value != 0.0) result.bend -= (sign / std::abs(result.value)) * t * t.transpose();
  return result;
}
/// From a plane.
inline Distance from_plane(double height, const Eigen::Vector3d& normal) {
  return {height, normal, Eigen::Matrix3d::Zero()};
}

/// Of the arms of two shapes: as sharp, and so near, corners meet corners.
inline constexpr double kCornersMeet = 1e-8;
/// What is said where a corner comes to a corner of a shape: of whom, what, and what may be instead.
struct SharpCorners {
  const char *pair, *found, *instead;
};

/// A sphere, a disk or a point on a shape of the other body. A Shape knows the distance() of points from its middle,
/// the size() of a ball about this, and whether it is kOfGround alone; of shapes with a rounding() points may be on it,
/// whose normal jumps where they pass a corner that is as sharp: no rows follow where they are at_corner().
template <class Shape>
struct RoundOnShape {
  static constexpr Index kMost = Shape::kOfGround ? 1 : 2;
  static constexpr bool kMayBeSharp = requires(const Shape& any) { any.rounding(); };
  Eigen::Vector3d center;
  double radius = 0.0;
  Shape shape;
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();    ///< of the shape, on its body
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  ///< shape to body
  bool round_is_second = false;

  template <class Bodies>
  [[nodiscard]] Nearest operator()(const Bodies& bodies) const {
    return about(bodies, moving(bodies.point(round_is_second ? 1 : 0, center)));
  }
  /// w, as the shape of body `other` sees c move.
  template <class Bodies>
  [[nodiscard]] static Eigen::Vector3d seen(const Bodies& bodies, Index other, const Moving& c) {
    return c.rate - bodies.carried(other, c.value, Eigen::Vector3d::Zero()).rate;
  }
  /// The normal at a place c, in space; `axes`: from the shape there.
  template <class Bodies>
  [[nodiscard]] Moving normal_at(const Bodies& bodies, const Distance& at, const Eigen::Matrix3d& axes,
                                 const Moving& c) const {
    const Index other = round_is_second ? 0 : 1;
    Moving n = moving(bodies.direction(other, turn * at.normal));
    n.rate += axes * (at.bend * (axes.transpose() * seen(bodies, other, c)));
    return n;
  }
  /// About the centre c, wherever it is on the round one's body. The foot c - d n follows by c' - d' n - d n', d' = n .
  /// w and n' = bend w, w as the shape sees c move.
  template <class Bodies>
  [[nodiscard]] Nearest about(const Bodies& bodies, const Moving& c) const {
    const Index other = round_is_second ? 0 : 1;
    const Eigen::Matrix3d axes = bodies.axes(other) * turn;
    const Eigen::Vector3d x = axes.transpose() * (c.value - bodies.point(other, middle).value);
    const Distance at = std::isfinite(x.sum()) ? shape.distance(x) : Distance{.value = x.sum()};
    const Eigen::Vector3d w = seen(bodies, other, c);
    const Moving n = normal_at(bodies, at, axes, c), on_round = shifted(c, -radius, n);
    Moving foot = shifted(c, -at.value, n);
    foot.rate -= n.value.dot(w) * n.value;
    Nearest result{at.value - radius, n, on_round, foot};
    if (round_is_second) result = {result.gap, {-n.value, -n.rate}, foot, on_round};
    if constexpr (kMayBeSharp) {
      const double near = kCornersMeet * arm();
      result.several = curve() <= near && shape.at_corner(x, near);
    }
    return result;
  }
  [[noreturn]] static void refuse_several() requires kMayBeSharp {
    throw InvalidArgument(Shape::kSharp.pair, Shape::kSharp.found, Shape::kSharp.instead);
  }
  /// The farthest that a closest point is from its body's centre.
  [[nodiscard]] double arm_of_shape() const { return middle.norm() + shape.size(); }
  [[nodiscard]] double arm() const {
    return Shape::kOfGround ? center.norm() : std::max(center.norm(), arm_of_shape());
  }
  /// The least radius about which the centres pass one another: of both, where corners are round.
  [[nodiscard]] double curve() const {
    if constexpr (kMayBeSharp) return radius + shape.rounding();
    return radius;
  }
  [[nodiscard]] double smallest_feature() const { return feature_of(curve(), arm()); }
  [[nodiscard]] double passage_depth() const { return radius + shape.depth_behind(); }
  /// The ground does not move: whatever lies there has no arm.
  [[nodiscard]] double steepness(Index systems) const {
    if (systems > 1) return steepness_of(arm());
    return steepness_of(round_is_second ? arm_of_shape() : center.norm());
  }
};

}  // namespace nonsmooth::shape_pairs
