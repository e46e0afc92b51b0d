// SPDX-License-Identifier: Apache-2.0
#include "side_pair.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Vector3d;

constexpr double kSidesTouch = 1e-8;  ///< radii apart below which solids touch

/// How far a solid goes from a point of its side straight inward: to the opposite side, or to the wider end.
double thickness(const MovingFrustum& solid, const Vector3d& point) {
  const Frustum& frustum = solid.frustum;
  const double height = solid.axes.col(2).dot(point - solid.middle.value), steep = std::abs(solid.sine);
  const double radius = 0.5 * (frustum.radii[0] + frustum.radii[1]) - height * solid.sine / solid.cosine;
  const double across = solid.cosine * solid.cosine - solid.sine * solid.sine,
               to_end = frustum.half + (solid.sine > 0.0 ? height : -height);
  double far = std::numeric_limits<double>::infinity();
  if (across > 0.0) far = 2.0 * radius * solid.cosine / across;
  return steep > 0.0 ? std::min(far, to_end / steep) : far;
}

/// Where the sides are nearest along a common normal, if their lines cross inside of both.
std::optional<Nearest> nearest_sides(const MovingFrustum& first, const MovingFrustum& second, double way) {
  const std::optional<Moving> n = unit_between(first.axis(), -first.sine, second.axis(), second.sine, way);
  if (!n) return {};
  const MovingSegment one = first.line({-n->value, -n->rate}), other = second.line(*n);
  if (!cross_inside(one, other)) return {};
  Nearest result = nearest(one, other);
  result.normal = *n;
  result.gap = n->value.dot(result.on_first.value - result.on_second.value);
  if (-result.gap > thickness(first, result.on_first.value) + thickness(second, result.on_second.value)) return {};
  return result;
}

}  // namespace

Nearest SidePair::operator()(const SpaceBodies& bodies) const {
  const MovingFrustum own(bodies, 0, first), their(bodies, 1, second);
  if (!std::isfinite(own.sum() + their.sum())) return gap_alone(own.sum() + their.sum());
  const std::optional<Nearest> one = nearest_sides(own, their, 1.0), other = nearest_sides(own, their, -1.0);
  if (one && (!other || one->gap >= other->gap)) return *one;
  if (other) return *other;
  const auto at = [&](double time) {
    narrow_phase::Patch patch;
    narrow_phase::find_contacts(own.placed(time), their.placed(time), std::numeric_limits<double>::infinity(), patch);
    return *std::min_element(patch.begin(), patch.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
  };
  const double radii = first.largest_radius() + second.largest_radius();
  Nearest result = nearest_by_differences(at, std::max(own.speed(), their.speed()), radii);
  result.several = result.gap <= kSidesTouch * radii;
  return result;
}

void SidePair::refuse_several() {
  throw InvalidArgument("a cylinder or cone on a cylinder or cone",
                        "a rim, an end, a tip or a line of a side that touches the other",
                        "sides that cross, each between the ends of the other");
}

}  // namespace nonsmooth::shape_pairs
