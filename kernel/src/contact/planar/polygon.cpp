// SPDX-License-Identifier: Apache-2.0
#include "polygon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::planar {
namespace {

using Eigen::Vector2d;

constexpr double kOnSide = 1e-9;  ///< of the size: points that are this near to a side are no vertices

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Vertices in the axes of the body become a polygon about their middle.
Polygon closed(std::vector<Vector2d> vertices) {
  Polygon polygon;
  Vector2d low = vertices.front(), high = low;
  for (const Vector2d& vertex : vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  polygon.middle = 0.5 * (low + high);
  for (Vector2d& vertex : vertices) {
    vertex -= polygon.middle;
    polygon.size = std::max(polygon.size, vertex.norm());
  }
  for (std::size_t v = 0; vertices.size() > 1 && v < vertices.size(); ++v) {
    const Vector2d along = (vertices[(v + 1) % vertices.size()] - vertices[v]).normalized();
    polygon.normals.emplace_back(along.y(), -along.x());
  }
  polygon.vertices = std::move(vertices);
  return polygon;
}

}  // namespace

Polygon convex_polygon(const std::vector<Vector2d>& points) {
  check::within("ConvexPolygon::vertices: number", static_cast<Index>(points.size()), 3, most_vertices);
  std::vector<Vector2d> sorted = points;
  Vector2d low = points.front(), high = low;
  for (std::size_t v = 0; v < points.size(); ++v) {
    const Vector2d& point = points[v];
    check::finite("ConvexPolygon::vertices[" + std::to_string(v) + "]", ConstVectorRef(point));
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  const double near = kOnSide * 0.5 * (high - low).norm();
  std::sort(sorted.begin(), sorted.end(), [](const Vector2d& one, const Vector2d& other) {
    return one.x() < other.x() || (one.x() == other.x() && one.y() < other.y());
  });
  // The lower chain, then the upper one. Source: Andrew 1979.
  std::vector<Vector2d> chain;
  const auto extend = [&chain, near](const Vector2d& point, std::size_t keep) {
    const auto turns_left = [&] {
      const Vector2d &before = chain[chain.size() - 2], &last = chain.back();
      return cross(last - before, point - before) > near * (point - before).norm();
    };
    while (chain.size() > keep && !turns_left()) chain.pop_back();
    chain.push_back(point);
  };
  for (const Vector2d& point : sorted) extend(point, 1);
  const std::size_t lower = chain.size();
  for (auto point = sorted.rbegin() + 1; point != sorted.rend(); ++point) extend(*point, lower);
  chain.pop_back();
  if (chain.size() < 3) {
    throw InvalidArgument("ConvexPolygon::vertices", "points that are all on a line", "points that span an area");
  }
  return closed(std::move(chain));
}

Polygon segment(const Vector2d& from, const Vector2d& to) {
  check::finite("PlanarSegment::from", ConstVectorRef(from));
  check::finite("PlanarSegment::to", ConstVectorRef(to));
  check::positive("PlanarSegment: length", (to - from).norm());
  return closed({from, to});
}

Polygon point(const Vector2d& at) { return closed({at}); }

double least_width(const Polygon& polygon) {
  if (polygon.vertices.size() < 3) return 0.0;
  double width = std::numeric_limits<double>::infinity();
  for (std::size_t side = 0; side < polygon.normals.size(); ++side) {
    double depth = 0.0;
    for (const Vector2d& vertex : polygon.vertices)
      depth = std::max(depth, polygon.normals[side].dot(polygon.vertices[side] - vertex));
    width = std::min(width, depth);
  }
  return width;
}

void PlacedPolygon::place(const Polygon& from, double rounding, const Eigen::Matrix2d& turn, const Vector2d& at) {
  radius = rounding;
  size = from.size;
  num_vertices = static_cast<Index>(from.vertices.size());
  num_sides = static_cast<Index>(from.normals.size());
  for (std::size_t v = 0; v < from.vertices.size(); ++v) vertices[v] = at + turn * from.vertices[v];
  for (std::size_t k = 0; k < from.normals.size(); ++k) normals[k] = turn * from.normals[k];
}

}  // namespace nonsmooth::planar
