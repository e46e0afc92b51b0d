// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel/body_load.hpp>
#include <nonsmooth/kernel/dynamical_system.hpp>
#include <nonsmooth/kernel/loads.hpp>

namespace nonsmooth {

/// How time-stepping takes the moment G = -Omega x J Omega: as every force (theta), or at t_k alone, which leaves A
/// constant where nothing else varies, is of order 1, and adds energy in every step. With theta = 1/2 the implicit one
/// is the trapezoidal rule: of a free body it keeps Omega . J Omega / 2 + h^2 / 8 G . J^-1 G and |J Omega|^2 +
/// h^2 / 4 |G|^2 in every step, so that energy and moment swing by O(h^2) and do not drift.
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
  Eigen::Vector4d orientation{1.0, 0.0, 0.0, 0.0};             ///< (w, x, y, z), a unit to 1e-9
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of the centre of mass [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in body axes [rad/s]
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();           ///< acceleration in space [m/s^2]
  std::vector<AnyBodyLoad> loads{};
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
  std::vector<AnyBodyLoad> loads{};
  std::vector<PrescribedVelocity> prescribed{};
  std::vector<PrescribedImpulse> impulses{};  ///< of 3 entries
  Feedback feedback{};                        ///< 3; none: zero
  std::string name{};
};

/// The class that a description stands for. Its potential is that of gravity, springs and loads that give one.
/// @throws InvalidArgument: a mass or an inertia that is not positive, an inertia that is not symmetric or that no body
/// has (the triangle inequality of its principal moments), a quaternion that is no unit, numbers that are not finite, a
/// load that its validate() refuses or that is a null pointer, a prescribed component out of range.
[[nodiscard]] std::shared_ptr<const MechanicalSystem> make_system(RigidBody body);
[[nodiscard]] std::shared_ptr<const MechanicalSystem> make_system(PlanarBody body);

}  // namespace nonsmooth
