// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include "contact/narrow_phase/hull.hpp"
#include "moving_frustum.hpp"

namespace nonsmooth::shape_pairs {

/// A box or polyhedron that a body carries, or one edge of it alone.
struct HullOnBody {
  std::shared_ptr<const Hull> hull;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of its middle, on the body
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  ///< shape to body
  Index edge = -1;                                     ///< -1: all of it

  [[nodiscard]] double arm() const { return position.norm() + hull->size; }
  [[nodiscard]] double width() const { return edge < 0 ? narrow_phase::least_width(*hull) : 0.0; }
};

/// A cylinder or cone on a box or polyhedron, or on an edge of it. What is nearest is told by the narrow phase, which
/// separates them by one direction n, from the polyhedron to the frustum; how it moves follows from the features that
/// n is a normal of. With u the axis, k the sine of the angle between it and the lines of the side, c and r the middle
/// and radius of a circle, a an edge through x, the points p on the frustum and q on the polyhedron are
///
///     circle on face     n fixed on the polyhedron,           p = c - r d, d = (n - (n . u) u) / |n - (n . u) u|,
///     side on edge       n . u = -k, n . a = 0, |n| = 1,      the closest points of the edge and the side's line,
///     circle on edge     n . a = 0, (a x n) . (p - x) = 0,    p as on a face, q where the edge is nearest to p,
///     side, end, circle or tip on a vertex                    n and p those of the vertex' distance.
///
/// Each is linear in its rates once it holds; the gap is y = n . (p - q). Where an edge lies along a line of the side
/// (to 1e-6 rad), the middle of it stands for all of it. From feature to feature n and the points are continuous, but
/// where both are sharp: a rim or tip on a vertex, a tip on an edge; an end along an edge (to 1e-6 rad) has several
/// points. Where these touch no row follows; apart the gap, n and the points are those of the narrow phase, exact,
/// their rates where they are not told above central differences.
struct FrustumOnHull {
  static constexpr Index kMost = 2;
  FrustumOnBody frustum;
  HullOnBody hull;
  bool hull_is_second = true;

  [[nodiscard]] Nearest operator()(const SpaceBodies& bodies) const;
  [[noreturn]] static void refuse_several();
  [[nodiscard]] static double smallest_feature() { return 0.0; }
  /// Half the way along which the thinnest of both go through one another.
  [[nodiscard]] double passage_depth() const {
    return 0.5 * (narrow_phase::least_width(*frustum.frustum) + hull.width());
  }
  /// The ground does not move: whatever lies there has no arm.
  [[nodiscard]] double steepness(Index systems) const {
    if (systems > 1) return steepness_of(std::max(frustum.arm(), hull.arm()));
    return steepness_of(hull_is_second ? frustum.arm() : hull.arm());
  }
};

/// What touches flat things with the rim of an end alone: a cone over this that stays inside of the frustum, down to
/// the middle of its axis. A line of the side that lies on a face touches it with both rims, two contacts.
[[nodiscard]] FrustumOnBody cap_of(const FrustumOnBody& solid, int end);
/// The frustum with ends that are kOut radii farther out, its side longer by this: what stands on an end comes to rest
/// before edges lie along it, which have several points.
[[nodiscard]] FrustumOnBody with_ends_out(const FrustumOnBody& solid);

}  // namespace nonsmooth::shape_pairs
