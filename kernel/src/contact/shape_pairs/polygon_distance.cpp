// SPDX-License-Identifier: Apache-2.0
#include "polygon_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kOnePiece = 1e-12;  ///< sine of the angle of two pieces that are one

Vector3d flat(const Vector2d& a) { return {a.x(), a.y(), 0.0}; }

/// The sine of the angle by which a way from a over b to c turns counterclockwise.
double turn_at(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  const Vector2d before = (b - a).normalized(), along = (c - b).normalized();
  return before.x() * along.y() - before.y() * along.x();
}

/// Without the points in which a line does not turn: what is on it there has no other point nearest.
std::vector<Vector2d> turning(const std::vector<Vector2d>& points) {
  std::vector<Vector2d> kept{points[0], points[1]};
  for (std::size_t p = 2; p < points.size(); ++p) {
    const bool turns = std::abs(turn_at(kept[kept.size() - 2], kept.back(), points[p])) > kOnePiece;
    if (turns) kept.push_back(points[p]);
    kept.back() = points[p];
  }
  return kept;
}

/// Of a pass over pieces, the nearest to x so far.
struct NearestPiece {
  Vector2d x;
  double squared = std::numeric_limits<double>::infinity();
  Vector2d between = Vector2d::Zero(), along = Vector2d::UnitX();
  bool at_vertex = false;

  /// From a, along to b; without an end there where it goes on.
  void offer(const Vector2d& a, const Vector2d& b, bool goes_on_before, bool goes_on_behind) {
    const Vector2d side = b - a;
    const double s = side.dot(x - a) / side.squaredNorm();
    const bool before = s <= 0.0 && !goes_on_before, behind = s >= 1.0 && !goes_on_behind;
    const Vector2d foot = before ? a : (behind ? b : Vector2d(a + s * side)), away = x - foot;
    if (!(away.squaredNorm() < squared)) return;
    squared = away.squaredNorm();
    between = away;
    along = side;
    at_vertex = before || behind;
  }
  [[nodiscard]] Distance distance() const {
    if (!at_vertex) return from_plane(between.norm(), flat(between.normalized()));
    return from_line(flat(between), Vector3d::UnitZ());
  }
};

}  // namespace

Distance PolygonShape::distance(const Vector3d& at) const {
  const Vector2d x = at.head<2>();
  const std::size_t count = polygon.vertices.size();
  double top = -std::numeric_limits<double>::infinity();
  std::size_t highest = 0;
  NearestPiece nearest{.x = x};
  for (std::size_t k = 0; k < count; ++k) {
    const Vector2d &a = polygon.vertices[k], &b = polygon.vertices[(k + 1) % count];
    const double height = polygon.normals[k].dot(x - a);
    if (height > top) top = height, highest = k;
    nearest.offer(a, b, false, false);
    if (height > 0.0 && (b - a).dot(x - a) > 0.0 && (b - a).dot(x - b) < 0.0)
      return from_plane(height - radius, flat(polygon.normals[k]));
  }
  Distance result = top <= 0.0 ? from_plane(top, flat(polygon.normals[highest])) : nearest.distance();
  result.value -= radius;
  return result;
}

bool PolygonShape::at_corner(const Vector3d& at, double near) const {
  const Vector2d x = at.head<2>();
  return std::any_of(polygon.vertices.begin(), polygon.vertices.end(),
                     [&](const Vector2d& vertex) { return (x - vertex).norm() <= near; });
}

Distance HeightPart::distance(const Vector3d& at) const {
  const Vector2d x = at.head<2>();
  const std::size_t pieces = points.size() - 1;
  NearestPiece nearest{.x = x};
  double top = -std::numeric_limits<double>::infinity();
  Vector2d highest = Vector2d::UnitY();
  for (std::size_t k = 0; k < pieces; ++k) {
    const Vector2d &a = points[k], &b = points[k + 1], along = (b - a).normalized(), normal(-along.y(), along.x());
    const bool goes_before = k == 0 && goes_on_before, goes_behind = k + 1 == pieces && goes_on_behind;
    const double height = normal.dot(x - a);
    if (height > 0.0 && (goes_before || along.dot(x - a) > 0.0) && (goes_behind || along.dot(x - b) < 0.0))
      return from_plane(height, flat(normal));
    if (height > top) top = height, highest = normal;
    nearest.offer(a, b, goes_before, goes_behind);
  }
  const bool within = (goes_on_before || x.x() >= points.front().x()) && (goes_on_behind || x.x() <= points.back().x());
  return within && top <= 0.0 ? from_plane(top, flat(highest)) : nearest.distance();
}

bool HeightPart::at_corner(const Vector3d& at, double near) const {
  const auto is_near = [&](const Vector2d& point) { return (at.head<2>() - point).norm() <= near; };
  return std::any_of(points.begin() + (goes_on_before ? 1 : 0), points.end() - (goes_on_behind ? 1 : 0), is_near);
}

std::vector<Vector2d> ridges(const std::vector<Vector2d>& all) {
  const std::vector<Vector2d> points = turning(all);
  std::vector<Vector2d> found;
  for (std::size_t p = 1; p + 1 < points.size(); ++p) {
    if (turn_at(points[p - 1], points[p], points[p + 1]) < 0.0) found.push_back(points[p]);
  }
  return found;
}

std::vector<HeightPart> height_parts(const std::vector<Vector2d>& all) {
  const std::vector<Vector2d> points = turning(all);
  std::vector<HeightPart> parts(1);
  parts.back().goes_on_before = true;
  parts.back().points = {points[0], points[1]};
  for (std::size_t p = 2; p < points.size(); ++p) {
    if (turn_at(points[p - 2], points[p - 1], points[p]) > 0.0) {
      parts.emplace_back();
      parts.back().points.push_back(points[p - 1]);
    }
    parts.back().points.push_back(points[p]);
  }
  parts.back().goes_on_behind = true;
  return parts;
}

}  // namespace nonsmooth::shape_pairs
