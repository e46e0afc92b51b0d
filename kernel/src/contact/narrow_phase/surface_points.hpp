// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include <nonsmooth/numerics/types.hpp>

#include "surface.hpp"

namespace nonsmooth::narrow_phase {

/// The point of a surface that is nearest to x, and what it is on.
struct NearestPoint {
  double squared = std::numeric_limits<double>::infinity();
  Eigen::Vector3d between;                             ///< from the surface to x
  std::int32_t triangle = -1, edge = -1, vertex = -1;  ///< the edge or vertex where it is on one
  bool inside = false;                                 ///< x is in the solid
};

/// A surface as seen from a point `at` (from its middle): positions are from there.
struct SurfaceView {
  const Surface& surface;
  Eigen::Vector3d at;
  double tolerance;  ///< points that are this near to a feature are on it [m]

  [[nodiscard]] Eigen::Vector3d vertex(std::int32_t v) const { return surface.vertex(v) - at; }
  [[nodiscard]] const Eigen::Vector3d& normal(std::int32_t face) const { return surface.face(face).normal; }
  [[nodiscard]] double height(std::int32_t face, const Eigen::Vector3d& x) const {
    const Surface::Face& own = surface.face(face);
    return own.normal.dot(x) - (own.offset - own.normal.dot(at));
  }
  /// Along the face of a triangle, out of it across its edge: unit.
  [[nodiscard]] Eigen::Vector3d outward(std::int32_t triangle, const Surface::Edge& edge) const;
  /// True where `direction` is within the angle with this sine of the normals of a convex edge: no neighbour rises. It
  /// is towards the outside of a face there, so that of a flat edge it is not the opposite.
  [[nodiscard]] bool is_normal(const Surface::Edge& edge, const Eigen::Vector3d& direction, double sine) const;
  /// The same of a vertex.
  [[nodiscard]] bool is_normal(std::int32_t vertex, const Eigen::Vector3d& direction, double sine) const;
  /// Calls visit(edge, number) for each edge of a vertex.
  template <class Visit>
  void for_each_edge(std::int32_t vertex, Visit visit) const {
    const auto v = static_cast<std::size_t>(vertex);
    for (auto i = surface.vertex_begin[v]; i < surface.vertex_begin[v + 1]; ++i) {
      const std::int32_t e = surface.vertex_edges[static_cast<std::size_t>(i)];
      visit(surface.edge(e), e);
    }
  }
  /// Calls visit(face) for each face at a vertex, as often as it has edges there.
  template <class Visit>
  void for_each_face(std::int32_t vertex, Visit visit) const {
    for_each_edge(vertex, [&](const Surface::Edge& edge, std::int32_t) {
      visit(surface.triangle(edge.left).face);
      if (edge.right >= 0) visit(surface.triangle(edge.right).face);
    });
  }
  /// The same for what the nearest point is on.
  template <class Visit>
  void for_each_face(const NearestPoint& nearest, Visit visit) const {
    if (nearest.vertex >= 0) {
      for_each_face(nearest.vertex, visit);
    } else if (nearest.edge >= 0) {
      const Surface::Edge& edge = surface.edge(nearest.edge);
      visit(surface.triangle(edge.left).face);
      if (edge.right >= 0) visit(surface.triangle(edge.right).face);
    } else {
      visit(surface.triangle(nearest.triangle).face);
    }
  }
};

/// Among some of the triangles; where x is inside as seen from these, among all of the surface that may be nearer. Of a
/// surface without a bottom those given must hold all above x: below them is inside, beside a rim too.
/// Cost: O(triangles).
[[nodiscard]] NearestPoint nearest_point(const SurfaceView& view, std::span<const Index> triangles,
                                         const Eigen::Vector3d& x);

/// To where the surface is seen from: among all triangles, or among those of faces with this part in `part_of_face`.
/// Of these alone nothing is inside. Cost: O(log triangles), more where many are as near.
[[nodiscard]] NearestPoint nearest_point(const SurfaceView& view);
[[nodiscard]] NearestPoint nearest_point(const SurfaceView& view, std::span<const std::int32_t> part_of_face,
                                         std::int32_t part);

/// The triangle of a closed surface that is nearest to where it is seen from, if this is in the solid; else -1. Cost:
/// as of nearest_point.
[[nodiscard]] std::int32_t triangle_about(const SurfaceView& view);

}  // namespace nonsmooth::narrow_phase
