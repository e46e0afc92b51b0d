// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/relations/joints.hpp>

/// Frames of joints, checked, with what their rows ask for.
namespace nonsmooth::joints {

/// a x b = skew(a) b.
[[nodiscard]] Eigen::Matrix3d skew(const Eigen::Vector3d& a);
/// Of a quaternion (w, x, y, z) of any length but zero.
[[nodiscard]] Eigen::Matrix3d rotation_of(const Eigen::Vector4d& quaternion);
/// One of the two unit quaternions of a rotation matrix.
[[nodiscard]] Eigen::Vector4d quaternion_of(const Eigen::Matrix3d& rotation);
[[nodiscard]] Eigen::Vector4d conjugate(const Eigen::Vector4d& a);
[[nodiscard]] Eigen::Vector4d product(const Eigen::Vector4d& a, const Eigen::Vector4d& b);

/// A JointFrame with unit axes.
struct Placed {
  Eigen::Vector3d point;
  Eigen::Matrix3d axes;        ///< columns: normal, axis x normal, axis
  Eigen::Vector4d quaternion;  ///< of axes
};
struct PlacedPair {
  Placed first, second;
  bool opposite = false;
};

enum class Normals : unsigned char { Any, Second, Both };

/// @throws InvalidArgument naming the field of `argument`.
[[nodiscard]] Placed placed(const std::string& argument, const JointFrame& frame, bool needs_normal);
[[nodiscard]] PlacedPair placed(const std::string& argument, const JointFrames& frames, Normals normals);

}  // namespace nonsmooth::joints
