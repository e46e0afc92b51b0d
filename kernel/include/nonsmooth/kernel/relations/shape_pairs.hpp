// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <variant>

#include <nonsmooth/kernel/floor_profile.hpp>
#include <nonsmooth/kernel/planar_shapes.hpp>
#include <nonsmooth/kernel/relation.hpp>
#include <nonsmooth/kernel/shapes.hpp>

namespace nonsmooth {

// Contacts of two shapes as relations, for contacts that are linked; link_contacts() links all that a source knows. Of
// the closest points p_1, p_2 of the two and the unit n from the second to the first,
//
//     y = (gap, 0, 0),  u = (n . s, t_1 . s, t_2 . s),  s = velocity of the first body at p_1 - that of the second at
//     p_2,
//
// of rows (N) alone, or (N, T1, T2) in space, (N, T) in the plane with T = (n_y, -n_x), for a law of as many rows; for
// NewtonImpactRollingFrictionLaw with its rows of relative angular velocities, 4 to 6 in space, 3 in the plane.
// Gaps, H and curvature are exact: closest points move along their surfaces. Rows of T are velocities alone, of which H
// is no gradient. Bodies are those of joints, 7 and 6 numbers in space, 3 and 3 in the plane; each pair is linked to
// {first, second}, or to {first} alone: then the second is the ground, and its shape lies in space.
//
// T1 and T2 turn with the normal, and are smooth in time but where n passes -(2, 3, 6) / 7, which no symmetric motion
// does; those of a half-space are fixed in it, (x, y) where its normal is z. They are for friction that is the same in
// all directions: where a source has elliptic friction (link_contacts), T1 is along the grain of its shapes
// (ShapeOnBody::grain), and T2 = n x T1. Without a grain they are chosen from the normal alone, as where contacts are
// found, and jump where n_z passes -0.9.
//
// Gaps are smooth while each closest point stays on one feature: the inside of a segment or of its ends, a face, an
// edge, a vertex, a curved side, a circle. From feature to feature gaps and H are continuous, curvature jumps:
// accelerations of a contact that is closed there jump too. Event-driven simulation has no event for it; its step sizes
// see the jump. Where centres or axes meet the normal is any. What touches in several points at once has no such
// relation: of a ground with valleys each part between them is one, of polygons and segments on one another each
// vertex.
//
// Sources have pairs that are not described here (link_contacts()), with the same rows: of vertices, round or sharp, on
// polygons, segments and parts of height lines, and of ridges on polygons and segments; of capsules' ends on boxes,
// polyhedra and parts of meshes and height fields, and of their edges on capsules, as of capsules of radius zero; of
// vertices, tips and rims on faces of meshes and height fields, of edges and sides across their edges; of
// vertices and edges of boxes and polyhedra on one another, the gap of two edges below zero where no direction
// separates the shapes more than the one across both; of capsules on cylinders and cones, whose axis has one point that
// is nearest to the shape, inside or at an end; of the sides of cylinders and cones that cross, along the normal that
// they have in common there; and of cylinders and cones on boxes and polyhedra: rims on faces and across edges, sides
// across edges, vertices, tips on faces. Of vertices that touch edges, of ends of edges that do and of edges along one
// another, of capsules that lie along a line of what they touch, of cylinders and cones that touch one another
// elsewhere than inside of both sides, of tips and rims on vertices, of tips on edges and of ends along edges, H and
// curvature are refused, their gaps are known.

/// A sphere that a body in space carries.
struct SphereOnBody {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< from the centre of mass, in the body's axes [m]
  double radius = 0.0;                               ///< > 0 [m]
};
/// All points no farther than `radius` from a segment.
struct CapsuleOnBody {
  Eigen::Vector3d from = Eigen::Vector3d::Zero(), to = Eigen::Vector3d::Zero();  ///< not the same [m]
  double radius = 0.0;                                                           ///< > 0 [m]
};
/// A circle that a body in space carries: of an end of a cylinder or cone, of a coin.
struct RimOnBody {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();   ///< across the circle; of any length but zero
  double radius = 0.0;                               ///< >= 0; 0: a point, as a cone's tip [m]
};
/// A disk that a body in the plane carries.
struct DiskOnBody {
  Eigen::Vector2d center = Eigen::Vector2d::Zero();  ///< [m]
  double radius = 0.0;                               ///< > 0 [m]
};

struct SpherePair {
  SphereOnBody first{}, second{};
  Index rows = 1;  ///< 1, 3 to 6
};
/// In a hollow sphere that is larger: a ball joint with clearance.
struct SphereInSphere {
  SphereOnBody inner{}, outer{};
  Index rows = 1;  ///< 1, 3 to 6
};
struct SphereOnCapsule {
  SphereOnBody sphere{};
  CapsuleOnBody capsule{};
  Index rows = 1;  ///< 1, 3 to 6
};
/// Axes that cross, or not. Where they are parallel (to 1e-7 rad) the closest points are no longer two: one is taken as
/// near the middle of the first as it can be, and jumps from end to end where they turn past one another.
struct CapsulePair {
  CapsuleOnBody first{}, second{};
  Index rows = 1;  ///< 1, 3 to 6
};
/// Of a capsule, each of its two end spheres is one such contact; of a box or a polyhedron each vertex, radius zero.
struct SphereOnHalfSpace {
  SphereOnBody sphere{};   ///< radius >= 0; 0: a point
  HalfSpace half_space{};  ///< of a body or of the ground
  Index rows = 1;          ///< 1, 3 to 6
};
/// The lowest point of a circle, which is smooth while it is tilted: h, H and curvature are refused where it lies flat
/// (to 1e-6 rad) on the half-space (to 1e-8 radii), as it then rests on all of it. Event-driven simulation ends with
/// Outcome::CallableFailed there. Over the half-space, a flat one has the height of its centre. An end that is to stand
/// needs points beside its rim (SphereOnHalfSpace of radius 0) that touch first; link_contacts() gives it four.
struct RimOnHalfSpace {
  RimOnBody rim{};
  HalfSpace half_space{};  ///< of a body or of the ground
  Index rows = 1;          ///< 1, 3 to 6
};
/// On faces, edges and vertices. A centre inside is as deep as the nearest face says.
struct SphereOnPolyhedron {
  SphereOnBody sphere{};
  std::variant<Box, ConvexPolyhedron> polyhedron{};
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of its origin on the body [m]
  Eigen::Vector4d orientation = {1.0, 0.0, 0.0, 0.0};  ///< unit quaternion, polyhedron to body
  Index rows = 1;                                      ///< 1, 3 to 6
  bool sphere_is_second = false;  ///< the polyhedron on the first body, the sphere on the second or in space
};
/// On the side, the ends, their circles and the tip. A centre inside is as deep as the nearest of side and ends says.
struct SphereOnFrustum {
  SphereOnBody sphere{};
  std::variant<Cylinder, Cone> frustum{};
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of its origin on the body [m]
  Eigen::Vector4d orientation = {1.0, 0.0, 0.0, 0.0};  ///< unit quaternion, cylinder or cone to body
  Index rows = 1;                                      ///< 1, 3 to 6
  bool sphere_is_second = false;                       ///< as of a polyhedron
};
/// On a part of a triangle mesh or height field: faces that hang together over edges that are not concave, numbered in
/// the order of their first triangles. A ball between two parts touches both, by an interaction each. A surface is
/// refused where a part has a concave edge (as at a saddle) or a rim that turns inwards (as about a hole): there a ball
/// touches one part twice. In the solid, the gap of the nearest part is minus the depth of the centre and the radius.
/// Of a mesh with rims the solid is what is behind its faces no farther than the radius; the gap jumps where a ball
/// comes into it from behind, and event-driven simulation ends there with Outcome::NoMode. What is farther behind is as
/// far as it is. Below the height of the faces beside a rim, where several of its points may be as near, the gap is
/// that of one. The surface rests. Cost: two searches of the nearest triangle, O(log triangles) each, more where many
/// are as near.
struct SphereOnSurface {
  SphereOnBody sphere{};
  std::variant<TriangleMesh, HeightField> surface;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of its origin in space [m]
  Eigen::Vector4d orientation = {1.0, 0.0, 0.0, 0.0};  ///< unit quaternion, surface to space
  Index part = 0;
  Index rows = 1;  ///< 1, 3 to 6
};

struct DiskPair {
  DiskOnBody first{}, second{};
  Index rows = 1;  ///< 1 to 3
};
/// In a circle that is larger: a billiard, a hinge with clearance.
struct DiskInCircle {
  DiskOnBody inner{}, outer{};
  Index rows = 1;  ///< 1 to 3
};
struct DiskOnHalfPlane {
  DiskOnBody disk{};  ///< radius >= 0; 0: a point
  HalfPlane half_plane{};
  Index rows = 1;  ///< 1 to 3
};
/// From either side, and about the ends.
struct DiskOnSegment {
  DiskOnBody disk{};
  PlanarSegment segment{};      ///< in the axes of its body
  Index rows = 1;               ///< 1 to 3
  bool disk_is_second = false;  ///< the segment on the first body, the disk on the second or in space
};
/// On sides and vertices. A centre inside is as deep as the nearest side says. Cost: O(vertices).
struct DiskOnPolygon {
  DiskOnBody disk{};
  ConvexPolygon polygon{};      ///< in the axes of its body
  Index rows = 1;               ///< 1 to 3
  bool disk_is_second = false;  ///< as of a segment
};
/// On a part of a line between its valleys, in ascending x: pieces whose direction turns counterclockwise by more than
/// 1e-12 rad have a valley between them, where a disk touches both parts, by an interaction each. A centre below its
/// part is as deep as the nearest piece says. The line rests. Cost: O(points of the part).
struct DiskOnHeightLine {
  DiskOnBody disk{};
  HeightLine line{};
  Index part = 0;
  Index rows = 1;  ///< 1 to 3
};
/// On the ground as DiskContacts has it: the gap is that of the closest point that Newton's iteration finds from the
/// centre's abscissa, or of this abscissa where it finds none, as high above a valley. The profile rests.
struct DiskOnFloor {
  DiskOnBody disk{};
  FloorProfile floor{};
  Index rows = 1;  ///< 1 to 3
};

/// The class that a description stands for. Systems that are no such bodies are refused by name when it is linked.
/// @throws InvalidArgument naming the field: a radius that is not positive (of a point: negative), numbers that are not
/// finite, a normal or axis of length zero, ends that are one, an orientation that is no unit quaternion, an outer
/// radius that is no larger than the inner one, other numbers of rows, a part that is not there, a surface with a part
/// that is touched twice, a floor without all its functions. Of a floor with a surface velocity V u_T is less by t . V,
/// and so it is of conveyors that a source has (link_contacts), t . (A_1 V_1 - A_2 V_2) with A_i the axes of the
/// bodies; rates of V are taken by differences along the contact's way.
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SpherePair pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SphereInSphere pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SphereOnCapsule pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(CapsulePair pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SphereOnHalfSpace pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(RimOnHalfSpace pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SphereOnPolyhedron pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SphereOnFrustum pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(SphereOnSurface pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(DiskPair pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(DiskInCircle pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(DiskOnHalfPlane pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(DiskOnSegment pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(DiskOnPolygon pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(DiskOnHeightLine pair);
[[nodiscard]] std::shared_ptr<const MechanicalRelation> make_relation(DiskOnFloor pair);

}  // namespace nonsmooth
