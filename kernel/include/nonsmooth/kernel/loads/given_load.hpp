// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <nonsmooth/kernel/body_load.hpp>

namespace nonsmooth {

/// The axes that a force or a moment is given in: those of space, or those of the body, which turn with it.
enum class LoadAxes : unsigned char { Inertial, Body };

/// A force and a moment as functions of (t, q, v), q and v as RigidBody has them. The force acts at a point of the
/// body, so that it adds point x force to the moment. How the axes and the arm turn with the body is derived here:
/// Jacobians are of `load` alone; those that are not given are forward differences of step sqrt(eps) max(1, |q_j|).
struct GivenLoad {
  using Function = std::function<void(double t, ConstVectorRef q, ConstVectorRef v, VectorRef load)>;
  using Jacobian = std::function<void(double t, ConstVectorRef q, ConstVectorRef v, MatrixRef J)>;

  Function load{};     ///< 6: force [N], moment [N m]; comes in zeroed; required
  Jacobian load_dq{};  ///< 6 x 6, along the tangent directions of q: a move in space, a turn in the body's axes
  Jacobian load_dv{};  ///< 6 x 6
  LoadAxes force_axes = LoadAxes::Inertial, moment_axes = LoadAxes::Body;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();      ///< where the force acts, in body coordinates [m]
  std::function<double(ConstVectorRef q)> potential{};  ///< [J]; none: the load has no potential
};

/// The class that the description stands for, checked when a body is made.
[[nodiscard]] std::shared_ptr<const BodyLoad> make_load(GivenLoad load);

}  // namespace nonsmooth
