// SPDX-License-Identifier: Apache-2.0
// Shapes on surfaces of triangles: what is near, points over faces.
#include "surface_faces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kOnFeature = 1e-12;  ///< of the sizes: what is this near to a feature is on it

/// Room behind what is there for the triangles of a surface that may come near, their edges and corners before those
/// named twice are taken out, their faces, and those that a shape goes through: of all of them, 72 bytes a triangle,
/// which is less than the surface has.
void make_room_for_surface(const Surface& surface, std::vector<Index>& memory) {
  constexpr std::size_t numbers = 1 + 3 + 3 + 1 + 1, points = 1024;
  const std::size_t needed = memory.size() + numbers * surface.triangles.size() + points;
  if (memory.capacity() < needed) memory.reserve(needed);
}

void sort_unique(std::vector<Index>& memory, std::size_t begin) {
  const auto from = memory.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(from, memory.end());
  memory.erase(std::unique(from, memory.end()), memory.end());
}

}  // namespace

SurfaceFaces::SurfaceFaces(const Motion& motion, double size, double radius, const Surface& second, const Vector3d& at,
                           std::vector<Index>& memory)
    : motion_(motion),
      size_(size),
      radius_(radius),
      view_{second, at, kOnFeature * (second.size + size)},
      names_(second),
      memory_(memory),
      triangles_begin_(memory.size()) {
  make_room_for_surface(second, memory);
}

std::span<const Index> SurfaceFaces::triangles() const {
  return std::span(memory_).subspan(triangles_begin_, edges_begin_ - triangles_begin_);
}
std::span<const Index> SurfaceFaces::edges() const {
  return std::span(memory_).subspan(edges_begin_, vertices_begin_ - edges_begin_);
}
std::span<const Index> SurfaceFaces::vertices() const {
  return std::span(memory_).subspan(vertices_begin_, vertices_end_ - vertices_begin_);
}

void SurfaceFaces::list_near(Vector3d low, Vector3d high) {
  low_ = low;
  high_ = high;
  const double reach = radius_ + motion_.reach + view_.surface.deviation;
  low.array() += view_.at.array() - reach;
  high.array() += view_.at.array() + reach;
  if (view_.surface.bottomless) high.z() = std::numeric_limits<double>::infinity();
  view_.surface.tree.for_each_near(low, high, [&](std::int32_t t) {
    const double height = view_.height(view_.surface.triangle(t).face, Vector3d::Zero());
    if (height <= size_ + reach) memory_.push_back(t);
  });
  sort_unique(memory_, triangles_begin_);
  if (memory_.size() == triangles_begin_ && view_.surface.closed && view_.at.norm() <= view_.surface.size) {
    const std::int32_t about = triangle_about(view_);  // the shape may be deep in the solid
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

void SurfaceFaces::add(const Vector3d& normal, const Vector3d& on_shape, double distance, std::uint64_t feature,
                       PointList& points) const {
  const double gap = distance - radius_;
  if (!(gap <= motion_.reach)) return;
  points.add({normal, on_shape - radius_ * normal, on_shape - distance * normal, gap, feature});
}

/// Until a gap that changes at a rate is closed: at most the horizon, else infinite.
double SurfaceFaces::time_to_touch(double gap, double rate) const {
  if (!(gap > 0.0) || !(rate < 0.0) || gap > -rate * motion_.horizon) return std::numeric_limits<double>::infinity();
  return gap / -rate;
}

bool SurfaceFaces::is_in_solid(const Vector3d& x) const {
  const NearestPoint nearest = nearest_point(view_, triangles(), x);
  return nearest.inside || nearest.squared <= view_.tolerance * view_.tolerance;
}

/// Out of the solid. Heights are over mean planes of faces, what is inside is told by triangles.
void SurfaceFaces::lift(const Vector3d& x, Index k, std::int32_t face, PointList& points) const {
  const double height = view_.height(face, x);
  if (height <= view_.tolerance + view_.surface.face(face).deviation)
    add(view_.normal(face), x, height, names_.vertex_over(face, k), points);
}

void SurfaceFaces::over_face(const Vector3d& x, Index k, std::int32_t triangle, const NearestPoint& nearest,
                             PointList& points) const {
  const std::int32_t face = view_.surface.triangle(triangle).face;
  const double height = view_.height(face, x), gap = height - radius_;
  if (height < -view_.tolerance - view_.surface.face(face).deviation || gap > motion_.reach) return;
  if (!is_over(triangle, x, height, nearest)) {
    const Vector3d velocity = motion_.velocity_at(x);
    const double rate = view_.normal(face).dot(velocity), time = time_to_touch(gap, rate);
    if (!std::isfinite(time) || !is_over(triangle, x + time * velocity, height + time * rate, nearest)) return;
  }
  add(view_.normal(face), x, height, names_.vertex_over(face, k), points);
}

/// What is on the border of faces that meet at a convex edge or vertex is over the one that keeps the shape away most.
/// What is below the mean plane of a face, yet outside, is over it where this face is the nearest.
bool SurfaceFaces::is_over(std::int32_t triangle, const Vector3d& x, double height, const NearestPoint& nearest) const {
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

bool SurfaceFaces::is_above_or_below(std::int32_t triangle, const Vector3d& x) const {
  const auto& around = view_.surface.triangle(triangle).edges;
  return std::all_of(around.begin(), around.end(), [&](std::int32_t e) {
    const Surface::Edge& edge = view_.surface.edge(e);
    return view_.outward(triangle, edge).dot(x - view_.vertex(edge.from)) <= view_.tolerance;
  });
}

bool SurfaceFaces::prevails(std::int32_t triangle, const Vector3d& x) const {
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

}  // namespace nonsmooth::narrow_phase
