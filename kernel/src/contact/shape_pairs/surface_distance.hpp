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

/// Each face by itself: what is sharp touches one plane at a time, whatever its edges are like.
[[nodiscard]] std::shared_ptr<const SurfaceParts> surface_faces(const std::shared_ptr<const Surface>& surface);

/// One face, for the corners of a box or polyhedron. Over it the height over its plane, beside it where it ends in a
/// convex edge or a rim the distance of this; in a valley its plane goes on, as the solid there does: a corner comes to
/// a face before it comes to a valley's line. In the solid it is the height where the face is near (kNearDepths), below
/// zero of both faces in a valley. It jumps where it is above zero: where a corner is far below a valley's other side.
struct SurfaceFace {
  static constexpr bool kOfGround = true;
  static constexpr SharpCorners kSharp{"a box or polyhedron on a triangle mesh or height field",
                                       "a vertex on an edge that is convex or a rim, both sharp",
                                       "corners that stay inside of faces, edges that cross; what is to slide over "
                                       "edges with capsules or spheres there"};
  std::shared_ptr<const SurfaceParts> faces;  ///< of surface_faces()
  std::int32_t face = 0;
  double depth = 0.0;  ///< as of SurfaceShape, of the shape whose corner it is [m]

  [[nodiscard]] Distance distance(const Eigen::Vector3d& x) const;
  [[nodiscard]] const Eigen::Vector3d& normal() const { return faces->surface->face(face).normal; }
  [[nodiscard]] double size() const { return faces->surface->size; }
  [[nodiscard]] double depth_behind() const { return kDepthUnknown; }
  [[nodiscard]] static double rounding() { return 0.0; }
  /// x is within `near` of an edge that is convex or a rim.
  [[nodiscard]] bool at_corner(const Eigen::Vector3d& x, double near) const;
};

/// The same for tips, rims and points that an end stands on.
struct SurfaceFaceUnderFrustum : SurfaceFace {
  static constexpr SharpCorners kSharp{"a cylinder or cone on a triangle mesh or height field",
                                       "a rim's lowest point, a tip, or a point that an end stands on, on an edge that "
                                       "is convex or a rim",
                                       "rims, tips and ends that stay inside of faces, sides across edges"};
};

}  // namespace nonsmooth::shape_pairs
