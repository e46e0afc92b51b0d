// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <nonsmooth/kernel/dynamical_system.hpp>

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

/// A spring and a damper between a point of the body and a point in space, d apart:
///
///     force = -(stiffness (|d| - rest_length) + damping d|d|/dt) d / |d|.
///
/// At |d| = 0 there is no line to act on: no damping, and no force.
struct PointSpring {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< of the body, in its coordinates [m]
  Eigen::Vector3d anchor = Eigen::Vector3d::Zero();  ///< in space [m]
  double stiffness = 0.0;                            ///< [N/m]
  double damping = 0.0;                              ///< [N s/m]
  double rest_length = 0.0;                          ///< >= 0 [m]
};

/// A force and a moment that are constant in the body's axes: a thruster. It has no potential.
struct FollowerForce {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< where the force acts, in body coordinates [m]
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< in body axes [N]
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< in body axes [N m]
};

/// force = -translation xdot, moment = -rotation Omega.
struct LinearDrag {
  double translation = 0.0;  ///< [N s/m]
  double rotation = 0.0;     ///< [N m s]
};

using BodyLoad = std::variant<GivenLoad, PointSpring, FollowerForce, LinearDrag>;

/// How time-stepping takes the moment -Omega x J Omega: as every force (theta), or at t_k alone, which leaves A
/// constant where nothing else varies, is of order 1, and adds energy: theta = 1/2 does not.
enum class GyroscopicTerm : unsigned char { Implicit, Explicit };

/// A rigid body in space:
///
///     m xddot = sum of forces + m gravity + R,      J Omegadot + Omega x J Omega = sum of moments + T,
///
/// q = (x, y, z, w, qx, qy, qz), nq = 7: the centre of mass in space and the unit quaternion that turns body
/// coordinates into those of space; v = (xdot, ydot, zdot, Omega_1, Omega_2, Omega_3), nv = 6: the velocity in space,
/// the angular velocity in the body's axes. A generalised force is a force in space and a moment about the centre of
/// mass in the body's axes. q moves along w by x += w_1..3, Q := Q exp(w_4..6 / 2), which stays a unit to round-off.
struct RigidBody {
  double mass = 1.0;                                           ///< m > 0 [kg]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();       ///< J about the centre of mass, body axes [kg m^2]
  Eigen::Vector3d position = Eigen::Vector3d::Zero();          ///< of the centre of mass [m]
  Eigen::Vector4d orientation{1.0, 0.0, 0.0, 0.0};             ///< (w, x, y, z), a unit to 1e-12
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of the centre of mass [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in body axes [rad/s]
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();           ///< acceleration in space [m/s^2]
  std::vector<BodyLoad> loads{};
  GyroscopicTerm gyroscopic = GyroscopicTerm::Implicit;  ///< EventDriven takes both alike
  std::vector<PrescribedVelocity> prescribed{};
  std::vector<PrescribedImpulse> impulses{};  ///< of 6 entries
  Feedback feedback{};                        ///< 6; none: zero
  std::string name{};
};

/// A rigid body in the plane: q = (x, y, angle), v = (xdot, ydot, angular velocity), constant mass diag(m, m, J).
/// Without loads it is a linear system, as fast as those. Its loads are those of a body in space that lies in the plane
/// z = 0 and turns about z: a GivenLoad gets that body's q and v. What they do out of the plane is left out.
struct PlanarBody {
  double mass = 1.0;                                   ///< m > 0 [kg]
  double inertia = 1.0;                                ///< J > 0 about the centre of mass [kg m^2]
  Eigen::Vector2d position = Eigen::Vector2d::Zero();  ///< of the centre of mass [m]
  double angle = 0.0;                                  ///< [rad]
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< of the centre of mass [m/s]
  double angular_velocity = 0.0;                       ///< [rad/s]
  Eigen::Vector2d gravity = Eigen::Vector2d::Zero();   ///< acceleration [m/s^2]
  std::vector<BodyLoad> loads{};
  std::vector<PrescribedVelocity> prescribed{};
  std::vector<PrescribedImpulse> impulses{};  ///< of 3 entries
  Feedback feedback{};                        ///< 3; none: zero
  std::string name{};
};

/// The class that a description stands for. Its potential is that of gravity, springs and loads that give one.
/// @throws InvalidArgument: a mass or an inertia that is not positive, an inertia that is not symmetric or that no body
/// has (the triangle inequality of its principal moments), a quaternion that is no unit, numbers that are not finite, a
/// spring of negative rest length, a GivenLoad without a function, a prescribed component out of range.
[[nodiscard]] std::shared_ptr<const MechanicalSystem> make_system(RigidBody body);
[[nodiscard]] std::shared_ptr<const MechanicalSystem> make_system(PlanarBody body);

}  // namespace nonsmooth
