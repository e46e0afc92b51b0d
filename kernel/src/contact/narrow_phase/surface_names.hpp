// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "narrow_phase.hpp"
#include "surface.hpp"

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
  /// What of the surface has a name: -1 but for one.
  struct Place {
    std::int32_t face = -1, edge = -1, vertex = -1;
  };
  [[nodiscard]] Place place(std::uint64_t feature) const {
    Place place;
    if (feature < edges_) {
      place.face = static_cast<std::int32_t>(feature / kOfFace);
    } else if (feature < vertices_) {
      place.edge = static_cast<std::int32_t>((feature - edges_) / kOfEdge);
    } else {
      place.vertex = static_cast<std::int32_t>((feature - vertices_) / kOfVertex);
    }
    return place;
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

}  // namespace nonsmooth::narrow_phase
