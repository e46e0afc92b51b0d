// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A disk about the shape's origin.
struct Disk {
  double radius = 0.0;  ///< > 0 [m]
};

/// All points no farther than `rounding` from the convex hull of the vertices. Vertices are given in any order; points
/// within 1e-9 of the size (radius of a ball about all) of a side that they are on are no vertices.
struct ConvexPolygon {
  std::vector<Eigen::Vector2d> vertices{};  ///< 3 to 256, not all on a line [m]
  double rounding = 0.0;                    ///< >= 0 [m]
};

/// All points no farther than `rounding` from a segment. It holds from both sides: another body that a step moves
/// across the segment itself comes out on the other side.
struct PlanarSegment {
  Eigen::Vector2d from = Eigen::Vector2d::Zero(), to = Eigen::Vector2d::Zero();  ///< that differ [m]
  double rounding = 0.0;                                                         ///< >= 0 [m]
};

/// All points x with normal . x <= offset. For the ground alone: no body has it.
struct HalfPlane {
  Eigen::Vector2d normal = Eigen::Vector2d::UnitY();  ///< out of the solid; of any length but zero
  double offset = 0.0;  ///< of the surface from the origin, in units of |normal| = 1 after scaling [m]
};

/// All points on or below a line through points (x, height), straight between them; the first and the last piece go on
/// beyond the ends. For the ground alone, and not turned. What slides over a point between two pieces of one slope
/// moves as on one piece; over a ridge it meets each direction between the normals of both, in a valley both.
struct HeightLine {
  std::vector<Eigen::Vector2d> points{};  ///< 2 and more, x ascending [m]
};

using PlanarShape = std::variant<Disk, ConvexPolygon, PlanarSegment, HalfPlane, HeightLine>;

/// A shape in the plane and where it is on a body, or in the inertial frame where it belongs to the ground.
struct PlanarShapeOnBody {
  PlanarShape shape{};
  Eigen::Vector2d position = Eigen::Vector2d::Zero();  ///< of the shape's origin in the body's frame [m]
  double angle = 0.0;                                  ///< shape to body [rad]; 0 of a HeightLine
  Index material = 0;                                  ///< in ContactMaterials
  /// Two shapes touch where the groups of each are all or in part in the mask of the other: bits.
  std::uint32_t groups = 1, mask = ~std::uint32_t{0};
  /// A conveyor: the velocity of its material against the body, without what is along the normal [m/s], and the point
  /// from the centre of mass, both in the body's axes (of the ground: in space). None: it rests there. Forces on the
  /// belt of a body are forces on the body, whose mass and inertia are with the belt's.
  std::function<Eigen::Vector2d(const Eigen::Vector2d& point, double t)> surface_velocity{};
  /// And its angular velocity, which row R sees [rad/s]; none: zero.
  std::function<double(const Eigen::Vector2d& point, double t)> surface_spin{};
};

}  // namespace nonsmooth
