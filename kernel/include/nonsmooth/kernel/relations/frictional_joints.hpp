// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/relations/joints.hpp>

namespace nonsmooth {

// Joints with the rates of their freedoms as their last rows, for the laws of laws/joint_friction.hpp: rows that hold
// come first, as EqualityLaw would hold them, then one for each rate that is rubbed. In space as joints.hpp says; y of
// a row with a rotation is in [-pi, pi] (times its length), where nothing but its rate counts.

/// 3 rows of the points along normal, axis x normal and axis of the second's frame [m], 2 [-] that keep the axes
/// parallel, and the rotation about the axis [rad]. HingeFrictionLaw.
struct FrictionalHinge {
  JointFrames frames{};  ///< with normals
};
/// 2 rows [m], 3 of the directions [-], and the way of the first body's point along the axis of the second's frame [m].
/// SliderFrictionLaw.
struct FrictionalSlider {
  JointFrames frames{};  ///< with normals
};
/// 3 rows of the points [m], and 3 of the angular velocity of the first body as the second sees it, in the axes of
/// space [rad/s]. No coordinate has these as its rates: their y is 0. BallFrictionLaw.
struct FrictionalBall {
  JointFrames frames{};
};
/// 2 rows of the points along normal and axis x normal of the second's frame [m], 2 [-] that keep the axes parallel,
/// radius times the rotation about the axis [m], and the way of the first body's point along the axis [m]: u of the
/// last two is how fast the shaft's surface slips in its bushing. CylindricalFrictionLaw.
struct FrictionalCylindrical {
  JointFrames frames{};  ///< with normals
  double radius = 0.0;   ///< of the shaft, > 0 [m]
};
/// A screw whose thread has the lead angle alpha, tan alpha = |pitch| / (2 pi radius). Rows are those of the points
/// along normal and axis x normal of the second's frame [m] and 2 that keep the axes parallel [-], then, with p = pitch
/// / (2 pi), the motion through the flank of the thread and the slip along it,
///
///     n = cos alpha (z - p theta),    s = (radius^2 theta + p z) / sqrt(radius^2 + p^2)    [m],
///
/// n in the form of ScrewJoint, for any number of turns. The multiplier of n is the force between the flanks [N], at a
/// right angle to the slip. ScrewFrictionLaw.
struct FrictionalScrew {
  JointFrames frames{};  ///< with normals
  double pitch = 0.0;    ///< way along the axis a turn, not zero; < 0: left-handed [m]
  double radius = 0.0;   ///< at which the thread carries, > 0 [m]
};
/// A cross with a pin along the axis a of the first body and one along the normal n of the second, which stay
/// perpendicular: 3 rows of the points along a, n and a x n [m], 1 [-] of the directions, whose multiplier is the
/// moment about a x n, and the rotations of the first body on the cross about a and of the cross on the second about n
/// [rad]. UniversalFrictionLaw.
struct FrictionalUniversal {
  JointFrames frames{};  ///< with normals
};
/// A pad on a plane across the axis: 1 row of the points along the axis [m], 2 [-] that keep the axes parallel, 2 of
/// the points along normal and axis x normal of the second's frame [m], and radius times the rotation about the axis
/// [m]. PlanarJointFrictionLaw.
struct FrictionalPlanar {
  JointFrames frames{};  ///< with normals
  double radius = 0.0;   ///< at which the pad resists a turn, > 0 [m]
};
/// The row of a GearJoint, linked as that is, and the rotation theta_1 of the first wheel on the carrier [rad]: the
/// mesh loses power as MeshFrictionLaw says.
struct FrictionalGear {
  JointFrames first{};                      ///< of the first wheel and the carrier, with normals
  JointFrames second{};                     ///< of the second wheel and the carrier, with normals
  Index teeth_first = 1, teeth_second = 1;  ///< not zero, at most 10^6
};
/// The row of a RackJoint, linked as that is, and the way z of the rack [m]. MeshFrictionLaw.
struct FrictionalRack {
  JointFrames pinion{};  ///< of the pinion and the carrier, with normals
  JointFrames rack{};    ///< of the rack and the carrier; the axis of the carrier's frame is the direction of travel
  double radius = 0.0;   ///< of the pinion's pitch circle, not zero; < 0: it turns the other way [m]
};
/// A PlanarHinge with the rotation of the first body against the second, which counts turns: 2 rows [m], 1 [rad].
/// PlanarHingeFrictionLaw.
struct PlanarFrictionalHinge {
  PlanarFrames frames{};
};
/// A PlanarSlider with the way of the first body's point along the axis: 1 row [m], 1 of the angle [rad], 1 [m].
/// PlanarSliderFrictionLaw.
struct PlanarFrictionalSlider {
  PlanarFrames frames{};
};
/// The row of a PlanarGear, linked as that is, and the rotation theta_1 of the first wheel on the carrier [rad], which
/// counts turns. MeshFrictionLaw.
struct PlanarFrictionalGear {
  PlanarFrames first{};   ///< of the first wheel and the carrier; points are of no matter
  PlanarFrames second{};  ///< of the second wheel and the carrier
  double ratio = 1.0;     ///< n_2 / n_1, not zero
};
/// The row of a PlanarRack, linked as that is, and the way z of the rack [m]. MeshFrictionLaw.
struct PlanarFrictionalRack {
  PlanarFrames pinion{};  ///< of the pinion and the carrier; points are of no matter
  PlanarFrames rack{};    ///< of the rack and the carrier
  double radius = 0.0;    ///< of the pitch circle, not zero; < 0: it turns the other way [m]
};

/// The class that a description stands for. @throws InvalidArgument as of the joints without friction; a radius that is
/// not positive, or zero, where it has to be.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalHinge joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalSlider joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalBall joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalCylindrical joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalScrew joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalUniversal joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalPlanar joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalGear joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FrictionalRack joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarFrictionalHinge joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarFrictionalSlider joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarFrictionalGear joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarFrictionalRack joint);

}  // namespace nonsmooth
