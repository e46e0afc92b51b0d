// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "contact/narrow_phase/hull.hpp"
#include "contact/narrow_phase/surface.hpp"

namespace nonsmooth::shape_pairs {

/// A straight run of convex edges between two faces, or of rims of one: what is sharp may lie across. Of several edges
/// one behind the other it is one, so that nothing is felt where they meet.
struct SurfaceRidge {
  Eigen::Vector3d from, to;           ///< from the middle of the surface; from the left face as it is seen from outside
  std::shared_ptr<const Hull> wedge;  ///< what is behind it; a rim has a right angle there
};

/// What of a surface is met beside its faces. An edge within a face or a valley is none, nor is a vertex inside of one,
/// of a face or of a ridge.
struct SurfaceFeatures {
  std::vector<SurfaceRidge> ridges;
  std::vector<std::int32_t> corners;  ///< vertices
};
[[nodiscard]] SurfaceFeatures surface_features(const Surface& surface);

/// Both triangles are of one face.
[[nodiscard]] bool is_within_face(const Surface& surface, const Surface::Edge& edge);

/// Edges at a vertex that are between faces or rims.
struct EdgesAtVertex {
  int count = 0;
  std::int32_t first = -1, last = -1;
  /// There are two, along one another.
  [[nodiscard]] bool are_straight(const Surface& surface) const;
};
[[nodiscard]] EdgesAtVertex edges_at(const Surface& surface, std::int32_t vertex);
/// A unit along an edge.
[[nodiscard]] Eigen::Vector3d along(const Surface& surface, const Surface::Edge& edge);

}  // namespace nonsmooth::shape_pairs
