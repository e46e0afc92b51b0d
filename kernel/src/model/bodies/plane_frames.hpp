// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/joints/joint_motion.hpp"

/// Frames of joints in the plane, checked, and what moves between them.
namespace nonsmooth::joints {

struct PlaneFrame {
  Eigen::Vector3d point, axis, normal;
  double angle;

  /// @throws InvalidArgument naming the field of `argument`.
  PlaneFrame(const std::string& argument, const PlanarFrame& frame);
};

struct PlanePair {
  PlaneFrame first, second;

  PlanePair(const std::string& argument, const PlanarFrames& frames)
      : first(argument + ".first", frames.first), second(argument + ".second", frames.second) {}
};

/// The way from the second frame's point, on body j, to the first's, on body i.
[[nodiscard]] inline Vector way_between(const PlaneBodies& bodies, Index i, Index j, const PlanePair& frames) {
  return bodies.point(i, frames.first.point) - bodies.point(j, frames.second.point);
}
/// The same along the axis of the second frame.
[[nodiscard]] inline Scalar way_along(const PlaneBodies& bodies, Index i, Index j, const PlanePair& frames) {
  return dot(bodies.direction(j, frames.second.axis), way_between(bodies, i, j, frames));
}
/// The angle of the first frame, of body i, against the second, of body j.
[[nodiscard]] inline Scalar turned(const PlaneBodies& bodies, Index i, Index j, const PlanePair& frames) {
  Scalar result = bodies.angle(i) - bodies.angle(j);
  result.value += frames.first.angle - frames.second.angle;
  return result;
}

}  // namespace nonsmooth::joints
