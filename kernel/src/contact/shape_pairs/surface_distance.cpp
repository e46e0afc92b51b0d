// SPDX-License-Identifier: Apache-2.0
#include "surface_distance.hpp"

#include <internal/check.hpp>
#include <internal/disjoint_sets.hpp>

#include "contact/narrow_phase/surface_points.hpp"
#include "model/bodies/rotation.hpp"

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Vector3d;
using narrow_phase::NearestPoint;
using narrow_phase::SurfaceView;

constexpr double kStraight = 1e-9;  ///< sine of the angle between edges, or of a rim that turns

bool is_within_face(const Surface& surface, const Surface::Edge& edge) {
  return edge.right >= 0 && surface.triangle(edge.left).face == surface.triangle(edge.right).face;
}

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
  const auto along = [&](const Surface::Edge& edge) {
    return Vector3d((surface.vertex(edge.to) - surface.vertex(edge.from)).normalized());
  };
  if (nearest.vertex >= 0) {
    Vector3d first = Vector3d::Zero(), last = first;
    int edges = 0;
    const auto v = static_cast<std::size_t>(nearest.vertex);
    for (auto i = surface.vertex_begin[v]; i < surface.vertex_begin[v + 1]; ++i) {
      const Surface::Edge& edge = surface.edge(surface.vertex_edges[static_cast<std::size_t>(i)]);
      if (is_within_face(surface, edge)) continue;
      (edges++ == 0 ? first : last) = along(edge);
    }
    if (edges == 0) return over_face();
    if (edges == 2 && rotation::cross(first, last).norm() <= kStraight) return from_line(nearest.between, first, sign);
    return from_vertex(nearest.between, sign);
  }
  if (nearest.edge < 0 || is_within_face(surface, surface.edge(nearest.edge))) return over_face();
  return from_line(nearest.between, along(surface.edge(nearest.edge)), sign);
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
  const bool inside = nearest.inside && (surface.closed || surface.bottomless || nearest.squared < depth * depth);
  if (parts->of_face[static_cast<std::size_t>(face)] == part) return distance_of(view, nearest, inside ? -1.0 : 1.0);
  return distance_of(view, narrow_phase::nearest_point(view, parts->of_face, part), 1.0);
}

}  // namespace nonsmooth::shape_pairs
