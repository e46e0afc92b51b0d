// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/relations/joints.hpp>

namespace nonsmooth {

// Stops of joints between rigid bodies in space beyond HingeAngle and SliderPosition (joint_coordinates.hpp), linked to
// the same bodies beside the joint itself. y >= 0 is the free side.
//
// Friction at a stop needs a freedom that is left while it is closed, in which the surfaces slip: of a cylindrical
// joint the rotation at an end collar, and the way along the axis at a key. A hinge, a slider and a screw have none;
// the sides of a planar joint and of a ball joint's socket are pairs of shapes.

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
/// theta as HingeAngle has it, in reference +- pi, where the far end of the free range, too, has to be.
struct KeyStop {
  JointFrames frames{};    ///< with normals
  double reference = 0.0;  ///< the middle of the range [rad]
  double offset = 0.0;     ///< inside the range [rad]
  double direction = 1.0;  ///< 1 or -1
  double radius = 0.0;     ///< > 0 [m]
};

/// y = direction (theta - offset) [rad] of a universal joint, for NewtonImpactLaw or a law of moments: theta the
/// rotation of the first body on the cross, about the pin along its axis (pin 1), or of the cross on the second body,
/// about the pin along its normal (pin 2), zero where the frames coincide and in [-pi, pi].
struct UniversalAngle {
  JointFrames frames{};    ///< with normals
  Index pin = 1;           ///< 1 or 2
  double offset = 0.0;     ///< in [-pi, pi] [rad]
  double direction = 1.0;  ///< 1 or -1
};

/// The axis of the first body stays in a cone about the second's, of the half angle `limit`: by the angle beta between
/// them
///
///     y = (cos beta - cos limit) / sin limit,    about limit - beta near zero [rad],
///
/// smooth also where the axes coincide; the multiplier is the moment there [N m]. The twist of a ball joint, by the
/// shortest turn that brings one axis to the other, is HingeAngle on the same frames.
struct BallSwing {
  JointFrames frames{};
  double limit = 0.0;  ///< in (0, pi) [rad]
};

/// The class that a description stands for. @throws InvalidArgument as of joints; an offset outside the range, a
/// direction other than 1 and -1, a radius that is not positive, a pin other than 1 and 2, a limit outside (0, pi).
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(CollarStop stop);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(KeyStop stop);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(UniversalAngle stop);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(BallSwing stop);

}  // namespace nonsmooth
