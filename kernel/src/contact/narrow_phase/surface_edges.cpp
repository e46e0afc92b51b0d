// SPDX-License-Identifier: Apache-2.0
// Hulls on surfaces of triangles: convex edges and vertices of the surface, edges and faces of the hull.
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "closest_features.hpp"
#include "surface_search.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kDeepest = 0.1;  ///< of the hull's size: as deep as edges are looked for

/// The part of a segment, from 0 to 1, where some values that grow along it at rates are not positive.
struct PartOfSegment {
  double low = 0.0, high = 1.0;

  void cut(double value, double rate) {
    if (rate > 0.0) {
      high = std::min(high, -value / rate);
    } else if (rate < 0.0) {
      low = std::max(low, value / -rate);
    } else if (value > 0.0) {
      high = -1.0;
    }
  }
  /// The point of from + s side in the part that is the nearest to x, as far from the part's ends as it is deep, at
  /// most a quarter of it; false where the part is empty.
  bool find_near(const Vector3d& x, const Vector3d& from, const Vector3d& side, double depth, Vector3d& point) const {
    if (!(low <= high)) return false;
    const double length = side.norm(), s = side.dot(x - from) / (length * length);
    const double inner = std::min(0.25 * (high - low), depth / length);
    point = from + std::clamp(s, low + inner, high - inner) * side;
    return true;
  }
};

const Hull::Edge& hull_edge(const PlacedHull& hull, Index e) { return hull.hull->edges[static_cast<std::size_t>(e)]; }

/// Of a face of the hull, out of it across an edge: unit.
Vector3d out_of_face(const PlacedHull& hull, const Hull::Edge& edge, bool left) {
  const Vector3d side = hull.vertex(edge.to) - hull.vertex(edge.from);
  const Vector3d across = side.cross(hull.normal(left ? edge.left : edge.right)).normalized();
  return left ? across : Vector3d(-across);
}

}  // namespace

/// True where no edge of the hull rises from the vertex along the direction by more than an angle of this sine.
bool SurfaceSearch::vertex_supports(Index v, const Vector3d& direction, double sine) const {
  for (const Hull::Edge& edge : hull_.hull->edges) {
    if (edge.from != v && edge.to != v) continue;
    const Vector3d side = hull_.vertex(edge.from == v ? edge.to : edge.from) - hull_.vertex(v);
    if (side.dot(direction) > sine * side.norm()) return false;
  }
  return true;
}

/// The same of the faces at an edge.
bool SurfaceSearch::edge_supports(Index e, const Vector3d& direction, double sine) const {
  const Hull::Edge& edge = hull_edge(hull_, e);
  if (edge.left < 0) return true;
  if (!(hull_.normal(edge.left).dot(direction) > 0.0 || hull_.normal(edge.right).dot(direction) > 0.0)) return false;
  return out_of_face(hull_, edge, true).dot(direction) >= -sine &&
         out_of_face(hull_, edge, false).dot(direction) >= -sine;
}

/// True where x is nearer to the edge than to its faces and ends. `between`: from the edge to x.
bool SurfaceSearch::is_beside(const Surface::Edge& edge, const Vector3d& x, Vector3d& between) const {
  const Vector3d from = view_.vertex(edge.from), side = view_.vertex(edge.to) - from;
  const double s = side.dot(x - from) / side.squaredNorm();
  if (!(s > 0.0 && s < 1.0)) return false;
  between = x - from - s * side;
  if (!(view_.outward(edge.left, edge).dot(between) > view_.tolerance)) return false;
  if (edge.right >= 0) return view_.outward(edge.right, edge).dot(between) > view_.tolerance;
  return view_.surface.face_of(edge.left).normal.dot(between) >= -view_.tolerance;
}

void SurfaceSearch::beside_edge(Index v, std::int32_t e, PointList& points) const {
  const Surface::Edge& edge = view_.surface.edge(e);
  const Vector3d& x = hull_.vertex(v);
  Vector3d between, there = x;
  if (!is_beside(edge, x, between)) {
    const Vector3d side = (view_.vertex(edge.to) - view_.vertex(edge.from)).normalized();
    const auto across = [&side](const Vector3d& a) { return Vector3d(a - side * side.dot(a)); };
    const Vector3d velocity = motion_.velocity_at(x);
    const double time = time_to_meet(across(x - view_.vertex(edge.from)), across(velocity));
    if (!std::isfinite(time)) return;
    there = x + time * velocity;
    if (!is_beside(edge, there, between)) return;
  }
  const double distance = between.norm();
  const Vector3d normal = between / distance;
  if (!(distance + normal.dot(x - there) - radius_ <= motion_.reach) || !vertex_supports(v, -normal, kPatchSine))
    return;
  add(normal, x, distance + normal.dot(x - there), names_.vertex_beside(e, v), points);
}

void SurfaceSearch::beside_vertex(Index v, std::int32_t w, PointList& points) const {
  const Vector3d& x = hull_.vertex(v);
  Vector3d between = x - view_.vertex(w), there = x;
  if (!view_.is_normal(w, between, 0.0)) {
    const Vector3d velocity = motion_.velocity_at(x);
    const double time = time_to_meet(between, velocity);
    if (!std::isfinite(time)) return;
    there = x + time * velocity;
    between += time * velocity;
    if (!view_.is_normal(w, between, 0.0)) return;
  }
  const double distance = between.norm();
  if (!(distance > view_.tolerance)) return;  // it is on the faces there
  const Vector3d normal = between / distance;
  if (!(distance + normal.dot(x - there) - radius_ <= motion_.reach) || !vertex_supports(v, -normal, kPatchSine))
    return;
  add(normal, x, distance + normal.dot(x - there), names_.vertex_at(w, v), points);
}

bool SurfaceSearch::cross(Index of_hull, std::int32_t e, const Vector3d& shift, Crossing& found) const {
  const Surface::Edge& edge = view_.surface.edge(e);
  const Hull::Edge& own = hull_edge(hull_, of_hull);
  const Vector3d x = hull_.vertex(own.from) + shift, a = hull_.vertex(own.to) - hull_.vertex(own.from);
  const Vector3d y = view_.vertex(edge.from), b = view_.vertex(edge.to) - y;
  double s = 0.0, t = 0.0;
  if (!closest_on_lines(x, a, y, b, s, t)) return false;
  const Vector3d other = edge.right >= 0 ? view_.surface.face_of(edge.right).normal : view_.outward(edge.left, edge);
  found.normal = a.cross(b).normalized();
  if (found.normal.dot(view_.surface.face_of(edge.left).normal + other) < 0.0) found.normal = -found.normal;
  found.on_hull = x + s * a;
  found.on_surface = y + t * b;
  const double end_a = view_.tolerance / a.norm(), end_b = view_.tolerance / b.norm();
  found.within_own = s > end_a && s < 1.0 - end_a;
  found.within = found.within_own && t > end_b && t < 1.0 - end_b;
  return true;
}

void SurfaceSearch::across_edges(std::int32_t e, PointList& points) const {
  const Surface::Edge& edge = view_.surface.edge(e);
  const double reach = std::max(radius_ + motion_.reach, kDeepest * size_);
  const auto num_edges = static_cast<Index>(hull_.hull->edges.size());
  for (Index of_hull = 0; of_hull < num_edges; ++of_hull) {
    const Hull::Edge& own = hull_edge(hull_, of_hull);
    bool apart = false;
    for (Index axis = 0; axis < 3; ++axis) {  // boxes about the edges, which are apart by the depth at most
      const double a = hull_.vertex(own.from)[axis], b = hull_.vertex(own.to)[axis];
      const double c = view_.vertex(edge.from)[axis], d = view_.vertex(edge.to)[axis];
      apart = apart || std::max(std::min(a, b) - std::max(c, d), std::min(c, d) - std::max(a, b)) > reach;
    }
    if (!apart) across_edge(of_hull, e, points);
  }
}

void SurfaceSearch::across_edge(Index of_hull, std::int32_t e, PointList& points) const {
  const Surface::Edge& edge = view_.surface.edge(e);
  const Hull::Edge& own = hull_edge(hull_, of_hull);
  Crossing found;
  if (!cross(of_hull, e, Vector3d::Zero(), found)) return;
  const double distance = found.normal.dot(found.on_hull - found.on_surface);
  if (!(distance <= radius_ + motion_.reach)) return;
  if (!view_.is_normal(edge, found.normal, kPatchSine) || !edge_supports(of_hull, -found.normal, kPatchSine)) return;
  if (!found.within) {
    const Vector3d velocity = motion_.velocity_at(0.5 * (hull_.vertex(own.from) + hull_.vertex(own.to)));
    const double time = time_to_touch(distance - radius_, found.normal.dot(velocity));
    Crossing then;
    if (!std::isfinite(time) || !cross(of_hull, e, time * velocity, then) || !then.within) return;
  } else if (distance < -view_.tolerance && !overlap_at(of_hull, edge, found, Vector3d::Zero())) {
    return;
  }
  add(found.normal, found.on_hull, distance, names_.edge_across(e, of_hull), points);
}

/// Two edges, the one past the other: true where what is straight across from each is in the other's solid, or one is
/// in the other's solid nearby. Where faces meet at sharp angles and lean, what is straight across from an edge is
/// outside. If the normal is among those of both edges, what is behind the faces at both is a tetrahedron: two opposite
/// sides of it are the parts of the edges behind the other's faces. Of each a point near the crossing is looked at, as
/// the other's solid may end elsewhere. `shift`: of the hull.
bool SurfaceSearch::overlap_at(Index of_hull, const Surface::Edge& edge, const Crossing& found,
                               const Vector3d& shift) const {
  if (depth_outside(found.on_surface - shift) <= view_.tolerance && is_in_solid(found.on_hull)) return true;
  const double depth = std::abs(found.normal.dot(found.on_hull - found.on_surface));
  const Hull::Edge& own = hull_edge(hull_, of_hull);
  const Vector3d x = hull_.vertex(own.from) + shift, a = hull_.vertex(own.to) - hull_.vertex(own.from);
  const Vector3d y = view_.vertex(edge.from), b = view_.vertex(edge.to) - y;
  Vector3d point;
  if (own.left >= 0) {
    PartOfSegment part;
    for (const Index f : {own.left, own.right}) part.cut(hull_.normal(f).dot(y - x), hull_.normal(f).dot(b));
    if (part.find_near(found.on_surface, y, b, depth, point) && depth_outside(point - shift) <= view_.tolerance)
      return true;
  }
  const Vector3d& left = view_.surface.face_of(edge.left).normal;
  const Vector3d right = edge.right >= 0 ? view_.surface.face_of(edge.right).normal : view_.outward(edge.left, edge);
  PartOfSegment part;
  for (const Vector3d* normal : {&left, &right}) part.cut(normal->dot(x - y), normal->dot(a));
  return part.find_near(found.on_hull, x, a, depth, point) && is_in_solid(point);
}

/// By how much x is outside of the face of the hull that it is outside of the most; without faces: as deep as can be.
double SurfaceSearch::depth_outside(const Vector3d& x) const {
  double most = -std::numeric_limits<double>::infinity();
  for (Index f = 0; f < hull_.num_faces(); ++f) most = std::max(most, hull_.normal(f).dot(x) - hull_.offset(f));
  return most;
}

/// True where x is in the prism on a face of the hull.
bool SurfaceSearch::is_under(Index f, const Vector3d& x) const {
  const Hull::Face& face = hull_.hull->faces[static_cast<std::size_t>(f)];
  for (Index c = 0; c < face.count; ++c) {
    const auto corner = [&](Index k) {
      return hull_.vertex(hull_.hull->corners[static_cast<std::size_t>(face.begin + k % face.count)]);
    };
    const Vector3d across = (corner(c + 1) - corner(c)).cross(hull_.normal(f)).normalized();
    if (across.dot(x - corner(c)) > view_.tolerance) return false;
  }
  return true;
}

void SurfaceSearch::under_faces(std::int32_t w, PointList& points) const {
  const Vector3d x = view_.vertex(w);
  const double out = depth_outside(x);
  if (out > radius_ + motion_.reach) return;
  const auto is_corner = [&](const Vector3d& vertex) { return (vertex - x).norm() <= 2.0 * view_.tolerance; };
  if (std::any_of(hull_.vertices.begin(), hull_.vertices.begin() + hull_.num_vertices(), is_corner)) return;
  Index best = -1;
  double most = -std::numeric_limits<double>::infinity();
  for (Index f = 0; f < hull_.num_faces(); ++f) {
    const Vector3d& normal = hull_.normal(f);
    const double distance = normal.dot(x) - hull_.offset(f);
    if (!(distance > most) || !view_.is_normal(w, -normal, kPatchSine)) continue;
    if (out > view_.tolerance) {  // over the face now, or when they touch
      if (distance < 0.0) continue;
      if (!is_under(f, x)) {
        const Vector3d velocity = motion_.velocity_at(x);
        const double time = time_to_touch(distance - radius_, -normal.dot(velocity));
        if (!std::isfinite(time) || !is_under(f, x - time * velocity)) continue;
      }
    }
    best = f;
    most = distance;
  }
  Crossing found;
  if (out <= view_.tolerance && cross_at(w, most, found)) {
    add(found.normal, found.on_hull, found.normal.dot(found.on_hull - x), names_.hull_at(w), points);
  } else if (best >= 0) {
    const Vector3d normal = -hull_.normal(best);
    add(normal, x + most * normal, most, names_.hull_at(w), points);
  }
}

/// An edge of the hull just above or below the vertex, in the hull or on it, crosses the end of an edge of the surface
/// there. `found`: the one of these that is the least deep; false where none is by less than `distance`.
bool SurfaceSearch::cross_at(std::int32_t w, double distance, Crossing& found) const {
  const Vector3d x = view_.vertex(w);
  const auto num_edges = static_cast<Index>(hull_.hull->edges.size());
  double most = distance + view_.tolerance;
  bool any = false;
  view_.for_each_edge(w, [&](const Surface::Edge& edge, std::int32_t e) {
    for (Index of_hull = 0; of_hull < num_edges && edge.convex; ++of_hull) {
      Crossing own;
      if (!cross(of_hull, e, Vector3d::Zero(), own) || !own.within_own) continue;
      const double height = own.normal.dot(own.on_hull - x);
      if (!((own.on_surface - x).norm() <= 2.0 * view_.tolerance && height > most)) continue;
      if (!view_.is_normal(edge, own.normal, kPatchSine) || !edge_supports(of_hull, -own.normal, kPatchSine)) continue;
      if (height < -view_.tolerance && !overlap_at(of_hull, edge, own, Vector3d::Zero())) continue;
      most = height;
      found = own;
      any = true;
    }
  });
  return any;
}

void SurfaceSearch::beside_hull_edge(Index of_hull, std::int32_t w, PointList& points) const {
  const Hull::Edge& edge = hull_edge(hull_, of_hull);
  const Vector3d x = view_.vertex(w), from = hull_.vertex(edge.from), side = hull_.vertex(edge.to) - from;
  const auto along = [&](const Vector3d& a) { return side.dot(a) / side.squaredNorm(); };
  double s = along(x - from);
  Vector3d shift = Vector3d::Zero();
  if (!(s > 0.0 && s < 1.0)) {  // beside it when they touch
    const auto across = [&](const Vector3d& a) { return Vector3d(a - along(a) * side); };
    const Vector3d velocity = motion_.velocity_at(from + 0.5 * side);
    const double time = time_to_meet(across(from - x), across(velocity));
    if (!std::isfinite(time)) return;
    shift = time * velocity;
    s = along(x - from - shift);
    if (!(s > 0.0 && s < 1.0)) return;
  }
  const Vector3d on_hull = from + s * side, between = on_hull + shift - x;
  const Vector3d normal = between.normalized();
  const double distance = normal.dot(on_hull - x);
  if (!(between.norm() > view_.tolerance && distance - radius_ <= motion_.reach)) return;
  if (edge.left >= 0 && !(out_of_face(hull_, edge, true).dot(between) < -view_.tolerance &&
                          out_of_face(hull_, edge, false).dot(between) < -view_.tolerance))
    return;
  if (!view_.is_normal(w, normal, kPatchSine)) return;
  add(normal, on_hull, distance, names_.hull_at(w), points);
}

}  // namespace nonsmooth::narrow_phase
