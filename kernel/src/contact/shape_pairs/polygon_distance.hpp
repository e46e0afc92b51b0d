// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "contact/planar/polygon.hpp"
#include "round_on_shape.hpp"

namespace nonsmooth::shape_pairs {

inline constexpr SharpCorners kPlanarCorners{
    "a polygon or segment on a shape of the plane", "a corner on a corner, both sharp",
    "corners that pass over corners rounded, of one of both shapes (ConvexPolygon::rounding, PlanarSegment::rounding)"};

/// All points no farther than `radius` from a convex polygon: outside the distance of the nearest side or vertex,
/// inside the height over the nearest side.
struct PolygonShape {
  static constexpr bool kOfGround = false;
  static constexpr SharpCorners kSharp = kPlanarCorners;
  planar::Polygon polygon;
  double radius = 0.0;

  [[nodiscard]] Distance distance(const Eigen::Vector3d& x) const;
  [[nodiscard]] double rounding() const { return radius; }
  /// x is within `near` of a vertex.
  [[nodiscard]] bool at_corner(const Eigen::Vector3d& x, double near) const;
  [[nodiscard]] double size() const { return polygon.size + radius; }
  /// From the middle on another side is nearer: no deeper than the largest disk inside, whose radius is at least a
  /// third of the least width, as of an equilateral triangle (Blaschke).
  [[nodiscard]] double depth_behind() const { return radius + planar::least_width(polygon) / 3.0; }
};

/// A part of a height line without valleys, of pieces that turn from one to the next. Outside, seen from over it or
/// from beside it, the distance of the nearest piece or ridge; below it the height over the nearest piece.
struct HeightPart {
  static constexpr bool kOfGround = true;
  static constexpr SharpCorners kSharp = kPlanarCorners;
  std::vector<Eigen::Vector2d> points;
  bool goes_on_before = false, goes_on_behind = false;  ///< the first and the last piece, without end

  [[nodiscard]] Distance distance(const Eigen::Vector3d& x) const;
  [[nodiscard]] static double rounding() { return 0.0; }
  /// x is within `near` of a ridge or a valley.
  [[nodiscard]] bool at_corner(const Eigen::Vector3d& x, double near) const;
  [[nodiscard]] double size() const { return 0.0; }  // it never moves
  [[nodiscard]] double depth_behind() const { return kNeverBehind; }
};

/// Points of a line, ascending in x, between pieces whose direction turns clockwise by more than 1e-12 rad.
[[nodiscard]] std::vector<Eigen::Vector2d> ridges(const std::vector<Eigen::Vector2d>& points);

/// The parts of a line between its valleys, in ascending x: pieces whose direction turns counterclockwise by more than
/// 1e-12 rad have one between them. Pieces whose direction turns by less are one.
[[nodiscard]] std::vector<HeightPart> height_parts(const std::vector<Eigen::Vector2d>& points);

}  // namespace nonsmooth::shape_pairs
