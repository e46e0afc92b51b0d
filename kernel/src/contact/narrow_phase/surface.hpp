// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <nonsmooth/kernel/shapes.hpp>

#include "triangle_tree.hpp"

namespace nonsmooth {

/// A surface of triangles with the solid behind it. Positions are from `middle`.
struct Surface {
  struct Triangle {
    std::array<std::int32_t, 3> vertices;  ///< counterclockwise as seen from outside
    std::array<std::int32_t, 3> edges;     ///< from each vertex to the next
    std::int32_t face = -1;
  };
  /// All triangles of one plane that hang together.
  struct Face {
    Eigen::Vector3d normal;  ///< unit, outward
    double offset = 0.0;     ///< normal . x of its vertices, on average
    double deviation = 0.0;  ///< the farthest that a vertex of it is from this plane [m]
  };
  struct Edge {
    std::int32_t from = 0, to = 0;
    std::int32_t left = -1, right = -1;  ///< triangles; the left one's vertices go from `from` to `to`. -1: a rim
    bool convex = false;                 ///< rims are; what lies within a face is not
  };
  std::vector<Eigen::Vector3d> given;     ///< vertices from the shape's origin
  std::vector<Eigen::Vector3d> vertices;  ///< from the middle
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;
  std::vector<Face> faces;
  std::vector<Eigen::Vector3d> vertex_normals;  ///< of faces, weighted by their angles: what is inside is behind them
  std::vector<std::int32_t> vertex_begin, vertex_edges;  ///< edges of each vertex, one vertex behind the other
  std::vector<char> sharp;                               ///< by vertex: it has a convex edge
  narrow_phase::TriangleTree tree;
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();  ///< centre of a ball that holds it
  double size = 0.0;                                 ///< radius of this ball
  double deviation = 0.0;                            ///< the largest of a face
  bool closed = false;                               ///< without rims
  bool bottomless = false;                           ///< the solid goes down along -z without end
  std::vector<std::int32_t> parts;                   ///< by face: those that hang together by edges have one number

  [[nodiscard]] const Eigen::Vector3d& vertex(std::int32_t v) const { return vertices[static_cast<std::size_t>(v)]; }
  [[nodiscard]] const Triangle& triangle(std::int32_t t) const { return triangles[static_cast<std::size_t>(t)]; }
  [[nodiscard]] const Edge& edge(std::int32_t e) const { return edges[static_cast<std::size_t>(e)]; }
  [[nodiscard]] const Face& face(std::int32_t f) const { return faces[static_cast<std::size_t>(f)]; }
  [[nodiscard]] const Face& face_of(std::int32_t t) const { return face(triangle(t).face); }
  [[nodiscard]] std::int32_t part_of(std::int32_t t) const { return parts[static_cast<std::size_t>(triangle(t).face)]; }
};

}  // namespace nonsmooth
