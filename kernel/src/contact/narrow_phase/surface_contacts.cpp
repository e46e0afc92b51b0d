// SPDX-License-Identifier: Apache-2.0
// Hulls on surfaces of triangles: what is near, vertices of the hull, what is hidden by shallower points.
#include "surface_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "surface_search.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kOnFeature = 1e-12;  ///< of the sizes: what is this near to a feature is on it
constexpr double kAside = 1e3;        ///< of that: how far a point is moved beyond what lifts it

void sort_unique(std::vector<Index>& memory, std::size_t begin) {
  const auto from = memory.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(from, memory.end());
  memory.erase(std::unique(from, memory.end()), memory.end());
}

}  // namespace

std::uint64_t num_features(const Surface& surface) { return SurfaceNames(surface).size(); }

PointList find_contacts(const MovingHull& first, const Surface& second, const Vector3d& at,
                        std::vector<Index>& memory) {
  return SurfaceSearch(first, second, at, memory).find();
}

SurfaceSearch::SurfaceSearch(const MovingHull& first, const Surface& second, const Vector3d& at,
                             std::vector<Index>& memory)
    : moving_(first),
      hull_(first.hull),
      view_{second, at, kOnFeature * (second.size + first.hull.hull->size)},
      names_(second),
      memory_(memory),
      triangles_begin_(memory.size()) {}

std::span<const Index> SurfaceSearch::triangles() const {
  return std::span(memory_).subspan(triangles_begin_, edges_begin_ - triangles_begin_);
}
std::span<const Index> SurfaceSearch::edges() const {
  return std::span(memory_).subspan(edges_begin_, vertices_begin_ - edges_begin_);
}
std::span<const Index> SurfaceSearch::vertices() const {
  return std::span(memory_).subspan(vertices_begin_, vertices_end_ - vertices_begin_);
}

void SurfaceSearch::list_near() {
  Vector3d low = hull_.vertex(0), high = low;
  for (Index v = 1; v < hull_.num_vertices(); ++v) {
    low = low.cwiseMin(hull_.vertex(v));
    high = high.cwiseMax(hull_.vertex(v));
  }
  const double reach = hull_.radius + moving_.reach + view_.surface.deviation;
  low.array() += view_.at.array() - reach;
  high.array() += view_.at.array() + reach;
  if (view_.surface.bottomless) high.z() = std::numeric_limits<double>::infinity();
  view_.surface.tree.for_each_near(low, high, [&](std::int32_t t) {
    const double height = view_.height(view_.surface.triangle(t).face, Vector3d::Zero());
    if (height <= hull_.hull->size + reach) memory_.push_back(t);
  });
  sort_unique(memory_, triangles_begin_);
  if (memory_.size() == triangles_begin_ && view_.surface.closed && view_.at.norm() <= view_.surface.size) {
    const std::int32_t about = triangle_about(view_);  // the hull may be deep in the solid
    if (about >= 0) memory_.push_back(about);
  }
  edges_begin_ = memory_.size();
  for (std::size_t i = triangles_begin_; i < edges_begin_; ++i) {
    for (const std::int32_t e : view_.surface.triangle(static_cast<std::int32_t>(memory_[i])).edges)
      if (view_.surface.edge(e).convex) memory_.push_back(e);
  }
  sort_unique(memory_, edges_begin_);
  vertices_begin_ = memory_.size();
  for (std::size_t i = triangles_begin_; i < edges_begin_; ++i) {
    for (const std::int32_t v : view_.surface.triangle(static_cast<std::int32_t>(memory_[i])).vertices)
      if (view_.surface.sharp[static_cast<std::size_t>(v)] != 0) memory_.push_back(v);
  }
  sort_unique(memory_, vertices_begin_);
  vertices_end_ = memory_.size();
}

PointList SurfaceSearch::find() {
  list_near();
  PointList points(memory_);
  if (triangles().empty()) return points;
  const auto each = [](const std::span<const Index>& list, std::size_t i) {
    return static_cast<std::int32_t>(list[i]);
  };
  for (Index v = 0; v < hull_.num_vertices(); ++v) of_vertex(v, points);
  const auto num_edges = static_cast<Index>(hull_.hull->edges.size());
  for (Index e = 0; e < num_edges; ++e) {
    for (std::size_t i = 0; i < edges().size(); ++i) across_edge(e, each(edges(), i), points);
    for (std::size_t i = 0; i < vertices().size(); ++i) beside_hull_edge(e, each(vertices(), i), points);
  }
  if (hull_.num_faces() > 0) {
    for (std::size_t i = 0; i < vertices().size(); ++i) under_faces(each(vertices(), i), points);
  }
  drop_hidden(points);
  points.sort();
  return points;
}

void SurfaceSearch::add(const Vector3d& normal, const Vector3d& on_hull, double distance, std::uint64_t feature,
                        PointList& points) const {
  const double gap = distance - hull_.radius;
  if (!(gap <= moving_.reach)) return;
  points.add({normal, on_hull - hull_.radius * normal, on_hull - distance * normal, gap, feature});
}

/// Until a gap that changes at a rate is closed: at most the horizon, else infinite.
double SurfaceSearch::time_to_touch(double gap, double rate) const {
  if (!(gap > 0.0) || !(rate < 0.0) || gap > -rate * moving_.horizon) return std::numeric_limits<double>::infinity();
  return gap / -rate;
}

/// Until what is `between` from a line or point, and moves so, is within the radius of it; likewise.
double SurfaceSearch::time_to_meet(const Vector3d& between, const Vector3d& velocity) const {
  const double r = hull_.radius, squared = velocity.squaredNorm(), rate = between.dot(velocity);
  const double left = between.squaredNorm() - r * r, root = rate * rate - squared * left;
  if (!(r > 0.0) || !(left > 0.0) || !(rate < 0.0) || !(root >= 0.0)) return std::numeric_limits<double>::infinity();
  const double time = left / (-rate + std::sqrt(root));
  return time <= moving_.horizon ? time : std::numeric_limits<double>::infinity();
}

void SurfaceSearch::of_vertex(Index v, PointList& points) const {
  const NearestPoint nearest = nearest_point(view_, triangles(), hull_.vertex(v));
  if (nearest.inside && nearest.squared > view_.tolerance * view_.tolerance) {
    lift(v, nearest, points);
    return;
  }
  const double farthest = hull_.radius + moving_.reach + view_.surface.deviation;
  if (nearest.squared > farthest * farthest) return;
  for (std::size_t i = 0; i < triangles().size(); ++i)
    over_face(v, static_cast<std::int32_t>(triangles()[i]), nearest, points);
  for (std::size_t i = 0; i < edges().size(); ++i) beside_edge(v, static_cast<std::int32_t>(edges()[i]), points);
  for (std::size_t i = 0; i < vertices().size(); ++i)
    beside_vertex(v, static_cast<std::int32_t>(vertices()[i]), points);
}

/// Out of the solid. Heights are over mean planes of faces, what is inside is told by triangles.
void SurfaceSearch::lift(Index v, const NearestPoint& nearest, PointList& points) const {
  const Vector3d& x = hull_.vertex(v);
  view_.for_each_face(nearest, [&](std::int32_t face) {
    const double height = view_.height(face, x);
    if (height <= view_.tolerance + view_.surface.face(face).deviation)
      add(view_.normal(face), x, height, names_.vertex_over(face, v), points);
  });
}

void SurfaceSearch::over_face(Index v, std::int32_t triangle, const NearestPoint& nearest, PointList& points) const {
  const Vector3d& x = hull_.vertex(v);
  const std::int32_t face = view_.surface.triangle(triangle).face;
  const double height = view_.height(face, x), gap = height - hull_.radius;
  if (height < -view_.tolerance - view_.surface.face(face).deviation || gap > moving_.reach) return;
  if (!is_over(triangle, x, height, nearest)) {
    const Vector3d velocity = moving_.velocity_at(x);
    const double rate = view_.normal(face).dot(velocity), time = time_to_touch(gap, rate);
    if (!std::isfinite(time) || !is_over(triangle, x + time * velocity, height + time * rate, nearest)) return;
  }
  add(view_.normal(face), x, height, names_.vertex_over(face, v), points);
}

/// What is on the border of faces that meet at a convex edge or vertex is over the one that keeps the hull away most.
/// What is below the mean plane of a face, yet outside, is over it where this face is the nearest.
bool SurfaceSearch::is_over(std::int32_t triangle, const Vector3d& x, double height,
                            const NearestPoint& nearest) const {
  const std::int32_t own = view_.surface.triangle(triangle).face;
  bool shared = false;
  for (const std::int32_t e : view_.surface.triangle(triangle).edges) {
    const Surface::Edge& edge = view_.surface.edge(e);
    const double beyond = view_.outward(triangle, edge).dot(x - view_.vertex(edge.from));
    if (beyond > view_.tolerance) return false;
    shared = shared || (edge.convex && beyond >= -view_.tolerance);
  }
  if (shared && std::abs(height) <= view_.tolerance + view_.surface.face(own).deviation) return prevails(triangle, x);
  if (height >= -view_.tolerance) return true;
  bool is_nearest = false;
  view_.for_each_face(nearest, [&](std::int32_t face) { is_nearest = is_nearest || face == own; });
  return is_nearest;
}

bool SurfaceSearch::prevails(std::int32_t triangle, const Vector3d& x) const {
  const Surface& surface = view_.surface;
  const std::int32_t own = surface.triangle(triangle).face;
  const double separates = separation(own);
  bool best = true;
  const auto compare = [&](std::int32_t other) {
    if (other == own) return;
    const double others = separation(other);
    best = best && !(others > separates || (others == separates && other < own));
  };
  const auto is_concave = [&](std::int32_t e) {
    const Surface::Edge& edge = surface.edge(e);
    return !edge.convex && surface.triangle(edge.left).face != surface.triangle(edge.right).face;
  };
  for (const std::int32_t e : surface.triangle(triangle).edges) {
    const Surface::Edge& edge = surface.edge(e);
    if (!edge.convex || edge.right < 0) continue;
    if (view_.outward(triangle, edge).dot(x - view_.vertex(edge.from)) < -view_.tolerance) continue;
    compare(surface.triangle(edge.left == triangle ? edge.right : edge.left).face);
  }
  for (const std::int32_t w : surface.triangle(triangle).vertices) {
    if ((x - view_.vertex(w)).norm() > 2.0 * view_.tolerance) continue;
    const auto begin = surface.vertex_edges.begin();
    const auto at = static_cast<std::size_t>(w);
    if (std::any_of(begin + surface.vertex_begin[at], begin + surface.vertex_begin[at + 1], is_concave)) continue;
    view_.for_each_face(w, compare);
  }
  return best;
}

/// How far a face's plane keeps the hull from what is behind it.
double SurfaceSearch::separation(std::int32_t face) const {
  double least = std::numeric_limits<double>::infinity();
  for (Index v = 0; v < hull_.num_vertices(); ++v) least = std::min(least, view_.height(face, hull_.vertex(v)));
  return least;
}

/// A crossing of edges or a vertex of the surface lies deep in the hull where another point, not as deep, is all that
/// separates them: moved a little beyond it, the hull has left the features.
void SurfaceSearch::drop_hidden(PointList& points) const {
  const double deep = -2.0 * view_.tolerance;
  const std::size_t count = points.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t feature = points.feature(i);
    const SurfaceNames::Crossing crossing = names_.crossing(feature);
    const std::int32_t vertex = names_.vertex_of(feature);
    const double distance = points[i].gap + hull_.radius;
    if (distance >= deep || (crossing.edge < 0 && vertex < 0)) continue;
    bool hidden = false;
    for (std::size_t j = 0; j < count && !hidden; ++j) {
      const PatchPoint other = points[j];
      const double others = other.gap + hull_.radius;
      if (others > view_.tolerance || !(others > distance)) continue;
      const Vector3d shift = (std::max(-others, 0.0) + kAside * view_.tolerance) * other.normal;
      Crossing moved;
      hidden = vertex >= 0 ? depth_outside(view_.vertex(vertex) - shift) > 0.0
                           : !(cross(crossing.of_hull, crossing.edge, shift, moved) && moved.within);
    }
    if (hidden) points.drop(i);
  }
}

}  // namespace nonsmooth::narrow_phase
