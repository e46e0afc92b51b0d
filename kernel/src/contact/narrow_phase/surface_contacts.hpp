// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "frustum.hpp"
#include "narrow_phase.hpp"
#include "surface.hpp"

namespace nonsmooth::narrow_phase {

/// Points of a patch of any number, in memory that is kept between calls: what is beyond its size at construction.
class PointList {
 public:
  explicit PointList(std::vector<Index>& memory) : memory_(memory), begin_(memory.size()) {}

  void add(const PatchPoint& point);
  [[nodiscard]] PatchPoint operator[](std::size_t i) const;
  [[nodiscard]] std::size_t size() const { return (memory_.size() - begin_) / kNumbers; }
  [[nodiscard]] std::uint64_t feature(std::size_t i) const {
    return static_cast<std::uint64_t>(memory_[begin_ + kNumbers * i]);
  }
  /// Leaves the point out when the list is sorted.
  void drop(std::size_t i);
  [[nodiscard]] bool is_dropped(std::size_t i) const;
  /// In ascending order of features, the first that was added of each.
  void sort();

 private:
  static constexpr std::size_t kNumbers = 11;
  std::vector<Index>& memory_;
  std::size_t begin_;
};

/// How a shape moves, in the axes of a surface, its centre at the origin.
struct Motion {
  Eigen::Vector3d velocity, spin;  ///< of the centre [m/s]; [rad/s]
  double reach;                    ///< no point moves farther within the horizon, with what rounding lifts [m]
  double horizon;                  ///< [s]

  [[nodiscard]] Eigen::Vector3d velocity_at(const Eigen::Vector3d& x) const { return velocity + spin.cross(x); }
};
struct MovingHull {
  const PlacedHull& hull;
  Motion motion;
};
struct MovingFrustum {
  const PlacedFrustum& frustum;
  Motion motion;
};

/// How many names the features of shapes on a surface take.
[[nodiscard]] std::uint64_t num_features(const Surface& surface);

/// Where a hull and a surface meet, now or within the horizon: appended to `memory` behind what is there, in ascending
/// order of features. `at`: the hull's centre from the middle of the surface.
///
/// A pair of features meets where the one is nearest to the other along a common normal:
///   vertex over face: n of the face. Every vertex within reach, as on a half-space.
///   vertex beside a convex edge or vertex; edge across a convex edge; mesh vertex under a face or beside an edge: n
///   between the closest points, if it is among the normals of both features. Patches of faces, and edges side by side,
///   keep their points within 0.2 rad of these.
/// Edges that are concave or within a face have no normals of their own, so that nothing is felt there but faces. A
/// vertex in the solid is lifted to the nearest point of the surface: to one face, to those that meet at a concave edge
/// or vertex. Edges that cross are in each other where the one is past the other along a normal of both, and a part of
/// one, behind the faces at the other and near to the crossing, is in the other's solid: to any sharpness, to a depth
/// of 0.1 of the hull's size where they are apart along an axis by more than a step's reach. A vertex of the surface
/// that an edge of the hull is exactly above is crossed at an end of its edges. What else lies deeper inside and is
/// gone when a shallower point is, is left out.
///
/// Where the hull goes through triangles and nothing touches what these hang together with by edges, sharp edges are
/// past each other. Of each set of such triangles that are neighbours the shortest way out counts, to any depth (of the
/// hull's size; a tenth of it where another part of the surface is touched): of the pairs of features that a common
/// normal, to 1e-6 rad, brings to touch within both, the least deep that leaves all of the set; where others are flush
/// with it, they too. Nothing counts of what no more than rounding and the deviation of faces is in the hull, of
/// features in another solid or flush with one, and where less than half of the way along a normal of the set leaves
/// it, as in a concave corner that keeps the hull out with several edges; with rims also against the normal, beyond a
/// rim or behind it. What the way of a deeper set takes out as well needs none; at most 16 sets are looked at. Of what
/// is past at two places of one part none is found while another place touches. Ways of convex solids are those of
/// their polyhedra.
///
/// Pairs that are apart now are looked for where the velocities bring them, too. Inside or outside is told by
/// triangles, heights are over mean planes: a vertex between the two is over its nearest face. Where no triangle is
/// near, yet the hull is in the solid of a closed surface, the nearest one counts. Gaps are distances to 1e-12 of the
/// sizes, normals as exact as the distance allows: 1e-15 of the size over it. Cost: O(log triangles + V T + E e + F v)
/// for V vertices, E edges, F faces of the hull and T triangles with e convex edges, v vertices of them near it.
[[nodiscard]] PointList find_contacts(const MovingHull& first, const Surface& second, const Eigen::Vector3d& at,
                                      std::vector<Index>& memory);

/// The same of a cylinder or cone, on the same features of the surface:
///   faces under its points as on a half-space: the lowest of each circle, four of an end that stands;
///   convex edges, as segments, and vertices, where the normal is among those of the feature: within 1e-9 rad where a
///   curve of the frustum meets it, within 0.2 rad where an end does or a line of the side that crosses the edge. An
///   edge under an end has the points where it leaves the circle, one along a line of the side the ends of what both
///   have.
/// Where the lowest point of a circle over a face is in the solid and nearer to another face, and none of these takes
/// it out, it counts, the shallowest of such points first (of eight). Where nothing is in the other then, yet an edge
/// is in the frustum and a vertex at its end past the side of it, the shallowest of these counts. What is past sharp
/// edges, as of hulls. `scratch` is written.
/// Cost: O(log triangles + P T + 100 e + v) for P points over faces, T triangles, e convex edges and v vertices near
/// it.
[[nodiscard]] PointList find_contacts(const MovingFrustum& first, const Surface& second, const Eigen::Vector3d& at,
                                      std::vector<Index>& memory, Patch& scratch);

}  // namespace nonsmooth::narrow_phase
