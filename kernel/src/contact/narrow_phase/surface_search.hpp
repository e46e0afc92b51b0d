// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "surface_contacts.hpp"
#include "surface_points.hpp"

namespace nonsmooth::narrow_phase {

/// Names of the features of a hull on a surface, in ascending order: vertex of the hull over a face, what is on an
/// edge, what is on a vertex of the surface.
class SurfaceNames {
 public:
  explicit SurfaceNames(const Surface& surface)
      : edges_(kOfFace * surface.faces.size()),
        vertices_(edges_ + kOfEdge * surface.edges.size()),
        end_(vertices_ + kOfVertex * surface.vertices.size()) {}

  [[nodiscard]] std::uint64_t vertex_over(std::int32_t face, Index v) const { return name(0, kOfFace, face, v); }
  [[nodiscard]] std::uint64_t edge_across(std::int32_t edge, Index e) const { return name(edges_, kOfEdge, edge, e); }
  [[nodiscard]] std::uint64_t vertex_beside(std::int32_t edge, Index v) const {
    return name(edges_, kOfEdge, edge, most_edges + v);
  }
  /// A face or an edge of the hull: which does not matter to the vertex.
  [[nodiscard]] std::uint64_t hull_at(std::int32_t vertex) const { return name(vertices_, kOfVertex, vertex, 0); }
  [[nodiscard]] std::uint64_t vertex_at(std::int32_t vertex, Index v) const {
    return name(vertices_, kOfVertex, vertex, 1 + v);
  }
  [[nodiscard]] std::uint64_t size() const { return end_; }

  struct Crossing {
    std::int32_t edge = -1;
    Index of_hull = -1;
  };
  /// What a name of edge_across stands for; -1: it is another.
  [[nodiscard]] Crossing crossing(std::uint64_t feature) const {
    if (feature < edges_ || feature >= vertices_ || (feature - edges_) % kOfEdge >= most_edges) return {};
    return {static_cast<std::int32_t>((feature - edges_) / kOfEdge), static_cast<Index>((feature - edges_) % kOfEdge)};
  }
  /// The vertex of a name of hull_at; -1: it is another.
  [[nodiscard]] std::int32_t vertex_of(std::uint64_t feature) const {
    if (feature < vertices_ || (feature - vertices_) % kOfVertex != 0) return -1;
    return static_cast<std::int32_t>((feature - vertices_) / kOfVertex);
  }

 private:
  static constexpr Index most_edges = 3 * most_vertices - 6;
  static constexpr std::uint64_t kOfFace = most_vertices, kOfEdge = most_edges + most_vertices,
                                 kOfVertex = 1 + most_vertices;

  [[nodiscard]] static std::uint64_t name(std::uint64_t begin, std::uint64_t count, std::int32_t of_surface,
                                          Index of_hull) {
    return begin + count * static_cast<std::uint64_t>(of_surface) + static_cast<std::uint64_t>(of_hull);
  }
  std::uint64_t edges_, vertices_, end_;
};

/// One hull on a surface: what is near, then pairs of features that meet.
class SurfaceSearch {
 public:
  SurfaceSearch(const MovingHull& first, const Surface& second, const Eigen::Vector3d& at, std::vector<Index>& memory);

  [[nodiscard]] PointList find();

 private:
  void list_near();
  [[nodiscard]] std::span<const Index> triangles() const;
  [[nodiscard]] std::span<const Index> edges() const;
  [[nodiscard]] std::span<const Index> vertices() const;

  void of_vertex(Index v, PointList& points) const;
  void lift(Index v, const NearestPoint& nearest, PointList& points) const;
  void over_face(Index v, std::int32_t triangle, const NearestPoint& nearest, PointList& points) const;
  void beside_edge(Index v, std::int32_t edge, PointList& points) const;
  void beside_vertex(Index v, std::int32_t vertex, PointList& points) const;
  void across_edge(Index of_hull, std::int32_t edge, PointList& points) const;
  void under_faces(std::int32_t vertex, PointList& points) const;
  void beside_hull_edge(Index of_hull, std::int32_t vertex, PointList& points) const;
  void drop_hidden(PointList& points) const;

  /// Two lines that cross: the closest points, n from the surface to the hull, and whether both are within the edges.
  struct Crossing {
    Eigen::Vector3d on_hull, on_surface, normal;
    bool within = false;
  };
  [[nodiscard]] bool cross(Index of_hull, std::int32_t edge, const Eigen::Vector3d& shift, Crossing& found) const;
  [[nodiscard]] bool is_over(std::int32_t triangle, const Eigen::Vector3d& x, double height,
                             const NearestPoint& nearest) const;
  [[nodiscard]] bool prevails(std::int32_t triangle, const Eigen::Vector3d& x) const;
  [[nodiscard]] double separation(std::int32_t face) const;
  [[nodiscard]] bool vertex_supports(Index v, const Eigen::Vector3d& direction) const;
  [[nodiscard]] bool edge_supports(Index e, const Eigen::Vector3d& direction, double sine) const;
  [[nodiscard]] bool is_beside(const Surface::Edge& edge, const Eigen::Vector3d& x, Eigen::Vector3d& between) const;
  [[nodiscard]] bool is_under(Index face, const Eigen::Vector3d& x) const;
  [[nodiscard]] double depth_outside(const Eigen::Vector3d& x) const;
  [[nodiscard]] double time_to_touch(double gap, double rate) const;
  [[nodiscard]] double time_to_meet(const Eigen::Vector3d& between, const Eigen::Vector3d& velocity) const;
  void add(const Eigen::Vector3d& normal, const Eigen::Vector3d& on_hull, double distance, std::uint64_t feature,
           PointList& points) const;

  const MovingHull& moving_;
  const PlacedHull& hull_;
  SurfaceView view_;
  SurfaceNames names_;
  std::vector<Index>& memory_;
  std::size_t triangles_begin_, edges_begin_ = 0, vertices_begin_ = 0, vertices_end_ = 0;
};

}  // namespace nonsmooth::narrow_phase
