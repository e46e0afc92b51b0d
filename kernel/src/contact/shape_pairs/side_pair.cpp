// SPDX-License-Identifier: Apache-2.0
#include "side_pair.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include <Eigen/LU>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Solid = SidePair::Solid;

constexpr double kSidesTouch = 1e-8;  ///< radii apart below which solids touch
/// Radii that a point moves to either side for a difference: 1e-8 of truncation, and as much of the narrow phase's
/// 1e-12.
constexpr double kSideDifference = 1e-4;
constexpr double kAlongOneAnother = 1e-14;  ///< sin^2 of the angle of axes, or of lines, with no direction across both

double largest_radius(const Solid& solid) { return std::max(solid.frustum->radii[0], solid.frustum->radii[1]); }

/// A solid as it moves: its middle and axes.
struct MovingSolid {
  const Frustum& frustum;
  Moving middle;
  Matrix3d axes, rates;
  double sine, cosine;  ///< of the angle between the axis and the lines of the side; k

  MovingSolid(const SpaceBodies& bodies, Index body, const Solid& solid)
      : frustum(*solid.frustum), middle(moving(bodies.point(body, solid.position))) {
    for (Index k = 0; k < 3; ++k) {
      const Moving axis = moving(bodies.direction(body, solid.turn.col(k)));
      axes.col(k) = axis.value;
      rates.col(k) = axis.rate;
    }
    const double narrows = frustum.radii[0] - frustum.radii[1], length = std::hypot(narrows, 2.0 * frustum.half);
    sine = narrows / length;
    cosine = 2.0 * frustum.half / length;
  }
  [[nodiscard]] Moving axis() const { return {axes.col(2), rates.col(2)}; }
  /// Of its fastest point, or more.
  [[nodiscard]] double speed() const { return middle.rate.norm() + rates.norm() * frustum.size; }
  /// Where it is `time` later, but for the square of it.
  [[nodiscard]] narrow_phase::PlacedFrustum placed(double time) const {
    const Matrix3d later = (axes + time * rates).colwise().normalized();
    return {&frustum, middle.value + time * middle.rate, later.col(2), later.col(0), later.col(1)};
  }
  /// The line of the side with an outward normal m, from the lower to the upper end.
  [[nodiscard]] MovingSegment line(const Moving& m) const {
    const Moving u = axis();
    const Moving out{(m.value - sine * u.value) / cosine, (m.rate - sine * u.rate) / cosine};
    return {shifted(shifted(middle, -frustum.half, u), frustum.radii[0], out),
            {2.0 * frustum.half * u.value + (frustum.radii[1] - frustum.radii[0]) * out.value,
             2.0 * frustum.half * u.rate + (frustum.radii[1] - frustum.radii[0]) * out.rate},
            0.0};
  }
  /// How far the solid goes from a point of its side straight inward: to the opposite side, or to the wider end.
  [[nodiscard]] double thickness(const Vector3d& point) const {
    const double height = axes.col(2).dot(point - middle.value), steep = std::abs(sine);
    const double radius = 0.5 * (frustum.radii[0] + frustum.radii[1]) - height * sine / cosine;
    const double across = cosine * cosine - sine * sine, to_end = frustum.half + (sine > 0.0 ? height : -height);
    double far = std::numeric_limits<double>::infinity();
    if (across > 0.0) far = 2.0 * radius * cosine / across;
    return steep > 0.0 ? std::min(far, to_end / steep) : far;
  }
};

/// n and n' of both ways that sides may have a normal in common; `way`: 1 or -1.
std::optional<Moving> common_normal(const MovingSolid& first, const MovingSolid& second, double way) {
  const Moving u = first.axis(), v = second.axis();
  const Vector3d across = rotation::cross(u.value, v.value);
  const double area = across.squaredNorm(), c = u.value.dot(v.value), a = -first.sine, b = second.sine;
  if (!(area > kAlongOneAnother)) return {};
  const Vector3d in_plane = ((a - c * b) * u.value + (b - c * a) * v.value) / area;
  const double rest = (1.0 - in_plane.squaredNorm()) / area;
  if (!(rest * area > kAlongOneAnother)) return {};
  const Vector3d n = (in_plane + way * std::sqrt(rest) * across).normalized();
  Matrix3d rows;
  rows << u.value.transpose(), v.value.transpose(), n.transpose();
  return Moving{n, rows.inverse() * Vector3d(-n.dot(u.rate), -n.dot(v.rate), 0.0)};
}

/// Where the sides are nearest along a common normal, if their lines cross inside of both.
std::optional<Nearest> nearest_sides(const MovingSolid& first, const MovingSolid& second, double way) {
  const std::optional<Moving> n = common_normal(first, second, way);
  if (!n) return {};
  const MovingSegment one = first.line({-n->value, -n->rate}), other = second.line(*n);
  if (!cross_inside(one, other)) return {};
  Nearest result = nearest(one, other);
  result.normal = *n;
  result.gap = n->value.dot(result.on_first.value - result.on_second.value);
  if (-result.gap > first.thickness(result.on_first.value) + second.thickness(result.on_second.value)) return {};
  return result;
}

}  // namespace

Nearest SidePair::operator()(const SpaceBodies& bodies) const {
  const MovingSolid own(bodies, 0, first), their(bodies, 1, second);
  Nearest result;
  result.gap = own.middle.value.sum() + own.axes.sum() + their.middle.value.sum() + their.axes.sum();
  if (!std::isfinite(result.gap)) return result;
  const std::optional<Nearest> one = nearest_sides(own, their, 1.0), other = nearest_sides(own, their, -1.0);
  if (one && (!other || one->gap >= other->gap)) return *one;
  if (other) return *other;
  const auto at = [&](double time) {
    narrow_phase::Patch patch;
    narrow_phase::find_contacts(own.placed(time), their.placed(time), std::numeric_limits<double>::infinity(), patch);
    return *std::min_element(patch.begin(), patch.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
  };
  const auto best = at(0.0);
  const double radii = largest_radius(first) + largest_radius(second);
  result.gap = best.gap;
  result.normal.value = best.normal;
  result.on_first.value = best.on_first;
  result.on_second.value = best.on_second;
  if (const double speed = std::max(own.speed(), their.speed()); speed > 0.0) {
    const double time = kSideDifference * radii / speed;
    const auto before = at(-time), after = at(time);
    result.normal.rate = (after.normal - before.normal) / (2.0 * time);
    result.on_first.rate = (after.on_first - before.on_first) / (2.0 * time);
    result.on_second.rate = (after.on_second - before.on_second) / (2.0 * time);
  }
  result.several = result.gap <= kSidesTouch * radii;
  return result;
}

void SidePair::refuse_several() {
  throw InvalidArgument("a cylinder or cone on a cylinder or cone",
                        "a rim, an end, a tip or a line of a side that touches the other",
                        "sides that cross, each between the ends of the other");
}

}  // namespace nonsmooth::shape_pairs
