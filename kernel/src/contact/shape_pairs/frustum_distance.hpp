// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "contact/narrow_phase/frustum.hpp"
#include "round_on_shape.hpp"

namespace nonsmooth::shape_pairs {

/// A cylinder or cone: side, ends, circles and tip.
struct FrustumShape {
  static constexpr bool kOfGround = false;
  std::shared_ptr<const Frustum> frustum;

  [[nodiscard]] inline Distance distance(const Eigen::Vector3d& x) const;
  [[nodiscard]] double size() const { return frustum->size; }
  /// The middle between the ends, or the axis, or before them: from there on another place is nearer.
  [[nodiscard]] double depth_behind() const { return 0.5 * narrow_phase::least_width(*frustum); }
};

/// The same for the corners of a box or polyhedron, which are as sharp as its circles and its tip.
struct SharpFrustumShape : FrustumShape {
  static constexpr SharpCorners kSharp{"a box or polyhedron on a cylinder or cone",
                                       "a vertex on a rim or a tip, both sharp",
                                       "vertices that stay on the side or inside of an end; what is to slide over rims "
                                       "with spheres there"};

  [[nodiscard]] static double rounding() { return 0.0; }
  /// x is within `near` of a circle or the tip.
  [[nodiscard]] bool at_corner(const Eigen::Vector3d& x, double near) const;
};

/// Of all of it; of the side alone, as if it went on without end, and of the plane of an end.
[[nodiscard]] Distance distance_to(const Frustum& frustum, const Eigen::Vector3d& x);
[[nodiscard]] Distance distance_of_side(const Frustum& frustum, const Eigen::Vector3d& x);
[[nodiscard]] Distance distance_of_end(const Frustum& frustum, int end, const Eigen::Vector3d& x);

Distance FrustumShape::distance(const Eigen::Vector3d& x) const { return distance_to(*frustum, x); }

}  // namespace nonsmooth::shape_pairs
