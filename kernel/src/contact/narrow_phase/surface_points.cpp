// SPDX-License-Identifier: Apache-2.0
// Where a point is about a surface of triangles.
#include "surface_points.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

/// A point of a triangle; the number of its edge or vertex where it is on one, else -1.
struct PointOfTriangle {
  Vector3d point;
  int edge = -1, vertex = -1;
};

/// Source: ericson2005, section 5.1.5 (Voronoi regions of a triangle).
PointOfTriangle closest_on_triangle(const std::array<Vector3d, 3>& corners, const Vector3d& x) {
  const Vector3d &a = corners[0], &b = corners[1], &c = corners[2];
  const Vector3d ab = b - a, ac = c - a, ax = x - a, bx = x - b, cx = x - c;
  const double d1 = ab.dot(ax), d2 = ac.dot(ax), d3 = ab.dot(bx), d4 = ac.dot(bx), d5 = ab.dot(cx), d6 = ac.dot(cx);
  if (d1 <= 0.0 && d2 <= 0.0) return {a, -1, 0};
  if (d3 >= 0.0 && d4 <= d3) return {b, -1, 1};
  if (d6 >= 0.0 && d5 <= d6) return {c, -1, 2};
  const Vector3d normal = ab.cross(ac);
  const double of_a = normal.dot(bx.cross(cx)), of_b = normal.dot(cx.cross(ax)), of_c = normal.dot(ax.cross(bx));
  if (of_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return {a + d1 / (d1 - d3) * ab, 0, -1};
  if (of_a <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
    return {b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), 1, -1};
  if (of_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return {a + d2 / (d2 - d6) * ac, 2, -1};
  return {x - normal.dot(ax) / normal.squaredNorm() * normal, -1, -1};
}

bool has_rim(const Surface& surface, std::int32_t vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  const auto begin = surface.vertex_edges.begin();
  return std::any_of(begin + surface.vertex_begin[v], begin + surface.vertex_begin[v + 1],
                     [&](std::int32_t e) { return surface.edge(e).right < 0; });
}

bool is_on_rim(const Surface& surface, const NearestPoint& nearest) {
  return nearest.vertex >= 0 ? has_rim(surface, nearest.vertex)
                             : nearest.edge >= 0 && surface.edge(nearest.edge).right < 0;
}

/// Beside a rim there is no inside, but below a surface without a bottom.
bool is_inside(const Surface& surface, const NearestPoint& nearest) {
  if (nearest.vertex >= 0) {
    return !has_rim(surface, nearest.vertex) &&
           surface.vertex_normals[static_cast<std::size_t>(nearest.vertex)].dot(nearest.between) < 0.0;
  }
  if (nearest.edge >= 0) {
    const Surface::Edge& edge = surface.edge(nearest.edge);
    return edge.right >= 0 &&
           (surface.face_of(edge.left).normal + surface.face_of(edge.right).normal).dot(nearest.between) < 0.0;
  }
  return nearest.triangle >= 0 && surface.face_of(nearest.triangle).normal.dot(nearest.between) < 0.0;
}

}  // namespace

Vector3d SurfaceView::outward(std::int32_t triangle, const Surface::Edge& edge) const {
  const Vector3d along = surface.vertex(edge.to) - surface.vertex(edge.from);
  const Vector3d across = along.cross(surface.face_of(triangle).normal).normalized();
  return triangle == edge.left ? across : Vector3d(-across);
}

bool SurfaceView::is_normal(const Surface::Edge& edge, const Vector3d& direction, double sine) const {
  const double of_left = surface.face_of(edge.left).normal.dot(direction);
  if (outward(edge.left, edge).dot(direction) < -sine) return false;
  if (edge.right < 0) return of_left >= -sine;
  return outward(edge.right, edge).dot(direction) >= -sine &&
         (of_left > 0.0 || surface.face_of(edge.right).normal.dot(direction) > 0.0);
}

bool SurfaceView::is_normal(std::int32_t vertex, const Vector3d& direction, double sine) const {
  const auto v = static_cast<std::size_t>(vertex);
  bool outside = false;
  for (auto i = surface.vertex_begin[v]; i < surface.vertex_begin[v + 1]; ++i) {
    const Surface::Edge& edge = surface.edge(surface.vertex_edges[static_cast<std::size_t>(i)]);
    const Vector3d along = surface.vertex(edge.from == vertex ? edge.to : edge.from) - surface.vertex(vertex);
    if (along.dot(direction) > sine * along.norm()) return false;
    const double of_left = surface.face_of(edge.left).normal.dot(direction);
    if (edge.right < 0 && of_left < -sine) return false;
    outside = outside || edge.right < 0 || of_left > 0.0 || surface.face_of(edge.right).normal.dot(direction) > 0.0;
  }
  return outside;
}

namespace {

/// True where a triangle is above x: its column along z holds x.
bool is_above(const SurfaceView& view, std::int32_t triangle, const Vector3d& x) {
  const auto& corners = view.surface.triangle(triangle).vertices;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d from = view.vertex(corners[k]), side = view.vertex(corners[(k + 1) % 3]) - from, to_x = x - from;
    if (side.x() * to_x.y() - side.y() * to_x.x() < -view.tolerance * side.norm()) return false;
  }
  const Vector3d a = view.vertex(corners[0]);
  return (view.vertex(corners[1]) - a).cross(view.vertex(corners[2]) - a).dot(x - a) < 0.0;
}

bool is_below(const SurfaceView& view, std::span<const Index> triangles, const Vector3d& x) {
  return std::any_of(triangles.begin(), triangles.end(),
                     [&](Index t) { return is_above(view, static_cast<std::int32_t>(t), x); });
}

void offer(const SurfaceView& view, std::int32_t number, const Vector3d& x, NearestPoint& nearest) {
  const Surface::Triangle& triangle = view.surface.triangle(number);
  const double least =
      std::max(std::abs(view.height(triangle.face, x)) - view.surface.face(triangle.face).deviation, 0.0);
  if (!(least * least < nearest.squared)) return;
  const PointOfTriangle closest = closest_on_triangle(
      {view.vertex(triangle.vertices[0]), view.vertex(triangle.vertices[1]), view.vertex(triangle.vertices[2])}, x);
  const Vector3d between = x - closest.point;
  if (!(between.squaredNorm() < nearest.squared)) return;
  nearest = {.squared = between.squaredNorm(), .between = between, .triangle = number};
  if (closest.edge >= 0) nearest.edge = triangle.edges[static_cast<std::size_t>(closest.edge)];
  if (closest.vertex >= 0) nearest.vertex = triangle.vertices[static_cast<std::size_t>(closest.vertex)];
}

}  // namespace

NearestPoint nearest_point(const SurfaceView& view, std::span<const Index> triangles, const Vector3d& x) {
  NearestPoint nearest;
  for (const Index t : triangles) offer(view, static_cast<std::int32_t>(t), x, nearest);
  if (nearest.triangle < 0) return nearest;
  const bool below = view.surface.bottomless && is_on_rim(view.surface, nearest) && is_below(view, triangles, x);
  if (below || is_inside(view.surface, nearest)) {
    const Vector3d about = view.at + x, reach = Vector3d::Constant(std::sqrt(nearest.squared));
    view.surface.tree.for_each_near(about - reach, about + reach, [&](std::int32_t t) { offer(view, t, x, nearest); });
    nearest.inside = below || is_inside(view.surface, nearest);
  }
  return nearest;
}

NearestPoint nearest_point(const SurfaceView& view) {
  NearestPoint nearest;
  const Vector3d here = Vector3d::Zero();
  view.surface.tree.for_each_nearer(view.at, nearest.squared, [&](std::int32_t t) { offer(view, t, here, nearest); });
  nearest.inside = is_inside(view.surface, nearest);
  if (!view.surface.bottomless || !is_on_rim(view.surface, nearest)) return nearest;
  Vector3d top = view.at;
  top.z() = view.surface.size;
  view.surface.tree.for_each_near(view.at, top,
                                  [&](std::int32_t t) { nearest.inside = nearest.inside || is_above(view, t, here); });
  return nearest;
}

NearestPoint nearest_point(const SurfaceView& view, std::span<const std::int32_t> part_of_face, std::int32_t part) {
  NearestPoint nearest;
  view.surface.tree.for_each_nearer(view.at, nearest.squared, [&](std::int32_t t) {
    const std::int32_t face = view.surface.triangle(t).face;
    if (part_of_face[static_cast<std::size_t>(face)] == part) offer(view, t, Vector3d::Zero(), nearest);
  });
  return nearest;
}

std::int32_t triangle_about(const SurfaceView& view) {
  const NearestPoint nearest = nearest_point(view);
  return nearest.inside ? nearest.triangle : -1;
}

}  // namespace nonsmooth::narrow_phase
