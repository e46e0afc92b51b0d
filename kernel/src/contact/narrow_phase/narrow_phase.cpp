// SPDX-License-Identifier: Apache-2.0
#include "narrow_phase.hpp"

#include <cmath>

#include <Eigen/Geometry>

#include "closest_features.hpp"
#include "face_overlap.hpp"

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr double kTie = 1e-13;            ///< of the sizes: separations that are as good as equal
constexpr double kTouch = 1e-12;          ///< of the sizes: closer points have no direction between them
constexpr double kNearlyParallel = 0.98;  ///< cosine of 0.2 rad
constexpr double kSteepEdges = 1e-8;      ///< sin^2 of the angle of edges whose product is a better direction

/// A direction across two lines or, where there is none, across the first.
Vector3d across(const Vector3d& a, const Vector3d& b) {
  const Vector3d product = a.cross(b);
  if (product.squaredNorm() > kSteepEdges * a.squaredNorm() * b.squaredNorm()) return product.normalized();
  return a.squaredNorm() > 0.0 ? a.unitOrthogonal() : b.squaredNorm() > 0.0 ? b.unitOrthogonal() : Vector3d::UnitZ();
}

Vector3d edge_vector(const PlacedHull& hull, Index e) {
  if (hull.hull->edges.empty()) return Vector3d::Zero();
  const Hull::Edge& edge = hull.hull->edges[static_cast<std::size_t>(e)];
  return hull.vertex(edge.to) - hull.vertex(edge.from);
}

/// The direction from one closest point to the other.
Vector3d direction_between(const PlacedHull& first, const PlacedHull& second, const ClosestPoints& closest) {
  const Vector3d between = closest.on_second - closest.on_first;
  if (closest.edge_of_first >= 0) {
    const Vector3d product =
        across(edge_vector(first, closest.edge_of_first), edge_vector(second, closest.edge_of_second));
    const double along = product.dot(between);
    if (std::abs(along) > 0.5 * std::sqrt(closest.squared_distance)) return along > 0.0 ? product : Vector3d(-product);
  }
  return between / std::sqrt(closest.squared_distance);
}

/// Points and segments. Segments that are nearly parallel touch at the ends of where they are side by side.
void of_segments(const PlacedHull& first, const PlacedHull& second, double reach, Patch& patch) {
  const ClosestPoints closest = closest_edges(first, second, Vector3d::Zero());
  const double size = first.hull->size + second.hull->size;
  const Vector3d a = edge_vector(first, 0), b = edge_vector(second, 0);
  // Centres that coincide, axes that cross: any direction across separates them.
  const bool cross = closest.squared_distance <= kTouch * kTouch * size * size;
  const Facing facing{first, second, cross ? across(a, b) : direction_between(first, second, closest), reach};
  add_point(facing, closest.on_first, closest.on_second, closest.feature, patch);
  const double sides = a.squaredNorm() * b.squaredNorm();
  if (cross || patch.size() == 0 || !(sides > 0.0 && a.cross(b).squaredNorm() < 0.04 * sides)) return;
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

/// Where hulls overlap, or no face separates them the most. `face`: the best of all faces.
void of_edges(const PlacedHull& first, const PlacedHull& second, const SeparatingAxis& face, double reach,
              Patch& patch) {
  const double size = first.hull->size + second.hull->size;
  SeparatingAxis best = face;
  if (face.separation <= 0.0) {
    const SeparatingAxis edges = most_separating_edges(first, second);
    if (edges.separation > best.separation + kTie * size) best = edges;
  }
  if (best.separation > reach) return;
  Vector3d direction = best.direction;
  if (best.separation > 0.0) {
    const ClosestPoints closest = closest_edges(first, second, best.direction);
    if (closest.squared_distance > kTouch * kTouch * size * size) {
      direction = direction_between(first, second, closest);
      add_point({first, second, direction, reach}, closest.on_first, closest.on_second, closest.feature, patch);
    } else {
      direction = face.direction;
    }
  } else if (best.face < 0) {
    add_point({first, second, direction, reach}, best.on_first, best.on_second,
              crossing_edges(best.edge_of_first, best.edge_of_second), patch);
  } else {
    direction = face.direction;
  }
  // Along the direction that separates the most no pair of points is nearer than the closest features.
  if (direction.dot(face.direction) > kNearlyParallel) add_face_overlap({first, second, direction, reach}, patch);
  if (patch.size() > 0 || best.separation > kTie * size) return;
  // Rounding left nothing of the polygon: the deepest vertex alone.
  const auto deepest = [&](const PlacedHull& hull, double sign) {
    Index v = 0;
    for (Index i = 1; i < hull.num_vertices(); ++i) {
      if (sign * face.direction.dot(hull.vertex(i) - hull.vertex(v)) > 0.0) v = i;
    }
    return v;
  };
  const Index v = deepest(first, 1.0), w = deepest(second, -1.0);
  add_point({first, second, face.direction, reach}, first.vertex(v), second.vertex(w), vertex_of_first(v), patch);
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
