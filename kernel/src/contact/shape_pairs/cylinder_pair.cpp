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

MovingSegment axis_of(const SpaceBodies& bodies, Index body, const Cylinder& cylinder) {
  const Vector3d along = cylinder.along();
  return {moving(bodies.point(body, cylinder.position - 0.5 * along)), moving(bodies.direction(body, along)),
          cylinder.radius()};
}

narrow_phase::PlacedFrustum placed(const SpaceBodies& bodies, Index body, const Cylinder& cylinder) {
  const Eigen::Matrix3d axes = bodies.axes(body) * cylinder.turn;
  return {cylinder.frustum.get(), bodies.point(body, cylinder.position).value, axes.col(2), axes.col(0), axes.col(1)};
}

}  // namespace

Nearest CylinderPair::operator()(const SpaceBodies& bodies) const {
  const MovingSegment one = axis_of(bodies, 0, first), other = axis_of(bodies, 1, second);
  Nearest result;
  result.gap = one.from.value.sum() + one.along.value.sum() + other.from.value.sum() + other.along.value.sum();
  if (!std::isfinite(result.gap)) return result;
  if (cross_inside(one, other)) return nearest(one, other);
  narrow_phase::Patch patch;
  narrow_phase::find_contacts(placed(bodies, 0, first), placed(bodies, 1, second),
                              std::numeric_limits<double>::infinity(), patch);
  const auto* const best =
      std::min_element(patch.begin(), patch.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
  result.gap = best->gap;
  result.normal.value = best->normal;
  result.on_first.value = best->on_first;
  result.on_second.value = best->on_second;
  result.several = result.gap <= kCylindersTouch * (one.radius + other.radius);
  return result;
}

void CylinderPair::refuse_several() {
  throw InvalidArgument("a cylinder on a cylinder", "a rim, an end or a line of a side that touches the other",
                        "sides that cross, each between the ends of the other");
}

}  // namespace nonsmooth::shape_pairs
