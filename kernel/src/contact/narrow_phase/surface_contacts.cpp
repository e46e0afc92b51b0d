// SPDX-License-Identifier: Apache-2.0
// Hulls on surfaces of triangles: what is near, vertices of the hull, what is hidden by shallower points.
#include "surface_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "surface_search.hpp"

namespace nonsmooth::narrow_phase {

using Eigen::Vector3d;

std::uint64_t num_features(const Surface& surface) { return SurfaceNames(surface).size(); }

PointList find_contacts(const MovingHull& first, const Surface& second, const Vector3d& at,
                        std::vector<Index>& memory) {
  return SurfaceSearch(first, second, at, memory).find();
}

SurfaceSearch::SurfaceSearch(const MovingHull& first, const Surface& second, const Vector3d& at,
                             std::vector<Index>& memory)
    : SurfaceFaces(first.motion, first.hull.size, first.hull.radius, second, at, memory), hull_(first.hull) {}

PointList SurfaceSearch::find() {
  Vector3d low = hull_.vertex(0), high = low;
  for (Index v = 1; v < hull_.num_vertices(); ++v) {
    low = low.cwiseMin(hull_.vertex(v));
    high = high.cwiseMax(hull_.vertex(v));
  }
  list_near(low, high);
  PointList points(memory_);
  if (triangles().empty()) return points;
  const auto each = [](const std::span<const Index>& list, std::size_t i) {
    return static_cast<std::int32_t>(list[i]);
  };
  for (Index v = 0; v < hull_.num_vertices(); ++v) of_vertex(v, points);
  for (std::size_t i = 0; i < edges().size(); ++i) across_edges(each(edges(), i), points);
  const auto num_edges = static_cast<Index>(hull_.hull->edges.size());
  for (Index e = 0; e < num_edges; ++e) {
    for (std::size_t i = 0; i < vertices().size(); ++i) beside_hull_edge(e, each(vertices(), i), points);
  }
  if (hull_.num_faces() > 0) {
    for (std::size_t i = 0; i < vertices().size(); ++i) under_faces(each(vertices(), i), points);
  }
  drop_hidden(points);
  if (hull_.num_faces() > 0) add_what_is_past(points);
  points.sort();
  return points;
}

/// Until what is `between` from a line or point, and moves so, is within the radius of it; likewise.
double SurfaceSearch::time_to_meet(const Vector3d& between, const Vector3d& velocity) const {
  const double r = radius_, squared = velocity.squaredNorm(), rate = between.dot(velocity);
  const double left = between.squaredNorm() - r * r, root = rate * rate - squared * left;
  if (!(r > 0.0) || !(left > 0.0) || !(rate < 0.0) || !(root >= 0.0)) return std::numeric_limits<double>::infinity();
  const double time = left / (-rate + std::sqrt(root));
  return time <= motion_.horizon ? time : std::numeric_limits<double>::infinity();
}

void SurfaceSearch::of_vertex(Index v, PointList& points) const {
  const NearestPoint nearest = nearest_point(view_, triangles(), hull_.vertex(v));
  if (nearest.inside && nearest.squared > view_.tolerance * view_.tolerance) {
    view_.for_each_face(nearest, [&](std::int32_t face) { lift(hull_.vertex(v), v, face, points); });
    return;
  }
  const double farthest = radius_ + motion_.reach + view_.surface.deviation;
  if (nearest.squared > farthest * farthest) return;
  for (std::size_t i = 0; i < triangles().size(); ++i)
    over_face(hull_.vertex(v), v, static_cast<std::int32_t>(triangles()[i]), nearest, points);
  for (std::size_t i = 0; i < edges().size(); ++i) beside_edge(v, static_cast<std::int32_t>(edges()[i]), points);
  for (std::size_t i = 0; i < vertices().size(); ++i)
    beside_vertex(v, static_cast<std::int32_t>(vertices()[i]), points);
}

/// How far a face's plane keeps the hull from what is behind it.
double SurfaceSearch::separation(std::int32_t face) const {
  double least = std::numeric_limits<double>::infinity();
  for (Index v = 0; v < hull_.num_vertices(); ++v) least = std::min(least, view_.height(face, hull_.vertex(v)));
  return least;
}

/// A crossing of edges or a vertex of the surface lies deep in the hull where another point, not as deep, is all that
/// separates them: moved a little beyond it, the hull has left the features, or their solids.
void SurfaceSearch::drop_hidden(PointList& points) const {
  const double deep = -2.0 * view_.tolerance;
  const std::size_t count = points.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t feature = points.feature(i);
    const SurfaceNames::Crossing crossing = names_.crossing(feature);
    const std::int32_t vertex = names_.vertex_of(feature);
    const double distance = points[i].gap + radius_;
    if (distance >= deep || (crossing.edge < 0 && vertex < 0)) continue;
    bool hidden = false;
    for (std::size_t j = 0; j < count && !hidden; ++j) {
      const PatchPoint other = points[j];
      const double others = other.gap + radius_;
      if (others > view_.tolerance || !(others > distance)) continue;
      const Vector3d shift = (std::max(-others, 0.0) + kAside * view_.tolerance) * other.normal;
      Crossing moved;
      if (vertex >= 0) {
        hidden = depth_outside(view_.vertex(vertex) - shift) > 0.0;
        continue;
      }
      hidden = !(cross(crossing.of_hull, crossing.edge, shift, moved) && moved.within);
      if (hidden || other.normal.dot(moved.normal) > kPatchCosine) continue;
      // Out along its own normal too: about as deep as the other, which is not all that separates them then.
      if (moved.normal.dot(moved.on_hull - moved.on_surface) > -view_.tolerance) continue;
      hidden = !overlap_at(crossing.of_hull, view_.surface.edge(crossing.edge), moved, shift);
    }
    if (hidden) points.drop(i);
  }
}

}  // namespace nonsmooth::narrow_phase
