// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/body_load.hpp>

namespace nonsmooth {

/// A spring and a damper between a point of the body and a point in space, d apart:
///
///     force = -(stiffness (|d| - rest_length) + damping d|d|/dt) d / |d|.
///
/// At |d| = 0 there is no line to act on: no damping, and no force.
struct PointSpring {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< of the body, in its coordinates [m]
  Eigen::Vector3d anchor = Eigen::Vector3d::Zero();  ///< in space [m]
  double stiffness = 0.0;                            ///< [N/m]
  double damping = 0.0;                              ///< >= 0 [N s/m]
  double rest_length = 0.0;                          ///< >= 0 [m]
};

/// The class that the description stands for, checked when a body is made.
[[nodiscard]] std::shared_ptr<const BodyLoad> make_load(PointSpring load);

}  // namespace nonsmooth
