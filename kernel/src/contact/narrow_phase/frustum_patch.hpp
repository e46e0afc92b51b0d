// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frustum.hpp"

namespace nonsmooth::narrow_phase {

/// A frustum and a hull that face each other along a direction from the hull to the frustum; how near they have to be.
struct FrustumFacing {
  const PlacedFrustum& frustum;
  const PlacedHull& hull;
  Eigen::Vector3d normal;
  double reach;  ///< between the hull and the frustum
};

/// True where x is over a face of a hull as seen along a direction, or no farther from it than `near`.
[[nodiscard]] bool in_prism(const PlacedHull& hull, Index face, const Eigen::Vector3d& direction,
                            const Eigen::Vector3d& x, double near);

/// Adds a pair of points, of the surfaces; nothing where their gap is beyond reach.
void add_point(const FrustumFacing& facing, const Eigen::Vector3d& on_frustum, const Eigen::Vector3d& on_hull,
               std::uint32_t feature, Patch& patch);

/// The vertices of what an end, or a line of the side, and a face or segment of the hull have in common as seen along
/// the normal, if these are within 0.2 rad of facing each other. Returns the least gap; infinite where there is none.
double add_overlap(const FrustumFacing& facing, Patch& patch);

}  // namespace nonsmooth::narrow_phase
