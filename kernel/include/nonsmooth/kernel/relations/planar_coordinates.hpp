// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include <nonsmooth/kernel/relations/joints.hpp>

namespace nonsmooth {

// Coordinates of joints between bodies in the plane, one row each, linked to the same bodies beside the joint itself,
// as those of joint_coordinates.hpp in space: for stops, friction of a known moment, springs and actuators
// (SpringDamperLaw, ActuatorLaw), motors. Angles are those of q, which count their turns. Multipliers are moments
// [N m], or forces along the axis [N]. Values, H and curvature are exact.

/// y = direction (theta - offset) [rad], theta the rotation of the first body against the second, from frame to frame.
struct PlanarAngle {
  PlanarFrames frames{};
  double offset = 0.0;     ///< [rad]
  double direction = 1.0;  ///< 1 or -1
};

/// y = direction (z - offset) [m], z the way of the first body's point from the second's along the second's axis. A
/// force along it acts on both bodies at the first's point.
struct PlanarPosition {
  PlanarFrames frames{};
  double offset = 0.0;     ///< [m]
  double direction = 1.0;  ///< 1 or -1
};

/// A motor that prescribes theta = angle(t): y = theta - angle(t) [rad]. Or a velocity alone, where there is no angle:
/// y = 0, u = thetadot - velocity(t). With EqualityLaw the multiplier is the moment that it takes, with RelayLaw it is
/// of bounded moment, with SpringDamperLaw a drive of two gains. With a stiffness of its own the motor gives way as
/// HingeMotor does, y = theta - angle(t) + lambda / k, for TimeStepping. Functions are smooth; derivatives that are not
/// given are centred differences.
struct PlanarHingeMotor {
  PlanarFrames frames{};
  std::function<double(double t)> angle{};         ///< [rad]; none: a velocity is prescribed
  std::function<double(double t)> velocity{};      ///< its derivative [rad/s]; required where there is no angle
  std::function<double(double t)> acceleration{};  ///< the derivative of that [rad/s^2]
  double stiffness = 0.0;                          ///< k >= 0 of a motor of an angle [N m/rad]; 0: it does not give way
};

/// The same of z, as PlanarPosition has it: y = z - position(t) [m].
struct PlanarSliderMotor {
  PlanarFrames frames{};
  std::function<double(double t)> position{};      ///< [m]
  std::function<double(double t)> velocity{};      ///< [m/s]
  std::function<double(double t)> acceleration{};  ///< [m/s^2]
  double stiffness = 0.0;                          ///< k >= 0 of a motor of a position [N/m]; 0: it does not give way
};

/// Wheels that mesh, or a belt, 1 row: rotations theta_1 and theta_2 in one frame, the ground or a third body,
///
///     y = theta_1 + ratio theta_2  [rad],
///
/// ratio = n_2 / n_1 of wheels that turn against each other, < 0 of an internal gear, a belt or a coupler of two
/// shafts. Linked to {first, second} or {first, second, carrier}; each wheel has its PlanarHinge with the carrier
/// beside it. With friction: PlanarFrictionalGear.
struct PlanarGear {
  PlanarFrames first{};   ///< of the first wheel and the carrier; points are of no matter
  PlanarFrames second{};  ///< of the second wheel and the carrier
  double ratio = 1.0;     ///< not zero
};

/// A pinion on a rack, 1 row: rotation theta of the pinion, translation z of the rack along the axis of the carrier's
/// frame, both in one frame, the ground or a third body,
///
///     y = z - radius theta  [m].
///
/// Linked to {pinion, rack} or {pinion, rack, carrier}, with their PlanarHinge and PlanarSlider beside it.
/// With friction: PlanarFrictionalRack.
struct PlanarRack {
  PlanarFrames pinion{};  ///< of the pinion and the carrier; points are of no matter
  PlanarFrames rack{};    ///< of the rack and the carrier
  double radius = 0.0;    ///< of the pitch circle, not zero; < 0: it turns the other way [m]
};

/// The class that a description stands for. @throws InvalidArgument: entries that are not finite, a direction other
/// than 1 and -1, a motor without function, a stiffness that is negative or of a velocity alone, a ratio or a radius
/// that is zero. Systems that are no bodies in the plane are refused by name when it is linked.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarAngle coordinate);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarPosition coordinate);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarHingeMotor motor);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarSliderMotor motor);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarGear joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarRack joint);

}  // namespace nonsmooth
