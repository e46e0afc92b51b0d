// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "moving_frustum.hpp"

namespace nonsmooth::shape_pairs {

/// Two cylinders or cones whose sides touch crosswise. A side has the outward normals m with m . u = k, u its axis and
/// k the sine of the angle between this and its lines, positive of a side that narrows along u. So of the unit n from
/// the second to the first
///
///     n . u_1 = -k_1,  n . u_2 = k_2,  |n| = 1,
///
/// whose derivatives give n'. Of both n that there may be the one that separates the solids more is taken. Each side
/// touches the plane across n in a line, and where the closest points p_1, p_2 of the lines are inside of both, the
/// solids lie on either side of the slab between these: y = n . (p_1 - p_2), exact. Below zero it is y as long as p_1
/// and p_2 have their solids between them: they then overlap along n.
///
/// Elsewhere, where an end, a rim, a tip or all of a line is nearest, the gap and the normal are those of the narrow
/// phase, exact, their rates central differences of them (to 1e-8 or so where they are smooth), and no rows follow if
/// they touch.
struct SidePair {
  static constexpr Index kMost = 2;
  using Solid = FrustumOnBody;
  Solid first, second;

  [[nodiscard]] Nearest operator()(const SpaceBodies& bodies) const;
  [[noreturn]] static void refuse_several();
  [[nodiscard]] double smallest_feature() const {
    return feature_of(first.least_radius() + second.least_radius(), std::max(first.arm(), second.arm()));
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
