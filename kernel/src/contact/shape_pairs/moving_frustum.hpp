// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include <Eigen/LU>

#include "contact/narrow_phase/frustum.hpp"
#include "segment_pair.hpp"

namespace nonsmooth::shape_pairs {

/// A cylinder or cone that a body carries.
struct FrustumOnBody {
  std::shared_ptr<const Frustum> frustum;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of its middle, on the body
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  ///< shape to body

  [[nodiscard]] double least_radius() const { return std::min(frustum->radii[0], frustum->radii[1]); }
  [[nodiscard]] double largest_radius() const { return std::max(frustum->radii[0], frustum->radii[1]); }
  [[nodiscard]] double arm() const { return position.norm() + frustum->size; }
};

/// The same as it moves: its middle and axes.
struct MovingFrustum {
  const Frustum& frustum;
  Moving middle;
  Eigen::Matrix3d axes, rates;
  double sine, cosine;  ///< of the angle between the axis and the lines of the side; k

  MovingFrustum(const SpaceBodies& bodies, Index body, const FrustumOnBody& solid)
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
  [[nodiscard]] Moving middle_of(int end) const {
    return shifted(middle, end == 0 ? -frustum.half : frustum.half, axis());
  }
  [[nodiscard]] double radius(int end) const { return frustum.radii[static_cast<std::size_t>(end)]; }
  /// A sum that is finite where all of it is.
  [[nodiscard]] double sum() const { return middle.value.sum() + axes.sum(); }
  /// Of its fastest point, or more.
  [[nodiscard]] double speed() const { return middle.rate.norm() + rates.norm() * frustum.size; }
  /// Where it is `time` later, but for the square of it.
  [[nodiscard]] narrow_phase::PlacedFrustum placed(double time = 0.0) const {
    const Eigen::Matrix3d later = (axes + time * rates).colwise().normalized();
    return {&frustum, middle.value + time * middle.rate, later.col(2), later.col(0), later.col(1)};
  }
  /// The line of the side with an outward normal m, from the lower to the upper end.
  [[nodiscard]] MovingSegment line(const Moving& m) const {
    const Moving u = axis();
    const Moving out{(m.value - sine * u.value) / cosine, (m.rate - sine * u.rate) / cosine};
    return {shifted(middle_of(0), frustum.radii[0], out),
            {2.0 * frustum.half * u.value + (frustum.radii[1] - frustum.radii[0]) * out.value,
             2.0 * frustum.half * u.rate + (frustum.radii[1] - frustum.radii[0]) * out.rate},
            0.0};
  }
};

inline constexpr double kNoneAcross =
    1e-14;  ///< sin^2 of the angle of axes, or of lines, with no direction across both

/// Of the unit n with n . u = a and n . v = b, u and v units, the one on the side of `way` u x v, +-1; none where u and
/// v are along one another or no n has both. n . u' + n' . u = 0, n . v' + n' . v = 0 and n . n' = 0 give n'.
inline std::optional<Moving> unit_between(const Moving& u, double a, const Moving& v, double b, double way) {
  const Eigen::Vector3d across = rotation::cross(u.value, v.value);
  const double area = across.squaredNorm(), c = u.value.dot(v.value);
  if (!(area > kNoneAcross)) return {};
  const Eigen::Vector3d in_plane = ((a - c * b) * u.value + (b - c * a) * v.value) / area;
  const double rest = (1.0 - in_plane.squaredNorm()) / area;
  if (!(rest * area > kNoneAcross)) return {};
  const Eigen::Vector3d n = (in_plane + way * std::sqrt(rest) * across).normalized();
  Eigen::Matrix3d rows;
  rows << u.value.transpose(), v.value.transpose(), n.transpose();
  return Moving{n, rows.inverse() * Eigen::Vector3d(-n.dot(u.rate), -n.dot(v.rate), 0.0)};
}

/// Of bodies that are nowhere.
inline Nearest gap_alone(double gap) {
  Nearest result;
  result.gap = gap;
  return result;
}

/// Radii that a point moves to either side for a difference: 1e-8 of truncation, and as much of the narrow phase's
/// 1e-12.
inline constexpr double kRadiiOfDifference = 1e-4;

/// Gap, normal and points that a narrow phase says, at(time) by the rates of what moves; theirs by central differences.
template <class At>
Nearest nearest_by_differences(const At& at, double speed, double radii) {
  const narrow_phase::PatchPoint best = at(0.0);
  Nearest result{best.gap, {best.normal}, {best.on_first}, {best.on_second}};
  if (!(speed > 0.0)) return result;
  const double time = kRadiiOfDifference * radii / speed;
  const narrow_phase::PatchPoint before = at(-time), after = at(time);
  result.normal.rate = (after.normal - before.normal) / (2.0 * time);
  result.on_first.rate = (after.on_first - before.on_first) / (2.0 * time);
  result.on_second.rate = (after.on_second - before.on_second) / (2.0 * time);
  return result;
}

}  // namespace nonsmooth::shape_pairs
