// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/relations/shape_pairs.hpp>

#include "rim_point.hpp"
#include "surface_distance.hpp"

namespace nonsmooth::shape_pairs {

/// The rim of an end of a cylinder or cone on one face of the ground: the point p of it that is lowest along the face's
/// normal n touches it, p = c - r d, d along n - (n . u) u, and y is how far p is from the face (SurfaceFace), n . p
/// over it. There p moves across n as the rim rolls, so that H is the gradient of y. Beside the face, over an edge that
/// is convex, y alone is right: it is above zero there, and no row of it acts. Where p comes to such an edge both end,
/// and no rows follow.
struct RimOnSurface {
  static constexpr Index kMost = 1;
  RimOnBody rim;  ///< about a unit axis
  RoundOnShape<SurfaceFaceUnderFrustum> point;

  RimOnSurface(const RimOnBody& on_body, SurfaceFaceUnderFrustum face, const Eigen::Vector3d& middle,
               const Eigen::Matrix3d& turn)
      : rim(on_body), point{on_body.center, 0.0, std::move(face), middle, turn} {}

  [[nodiscard]] Nearest operator()(const SpaceBodies& bodies) const {
    const Moving n = moving(bodies.direction(1, point.turn * point.shape.normal()));
    const Moving u = moving(bodies.direction(0, rim.axis)), c = moving(bodies.point(0, rim.center));
    return point.about(bodies, lowest_of_rim(c, u, rim.radius, n, kNoLowest).value_or(c));
  }
  [[noreturn]] static void refuse_several() { RoundOnShape<SurfaceFaceUnderFrustum>::refuse_several(); }
  [[nodiscard]] static double smallest_feature() { return 0.0; }
  [[nodiscard]] double passage_depth() const { return point.passage_depth(); }
  /// The ground does not move.
  [[nodiscard]] double steepness(Index) const { return steepness_of(rim.center.norm() + rim.radius); }
};

}  // namespace nonsmooth::shape_pairs
