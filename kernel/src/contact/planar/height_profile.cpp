// SPDX-License-Identifier: Apache-2.0
#include "height_profile.hpp"

#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::planar {

using Eigen::Vector2d;

HeightProfile::HeightProfile(const std::vector<Vector2d>& points) : points_(points) {
  check::at_least("HeightLine::points: number", static_cast<Index>(points.size()), 2);
  for (std::size_t p = 0; p < points.size(); ++p) {
    check::finite("HeightLine::points", ConstVectorRef(points[p]));
    if (p == 0) continue;
    if (!(points[p].x() > points[p - 1].x())) {
      throw InvalidArgument("HeightLine::points",
                            "x = " + check::text(points[p].x()) + " after " + check::text(points[p - 1].x()),
                            "points of ascending x");
    }
    along_.push_back((points[p] - points[p - 1]).normalized());
  }
}

Index HeightProfile::piece_at(double x) const {
  const auto after = std::upper_bound(points_.begin() + 1, points_.end() - 1, x,
                                      [](double value, const Vector2d& point) { return value < point.x(); });
  return static_cast<Index>(after - points_.begin()) - 1;
}

bool HeightProfile::faces(Index piece, const Vector2d& v) const {
  if (piece > 0) {
    const double from_start = along(piece).dot(v - start(piece));
    if (from_start <= 0.0) return false;
  }
  if (piece + 1 < num_pieces()) {
    const double to_end = along(piece).dot(v - start(piece + 1));
    // In front of a point that is no ridge both pieces are met within rounding, rather than none.
    if (is_ridge(piece + 1) ? to_end >= 0.0 : to_end > rounding_at(v, piece)) return false;
  }
  return true;
}

double HeightProfile::squared_distance(Index piece, const Vector2d& v) const {
  const Vector2d edge = points_[static_cast<std::size_t>(piece) + 1] - start(piece), to = v - start(piece);
  const double low = piece > 0 ? 0.0 : -std::numeric_limits<double>::infinity(),
               high = piece + 1 < num_pieces() ? 1.0 : std::numeric_limits<double>::infinity();
  return (to - std::clamp(edge.dot(to) / edge.squaredNorm(), low, high) * edge).squaredNorm();
}

HeightProfile::Holding HeightProfile::holding_pieces(const Vector2d& v, Index low, Index high) const {
  const auto is_below = [&](Index piece) { return normal(piece).dot(v - start(piece)) < 0.0; };
  Index best = piece_at(v.x());  // which is above v at least
  double nearest = squared_distance(best, v);
  for (Index piece = low; piece <= high; ++piece) {
    const double squared = squared_distance(piece, v);
    if (squared < nearest && is_below(piece)) best = piece, nearest = squared;
  }
  Holding result{best, best};
  const auto is_valley = [&](Index p) {  // beyond rounding: pieces of one slope hold alike
    return along(p - 1).x() * along(p).y() - along(p - 1).y() * along(p).x() > 1e-12;
  };
  while (result.first > low && is_valley(result.first) && is_below(result.first - 1)) --result.first;
  while (result.last < high && is_valley(result.last + 1) && is_below(result.last + 1)) ++result.last;
  return result;
}

bool HeightProfile::meet_ridge(Index ridge, const PlacedPolygon& shape, const Vector2d& at, PatchPoint& point) const {
  const Vector2d tip = start(ridge) - at;
  const auto is_own = [&](const Vector2d& w) { return along(ridge - 1).dot(w) >= 0.0 && along(ridge).dot(w) <= 0.0; };
  const auto meet = [&](const Vector2d& normal, const Vector2d& on_shape) {
    point = {normal, on_shape - shape.radius * normal, tip, normal.dot(on_shape - tip) - shape.radius,
             vertex_of_second(0)};
    return true;
  };
  double least = std::numeric_limits<double>::infinity();
  Vector2d vertex = shape.vertex(0);
  for (Index v = 0; v < shape.num_vertices; ++v) {
    const double squared = (shape.vertex(v) - tip).squaredNorm();
    if (squared < least) least = squared, vertex = shape.vertex(v);
  }
  // Sides whose normals look at the ridge: the tip is before the one that it is the farthest outside of.
  Index side = -1;
  double outside = -std::numeric_limits<double>::infinity();
  bool encloses = shape.num_sides > 2;  // a segment has no inside
  for (Index k = 0; k < shape.num_sides; ++k) {
    const double height = shape.normal(k).dot(tip - shape.vertex(k));
    encloses = encloses && height <= 0.0;
    if (height > outside && is_own(-shape.normal(k))) outside = height, side = k;
  }
  if (side >= 0) {
    const Vector2d &from = shape.vertex(side), edge = shape.next_vertex(side) - from;
    const double s = edge.dot(tip - from) / edge.squaredNorm();
    if (encloses || (outside >= 0.0 && s > 0.0 && s < 1.0))
      return meet(-shape.normal(side), tip - outside * shape.normal(side));
  }
  if (encloses || !(least > 0.0) || !is_own(vertex - tip)) return false;
  return meet((vertex - tip) / std::sqrt(least), vertex);
}

}  // namespace nonsmooth::planar
