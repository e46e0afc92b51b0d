// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "narrow_phase.hpp"

namespace nonsmooth::narrow_phase {

constexpr double kParallel = 1e-14;  ///< sin^2 of the angle of edges that have no direction across both

/// A direction from the first hull to the second, and how far it separates them; negative: by how much they overlap.
struct SeparatingAxis {
  double separation = -std::numeric_limits<double>::infinity();
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();
  Index face = -1;         ///< of one hull, or
  bool of_second = false;  ///< the face
  Index edge_of_first = -1, edge_of_second = -1;
  Eigen::Vector3d on_first, on_second;  ///< of edges: the closest points of their lines
};

/// Two points of two hulls, and the features that they are on.
struct ClosestPoints {
  double squared_distance = std::numeric_limits<double>::infinity();
  Eigen::Vector3d on_first, on_second;
  std::uint32_t feature = 0;
  Index edge_of_first = -1, edge_of_second = -1;  ///< where they lie within edges; both: edges that cross
};

/// Closest points of the lines x + s a and y + t b; false where they are parallel.
[[nodiscard]] bool closest_on_lines(const Eigen::Vector3d& x, const Eigen::Vector3d& a, const Eigen::Vector3d& y,
                                    const Eigen::Vector3d& b, double& s, double& t);
/// The face of `owner` that separates `other` the most, with `direction` out of the face; ends early beyond `limit`.
[[nodiscard]] SeparatingAxis most_separating_face(const PlacedHull& owner, const PlacedHull& other, double limit);
/// The same of products of edges whose directions support both hulls.
[[nodiscard]] SeparatingAxis most_separating_edges(const PlacedHull& first, const PlacedHull& second);
/// The closest points of hulls that are apart, on edges (points where there are none): where they are within a face,
/// some points of edges. Those of all pairs of edges to rounding, at the cost of some searches of all vertices and of
/// the edges about the closest points. `direction`: to the second hull, roughly; any will do.
[[nodiscard]] ClosestPoints closest_edges(const PlacedHull& first, const PlacedHull& second,
                                          const Eigen::Vector3d& direction);

}  // namespace nonsmooth::narrow_phase
