// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "contact/narrow_phase/hull.hpp"
#include "contact_relation.hpp"

namespace nonsmooth::shape_pairs {

/// A sphere on a polyhedron that the second body carries.
struct SphereOnHull {
  static constexpr Index kMost = 2;
  Eigen::Vector3d center;
  double radius;
  std::shared_ptr<const Hull> hull;
  Eigen::Vector3d origin;  ///< of the hull, on the body
  Eigen::Matrix3d turn;    ///< hull to body

  [[nodiscard]] Nearest operator()(const SpaceBodies& bodies) const;
  [[nodiscard]] double arm() const {
    const Eigen::Vector3d middle = origin + turn * hull->middle;
    return std::max(center.norm(), middle.norm() + hull->size);
  }
  [[nodiscard]] double smallest_feature() const { return feature_of(radius, arm()); }
  /// Behind the middle between two faces.
  [[nodiscard]] double passage_depth() const { return radius + 0.5 * narrow_phase::least_width(*hull); }
  [[nodiscard]] double steepness(Index systems) const { return steepness_of(systems > 1 ? arm() : center.norm()); }
};

}  // namespace nonsmooth::shape_pairs
