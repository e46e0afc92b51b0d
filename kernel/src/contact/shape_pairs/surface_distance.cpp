// SPDX-License-Identifier: Apache-2.0
#include "surface_distance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Geometry>

#include <internal/check.hpp>
#include <internal/disjoint_sets.hpp>

#include "contact/narrow_phase/surface_points.hpp"
#include "surface_features.hpp"

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Vector3d;
using narrow_phase::NearestPoint;
using narrow_phase::SurfaceView;

constexpr double kStraight = 1e-9;  ///< sine of the angle of a rim that turns
constexpr double kOverValley =
    0.5;  ///< of the sine of a valley's angle: so steep over a face is what is over the other
constexpr double kNearDepths = 1e3;  ///< of the depth of what is nearest: a face so near in the solid is of one valley
constexpr double kTouchesFace = 1e-12;  ///< of the surface's size: so far from a face is on it
constexpr double kNearOfSize = 1e-3;    ///< of the surface's size, the same

std::string place_of_vertex(const Surface& surface, std::int32_t vertex) {
  const Vector3d x = surface.vertex(vertex) + surface.middle;
  return "(" + check::text(x.x()) + ", " + check::text(x.y()) + ", " + check::text(x.z()) + ")";
}

/// Whether two rims of one part at a vertex turn inwards: one goes where the other looks out of its face.
bool turns_inwards(const SurfaceView& view, const Surface::Edge& one, const Surface::Edge& other, std::int32_t vertex) {
  const auto along = [&](const Surface::Edge& edge) {
    return Vector3d(
        (view.surface.vertex(edge.from == vertex ? edge.to : edge.from) - view.surface.vertex(vertex)).normalized());
  };
  return view.outward(one.left, one).dot(along(other)) > kStraight ||
         view.outward(other.left, other).dot(along(one)) > kStraight;
}

void refuse_rims(SurfaceParts& parts) {
  const Surface& surface = *parts.surface;
  const SurfaceView view{surface, Vector3d::Zero(), 0.0};
  const auto part_of = [&](const Surface::Edge& edge) {
    return parts.of_face[static_cast<std::size_t>(surface.triangle(edge.left).face)];
  };
  std::vector<const Surface::Edge*> rims;
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
    rims.clear();
    const auto vertex = static_cast<std::int32_t>(v);
    for (auto i = surface.vertex_begin[v]; i < surface.vertex_begin[v + 1]; ++i) {
      const Surface::Edge& edge = surface.edge(surface.vertex_edges[static_cast<std::size_t>(i)]);
      if (edge.right < 0) rims.push_back(&edge);
    }
    for (std::size_t k = 0; k < rims.size(); ++k) {
      for (std::size_t l = 0; l < k; ++l) {
        if (part_of(*rims[k]) != part_of(*rims[l]) || !turns_inwards(view, *rims[k], *rims[l], vertex)) continue;
        parts.refused = "a rim that turns inwards at " + place_of_vertex(surface, vertex);
        return;
      }
    }
  }
}

/// x is in the solid, behind a surface with rims no deeper than `depth`.
bool is_in_solid(const Surface& surface, const NearestPoint& nearest, double depth) {
  return nearest.inside && (surface.closed || surface.bottomless || nearest.squared < depth * depth);
}

/// The sine of the angle of the flattest valley that a face ends in at its nearest point; 0: it ends in none there.
double sine_of_valley(const Surface& surface, const NearestPoint& nearest, std::int32_t face) {
  double least = 0.0;
  const auto visit = [&](const Surface::Edge& edge) {
    if (edge.convex || is_within_face(surface, edge)) return;
    const std::int32_t left = surface.triangle(edge.left).face, right = surface.triangle(edge.right).face;
    if (left != face && right != face) return;
    const double sine = surface.face(left).normal.cross(surface.face(right).normal).norm();
    least = least > 0.0 ? std::min(least, sine) : sine;
  };
  if (nearest.vertex >= 0) {
    const auto v = static_cast<std::size_t>(nearest.vertex);
    for (auto i = surface.vertex_begin[v]; i < surface.vertex_begin[v + 1]; ++i)
      visit(surface.edge(surface.vertex_edges[static_cast<std::size_t>(i)]));
  } else if (nearest.edge >= 0) {
    visit(surface.edge(nearest.edge));
  }
  return least;
}

/// Which feature of its surface a nearest point is on, as one looks from it: vertices inside a face or on a straight
/// edge are of these.
Distance distance_of(const SurfaceView& view, const NearestPoint& nearest, double sign) {
  const Surface& surface = view.surface;
  const auto over_face = [&] {
    const std::int32_t face = surface.triangle(nearest.triangle).face;
    const double height = view.height(face, Vector3d::Zero());
    const double side = sign > 0.0 && height < 0.0 ? -1.0 : 1.0;  // seen from behind
    return from_plane(side * height, side * view.normal(face));
  };
  if (nearest.vertex >= 0) {
    const EdgesAtVertex at = edges_at(surface, nearest.vertex);
    if (at.count == 0) return over_face();
    if (at.are_straight(surface)) return from_line(nearest.between, along(surface, surface.edge(at.first)), sign);
    return from_vertex(nearest.between, sign);
  }
  if (nearest.edge < 0 || is_within_face(surface, surface.edge(nearest.edge))) return over_face();
  return from_line(nearest.between, along(surface, surface.edge(nearest.edge)), sign);
}

}  // namespace

std::shared_ptr<const SurfaceParts> surface_parts(const std::shared_ptr<const Surface>& surface) {
  auto parts = std::make_shared<SurfaceParts>();
  parts->surface = surface;
  const auto face_of = [&](std::int32_t triangle) { return static_cast<Index>(surface->triangle(triangle).face); };
  DisjointSets faces(static_cast<Index>(surface->faces.size()));
  for (const Surface::Edge& edge : surface->edges) {
    if (edge.right >= 0 && edge.convex) faces.join(face_of(edge.left), face_of(edge.right));
  }
  for (const Surface::Edge& edge : surface->edges) {
    const bool concave = !edge.convex && !is_within_face(*surface, edge);
    if (concave && faces.together(face_of(edge.left), face_of(edge.right))) {
      parts->refused = "a concave edge from " + place_of_vertex(*surface, edge.from) + " to " +
                       place_of_vertex(*surface, edge.to) + " between faces that hang together over convex ones";
      return parts;
    }
  }
  parts->count = static_cast<std::int32_t>(faces.lists().size());
  for (std::size_t f = 0; f < surface->faces.size(); ++f)
    parts->of_face.push_back(static_cast<std::int32_t>(faces.number(static_cast<Index>(f))));
  refuse_rims(*parts);
  return parts;
}

Distance SurfaceShape::distance(const Vector3d& x) const {
  const Surface& surface = *parts->surface;
  const SurfaceView view{surface, x, 0.0};
  const NearestPoint nearest = narrow_phase::nearest_point(view);
  const std::int32_t face = surface.triangle(nearest.triangle).face;
  const bool inside = is_in_solid(surface, nearest, depth);
  if (parts->of_face[static_cast<std::size_t>(face)] == part) return distance_of(view, nearest, inside ? -1.0 : 1.0);
  return distance_of(view, narrow_phase::nearest_point(view, parts->of_face, part), 1.0);
}

std::shared_ptr<const SurfaceParts> surface_faces(const std::shared_ptr<const Surface>& surface) {
  auto faces = std::make_shared<SurfaceParts>();
  faces->surface = surface;
  faces->count = static_cast<std::int32_t>(surface->faces.size());
  faces->of_face.resize(surface->faces.size());
  std::iota(faces->of_face.begin(), faces->of_face.end(), 0);
  return faces;
}

Distance SurfaceFace::distance(const Vector3d& x) const {
  const Surface& surface = *faces->surface;
  const SurfaceView view{surface, x, 0.0};
  const NearestPoint of_all = narrow_phase::nearest_point(view);
  const bool is_own = surface.triangle(of_all.triangle).face == face;
  const NearestPoint nearest = is_own ? of_all : narrow_phase::nearest_point(view, faces->of_face, face);
  const double height = view.height(face, Vector3d::Zero()), distance = std::sqrt(nearest.squared);
  const bool is_near = distance <= std::min(kNearDepths * std::sqrt(of_all.squared), kNearOfSize * surface.size);
  const bool touches = distance <= kTouchesFace * surface.size;  // rounding decides on which side
  if (touches || (is_in_solid(surface, of_all, depth) && (is_own || is_near))) return from_plane(height, normal());
  const double sine = sine_of_valley(surface, nearest, face);
  if (sine > 0.0 && height >= kOverValley * sine * distance) return from_plane(height, normal());
  return distance_of(view, nearest, 1.0);
}

bool SurfaceFace::at_corner(const Vector3d& x, double near) const {
  const Surface& surface = *faces->surface;
  const double squared = near * near;
  bool found = false;
  surface.tree.for_each_nearer(x, squared, [&](std::int32_t t) {
    for (const std::int32_t e : surface.triangle(t).edges) {
      const Surface::Edge& edge = surface.edge(e);
      if (found || !edge.convex) continue;
      const Vector3d &from = surface.vertex(edge.from), side = surface.vertex(edge.to) - from;
      const double s = std::clamp(side.dot(x - from) / side.squaredNorm(), 0.0, 1.0);
      found = (x - from - s * side).squaredNorm() <= squared;
    }
  });
  return found;
}

}  // namespace nonsmooth::shape_pairs
