// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include <internal/check.hpp>

#include "joint_motion.hpp"

/// What the rows of joints, their coordinates and their stops are made of: of two frames, the first on body i and the
/// second on body j.
namespace nonsmooth::joints {

/// The first frame's point less the second's.
inline Vector offset_of(const SpaceBodies& bodies, const PlacedPair& frames, Index i = 0, Index j = 1) {
  return bodies.point(i, frames.first.point) - bodies.point(j, frames.second.point);
}
/// An offset along axis k of the second's frame: 0 its normal, 1 axis x normal, 2 the axis.
inline Scalar along(const Vector& offset, const SpaceBodies& bodies, const PlacedPair& frames, Index k, Index j = 1) {
  return dot(bodies.direction(j, frames.second.axes.col(k)), offset);
}
inline Scalar way_of(const SpaceBodies& bodies, const PlacedPair& frames, Index k = 2, Index i = 0, Index j = 1) {
  return along(offset_of(bodies, frames, i, j), bodies, frames, k, j);
}
/// The rotation about the axis, within half of `range` of the reference, where it jumps.
inline Scalar turn_near(const SpaceBodies& bodies, const PlacedPair& frames, double reference, double range,
                        Index i = 0, Index j = 1) {
  Scalar angle = 2.0 * bodies.half_angle(i, j, frames);
  angle.value = reference + std::remainder(angle.value - reference, range);
  return angle;
}
/// In [-pi, pi].
inline Scalar turn_of(const SpaceBodies& bodies, const PlacedPair& frames, Index i = 0, Index j = 1) {
  return turn_near(bodies, frames, 0.0, 2.0 * std::numbers::pi, i, j);
}
/// The cosine of the angle between the axes.
inline Scalar cosine_of_swing(const SpaceBodies& bodies, const PlacedPair& frames) {
  return dot(bodies.direction(0, frames.first.axes.col(2)), bodies.direction(1, frames.second.axes.col(2)));
}
/// 2 s sin(z / (2 s) - alpha), alpha the half of an angle: about z - s angle near zero, the same for each turn.
inline Scalar rolling(double s, const Scalar& z, const Scalar& alpha) {
  return 2.0 * s * sine(1.0 / (2.0 * s) * z - alpha);
}

/// @throws InvalidArgument
inline double one_or_minus_one(const std::string& argument, double direction) {
  if (direction != 1.0 && direction != -1.0) throw InvalidArgument(argument, check::text(direction), "1 or -1");
  return direction;
}

// Of a cross whose pins are the axis a of the first body and the normal n of the second, perpendicular where it is
// closed: the relative angular velocity is then a theta_1' + n theta_2'.

inline constexpr const char* kNoPinAngle = "the pins of a cross in one line";
inline constexpr const char* kPinAngle = "pins at an angle to each other, at a right one where it is closed";

/// theta_1: the first body on the cross about a, from where its normal is n.
inline Scalar turn_on_first_pin(const SpaceBodies& bodies, const PlacedPair& frames) {
  const Vector n = bodies.direction(1, frames.second.axes.col(0));
  return angle_of(-1.0 * dot(bodies.direction(0, frames.first.axes.col(1)), n),
                  dot(bodies.direction(0, frames.first.axes.col(0)), n), kNoPinAngle, kPinAngle);
}
/// theta_2: the cross on the second body about n, from where a is the second's axis.
inline Scalar turn_on_second_pin(const SpaceBodies& bodies, const PlacedPair& frames) {
  const Vector a = bodies.direction(0, frames.first.axes.col(2));
  return angle_of(-1.0 * dot(bodies.direction(1, frames.second.axes.col(1)), a),
                  dot(bodies.direction(1, frames.second.axes.col(2)), a), kNoPinAngle, kPinAngle);
}

}  // namespace nonsmooth::joints
