// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "contact/narrow_phase/frustum.hpp"
#include "segment_pair.hpp"

namespace nonsmooth::shape_pairs {

/// Two cylinders whose sides touch crosswise. Where the closest points of their axes are inside of both, the unit n
/// between these is across both axes and the cylinders lie on either side of the plane across it, so that the gap is
/// the distance of the axes less both radii, and all follows as of capsules (SegmentPair). Elsewhere, where an end, a
/// rim or a line of a side is nearest, the gap and the normal are those of the narrow phase, exact, their rates
/// central differences of them (to 1e-8 or so where they are smooth), and no rows follow if they touch.
struct CylinderPair {
  static constexpr Index kMost = 2;
  struct Cylinder {
    std::shared_ptr<const Frustum> frustum;
    Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of its middle, on the body
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();  ///< shape to body

    [[nodiscard]] double radius() const { return frustum->radii[0]; }
    [[nodiscard]] Eigen::Vector3d along() const { return 2.0 * frustum->half * turn.col(2); }
    [[nodiscard]] double arm() const { return position.norm() + frustum->size; }
  };
  Cylinder first, second;

  [[nodiscard]] Nearest operator()(const SpaceBodies& bodies) const;
  [[noreturn]] static void refuse_several();
  [[nodiscard]] double smallest_feature() const {
    return feature_of(first.radius() + second.radius(), std::max(first.arm(), second.arm()));
  }
  /// Behind where the middles meet of both, between their ends or on their axes.
  [[nodiscard]] double passage_depth() const {
    return 0.5 * (narrow_phase::least_width(*first.frustum) + narrow_phase::least_width(*second.frustum));
  }
  /// The ground does not move: whatever lies there has no arm.
  [[nodiscard]] double steepness(Index systems) const {
    return steepness_of(systems > 1 ? std::max(first.arm(), second.arm()) : first.arm());
  }
};

}  // namespace nonsmooth::shape_pairs
