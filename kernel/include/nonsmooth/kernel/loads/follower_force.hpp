// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/body_load.hpp>

namespace nonsmooth {

/// A force and a moment that are constant in the body's axes: a thruster. It has no potential.
struct FollowerForce {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< where the force acts, in body coordinates [m]
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< in body axes [N]
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< in body axes [N m]
};

/// The class that the description stands for, checked when a body is made.
[[nodiscard]] std::shared_ptr<const BodyLoad> make_load(FollowerForce load);

}  // namespace nonsmooth
