// SPDX-License-Identifier: Apache-2.0
#include "surface_features.hpp"

#include <algorithm>
#include <utility>

#include <internal/disjoint_sets.hpp>

#include "contact/narrow_phase/surface_points.hpp"
#include "model/bodies/rotation.hpp"

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Vector3d;
using narrow_phase::SurfaceView;

constexpr double kOneLine = 1e-9;  ///< sine of the angle between edges that are one

/// Both faces of an edge, the lower number first; -1: a rim.
std::pair<std::int32_t, std::int32_t> faces_of(const Surface& surface, const Surface::Edge& edge) {
  const std::int32_t left = surface.triangle(edge.left).face,
                     right = edge.right < 0 ? -1 : surface.triangle(edge.right).face;
  return std::minmax(left, right);
}

/// Two edges at it go on along one line, with the same faces beside them.
bool is_inside_of_ridge(const Surface& surface, const EdgesAtVertex& at) {
  if (!at.are_straight(surface)) return false;
  const Surface::Edge &one = surface.edge(at.first), &other = surface.edge(at.last);
  return one.convex && other.convex && faces_of(surface, one) == faces_of(surface, other);
}

/// From the lowest to the highest end of edges in one line, as the first of them goes.
SurfaceRidge ridge_of(const Surface& surface, const std::vector<Index>& edges) {
  const SurfaceView view{surface, Vector3d::Zero(), 0.0};
  const Surface::Edge& first = surface.edge(static_cast<std::int32_t>(edges.front()));
  const Vector3d t = along(surface, first);
  const auto is_lower = [&](std::int32_t a, std::int32_t b) {
    return t.dot(surface.vertex(a) - surface.vertex(b)) < 0.0;
  };
  std::int32_t low = first.from, high = first.to;
  for (const Index e : edges) {
    const Surface::Edge& edge = surface.edge(static_cast<std::int32_t>(e));
    for (const std::int32_t v : {edge.from, edge.to}) {
      if (is_lower(v, low)) low = v;
      if (is_lower(high, v)) high = v;
    }
  }
  const Vector3d &from = surface.vertex(low), &to = surface.vertex(high);
  const Vector3d left = -view.outward(first.left, first), right = first.right < 0
                                                                      ? Vector3d(-surface.face_of(first.left).normal)
                                                                      : Vector3d(-view.outward(first.right, first));
  return {from, to, narrow_phase::wedge_hull(from, to, left, right, surface.size)};
}

}  // namespace

bool is_within_face(const Surface& surface, const Surface::Edge& edge) {
  return edge.right >= 0 && surface.triangle(edge.left).face == surface.triangle(edge.right).face;
}

Vector3d along(const Surface& surface, const Surface::Edge& edge) {
  return (surface.vertex(edge.to) - surface.vertex(edge.from)).normalized();
}

bool EdgesAtVertex::are_straight(const Surface& surface) const {
  if (count != 2) return false;
  const Surface::Edge &one = surface.edge(first), &other = surface.edge(last);
  return rotation::cross(along(surface, one), along(surface, other)).norm() <= kOneLine;
}

EdgesAtVertex edges_at(const Surface& surface, std::int32_t vertex) {
  EdgesAtVertex found;
  const auto v = static_cast<std::size_t>(vertex);
  for (auto i = surface.vertex_begin[v]; i < surface.vertex_begin[v + 1]; ++i) {
    const std::int32_t e = surface.vertex_edges[static_cast<std::size_t>(i)];
    if (is_within_face(surface, surface.edge(e))) continue;
    (found.count++ == 0 ? found.first : found.last) = e;
  }
  return found;
}

SurfaceFeatures surface_features(const Surface& surface) {
  SurfaceFeatures features;
  DisjointSets lines(static_cast<Index>(surface.edges.size()));
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
    if (!surface.sharp[v]) continue;
    const auto vertex = static_cast<std::int32_t>(v);
    const EdgesAtVertex at = edges_at(surface, vertex);
    if (is_inside_of_ridge(surface, at)) {
      lines.join(at.first, at.last);
    } else {
      features.corners.push_back(vertex);
    }
  }
  for (const std::vector<Index>& edges : lines.lists()) {
    if (surface.edge(static_cast<std::int32_t>(edges.front())).convex)
      features.ridges.push_back(ridge_of(surface, edges));
  }
  return features;
}

}  // namespace nonsmooth::shape_pairs
