// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/kernel/relation.hpp>

namespace nonsmooth {

// Joints between rigid bodies in space, and between bodies in the plane: y = h(q) = 0 with EqualityLaw. Values, H and
// curvature are exact. A body in space has q = (position of the centre of mass, unit quaternion body -> inertial,
// scalar first) and v = (its velocity, angular velocity in the body's axes), 7 and 6 numbers; a body in the plane q =
// (x, y, angle), 3 and 3. Each is linked to {first, second}, or to {first} alone: then the second is the ground, and
// its frame lies in space. Signs are those of the first body's motion as the second sees it; in a row with an angle of
// any number of turns (screw, gear, rack) that takes frames made by joint_between or joint_to_ground where the bodies
// start: of others the row may be negated, as the signs of the quaternions are. A joint holds in each configuration
// that its rows hold, the opposite of parallel axes too: which of them is the matter of the start. Where axes are
// opposite no angle about them is defined: rows with one refuse that with InvalidArgument, which fails a step.
//
// Rows, in the order of each joint: p = p_first - p_second, the offset of the points, and a_i . b_j, where a_1, a_2,
// a_3 and b_1, b_2, b_3 are the normal, axis x normal and the axis of the first's and of the second's frame. A
// multiplier of a row in [m] is a force on the first body along it [N], of a row in [-] a moment on it about a_i x b_j,
// of a row in [rad] one about the axis [N m]; the second has the opposite. As a wrench at a point:
// reaction_wrench().

/// A place on a body and directions fixed in it, in the body's coordinates from its centre of mass (in space: of the
/// ground). Lengths of directions are of no matter, the normal counts by what is perpendicular to the axis.
struct JointFrame {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< [m]
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();   ///< not zero
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< where angles are zero; zero: not given, for joints without
};

/// The frames of the two sides, which coincide where all coordinates of the joint are zero.
struct JointFrames {
  JointFrame first{}, second{};
  /// Of the signs of the two quaternions at the start: they differ from those that `first` and `second` stand for. What
  /// the makers below find out; HingeAngle of two turns needs it, and the signs of screws, gears and racks.
  bool opposite = false;
};

/// Frames of a point and an axis in space, for two bodies at q_first and q_second (7 numbers each), so that the joint
/// is closed there with all coordinates zero. A normal of zero is any.
/// @throws InvalidArgument: q of another size, not finite, a quaternion that is no unit to 1e-9; a zero axis, a normal
/// along it, entries that are not finite.
[[nodiscard]] JointFrames joint_between(ConstVectorRef q_first, ConstVectorRef q_second, const Eigen::Vector3d& point,
                                        const Eigen::Vector3d& axis = Eigen::Vector3d::UnitZ(),
                                        const Eigen::Vector3d& normal = Eigen::Vector3d::Zero());
/// The same between a body and the ground. @throws likewise
[[nodiscard]] JointFrames joint_to_ground(ConstVectorRef q_first, const Eigen::Vector3d& point,
                                          const Eigen::Vector3d& axis = Eigen::Vector3d::UnitZ(),
                                          const Eigen::Vector3d& normal = Eigen::Vector3d::Zero());

/// All six freedoms held: p in the axes of space [m], then a_1 . b_2, a_2 . b_3, a_3 . b_1 [-] (sines of small angles).
struct FixedJoint {
  JointFrames frames{};  ///< with normals
};
/// The points coincide: p in the axes of space [m]. Axes are of no matter.
struct BallJoint {
  JointFrames frames{};
};
/// One rotation about the axis: p in the axes of space [m], then a_3 . b_1, a_3 . b_2 [-].
struct HingeJoint {
  JointFrames frames{};
};
/// One translation along the axis: b_1 . p, b_2 . p [m], then the directions of a FixedJoint [-].
struct SliderJoint {
  JointFrames frames{};  ///< with normals
};
/// Rotation about the axis and translation along it: b_1 . p, b_2 . p [m], then a_3 . b_1, a_3 . b_2 [-].
struct CylindricalJoint {
  JointFrames frames{};
};
/// A cross between the axis of the first body and the normal of the second, which stay perpendicular: p in the axes of
/// space [m], then a_3 . b_1 [-].
struct UniversalJoint {
  JointFrames frames{};  ///< the second with a normal
};
/// Translations perpendicular to the axis and rotation about it: b_3 . p [m], then a_3 . b_1, a_3 . b_2 [-].
struct PlanarJoint {
  JointFrames frames{};
};
/// A cylindrical joint, and 1 row more [m] for a translation z of pitch a turn of theta,
///
///     y_4 = (pitch / pi) sin(pi z / pitch - theta / 2),    about z - pitch theta / (2 pi) near zero,
///
/// which is the same for all turns: any number of them, forwards and back. Its other zeros are other threads of the
/// nut, pitch apart.
struct ScrewJoint {
  JointFrames frames{};  ///< with normals
  double pitch = 0.0;    ///< way along the axis a turn, not zero; < 0: left-handed [m]
};
/// Wheels that mesh, 1 row: rotations theta_1 and theta_2 about their axes in one frame, the ground or a third body,
///
///     y = 2 / n_1 sin((n_1 theta_1 + n_2 theta_2) / 2),    about theta_1 + n_2 / n_1 theta_2 near zero [rad],
///
/// which holds for any number of turns, as the numbers of teeth are integers; its other zeros are other teeth that
/// mesh. The multiplier is the moment on the first wheel [N m]. Wheels on parallel axes turn against each other; an
/// internal gear, a belt or a coupling has n_2 < 0. Linked to {first, second} or {first, second, carrier}; each wheel
/// has its hinge with the carrier beside it. A ratio that is none of integers: Coupler (couplers.hpp).
struct GearJoint {
  JointFrames first{};                      ///< of the first wheel and the carrier, with normals
  JointFrames second{};                     ///< of the second wheel and the carrier, with normals
  Index teeth_first = 1, teeth_second = 1;  ///< not zero, at most 10^6
};
/// A pinion on a rack, 1 row [m]: rotation theta of the pinion about its axis, translation z of the rack along its
/// own, both in one frame, the ground or a third body,
///
///     y = 2 radius sin(z / (2 radius) - theta / 2),    about z - radius theta near zero,
///
/// for any number of turns. The multiplier is the force on the rack [N]. Linked to {pinion, rack} or {pinion, rack,
/// carrier}, with their hinge and slider beside it.
struct RackJoint {
  JointFrames pinion{};  ///< of the pinion and the carrier, with normals
  JointFrames rack{};    ///< of the rack and the carrier; the axis of the carrier's frame is the direction of travel
  double radius = 0.0;   ///< of the pinion's pitch circle, not zero; < 0: it turns the other way [m]
};
/// |p_first - p_second| = length, 1 row [m]: a rod between ball joints, in space or in the plane, where third
/// coordinates are zero (else the link is refused).
struct DistanceJoint {
  Eigen::Vector3d first_point = Eigen::Vector3d::Zero();   ///< on the first body [m]
  Eigen::Vector3d second_point = Eigen::Vector3d::Zero();  ///< on the second, or in space [m]
  double length = 0.0;                                     ///< > 0 [m]
};

// In the plane an angle is a coordinate and counts its turns: angles, ways, motors and gears are those of
// planar_coordinates.hpp there.

/// A place on a body in the plane, and the direction of an axis there.
struct PlanarFrame {
  Eigen::Vector2d point = Eigen::Vector2d::Zero();  ///< from the centre of mass, in the body's coordinates [m]
  double angle = 0.0;                               ///< of the axis, from the body's first axis [rad]
};
struct PlanarFrames {
  PlanarFrame first{}, second{};
};
/// Frames of a point and an axis at an angle in the plane, for bodies at q_first and q_second (3 numbers each).
/// @throws InvalidArgument: q of another size; what is not finite.
[[nodiscard]] PlanarFrames planar_joint_between(ConstVectorRef q_first, ConstVectorRef q_second,
                                                const Eigen::Vector2d& point, double angle = 0.0);
/// The same between a body and the ground. @throws likewise
[[nodiscard]] PlanarFrames planar_joint_to_ground(ConstVectorRef q_first, const Eigen::Vector2d& point,
                                                  double angle = 0.0);

/// The points coincide, p in the axes of the plane [m].
struct PlanarHinge {
  PlanarFrames frames{};
};
/// Translation along the axis of the second's frame: p perpendicular to it [m], then the angle [rad].
struct PlanarSlider {
  PlanarFrames frames{};
};
/// All three freedoms held: p in the axes of the plane [m], then the angle [rad].
struct PlanarFixed {
  PlanarFrames frames{};
};

/// The class that a description stands for. Systems that are no such bodies are refused by name when it is linked.
/// @throws InvalidArgument: entries that are not finite, a zero axis, a normal along its axis or not given where angles
/// need it, a pitch, radius or number of teeth that is zero, a length that is not positive.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(FixedJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(BallJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(HingeJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SliderJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(CylindricalJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(UniversalJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(ScrewJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(GearJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(RackJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(DistanceJoint joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarHinge joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarSlider joint);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(PlanarFixed joint);

}  // namespace nonsmooth
