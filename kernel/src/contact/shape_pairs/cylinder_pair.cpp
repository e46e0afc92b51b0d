// SPDX-License-Identifier: Apache-2.0
#include "cylinder_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::shape_pairs {
namespace {

using Cylinder = CylinderPair::Cylinder;
using Eigen::Vector3d;

constexpr double kCylindersTouch = 1e-8;  ///< radii apart below which cylinders touch
/// Radii that a point moves to either side for a difference: 1e-8 of truncation, and as much of the narrow phase's
/// 1e-12.
constexpr double kCylinderDifference = 1e-4;

MovingSegment axis_of(const SpaceBodies& bodies, Index body, const Cylinder& cylinder) {
  const Vector3d along = cylinder.along();
  return {moving(bodies.point(body, cylinder.position - 0.5 * along)), moving(bodies.direction(body, along)),
          cylinder.radius()};
}

/// A cylinder's middle and axes, as they move.
struct MovingCylinder {
  Moving middle;
  Eigen::Matrix3d axes, rates;

  MovingCylinder(const SpaceBodies& bodies, Index body, const Cylinder& cylinder)
      : middle(moving(bodies.point(body, cylinder.position))) {
    for (Index k = 0; k < 3; ++k) {
      const Moving axis = moving(bodies.direction(body, cylinder.turn.col(k)));
      axes.col(k) = axis.value;
      rates.col(k) = axis.rate;
    }
  }
  /// Of its fastest point, or more.
  [[nodiscard]] double speed(const Cylinder& cylinder) const {
    return middle.rate.norm() + rates.norm() * cylinder.frustum->size;
  }
  /// Where it is `time` later, but for the square of it.
  [[nodiscard]] narrow_phase::PlacedFrustum placed(const Cylinder& cylinder, double time) const {
    const Eigen::Matrix3d later = (axes + time * rates).colwise().normalized();
    return {cylinder.frustum.get(), middle.value + time * middle.rate, later.col(2), later.col(0), later.col(1)};
  }
};

}  // namespace

Nearest CylinderPair::operator()(const SpaceBodies& bodies) const {
  const MovingSegment one = axis_of(bodies, 0, first), other = axis_of(bodies, 1, second);
  Nearest result;
  result.gap = one.from.value.sum() + one.along.value.sum() + other.from.value.sum() + other.along.value.sum();
  if (!std::isfinite(result.gap)) return result;
  if (cross_inside(one, other)) return nearest(one, other);
  const MovingCylinder own(bodies, 0, first), their(bodies, 1, second);
  const auto at = [&](double time) {
    narrow_phase::Patch patch;
    narrow_phase::find_contacts(own.placed(first, time), their.placed(second, time),
                                std::numeric_limits<double>::infinity(), patch);
    return *std::min_element(patch.begin(), patch.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
  };
  const auto best = at(0.0);
  result.gap = best.gap;
  result.normal.value = best.normal;
  result.on_first.value = best.on_first;
  result.on_second.value = best.on_second;
  if (const double speed = std::max(own.speed(first), their.speed(second)); speed > 0.0) {
    const double time = kCylinderDifference * (one.radius + other.radius) / speed;
    const auto before = at(-time), after = at(time);
    result.normal.rate = (after.normal - before.normal) / (2.0 * time);
    result.on_first.rate = (after.on_first - before.on_first) / (2.0 * time);
    result.on_second.rate = (after.on_second - before.on_second) / (2.0 * time);
  }
  result.several = result.gap <= kCylindersTouch * (one.radius + other.radius);
  return result;
}

void CylinderPair::refuse_several() {
  throw InvalidArgument("a cylinder on a cylinder", "a rim, an end or a line of a side that touches the other",
                        "sides that cross, each between the ends of the other");
}

}  // namespace nonsmooth::shape_pairs
