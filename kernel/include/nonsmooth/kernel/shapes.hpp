// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A ball about the shape's origin.
struct Sphere {
  double radius = 0.0;  ///< > 0 [m]
};

/// All points x with normal . x <= offset. For the ground alone: no body has it.
struct HalfSpace {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< out of the solid; of any length but zero
  double offset = 0.0;  ///< of the surface from the origin, in units of |normal| = 1 after scaling [m]
};

/// A cuboid about the shape's origin, along its axes.
struct Box {
  Eigen::Vector3d half_extents = Eigen::Vector3d::Zero();  ///< each > 0 [m]
};

/// All points no farther than `radius` from the segment (0, 0, -half_length) to (0, 0, half_length).
struct Capsule {
  double radius = 0.0;       ///< > 0 [m]
  double half_length = 0.0;  ///< > 0 [m]
};

/// A solid cylinder about the z axis, from z = -half_length to half_length, with flat ends.
struct Cylinder {
  double radius = 0.0;       ///< > 0 [m]
  double half_length = 0.0;  ///< > 0 [m]
};

/// A solid cone about the z axis: a base of `radius` in z = 0, a tip at z = height; or truncated, with an end of
/// `top_radius` there.
struct Cone {
  double radius = 0.0;      ///< > 0 [m]
  double height = 0.0;      ///< > 0 [m]
  double top_radius = 0.0;  ///< >= 0 [m]
};

struct Hull;     // internal
struct Frustum;  // internal

/// The convex hull of points. Cheap to copy: copies share it.
class ConvexPolyhedron {
 public:
  static constexpr Index most_vertices = 256;

  /// Points within `coplanar` of the size (radius of a ball about all) from a face's plane lie on it; those that are no
  /// corners are dropped. The default takes faces whose corners were rounded to single precision, or far from the
  /// origin, as one. Corners stay as given; the plane is the mean one, moved out until all are inside: as exact as
  /// corners are in one plane. Every triple of points is looked at: up to some 0.1 s for 256 of them.
  /// @throws InvalidArgument: fewer than 4 or more than 256 points, one that is not finite, all in one plane, faces
  /// that are thinner than 4 `coplanar` of the size or cannot be told apart, or `coplanar` not in 1e-12 to 1e-3.
  explicit ConvexPolyhedron(const std::vector<Eigen::Vector3d>& points, double coplanar = 1e-6);

  [[nodiscard]] const std::vector<Eigen::Vector3d>& vertices() const noexcept;
  /// Vertices of each face, counterclockwise as seen from outside.
  [[nodiscard]] std::vector<std::vector<Index>> faces() const;
  [[nodiscard]] const std::shared_ptr<const Hull>& hull() const noexcept { return hull_; }  ///< internal

 private:
  std::shared_ptr<const Hull> hull_;
};

struct Surface;  // internal

/// A surface of triangles, of any number, with the solid behind it: a triangle's outside is where its corners are seen
/// counterclockwise. For the ground alone. It may be open, with sharp rims, and need be neither convex nor connected.
/// Cheap to copy: copies share it; some 250 bytes a triangle.
///
/// Neighbours in one plane are one face: corners within `coplanar` of the size (radius of a ball about all) from the
/// plane of its first triangle lie on it, and edges inside a face are never felt. Gaps are heights over the mean plane
/// of a face: those of the triangles to some `coplanar` of the size. Neighbours share their corners by number: corners
/// given twice leave a rim between them.
///
/// What is in the solid is lifted to the nearest side: of a closed mesh from any depth; of one with rims where the box
/// about the body along the axes of the mesh, widened by its way within the horizon, meets a triangle, so that a ball
/// of radius r that rests is found down to a depth of its centre of r, and a cube along the axes down to half its edge.
/// Deeper ones are not found. A point whose nearest one is on a rim is outside. A sheet has one side: two of them back
/// to back are no plate, as what touches one is deep behind the other, and edges at which triangles lie on each other
/// are not felt. Plates need a thickness: more than twice what bodies go in in a step.
class TriangleMesh {
 public:
  /// @throws InvalidArgument: no triangle, a corner that is not finite, a triangle with a corner that is not there or
  /// whose height is below 1e-9 of its longest side, an edge of more than two triangles or that two run through in the
  /// same direction (they look to opposite sides), more than 2^31 - 1 edges, or `coplanar` not in 0 to 1e-3.
  TriangleMesh(const std::vector<Eigen::Vector3d>& vertices, const std::vector<std::array<Index, 3>>& triangles,
               double coplanar = 1e-10);

  [[nodiscard]] const std::vector<Eigen::Vector3d>& vertices() const noexcept;
  [[nodiscard]] std::vector<std::array<Index, 3>> triangles() const;
  [[nodiscard]] const std::shared_ptr<const Surface>& surface() const noexcept { return surface_; }  ///< internal

 private:
  std::shared_ptr<const Surface> surface_;
};

/// Ground below heights over a grid: the vertex (i, j) is at (i spacing_x, j spacing_y, heights(i, j)), and each cell
/// is the two triangles beside its diagonal from (i, j) to (i + 1, j + 1). Else as a `TriangleMesh`, but the solid goes
/// down without end: what is below, up to the border, is lifted however deep it is; what is beside it is outside. Some
/// 500 bytes a cell.
class HeightField {
 public:
  /// `spacing`: of the grid along x and y, each > 0 [m]. `coplanar` as of a TriangleMesh.
  /// @throws InvalidArgument: fewer than 2 rows or columns, heights that are not finite, a spacing that is not
  /// positive; what a TriangleMesh throws.
  HeightField(const Eigen::MatrixXd& heights, const Eigen::Vector2d& spacing, double coplanar = 1e-10);

  [[nodiscard]] const std::vector<Eigen::Vector3d>& vertices() const noexcept;
  [[nodiscard]] std::vector<std::array<Index, 3>> triangles() const;
  [[nodiscard]] const std::shared_ptr<const Surface>& surface() const noexcept { return surface_; }  ///< internal

 private:
  std::shared_ptr<const Surface> surface_;
};

using Shape =
    std::variant<Sphere, HalfSpace, Box, Capsule, ConvexPolyhedron, TriangleMesh, HeightField, Cylinder, Cone>;

/// A vector at a point of a surface at a time: both in the axes of the shape's body, the point from its centre of mass,
/// of the ground in space.
using SurfaceField = std::function<Eigen::Vector3d(const Eigen::Vector3d& point, double t)>;

/// A shape and where it is on a body, or in the inertial frame where it belongs to the ground.
struct ShapeOnBody {
  Shape shape{};
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of the shape's origin in the body's frame [m]
  /// Unit quaternion (w, x, y, z), shape to body.
  Eigen::Vector4d orientation = Eigen::Vector4d(1.0, 0.0, 0.0, 0.0);
  Index material = 0;  ///< in ContactMaterials
  /// Two shapes touch where the groups of each are all or in part in the mask of the other: bits.
  std::uint32_t groups = 1, mask = ~std::uint32_t{0};
  /// Direction in the shape's axes, of any length, that row T1 follows along the surface: the first axis of elliptic
  /// friction. Of two shapes with a grain that of the second counts. Zero, or within 1e-3 rad of the normal: T1 is
  /// chosen from the normal alone.
  Eigen::Vector3d grain = Eigen::Vector3d::Zero();
  /// A conveyor: the velocity of its material against the body (or the ground), without what is along the normal [m/s];
  /// none: it rests there. On a body, as a belt on a moving machine, what drives it is inside: forces on the belt are
  /// forces on the body, and its own mass and spin are in the body's.
  SurfaceField surface_velocity{};
  SurfaceField surface_spin{};  ///< and its angular velocity, which rows R and S see [rad/s]; none: zero
};

}  // namespace nonsmooth
