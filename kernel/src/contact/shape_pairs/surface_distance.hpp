// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contact/narrow_phase/surface.hpp"
#include "round_on_shape.hpp"

namespace nonsmooth::shape_pairs {

/// A surface of triangles in parts that hang together over edges that are not concave. A ball that touches two places
/// at once touches two parts, where no concave edge has one part on both sides and no rim turns inwards.
struct SurfaceParts {
  std::shared_ptr<const Surface> surface;
  std::vector<std::int32_t> of_face;  ///< the part of each face
  std::int32_t count = 0;
  std::string refused;  ///< where a part has such an edge or rim; empty: nowhere
};
[[nodiscard]] std::shared_ptr<const SurfaceParts> surface_parts(const std::shared_ptr<const Surface>& surface);

/// One part. Outside, the distance of its nearest face, edge or vertex; in the solid, minus the distance of the nearest
/// point of all, if this is of the part. The solid is all that is behind a closed or bottomless surface, and what is no
/// farther than `depth` behind one with rims: the distance jumps there.
struct SurfaceShape {
  static constexpr bool kOfGround = true;
  std::shared_ptr<const SurfaceParts> parts;
  std::int32_t part = 0;
  double depth = 0.0;  ///< the radius of what touches it [m]

  [[nodiscard]] Distance distance(const Eigen::Vector3d& x) const;
  [[nodiscard]] double size() const { return parts->surface->size; }
  [[nodiscard]] double depth_behind() const { return kDepthUnknown; }  // what is behind a part may be another part
};

}  // namespace nonsmooth::shape_pairs
