// SPDX-License-Identifier: Apache-2.0
#include "hull_distance.hpp"

#include <algorithm>
#include <limits>

#include "model/bodies/rotation.hpp"

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Vector3d;

bool is_over(const Hull& hull, const Hull::Face& face, const Vector3d& x) {
  for (Index i = 0; i < face.count; ++i) {
    const auto corner = [&](Index c) -> const Vector3d& {
      const Index vertex = hull.corners[static_cast<std::size_t>(face.begin + c % face.count)];
      return hull.vertices[static_cast<std::size_t>(vertex)];
    };
    const Vector3d side = corner(i + 1) - corner(i);
    if (face.normal.dot(rotation::cross(side, x - corner(i))) < 0.0) return false;
  }
  return true;
}

struct NearestEdge {
  double squared = std::numeric_limits<double>::infinity();
  Vector3d between = Vector3d::Zero(), along = Vector3d::Zero();
  bool inside = false;  ///< the nearest point is no end of it
};
NearestEdge nearest_edge(const Hull& hull, const Vector3d& x) {
  NearestEdge nearest;
  for (const Hull::Edge& edge : hull.edges) {
    const Vector3d& from = hull.vertices[static_cast<std::size_t>(edge.from)];
    const Vector3d side = hull.vertices[static_cast<std::size_t>(edge.to)] - from;
    const double s = std::clamp(side.dot(x - from) / side.squaredNorm(), 0.0, 1.0);
    const Vector3d away = x - (from + s * side);
    if (away.squaredNorm() < nearest.squared) nearest = {away.squaredNorm(), away, side, s > 0.0 && s < 1.0};
  }
  return nearest;
}

/// Of a point that is over no face.
Distance from_edges(const Hull& hull, const Vector3d& x) {
  const NearestEdge edge = nearest_edge(hull, x);
  return edge.inside ? from_line(edge.between, edge.along.normalized()) : from_vertex(edge.between);
}

}  // namespace

Distance HullShape::distance(const Vector3d& x) const {
  const Vector3d from_origin = x + hull->middle;
  const Hull::Face* highest = nullptr;
  double top = -std::numeric_limits<double>::infinity();
  for (const Hull::Face& face : hull->faces) {
    const double height = face.normal.dot(x) - face.offset;
    if (height > 0.0 && is_over(*hull, face, from_origin)) return from_plane(height, face.normal);
    if (height > top) top = height, highest = &face;
  }
  return top <= 0.0 ? from_plane(top, highest->normal) : from_edges(*hull, from_origin);
}

bool SharpHullShape::at_corner(const Vector3d& x, double near) const {
  return nearest_edge(*hull, x + hull->middle).squared <= near * near;
}

}  // namespace nonsmooth::shape_pairs
