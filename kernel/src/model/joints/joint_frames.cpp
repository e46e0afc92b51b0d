// SPDX-License-Identifier: Apache-2.0
#include "joint_frames.hpp"

#include <cmath>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/bodies/rotation.hpp"

namespace nonsmooth {
namespace joints {
namespace {

/// The axis of a frame of the ground, and of a body that is not turned.
const Eigen::Vector4d kNotTurned(1.0, 0.0, 0.0, 0.0);

Eigen::Vector3d unit_of(const std::string& argument, const Eigen::Vector3d& direction) {
  check::finite(argument, ConstVectorRef(direction));
  const double length = direction.stableNorm();
  if (!(length > 0.0)) throw InvalidArgument(argument, "zero", "a direction, of any length but zero");
  return direction / length;
}

/// The coordinate axis that is furthest from a direction.
Eigen::Vector3d any_normal(const Eigen::Vector3d& axis) {
  Index smallest = 0;
  axis.cwiseAbs().minCoeff(&smallest);
  return Eigen::Vector3d::Unit(smallest);
}

struct BodyStart {
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  Eigen::Vector4d quaternion = kNotTurned;
};

BodyStart body_start(const std::string& argument, ConstVectorRef q) {
  check::size(argument, q.size(), 7, "a position and a quaternion");
  check::finite(argument, q);
  const double length = q.tail<4>().norm();
  if (std::abs(length - 1.0) > rotation::kUnitTolerance) {
    throw InvalidArgument(argument, "a quaternion of length " + check::text(length), "a unit quaternion");
  }
  return {q.head<3>(), q.tail<4>()};
}

JointFrame seen_from(const BodyStart& body, const Eigen::Vector3d& point, const Eigen::Matrix3d& axes) {
  const Eigen::Matrix3d back = rotation::matrix_of_any_length(body.quaternion).transpose();
  return {back * (point - body.place), back * axes.col(2), back * axes.col(0)};
}

JointFrames closed_at(const std::string& maker, const BodyStart& first, const BodyStart& second,
                      const Eigen::Vector3d& point, const Eigen::Vector3d& axis, const Eigen::Vector3d& normal) {
  const Placed space = placed(maker, {point, axis, normal}, false);
  JointFrames frames{seen_from(first, point, space.axes), seen_from(second, point, space.axes)};
  const PlacedPair pair = placed(maker, frames, Normals::Both);
  frames.opposite = rotation::product(first.quaternion, pair.first.quaternion)
                        .dot(rotation::product(second.quaternion, pair.second.quaternion)) < 0.0;
  return frames;
}

}  // namespace

Placed placed(const std::string& argument, const JointFrame& frame, bool needs_normal) {
  check::finite(argument + ".point", ConstVectorRef(frame.point));
  check::finite(argument + ".normal", ConstVectorRef(frame.normal));
  const Eigen::Vector3d axis = unit_of(argument + ".axis", frame.axis);
  const bool given = !frame.normal.isZero(0.0);
  if (needs_normal && !given) {
    throw InvalidArgument(argument + ".normal", "zero", "the direction where angles are zero");
  }
  const Eigen::Vector3d direction = given ? unit_of(argument + ".normal", frame.normal) : any_normal(axis);
  const Eigen::Vector3d across = direction - axis.dot(direction) * axis;
  if (across.norm() < 1e-6) throw InvalidArgument(argument + ".normal", "a direction along the axis", "one across it");
  const Eigen::Vector3d normal = (across - axis.dot(across) * axis).normalized();
  Placed result{frame.point, {}, {}};
  result.axes << normal, rotation::skew(axis) * normal, axis;
  result.quaternion = rotation::quaternion(result.axes);
  return result;
}

PlacedPair placed(const std::string& argument, const JointFrames& frames, Normals normals) {
  return {placed(argument + ".first", frames.first, normals == Normals::Both),
          placed(argument + ".second", frames.second, normals != Normals::Any), frames.opposite};
}

}  // namespace joints

JointFrames joint_between(ConstVectorRef q_first, ConstVectorRef q_second, const Eigen::Vector3d& point,
                          const Eigen::Vector3d& axis, const Eigen::Vector3d& normal) {
  return joints::closed_at("joint_between", joints::body_start("joint_between: q_first", q_first),
                           joints::body_start("joint_between: q_second", q_second), point, axis, normal);
}

JointFrames joint_to_ground(ConstVectorRef q_first, const Eigen::Vector3d& point, const Eigen::Vector3d& axis,
                            const Eigen::Vector3d& normal) {
  return joints::closed_at("joint_to_ground", joints::body_start("joint_to_ground: q_first", q_first), {}, point, axis,
                           normal);
}

PlanarFrames planar_joint_between(ConstVectorRef q_first, ConstVectorRef q_second, const Eigen::Vector2d& point,
                                  double angle) {
  PlanarFrames frames = planar_joint_to_ground(q_first, point, angle);
  frames.second = planar_joint_to_ground(q_second, point, angle).first;
  return frames;
}

PlanarFrames planar_joint_to_ground(ConstVectorRef q_first, const Eigen::Vector2d& point, double angle) {
  check::size("planar joint: q", q_first.size(), 3, "a position and an angle");
  check::finite("planar joint: q", q_first);
  check::finite("planar joint: point", ConstVectorRef(point));
  check::finite("planar joint: angle", angle);
  const double c = std::cos(q_first[2]), s = std::sin(q_first[2]);
  const Eigen::Vector2d r = point - q_first.head<2>();
  return {{Eigen::Vector2d(c * r[0] + s * r[1], c * r[1] - s * r[0]), angle - q_first[2]}, {point, angle}};
}

}  // namespace nonsmooth
