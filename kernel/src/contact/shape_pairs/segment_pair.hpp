// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contact_relation.hpp"

namespace nonsmooth::shape_pairs {

/// All points within a radius of from + s along, s in [0, 1]: a sphere, a disk (along = 0), a capsule. Negative, of the
/// second of a pair: the hollow of that radius.
struct Segment {
  Eigen::Vector3d from = Eigen::Vector3d::Zero(), along = Eigen::Vector3d::Zero();
  double radius = 0.0;
};

/// A segment as it moves.
struct MovingSegment {
  Moving from, along;
  double radius = 0.0;
};
[[nodiscard]] Nearest nearest(const MovingSegment& first, const MovingSegment& second);
/// The closest points are inside of both, of segments that are not parallel.
[[nodiscard]] bool cross_inside(const MovingSegment& first, const MovingSegment& second);

/// Spheres, disks and capsules on one another.
struct SegmentPair {
  static constexpr Index kMost = 2;
  Segment first, second;

  template <class Bodies>
  [[nodiscard]] Nearest operator()(const Bodies& bodies) const {
    return nearest({moving(bodies.point(0, first.from)), moving(bodies.direction(0, first.along)), first.radius},
                   {moving(bodies.point(1, second.from)), moving(bodies.direction(1, second.along)), second.radius});
  }
  [[nodiscard]] double arm() const {
    return std::max({first.from.norm(), (first.from + first.along).norm(), second.from.norm(),
                     (second.from + second.along).norm()});
  }
  [[nodiscard]] double smallest_feature() const { return feature_of(std::abs(first.radius + second.radius), arm()); }
  /// Behind where the axes meet; in a hollow never.
  [[nodiscard]] double passage_depth() const {
    return second.radius < 0.0 ? kNeverBehind : first.radius + second.radius;
  }
  /// The ground does not move: whatever lies there has no arm.
  [[nodiscard]] double steepness(Index systems) const {
    return steepness_of(systems > 1 ? arm() : std::max(first.from.norm(), (first.from + first.along).norm()));
  }
};

}  // namespace nonsmooth::shape_pairs
