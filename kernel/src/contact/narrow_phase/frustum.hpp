// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include <Eigen/Geometry>

#include <nonsmooth/kernel/shapes.hpp>

#include "narrow_phase.hpp"

namespace nonsmooth {

/// A cylinder, cone or truncated cone: between circles about the z axis at z = -half and z = half.
struct Frustum {
  std::array<double, 2> radii{};  ///< at the lower and the upper end; at most one of them zero: a tip
  double half = 0.0;
  double size = 0.0;  ///< of a ball about the middle
};

namespace narrow_phase {

/// About its middle. @throws InvalidArgument naming a field that is out of range.
[[nodiscard]] std::shared_ptr<const Frustum> frustum_of(const Cylinder& cylinder);
[[nodiscard]] std::shared_ptr<const Frustum> frustum_of(const Cone& cone);
/// No more than the least distance of two parallel planes with the frustum between them: of a cylinder half of it.
[[nodiscard]] inline double least_width(const Frustum& frustum) {
  return std::min(frustum.half, std::max(frustum.radii[0], frustum.radii[1]));
}

/// A frustum in space.
struct PlacedFrustum {
  const Frustum* frustum = nullptr;
  Eigen::Vector3d centre;
  Eigen::Vector3d axis, x, y;  ///< of the shape, unit

  [[nodiscard]] double radius(int end) const { return frustum->radii[static_cast<std::size_t>(end)]; }
  [[nodiscard]] Eigen::Vector3d middle_of(int end) const {
    return centre + (end == 0 ? -frustum->half : frustum->half) * axis;
  }
  [[nodiscard]] Eigen::Vector3d out_of(int end) const { return end == 0 ? Eigen::Vector3d(-axis) : axis; }
  /// The point of the circle of an end that is farthest along a direction; its middle where they all are.
  [[nodiscard]] Eigen::Vector3d farthest_of(int end, const Eigen::Vector3d& direction) const;
  [[nodiscard]] bool is_along_axis(const Eigen::Vector3d& direction) const;
  /// Max of direction . point of the circle.
  [[nodiscard]] double height_of(int end, const Eigen::Vector3d& direction) const;
  [[nodiscard]] double height(const Eigen::Vector3d& direction) const {
    return std::max(height_of(0, direction), height_of(1, direction));
  }
  /// Unit, out of the curved side where it looks most along a direction.
  [[nodiscard]] Eigen::Vector3d side_normal(const Eigen::Vector3d& direction) const;
};

/// How far a point is from a frustum, negative inside, the direction in which this grows, and the circle that the
/// nearest point is on where it is on one; -1: none.
struct FrustumDistance {
  double distance;
  Eigen::Vector3d normal;
  int circle;
};

/// Closed form, to rounding: the distance from a polygon in the half-plane of the axis and the point.
[[nodiscard]] FrustumDistance distance_from(const PlacedFrustum& frustum, const Eigen::Vector3d& x);

/// Names of points: the lowest of each circle, four that stand on each, what meets a vertex of a hull, what crosses an
/// edge of it.
[[nodiscard]] constexpr std::uint32_t lowest_of(int end) { return static_cast<std::uint32_t>(end); }
[[nodiscard]] constexpr std::uint32_t standing_on(int end, int k) {
  return static_cast<std::uint32_t>(2 + 4 * end + k);
}
[[nodiscard]] constexpr std::uint32_t at_vertex(Index v) {
  return (std::uint32_t{1} << 20) | static_cast<std::uint32_t>(v);
}
/// `place`: 0 the nearest point, 1 and 2 on a circle, 3 and 4 where the edge enters and leaves an end, 5 where a line
/// of the side crosses it.
[[nodiscard]] constexpr std::uint32_t at_edge(Index e, int place) {
  return (std::uint32_t{2} << 20) | static_cast<std::uint32_t>(8 * e + place);
}

/// With the half-space normal . x <= offset: the lowest point of each circle (all of a tip; none where all are as low),
/// and four points of an end, that stand on the shape, where this looks within 0.2 rad towards the plane. Closed form.
/// Normals from the plane.
void find_contacts(const PlacedFrustum& first, const Eigen::Vector3d& normal, double offset, double reach,
                   Patch& patch);

/// With all points within a radius of a hull: points of the frustum first, normals from the hull to the frustum.
///
/// Apart, the gap is the least distance of vertices (closed form), of edges, along which it is convex, so that
/// bisection finds where its derivative vanishes to the last bit, and of faces from the point of the frustum that is
/// nearest to their planes. Else it is the largest separation s(n) = min over the frustum - max over the hull of n . x
/// among the directions that may have it: normals of faces, of ends, of the side at vertices and across edges, and
/// those across an edge and a circle, found by bisection along the circle of directions across the edge. Gaps hold to
/// 1e-13 of the sizes. Normals do to 1e-12, but for a vertex beside a circle at a distance d: to 1e-15 of the size over
/// d. Where an end or a line of the side looks at a face within 0.2 rad, the vertices of their overlap are added as for
/// hulls: four points of the circle that stand on the shape, vertices of the face, crossings of its sides, ends of the
/// line. Cost: O(vertices + edges + faces), and some 50 distances for each edge that may be nearest.
void find_contacts(const PlacedFrustum& first, const PlacedHull& second, double reach, Patch& patch);
/// The point of the smallest gap alone, whatever this is. Its feature says what of the hull is there: a vertex
/// (at_vertex), an edge (at_edge), or the face that has the normal, with the lowest point of an end (lowest_of).
[[nodiscard]] PatchPoint closest_points(const PlacedFrustum& first, const PlacedHull& second);

/// Which normals a part of a surface has.
class NormalFilter {
 public:
  virtual ~NormalFilter() = default;
  /// Those within an angle of this sine of them too.
  [[nodiscard]] virtual bool allows(const Eigen::Vector3d& normal, double sine) const = 0;
};
/// With a segment or point that has some normals alone: the closest points if their direction is one of these; where
/// they overlap, the direction that separates the most among these.
void find_contacts(const PlacedFrustum& first, const PlacedHull& second, double reach, const NormalFilter& filter,
                   Patch& patch);

/// The direction that separates the most among these, wherever the closest points are; with it what of the hull the
/// frustum has gone past is moved out. The gap is minus infinity where none is allowed.
[[nodiscard]] PatchPoint most_separating(const PlacedFrustum& first, const PlacedHull& second,
                                         const NormalFilter& filter);

/// With another frustum: normals from the second to the first.
///
/// Apart, the gap is the least of closed forms (an end over the other's lowest point, two lines of the sides) and of
/// distances of the four circles from the other solid, along which minima are found by bisection between 24 angles, or
/// 192; a plane across the closest points, between the solids, proves that they are the closest. Else the gap is the
/// largest separation s(n) found: of normals of ends and of both sides, around each side by bisection, and by climbing
/// from the best of these and of directions all around: moved apart along n, the solids have a closest direction along
/// which s is no less than along n. Gaps hold to 1e-13 of the sizes, and normals to 1e-12, but for what is nearest to a
/// circle alone at a distance d: to 1e-15 of the size over d. Ends and lines of the sides that look at each other
/// within 0.2 rad have all vertices of their overlap, see frustum_patch.hpp. Cost: some 300 distances of points apart,
/// ten times that where they overlap.
void find_contacts(const PlacedFrustum& first, const PlacedFrustum& second, double reach, Patch& patch);

}  // namespace narrow_phase
}  // namespace nonsmooth
