// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/relations/joints.hpp>

namespace nonsmooth {

// Stops of joints between rigid bodies in space beyond HingeAngle and SliderPosition (joint_coordinates.hpp), linked to
// the same bodies beside the joint itself. y >= 0 is the free side.
//
// Friction at a stop needs a freedom that is left while it is closed, in which the surfaces slip: of a cylindrical
// joint the rotation at an end collar (CollarStop), and the way along the axis at a key (KeyStop), of a universal joint
// the turn on the other pin (CrossStop), of a ball joint the way along the rim of the socket (RimStop). A hinge, a
// slider and a screw have none; the sides of a planar joint are pairs of shapes.

/// A shaft's end or shoulder against a collar, 2 rows for NewtonImpactFrictionLaw of dimension 2: the gap along the
/// axis and, at `radius` about it, the way of the turn,
///
///     y_N = direction (z - offset),    y_T = radius theta    [m],
///
/// z the way of the first body's point along the second's axis and theta the rotation about it, in [-pi, pi], of which
/// the rate alone counts. The collar brakes with the moment radius p_T, |p_T| <= mu p_N: of pressure that is the same
/// all over a ring, radius is 2 / 3 (r_o^3 - r_i^3) / (r_o^2 - r_i^2); of one that has worn in, (r_o + r_i) / 2
/// [beer2019].
struct CollarStop {
  JointFrames frames{};    ///< with normals
  double offset = 0.0;     ///< [m]
  double direction = 1.0;  ///< 1 or -1
  double radius = 0.0;     ///< > 0 [m]
};

/// A lug on a shaft against the side of a key along the axis, at `radius` from it, 2 rows for NewtonImpactFrictionLaw
/// of dimension 2,
///
///     y_N = radius direction (theta - offset),    y_T = z    [m]:
///
/// theta as HingeAngle has it, in reference +- pi turns, where the far end of the free range, too, has to be, or with
/// turns = 0 counted: a lug that meets its key after any number of turns.
struct KeyStop {
  JointFrames frames{};    ///< with normals
  double reference = 0.0;  ///< the middle of the range; of counted turns, within half a turn of the start [rad]
  double offset = 0.0;     ///< inside the range, where there is one [rad]
  double direction = 1.0;  ///< 1 or -1
  double radius = 0.0;     ///< > 0 [m]
  Index turns = 1;         ///< of the range, 1 or 2; 0: counted
};

/// y = direction (theta - offset) [rad] of a universal joint, for NewtonImpactLaw or a law of moments: theta the
/// rotation of the first body on the cross, about the pin along its axis (pin 1), or of the cross on the second body,
/// about the pin along its normal (pin 2), zero where the frames coincide, in reference +- pi or, with turns = 0,
/// counted as HingeAngle counts: of a gimbal whose ring goes round and round. A stop between a body and the cross has
/// no friction, as nothing slips there while it is closed.
struct UniversalAngle {
  JointFrames frames{};    ///< with normals
  Index pin = 1;           ///< 1 or 2
  double offset = 0.0;     ///< inside the range, where there is one [rad]
  double direction = 1.0;  ///< 1 or -1
  double reference = 0.0;  ///< the middle of the range; of counted turns, within half a turn of the start [rad]
  Index turns = 1;         ///< of the range, 1; 0: counted
};

/// A stop of a universal joint between its two bodies, past the cross: a lug of the one on a surface of the other that
/// is of revolution about the other's pin, so that it is met at one angle theta on `pin`, as UniversalAngle has it,
/// however the joint is turned on the other pin, along which it slips. 2 rows for NewtonImpactFrictionLaw of dimension
/// 2,
///
///     y_N = radius direction (theta - offset),    y_T = slip_radius theta'    [m],
///
/// theta' the rotation on the other pin, in [-pi, pi], of which the rate alone counts. The normals of such a surface
/// meet its axis, so that p_N has no moment about the other pin and the moment radius p_N about this one.
struct CrossStop {
  JointFrames frames{};      ///< with normals
  Index pin = 1;             ///< 1 or 2
  double offset = 0.0;       ///< inside the range, where there is one [rad]
  double direction = 1.0;    ///< 1 or -1
  double radius = 0.0;       ///< of the lug about `pin`, > 0 [m]
  double slip_radius = 0.0;  ///< of the surface about the other pin where it is met, > 0 [m]
  double reference = 0.0;    ///< as of UniversalAngle [rad]
  Index turns = 1;           ///< likewise, 1 or 0
};

/// The axis of the first body stays in a cone about the second's, of the half angle `limit`: by the angle beta between
/// them
///
///     y = (cos beta - cos limit) / sin limit,    about limit - beta near zero [rad],
///
/// smooth also where the axes coincide; the multiplier is the moment there [N m]. With friction: RimStop. The twist of
/// a ball joint, by the shortest turn that brings one axis to the other, is HingeAngle on the same frames.
struct BallSwing {
  JointFrames frames{};
  double limit = 0.0;  ///< in (0, pi) [rad]
};

/// The stud of a ball joint, along the first body's axis, on the round rim of its socket about the second's: 2 rows for
/// NewtonImpactFrictionLaw of dimension 2. With beta the angle between the axes, r = radius from the ball's centre
/// along the stud to where it meets the rim, rho = stud_radius,
///
///     y_N = r (cos beta - cos limit) / sin limit,    about r (limit - beta) near zero [m],
///     u_T = omega . (rho a - r (a cos beta - b) / sin limit)    [m/s],
///
/// a and b the axes in space, omega the angular velocity of the first body as the second sees it: where it touches, u_T
/// is how fast the stud's surface slips along the rim, by rolling round it at the rate phi' and turning about its own
/// axis at psi': (r sin beta + rho cos beta) phi' + rho psi'. Slip is the rate of no coordinate: y_T = 0.
struct RimStop {
  JointFrames frames{};
  double limit = 0.0;        ///< in (0, pi) [rad]
  double radius = 0.0;       ///< > 0 [m]
  double stud_radius = 0.0;  ///< >= 0; 0: a thin stud, whose own turn rubs nothing [m]
};

/// The class that a description stands for. @throws InvalidArgument as of joints; an offset outside the range, a
/// direction other than 1 and -1, a radius that is not positive (stud_radius: negative), a pin other than 1 and 2, a
/// limit outside (0, pi), turns other than 0, 1 and (of a KeyStop) 2.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(CollarStop stop);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(KeyStop stop);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(UniversalAngle stop);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(CrossStop stop);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(BallSwing stop);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(RimStop stop);

}  // namespace nonsmooth
