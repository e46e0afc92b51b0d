// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "contact/narrow_phase/root_of.hpp"
#include "round_on_shape.hpp"

namespace nonsmooth::shape_pairs {

inline constexpr double kAlongLine = 1e-10;  ///< n . a / |a| that is none
inline constexpr double kBent = 1e-12;       ///< of the largest bend: along lines that are parallel it is none
inline constexpr double kLineOf = 0.1;       ///< radii: so much of a line along which it is none has several points
inline constexpr double kLinesTouch = 1e-8;  ///< radii apart below which these touch

/// A capsule on a convex shape of the other body. Of its axis p(s) = from + s a, s in [0, 1], the nearest point counts:
/// with n(s) the normal of the distance there, n . a grows with s, and is zero there, or the nearest is an end. Inside,
/// s follows as n . a stays zero: with n' the rate of n at a fixed s and the bend B,
///
///     s' = -(n' . a + n . a') / (a . B a).
///
/// Where the shape has a line along the axis a . B a is zero, and the nearest are several: no rows follow if they
/// touch.
template <class Shape>
struct CapsuleOnShape {
  static constexpr Index kMost = Shape::kOfGround ? 1 : 2;
  RoundOnShape<Shape> end;  ///< the ball where the axis begins
  Eigen::Vector3d along;

  template <class Bodies>
  [[nodiscard]] Nearest operator()(const Bodies& bodies) const {
    const Index round = end.round_is_second ? 1 : 0, other = 1 - round;
    const Moving axis = moving(bodies.direction(round, along));
    const Eigen::Matrix3d axes = bodies.axes(other) * end.turn;
    Moving c = moving(bodies.point(round, end.center));
    const Eigen::Vector3d from = axes.transpose() * (c.value - bodies.point(other, end.middle).value),
                          a = axes.transpose() * axis.value;
    if (!std::isfinite(from.sum() + a.sum())) return end.about(bodies, c);
    const auto rise = [&](double s) { return end.shape.distance(from + s * a).normal.dot(a); };
    const double s = narrow_phase::root_by_secants(0.0, 1.0, rise), length = a.norm();
    c = shifted(c, s, axis);
    const Distance at = end.shape.distance(from + s * a);
    const double bent = a.dot(at.bend * a);
    if (s > 0.0 && s < 1.0 && bent > kBent * a.squaredNorm() * at.bend.norm()) {
      const Moving n = end.normal_at(bodies, at, axes, c);
      c.rate -= ((n.rate.dot(axis.value) + n.value.dot(axis.rate)) / bent) * axis.value;
    }
    Nearest result = end.about(bodies, c);
    if (result.gap > kLinesTouch * end.radius) return result;
    const double beside = kLineOf * end.radius / length, none = kAlongLine * length;
    result.several =
        (s < 1.0 && rise(std::min(1.0, s + beside)) <= none) || (s > 0.0 && rise(std::max(0.0, s - beside)) >= -none);
    return result;
  }
  [[noreturn]] static void refuse_several() {
    throw InvalidArgument("a capsule on a cylinder or cone", "its axis along a line or an end of this, touching it",
                          "one that touches it in a point: across it, or at an angle");
  }
  /// The farthest that the capsule's axis is from its body's centre.
  [[nodiscard]] double arm_of_axis() const { return std::max(end.center.norm(), (end.center + along).norm()); }
  [[nodiscard]] double arm() const {
    return Shape::kOfGround ? arm_of_axis() : std::max(arm_of_axis(), end.arm_of_shape());
  }
  [[nodiscard]] double smallest_feature() const { return feature_of(end.radius, arm()); }
  [[nodiscard]] double passage_depth() const { return end.passage_depth(); }
  /// The ground does not move: whatever lies there has no arm.
  [[nodiscard]] double steepness(Index systems) const {
    if (systems > 1) return steepness_of(arm());
    return steepness_of(end.round_is_second ? end.arm_of_shape() : arm_of_axis());
  }
};

}  // namespace nonsmooth::shape_pairs
