// SPDX-License-Identifier: Apache-2.0
#include "segment_pair.hpp"

#include <algorithm>

namespace nonsmooth::shape_pairs {
namespace {

using Eigen::Vector3d;

constexpr double kParallelSegments = 1e-14;  ///< sin^2 of the angle of segments with no direction across both

/// Of the closest points from + s along of both; a parameter is free where it is inside (0, 1), held at an end or of a
/// point otherwise.
struct Parameters {
  double s = 0.0, t = 0.0;
  bool s_free = false, t_free = false;
  double crossed = 0.0;  ///< |d x e|^2
};

/// Source: Ericson 2005, section 5.1.9 [ericson2005].
Parameters closest(const Vector3d& offset, const Vector3d& d, const Vector3d& e) {
  Parameters at;
  const double dd = d.squaredNorm(), ee = e.squaredNorm(), de = d.dot(e), c = d.dot(offset), f = e.dot(offset);
  at.crossed = rotation::cross(d, e).squaredNorm();
  const bool parallel = !(at.crossed > kParallelSegments * dd * ee);
  const auto inside = [](double value) { return std::clamp(value, 0.0, 1.0); };
  if (dd > 0.0) at.s = parallel ? 0.5 : inside((de * f - c * ee) / at.crossed);
  const double t = ee > 0.0 ? (de * at.s + f) / ee : 0.0;
  at.t = inside(t);
  if (dd > 0.0 && (ee == 0.0 || at.t != t)) at.s = inside((de * at.t - c) / dd);
  at.t_free = at.t > 0.0 && at.t < 1.0;
  at.s_free = at.s > 0.0 && at.s < 1.0 && !(parallel && at.t_free);
  return at;
}

}  // namespace

bool cross_inside(const MovingSegment& first, const MovingSegment& second) {
  const Parameters at = closest(first.from.value - second.from.value, first.along.value, second.along.value);
  return at.s_free && at.t_free;
}

/// w = a + s d - b - t e, with d . w = 0 where s is free and e . w = 0 where t is: their derivatives give the rates of
/// s and t.
Nearest nearest(const MovingSegment& first, const MovingSegment& second) {
  const Vector3d &d = first.along.value, &e = second.along.value;
  const Parameters at = closest(first.from.value - second.from.value, d, e);
  Moving on_first = shifted(first.from, at.s, first.along), on_second = shifted(second.from, at.t, second.along);
  const Vector3d w = on_first.value - on_second.value, carried = on_first.rate - on_second.rate;
  const double dd = d.squaredNorm(), ee = e.squaredNorm(), de = d.dot(e);
  const double g = -(d.dot(carried) + first.along.rate.dot(w)), k = -(e.dot(carried) + second.along.rate.dot(w));
  if (at.s_free && at.t_free) {
    on_first.rate += (ee * g - de * k) / at.crossed * d;
    on_second.rate += (de * g - dd * k) / at.crossed * e;
  } else if (at.s_free) {
    on_first.rate += g / dd * d;
  } else if (at.t_free) {
    on_second.rate -= k / ee * e;
  }
  Nearest result;
  double distance = 0.0;
  result.normal = unit_of({w, on_first.rate - on_second.rate}, distance);
  if (second.radius < 0.0) {
    result.normal = {-result.normal.value, -result.normal.rate};
    distance = -distance;
  }
  result.gap = distance - first.radius - second.radius;
  result.on_first = shifted(on_first, -first.radius, result.normal);
  result.on_second = shifted(on_second, second.radius, result.normal);
  return result;
}

}  // namespace nonsmooth::shape_pairs
