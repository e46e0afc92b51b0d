// SPDX-License-Identifier: Apache-2.0
#include "height_profile.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::planar {

using Eigen::Vector2d;

namespace {

constexpr double kOneSlope = 1e-12;  ///< sine of the angle between pieces that hold alike
/// Of the way to where a piece is touched: so far beyond its end in a valley it holds as well, and rounding hides it.
constexpr double kBeyondValley = 1e-9;

}  // namespace

void HeightProfile::refuse_too_many() {
  throw InvalidArgument("HeightLine", "more than " + std::to_string(most_at_once) + " pieces under one vertex",
                        "pieces that are longer, or a shape that is smaller");
}

void HeightProfile::check_points(const std::vector<Vector2d>& points) {
  check::at_least("HeightLine::points: number", static_cast<Index>(points.size()), 2);
  for (std::size_t p = 0; p < points.size(); ++p) {
    check::finite("HeightLine::points[" + std::to_string(p) + "]", ConstVectorRef(points[p]));
    if (p > 0 && !(points[p].x() > points[p - 1].x())) {
      throw InvalidArgument("HeightLine::points",
                            "x = " + check::text(points[p].x()) + " after " + check::text(points[p - 1].x()),
                            "points of ascending x");
    }
  }
}

HeightProfile::HeightProfile(const std::vector<Vector2d>& points) : points_(points) {
  check_points(points);
  for (std::size_t p = 1; p < points.size(); ++p) along_.push_back((points[p] - points[p - 1]).normalized());
}

Index HeightProfile::piece_at(double x) const {
  const auto after = std::upper_bound(points_.begin() + 1, points_.end() - 1, x,
                                      [](double value, const Vector2d& point) { return value < point.x(); });
  return static_cast<Index>(after - points_.begin()) - 1;
}

double HeightProfile::highest(double low_x, double high_x, Index low, Index high) const {
  const auto height_at = [this](Index piece, double x) {
    return start(piece).y() + along(piece).y() / along(piece).x() * (x - start(piece).x());
  };
  double most = std::max(height_at(low, low_x), height_at(high, high_x));
  for (Index piece = low + 1; piece <= high; ++piece) most = std::max(most, start(piece).y());
  return most;
}

bool HeightProfile::faces(Index piece, const Vector2d& v, double beyond_valleys) const {
  if (piece > 0) {
    const double from_start = along(piece).dot(v - start(piece));
    if (is_ridge(piece) || beyond_valleys == 0.0 ? from_start <= 0.0 : from_start < -beyond_valleys) return false;
  }
  if (piece + 1 < num_pieces()) {
    const double to_end = along(piece).dot(v - start(piece + 1));
    // In front of a point that is no ridge both pieces are met within rounding, rather than none.
    if (is_ridge(piece + 1) ? to_end >= 0.0 : to_end > std::max(rounding_at(v, piece), beyond_valleys)) return false;
  }
  return true;
}

bool HeightProfile::of_one_line(Index piece, Index other) const {
  const Vector2d between = start(other) - start(piece);
  return std::abs(turn(piece, other)) < kOneSlope && std::abs(normal(piece).dot(between)) <= kOneSlope * between.norm();
}

bool HeightProfile::touches(Index piece, Index under, const Vector2d& v, const Vector2d& velocity, double gap,
                            double horizon) const {
  const bool faces_now = faces(piece, v, 0.0);
  const double approach = -normal(piece).dot(velocity);
  if (!(approach > 0.0 && gap <= horizon * approach)) return faces_now;
  const Vector2d way = (gap / approach) * velocity, then = v + way;
  const double margin = kBeyondValley * way.norm();
  if (!faces_now) return !of_one_line(under, piece) && faces(piece, then, margin);  // else what it faces says the same
  // It may pass over the end of the piece, where the line of this one is above the solid.
  const Vector2d foot = then - normal(piece).dot(then - start(piece)) * normal(piece);
  const Index below = piece_at(foot.x());
  return of_one_line(piece, below) || normal(below).dot(foot - start(below)) <= margin;
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
  const auto is_valley = [this](Index p) { return turn(p - 1, p) > kOneSlope; };
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
  // The nearest vertex, by the difference that faces() takes.
  Index nearest = 0;
  Vector2d apart = at + shape.vertex(0) - start(ridge);
  for (Index v = 1; v < shape.num_vertices; ++v) {
    const Vector2d own = at + shape.vertex(v) - start(ridge);
    if (own.squaredNorm() < apart.squaredNorm()) apart = own, nearest = v;
  }
  // Sides whose normals look at the ridge: the tip is before the one that it is the farthest outside of.
  Index side = -1;
  double outside = -std::numeric_limits<double>::infinity();
  const bool is_segment = shape.num_sides == 2;  // which has no inside: a tip on its other side has gone through it
  bool encloses = shape.num_sides > 2;
  for (Index k = 0; k < shape.num_sides; ++k) {
    const double height = shape.normal(k).dot(tip - shape.vertex(k));
    encloses = encloses && height <= 0.0;
    if (height > outside && is_own(-shape.normal(k))) outside = height, side = k;
  }
  if (side >= 0) {
    const Vector2d &from = shape.vertex(side), edge = shape.next_vertex(side) - from;
    const double s = edge.dot(tip - from) / edge.squaredNorm();
    if (encloses || ((outside >= 0.0 || is_segment) && s > 0.0 && s < 1.0))
      return meet(-shape.normal(side), tip - outside * shape.normal(side));
  }
  if (encloses || !is_own(apart)) return false;
  const double distance = apart.norm();
  if (distance > 0.0) return meet(apart / distance, shape.vertex(nearest));
  return meet((normal(ridge - 1) + normal(ridge)).normalized(), shape.vertex(nearest));  // any of its own
}

}  // namespace nonsmooth::planar
