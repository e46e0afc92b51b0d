// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "contact/narrow_phase/hull.hpp"
#include "round_on_shape.hpp"

namespace nonsmooth::shape_pairs {

/// A polyhedron: outside the distance of the nearest face, edge or vertex, inside the height over the nearest face.
struct HullShape {
  static constexpr bool kOfGround = false;
  std::shared_ptr<const Hull> hull;

  [[nodiscard]] Distance distance(const Eigen::Vector3d& x) const;
  [[nodiscard]] double size() const { return hull->size; }
  /// The middle between two faces: from there on another is nearer.
  [[nodiscard]] double depth_behind() const { return 0.5 * narrow_phase::least_width(*hull); }
};

/// The same for the corners of another polyhedron, which are as sharp.
struct SharpHullShape : HullShape {
  static constexpr SharpCorners kSharp{"a box or polyhedron on another", "a vertex on an edge, both sharp",
                                       "corners that stay inside of faces, edges that cross; what is to slide over "
                                       "edges with capsules or spheres there"};

  [[nodiscard]] static double rounding() { return 0.0; }
  /// x is within `near` of an edge.
  [[nodiscard]] bool at_corner(const Eigen::Vector3d& x, double near) const;
};

/// The same for the tip of a cone, and for points that an end stands on.
struct HullUnderFrustum : SharpHullShape {
  static constexpr SharpCorners kSharp{"a cylinder or cone on a box or polyhedron",
                                       "a tip, or a point that an end stands on, on an edge, both sharp",
                                       "tips and ends that stay inside of faces"};
};

}  // namespace nonsmooth::shape_pairs
