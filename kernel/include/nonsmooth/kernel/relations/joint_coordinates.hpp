// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <nonsmooth/kernel/relations/joints.hpp>

namespace nonsmooth {

// Coordinates of joints between rigid bodies in space, one row each, linked to the same bodies beside the joint itself:
// for stops (NewtonImpactLaw), friction of a known moment (RelayLaw on u), springs and actuators (SpringDamperLaw,
// ActuatorLaw), motors (EqualityLaw). Multipliers are moments about the axis [N m], or forces along it [N]: opposite on
// the two bodies. In the plane: planar_coordinates.hpp.

/// y = direction (theta - offset) [rad], theta the rotation of the first body against the second about the axis, from
/// normal to normal. A function of q alone, it is in reference +- pi turns and jumps at the ends of this range: a stop
/// works where the far end of the free range, too, is inside. A lower stop at a, an upper one at b, 0 < b - a < 2 pi:
///
///     HingeAngle{.frames = frames, .reference = (a + b) / 2, .offset = a},
///     HingeAngle{.frames = frames, .reference = (a + b) / 2, .offset = b, .direction = -1.0}.
///
/// Two turns are told apart by the signs of the quaternions, which a turn changes; that asks for frames made by
/// joint_between or joint_to_ground where the bodies start.
///
/// With turns = 0 there is no range: y counts turns. It is the angle next to the one before, at first to `reference`,
/// and goes on from State::outputs, which copied states, both simulations and later revisions of a model carry on. A
/// step, or a smooth step of EventDriven, turns by less than half a turn; where positions are written between steps,
/// the next y is the one next to the last.
struct HingeAngle {
  JointFrames frames{};    ///< with normals
  double reference = 0.0;  ///< the middle of the range; of counted turns, within half a turn of the start [rad]
  double offset = 0.0;     ///< inside the range, where there is one [rad]
  double direction = 1.0;  ///< 1 or -1
  Index turns = 1;         ///< of the range, 1 or 2; 0: counted
};

/// y = direction (z - offset) [m], z the way of the first body's point from the second's along the second's axis.
struct SliderPosition {
  JointFrames frames{};
  double offset = 0.0;     ///< [m]
  double direction = 1.0;  ///< 1 or -1
};

/// A motor that prescribes theta = angle(t), for any number of turns: y = theta - angle(t), which counts turns as a
/// HingeAngle of turns = 0 does, so that a drive of bounded moment that falls turns behind comes back all of them. A
/// step, or a smooth step of EventDriven, changes y by less than half a turn, however far theta and angle(t) go. At the
/// start theta is the one next to angle(t), or to `reference` where that is given: a drive that starts turns away. Or
/// a velocity alone, where there is no angle: y = 0, u = thetadot - velocity(t), so that the angle drifts as the scheme
/// lets it. With EqualityLaw the multiplier is the moment that it takes; with RelayLaw a motor of bounded moment.
/// Functions are smooth; derivatives that are not given are centred differences.
///
/// Under SpringDamperLaw it is a drive with proportional and derivative gains k and d and a bounded moment. With a
/// stiffness k of its own the motor gives way: y = theta - angle(t) + lambda / k, so that EqualityLaw makes lambda =
/// -k (theta - angle(t)) at the end of a step, of order 1; other laws of compliant relations may stand there. That is
/// for TimeStepping.
struct HingeMotor {
  JointFrames frames{};                            ///< with normals
  std::function<double(double t)> angle{};         ///< [rad]; none: a velocity is prescribed
  std::function<double(double t)> velocity{};      ///< its derivative [rad/s]; required where there is no angle
  std::function<double(double t)> acceleration{};  ///< the derivative of that [rad/s^2]
  double stiffness = 0.0;                          ///< k >= 0 of a motor of an angle [N m/rad]; 0: it does not give way
  std::optional<double> reference{};  ///< theta within half a turn at the start [rad]; none: angle(t) there
};

/// The same of z, as SliderPosition has it: y = z - position(t) [m].
struct SliderMotor {
  JointFrames frames{};
  std::function<double(double t)> position{};      ///< [m]
  std::function<double(double t)> velocity{};      ///< [m/s]
  std::function<double(double t)> acceleration{};  ///< [m/s^2]
  double stiffness = 0.0;                          ///< k >= 0 [N/m]; 0: it does not give way
};

/// The class that a description stands for. @throws InvalidArgument as of joints; an offset outside the range, a
/// direction other than 1 and -1, turns other than 0, 1 and 2, a motor without angle and velocity, a stiffness
/// that is negative, or of a velocity alone, a reference that is not finite.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(HingeAngle coordinate);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SliderPosition coordinate);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(HingeMotor motor);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SliderMotor motor);

}  // namespace nonsmooth
