// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/relations/joints.hpp>

/// Frames of joints, checked, with what their rows ask for.
namespace nonsmooth::joints {

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
