// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "narrow_phase.hpp"

namespace nonsmooth::narrow_phase {

/// Two hulls that face each other along a direction from the first to the second, and how near they have to be.
struct Facing {
  const PlacedHull& first;
  const PlacedHull& second;
  Eigen::Vector3d direction;
  double reach;  ///< between the hulls
};

/// Adds the point of the surfaces about a point of each hull, the direction from the first to the second. Where the gap
/// is beyond reach, nothing.
void add_point(const Facing& facing, const Eigen::Vector3d& on_first, const Eigen::Vector3d& on_second,
               std::uint32_t feature, Patch& patch);

/// The face at the vertex that is farthest along `outward` that looks most along it; -1 of a hull without faces.
[[nodiscard]] Index supporting_face(const PlacedHull& hull, const Eigen::Vector3d& outward);

/// The polygon in which two faces (or a face and a segment or point) overlap as seen along the direction: its vertices.
/// The faces are those at the hulls' farthest vertices that look most along it. Returns the smallest gap between the
/// hulls in it, within reach or not; infinite where nothing overlaps or neither hull has a face.
double add_face_overlap(const Facing& facing, Patch& patch);

}  // namespace nonsmooth::narrow_phase
