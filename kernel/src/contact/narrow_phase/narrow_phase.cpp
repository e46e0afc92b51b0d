// SPDX-License-Identifier: Apache-2.0
#include "narrow_phase.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "closest_features.hpp"
#include "face_overlap.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kTie = 1e-13;    ///< of the sizes: separations that are as good as equal
constexpr double kTouch = 1e-12;  ///< of the sizes: closer points have no direction between them

Vector3d edge_vector(const PlacedHull& hull, Index e) {
  if (hull.hull->edges.empty()) return Vector3d::Zero();
  const Hull::Edge& edge = hull.hull->edges[static_cast<std::size_t>(e)];
  return hull.vertex(edge.to) - hull.vertex(edge.from);
}

/// A direction across two lines whose points coincide. Where the lines do too, any across them.
Vector3d across(const Vector3d& a, const Vector3d& b) {
  const Vector3d product = a.cross(b);
  if (product.squaredNorm() > kParallel * a.squaredNorm() * b.squaredNorm()) return product.normalized();
  return a.squaredNorm() > 0.0 ? a.unitOrthogonal() : b.squaredNorm() > 0.0 ? b.unitOrthogonal() : Vector3d::UnitZ();
}

/// The direction from one closest point to the other, across the edges that they are within: near points differ by
/// rounding, which must not tilt it along an edge. `axis`: within 90 degrees of it; zero: unknown.
Vector3d direction_between(const PlacedHull& first, const PlacedHull& second, const ClosestPoints& closest,
                           const Vector3d& axis) {
  Vector3d between = closest.on_second - closest.on_first;
  if (closest.edge_of_first >= 0 && closest.edge_of_second >= 0) {
    const Vector3d product =
        edge_vector(first, closest.edge_of_first).cross(edge_vector(second, closest.edge_of_second)).normalized();
    const double along = product.dot(between);
    const bool known = std::abs(along) > 0.5 * std::sqrt(closest.squared_distance);  // else rounding is all there is
    return (known ? along : product.dot(axis)) > 0.0 ? product : Vector3d(-product);
  }
  if (closest.edge_of_first >= 0 || closest.edge_of_second >= 0) {
    const Vector3d edge = closest.edge_of_first >= 0 ? edge_vector(first, closest.edge_of_first)
                                                     : edge_vector(second, closest.edge_of_second);
    between -= (edge.dot(between) / edge.squaredNorm()) * edge;
  }
  return between.normalized();
}

/// Points and segments. Segments that are nearly parallel touch at the ends of where they are side by side.
void of_segments(const PlacedHull& first, const PlacedHull& second, double reach, Patch& patch) {
  const ClosestPoints closest = closest_edges(first, second, Vector3d::Zero());
  const double size = first.hull->size + second.hull->size;
  const Vector3d a = edge_vector(first, 0), b = edge_vector(second, 0);
  // Centres that coincide, axes that cross: any direction across separates them.
  const bool cross = closest.squared_distance <= kTouch * kTouch * size * size;
  const Facing facing{first, second, cross ? across(a, b) : direction_between(first, second, closest, Vector3d::Zero()),
                      reach};
  add_point(facing, closest.on_first, closest.on_second, closest.feature, patch);
  const double sides = a.squaredNorm() * b.squaredNorm();
  if (cross || patch.size() == 0 || !(sides > 0.0 && a.cross(b).squaredNorm() < kPatchSine * kPatchSine * sides))
    return;
  const auto add_ends = [&](const PlacedHull& of, const PlacedHull& other, const Vector3d& along, bool of_first) {
    for (Index v = 0; v < 2; ++v) {
      const Vector3d& end = of.vertex(v);
      const double s = along.dot(end - other.vertex(0)) / along.squaredNorm();
      if (s < 0.0 || s > 1.0) continue;
      const Vector3d beside = other.vertex(0) + s * along;
      const Vector3d between = of_first ? Vector3d(beside - end) : Vector3d(end - beside);
      if (!(between.norm() > kTouch * size)) continue;
      const Facing there{first, second, between.normalized(), reach};
      add_point(there, of_first ? end : beside, of_first ? beside : end,
                of_first ? vertex_of_first(v) : vertex_of_second(v), patch);
    }
  };
  add_ends(first, second, b, true);
  add_ends(second, first, a, false);
}

/// Where hulls overlap or touch, or no face separates them the most. `face`: the best of all faces.
void of_edges(const PlacedHull& first, const PlacedHull& second, const SeparatingAxis& face, double reach,
              Patch& patch) {
  const double size = first.hull->size + second.hull->size, touch = kTouch * size;
  SeparatingAxis best = face;
  if (face.separation <= 2.0 * touch) {  // else the closest points are farther apart than `touch`
    const SeparatingAxis edges = most_separating_edges(first, second);
    if (edges.separation > best.separation + kTie * size) best = edges;
  }
  if (best.separation > reach) return;
  Vector3d direction = best.direction;
  ClosestPoints closest;
  if (best.separation > 0.0) closest = closest_edges(first, second, best.direction);
  const bool apart = best.separation > 0.0 && closest.squared_distance > touch * touch;
  if (apart) {
    direction = direction_between(first, second, closest, best.direction);
    add_point({first, second, direction, reach}, closest.on_first, closest.on_second, closest.feature, patch);
  } else if (best.face < 0) {
    add_point({first, second, direction, reach}, best.on_first, best.on_second,
              crossing_edges(best.edge_of_first, best.edge_of_second), patch);
  }
  // Along the direction that separates the most no pair of points is nearer than the closest features.
  double least = std::numeric_limits<double>::infinity();
  if (direction.dot(face.direction) > kPatchCosine) least = add_face_overlap({first, second, direction, reach}, patch);
  if (apart || best.face < 0 || (patch.size() > 0 && least <= best.separation + touch)) return;
  // Rounding left out of the polygon what is nearest: the closest points or the deepest vertex.
  if (best.separation > 0.0) {
    add_point({first, second, direction, reach}, closest.on_first, closest.on_second, closest.feature, patch);
    return;
  }
  const PlacedHull& inside = face.of_second ? first : second;
  const double sign = face.of_second ? 1.0 : -1.0;
  Index v = 0;
  for (Index i = 1; i < inside.num_vertices(); ++i) {
    if (sign * direction.dot(inside.vertex(i) - inside.vertex(v)) > 0.0) v = i;
  }
  const Vector3d& deepest = inside.vertex(v);
  const Vector3d on_face = deepest + sign * face.separation * direction;
  add_point({first, second, direction, reach}, face.of_second ? deepest : on_face, face.of_second ? on_face : deepest,
            face.of_second ? vertex_of_first(v) : vertex_of_second(v), patch);
}

}  // namespace

void find_contacts(const PlacedHull& first, const PlacedHull& second, double reach, Patch& patch) {
  patch.clear();
  const double hull_reach = reach + first.radius + second.radius;
  const Vector3d between = second.centre - first.centre;
  const double farthest = hull_reach + first.hull->size + second.hull->size;
  if (!(between.squaredNorm() <= farthest * farthest)) return;
  if (first.num_faces() == 0 && second.num_faces() == 0) {
    of_segments(first, second, hull_reach, patch);
    patch.sort();
    return;
  }
  SeparatingAxis face = most_separating_face(first, second, hull_reach);
  if (face.separation > hull_reach) return;
  SeparatingAxis other = most_separating_face(second, first, hull_reach);
  if (other.separation > hull_reach) return;
  const double tie = kTie * (first.hull->size + second.hull->size);
  if (other.separation > face.separation + tie) {
    face = other;
    face.direction = -other.direction;
    face.of_second = true;
  }
  if (face.separation > 0.0) {
    const double least = add_face_overlap({first, second, face.direction, hull_reach}, patch);
    if (!(least <= face.separation + tie)) {
      patch.clear();
      of_edges(first, second, face, hull_reach, patch);
    }
  } else {
    of_edges(first, second, face, hull_reach, patch);
  }
  patch.sort();
}

void find_contacts(const PlacedHull& first, const Vector3d& normal, double offset, double reach, Patch& patch) {
  patch.clear();
  for (Index v = 0; v < first.num_vertices(); ++v) {
    const double height = normal.dot(first.vertex(v)) - offset, gap = height - first.radius;
    if (!(gap <= reach)) continue;
    patch.add(
        {normal, first.vertex(v) - first.radius * normal, first.vertex(v) - height * normal, gap, vertex_of_first(v)});
  }
}

}  // namespace nonsmooth::narrow_phase
