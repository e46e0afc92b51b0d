// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::planar {

constexpr Index most_vertices = 256;

/// A point, a segment (two vertices; its sides are it from either side) or a convex polygon, about the centre of a disk
/// that holds it.
struct Polygon {
  std::vector<Eigen::Vector2d> vertices;  ///< counterclockwise, from the middle
  std::vector<Eigen::Vector2d> normals;   ///< unit, outward, of the side from each vertex to the next; none of a point
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();  ///< in the axes of the body
  double size = 0.0;                                 ///< radius of the disk
};

/// The convex hull of points, corners in the order in which they stand around it.
/// @throws InvalidArgument: fewer than 3 or more than 256 points, one that is not finite, all on a line.
[[nodiscard]] Polygon convex_polygon(const std::vector<Eigen::Vector2d>& points);
/// @throws InvalidArgument: ends that are not finite or coincide.
[[nodiscard]] Polygon segment(const Eigen::Vector2d& from, const Eigen::Vector2d& to);
[[nodiscard]] Polygon point(const Eigen::Vector2d& at);
/// The least distance of two parallel lines with the polygon between them: one is on a side. 0 of a point or a segment.
[[nodiscard]] double least_width(const Polygon& polygon);

/// A polygon where it is, with all points no farther than `radius` from it.
struct PlacedPolygon {
  double radius = 0.0, size = 0.0;
  Index num_vertices = 0, num_sides = 0;
  std::array<Eigen::Vector2d, most_vertices> vertices, normals;

  [[nodiscard]] const Eigen::Vector2d& vertex(Index v) const { return vertices[static_cast<std::size_t>(v)]; }
  [[nodiscard]] const Eigen::Vector2d& normal(Index side) const { return normals[static_cast<std::size_t>(side)]; }
  [[nodiscard]] const Eigen::Vector2d& next_vertex(Index v) const { return vertex(v + 1 < num_vertices ? v + 1 : 0); }

  /// `turn`: body to space; `at`: where the middle is.
  void place(const Polygon& from, double rounding, const Eigen::Matrix2d& turn, const Eigen::Vector2d& at);
};

/// What of two shapes meets: a vertex of one, and the other.
[[nodiscard]] constexpr std::uint32_t vertex_of_first(Index v) { return static_cast<std::uint32_t>(v); }
[[nodiscard]] constexpr std::uint32_t vertex_of_second(Index v) {
  return (std::uint32_t{1} << 20) | static_cast<std::uint32_t>(v);
}

/// Where two shapes come near to each other.
struct PatchPoint {
  Eigen::Vector2d normal;               ///< unit, from the second shape to the first
  Eigen::Vector2d on_first, on_second;  ///< on the surfaces
  double gap = 0.0;                     ///< normal . (on_first - on_second)
  std::uint32_t feature = 0;
};

/// The closest points of two shapes, and both ends of what two sides share: at most three, in ascending order.
class Patch {
 public:
  void clear() { count_ = 0; }
  /// One for each feature: the first that is added.
  void add(const PatchPoint& point) {
    const auto same = [&point](const PatchPoint& other) { return other.feature == point.feature; };
    if (count_ == points_.size() || std::any_of(begin(), end(), same)) return;
    std::size_t at = count_++;
    for (; at > 0 && points_[at - 1].feature > point.feature; --at) points_[at] = points_[at - 1];
    points_[at] = point;
  }
  [[nodiscard]] const PatchPoint* begin() const { return points_.data(); }
  [[nodiscard]] const PatchPoint* end() const { return points_.data() + count_; }

 private:
  std::array<PatchPoint, 3> points_;
  std::size_t count_ = 0;
};

/// The points of two shapes with gaps of at most `reach`.
///
/// Apart, the smallest gap is the distance of the shapes, and otherwise minus the least way that separates them, both
/// to some 1e-15 of the sizes: by the sides' normals, and where these leave them apart by the closest vertex and side.
/// Where a side is within 0.2 rad of the normal, both ends of what it shares with the other's side are added, with gaps
/// along this one normal, no smaller than the smallest. Cost: O(vertices^2).
void find_contacts(const PlacedPolygon& first, const PlacedPolygon& second, double reach, Patch& patch);

}  // namespace nonsmooth::planar
