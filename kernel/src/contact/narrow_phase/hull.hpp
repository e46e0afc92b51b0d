// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <nonsmooth/kernel/shapes.hpp>

namespace nonsmooth {

/// A convex polytope with its features: a polyhedron, a segment (two vertices, one edge, no face) or a point.
struct Hull {
  struct Face {
    Eigen::Vector3d normal;  ///< unit, outward
    double offset = 0.0;     ///< normal . (x - middle) of all vertices, the largest
    Index begin = 0, count = 0;
  };
  struct Edge {
    Index from = 0, to = 0;
    Index left = -1, right = -1;  ///< faces; the left one's vertices go from `from` to `to`. -1: of a segment
  };
  std::vector<Eigen::Vector3d> vertices;
  std::vector<Face> faces;
  std::vector<Index> corners;       ///< vertices face by face, counterclockwise as seen from outside
  std::vector<Index> corner_edges;  ///< the edge from each corner to the next
  std::vector<Edge> edges;
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();  ///< centre of a ball that holds it
  double size = 0.0;                                 ///< radius of this ball
};

namespace narrow_phase {

constexpr Index most_vertices = ConvexPolyhedron::most_vertices;
constexpr Index most_faces = 2 * most_vertices - 4;

[[nodiscard]] std::shared_ptr<const Hull> point_hull();
[[nodiscard]] std::shared_ptr<const Hull> segment_hull(double half_length);
[[nodiscard]] std::shared_ptr<const Hull> box_hull(const Eigen::Vector3d& half_extents);
/// What is behind an edge, edge 0 of it: a tetrahedron that is `deep`, along each of both faces. `left` and `right`:
/// units in the faces, from the edge and across it; the left one is counterclockwise from `from` to `to` as seen from
/// outside.
[[nodiscard]] std::shared_ptr<const Hull> wedge_hull(const Eigen::Vector3d& from, const Eigen::Vector3d& to,
                                                     const Eigen::Vector3d& left, const Eigen::Vector3d& right,
                                                     double deep);

/// The least distance of two parallel planes with the hull between them, or less; 0 of a point or a segment.
[[nodiscard]] double least_width(const Hull& hull);

/// A hull in space, with all points no farther than `radius` from it.
struct PlacedHull {
  const Hull* hull = nullptr;
  double radius = 0.0;
  double size = 0.0;       ///< of the ball about the hull
  Eigen::Vector3d centre;  ///< of this ball
  std::array<Eigen::Vector3d, most_vertices> vertices;
  std::array<Eigen::Vector3d, most_faces> normals;
  std::array<double, most_faces> offsets;

  [[nodiscard]] Index num_vertices() const { return static_cast<Index>(hull->vertices.size()); }
  [[nodiscard]] Index num_faces() const { return static_cast<Index>(hull->faces.size()); }
  [[nodiscard]] const Eigen::Vector3d& vertex(Index v) const { return vertices[static_cast<std::size_t>(v)]; }
  [[nodiscard]] const Eigen::Vector3d& normal(Index f) const { return normals[static_cast<std::size_t>(f)]; }
  [[nodiscard]] double offset(Index f) const { return offsets[static_cast<std::size_t>(f)]; }

  /// `turn`: shape to space. `at`: where the middle of the hull goes: the shape's origin + turn * middle.
  void place(const Hull& from, double rounding, const Eigen::Matrix3d& turn, const Eigen::Vector3d& at);
  void place_segment(const Eigen::Vector3d& from, const Eigen::Vector3d& to);
  void place_point(const Eigen::Vector3d& at);
};

}  // namespace narrow_phase
}  // namespace nonsmooth
