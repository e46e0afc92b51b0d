// SPDX-License-Identifier: Apache-2.0
// Surfaces of triangles: edges, faces of several triangles in a plane, which edges are felt.
#include "surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include <internal/check.hpp>
#include <internal/disjoint_sets.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

using Eigen::Vector3d;
using Corners = std::array<std::int32_t, 3>;

constexpr double kThinnestTriangle = 1e-9;  ///< height over longest side: below, its plane is known to few digits
constexpr Index kMostEdges = std::numeric_limits<std::int32_t>::max();

std::size_t place(std::int32_t i) { return static_cast<std::size_t>(i); }

std::string of_triangle(std::size_t t) { return " of triangle " + std::to_string(t); }

/// The ball about the box of all vertices; vertices from its middle.
void enclose(Surface& surface) {
  Vector3d low = surface.given.front(), high = low;
  for (const Vector3d& vertex : surface.given) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  surface.middle = 0.5 * (low + high);
  for (const Vector3d& vertex : surface.given) {
    surface.vertices.push_back(vertex - surface.middle);
    surface.size = std::max(surface.size, surface.vertices.back().norm());
  }
}

/// Twice the area times the normal.
Vector3d area_of(const Surface& surface, const Surface::Triangle& triangle) {
  const Vector3d& x = surface.vertex(triangle.vertices[0]);
  return (surface.vertex(triangle.vertices[1]) - x).cross(surface.vertex(triangle.vertices[2]) - x);
}

void take_triangles(const std::vector<std::array<Index, 3>>& triangles, Surface& surface) {
  const auto count = static_cast<Index>(surface.given.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Surface::Triangle own;
    for (std::size_t k = 0; k < 3; ++k) {
      if (triangles[t][k] < 0 || triangles[t][k] >= count) {
        throw InvalidArgument("TriangleMesh: triangles", "vertex " + std::to_string(triangles[t][k]) + of_triangle(t),
                              "0 to " + std::to_string(count - 1));
      }
      own.vertices[k] = static_cast<std::int32_t>(triangles[t][k]);
    }
    double longest = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d side = surface.vertex(own.vertices[(k + 1) % 3]) - surface.vertex(own.vertices[k]);
      longest = std::max(longest, side.squaredNorm());
    }
    if (!(area_of(surface, own).norm() > kThinnestTriangle * longest)) {
      throw InvalidArgument("TriangleMesh: triangles", "a degenerate one, number " + std::to_string(t),
                            "heights above 1e-9 of the longest side");
    }
    surface.triangles.push_back(own);
  }
}

/// Which triangles share an edge: sides sorted by their vertices, then triangles.
void connect(Surface& surface) {
  struct Side {
    std::int32_t low, high, triangle, k;
  };
  std::vector<Side> sides;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const Corners& corners = surface.triangles[t].vertices;
    for (std::int32_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(corners[place(k)], corners[place((k + 1) % 3)]);
      sides.push_back({low, high, static_cast<std::int32_t>(t), k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& one, const Side& other) {
    return std::pair(std::pair(one.low, one.high), one.triangle) <
           std::pair(std::pair(other.low, other.high), other.triangle);
  });
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Side& side = sides[i];
    Surface::Triangle& triangle = surface.triangles[place(side.triangle)];
    const std::int32_t from = triangle.vertices[place(side.k)];
    if (i == 0 || sides[i - 1].low != side.low || sides[i - 1].high != side.high) {
      surface.edges.push_back({.from = from, .to = from == side.low ? side.high : side.low, .left = side.triangle});
    } else {
      Surface::Edge& edge = surface.edges.back();
      const std::string between = " between vertices " + std::to_string(side.low) + " and " + std::to_string(side.high);
      if (edge.right >= 0) {
        throw InvalidArgument("TriangleMesh: triangles", "an edge of three triangles" + between,
                              "edges of at most two triangles");
      }
      if (edge.from == from) {
        throw InvalidArgument("TriangleMesh: triangles",
                              "two that run through the edge" + between + " in one direction",
                              "corners counterclockwise as seen from outside");
      }
      edge.right = side.triangle;
    }
    triangle.edges[place(side.k)] = static_cast<std::int32_t>(surface.edges.size()) - 1;
  }
}

/// Grows each face from its first triangle over those in its plane, then takes the mean plane.
void find_faces(double tolerance, Surface& surface) {
  std::vector<std::int32_t> open;
  for (std::size_t first = 0; first < surface.triangles.size(); ++first) {
    if (surface.triangles[first].face >= 0) continue;
    const auto number = static_cast<std::int32_t>(surface.faces.size());
    const Vector3d normal = area_of(surface, surface.triangles[first]).normalized();
    const double offset = normal.dot(surface.vertex(surface.triangles[first].vertices[0]));
    const auto belongs = [&](const Surface::Triangle& triangle) {
      const auto in_plane = [&](std::int32_t v) {
        return std::abs(normal.dot(surface.vertex(v)) - offset) <= tolerance;
      };
      return triangle.face < 0 && std::all_of(triangle.vertices.begin(), triangle.vertices.end(), in_plane) &&
             area_of(surface, triangle).dot(normal) > 0.0;
    };
    Vector3d area = Vector3d::Zero();
    double heights = 0.0, weights = 0.0;
    open.assign(1, static_cast<std::int32_t>(first));
    surface.triangles[first].face = number;
    std::vector<std::int32_t> members;
    while (!open.empty()) {
      const std::int32_t t = open.back();
      open.pop_back();
      members.push_back(t);
      area += area_of(surface, surface.triangle(t));
      for (const std::int32_t e : surface.triangle(t).edges) {
        const Surface::Edge& edge = surface.edge(e);
        const std::int32_t other = edge.left == t ? edge.right : edge.left;
        if (other < 0 || !belongs(surface.triangle(other))) continue;
        surface.triangles[place(other)].face = number;
        open.push_back(other);
      }
    }
    area.normalize();
    for (const std::int32_t t : members) {
      const Surface::Triangle& triangle = surface.triangle(t);
      const double weight = area_of(surface, triangle).norm();
      for (const std::int32_t v : triangle.vertices) heights += weight * area.dot(surface.vertex(v));
      weights += 3.0 * weight;
    }
    Surface::Face face{.normal = area, .offset = heights / weights};
    for (const std::int32_t t : members) {
      for (const std::int32_t v : surface.triangle(t).vertices)
        face.deviation = std::max(face.deviation, std::abs(area.dot(surface.vertex(v)) - face.offset));
    }
    surface.deviation = std::max(surface.deviation, face.deviation);
    surface.faces.push_back(face);
  }
}

/// What is felt of edges and vertices.
void find_sharp(Surface& surface) {
  for (Surface::Edge& edge : surface.edges) {
    if (edge.right >= 0 && surface.triangle(edge.left).face == surface.triangle(edge.right).face) continue;
    edge.convex = edge.right < 0;
    if (edge.convex) continue;
    const Corners& corners = surface.triangle(edge.right).vertices;
    const auto opposite =
        std::find_if(corners.begin(), corners.end(), [&](std::int32_t v) { return v != edge.from && v != edge.to; });
    edge.convex = surface.face_of(edge.left).normal.dot(surface.vertex(*opposite) - surface.vertex(edge.from)) < 0.0;
  }
  surface.sharp.assign(surface.vertices.size(), 0);
  surface.vertex_begin.assign(surface.vertices.size() + 1, 0);
  for (const Surface::Edge& edge : surface.edges) {
    for (const std::int32_t v : {edge.from, edge.to}) {
      if (edge.convex) surface.sharp[place(v)] = 1;
      ++surface.vertex_begin[place(v) + 1];
    }
  }
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) surface.vertex_begin[v + 1] += surface.vertex_begin[v];
  surface.vertex_edges.resize(2 * surface.edges.size());
  std::vector<std::int32_t> next = surface.vertex_begin;
  for (std::size_t e = 0; e < surface.edges.size(); ++e) {
    for (const std::int32_t v : {surface.edges[e].from, surface.edges[e].to})
      surface.vertex_edges[place(next[place(v)]++)] = static_cast<std::int32_t>(e);
  }
}

/// What hangs together by edges.
void find_parts(Surface& surface) {
  DisjointSets parts(static_cast<Index>(surface.faces.size()));
  for (const Surface::Edge& edge : surface.edges) {
    if (edge.right >= 0) parts.join(surface.triangle(edge.left).face, surface.triangle(edge.right).face);
  }
  surface.parts.resize(surface.faces.size());
  std::int32_t number = 0;
  for (const std::vector<Index>& part : parts.lists()) {
    for (const Index face : part) surface.parts[static_cast<std::size_t>(face)] = number;
    ++number;
  }
}

/// Source: baerentzen2005 (weights by angles tell inside from outside).
void find_vertex_normals(Surface& surface) {
  surface.vertex_normals.assign(surface.vertices.size(), Vector3d::Zero());
  for (const Surface::Triangle& triangle : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d& x = surface.vertex(triangle.vertices[k]);
      const Vector3d a = surface.vertex(triangle.vertices[(k + 1) % 3]) - x,
                     b = surface.vertex(triangle.vertices[(k + 2) % 3]) - x;
      surface.vertex_normals[place(triangle.vertices[k])] +=
          std::atan2(a.cross(b).norm(), a.dot(b)) * surface.face(triangle.face).normal;
    }
  }
}

std::unique_ptr<Surface> make_surface(const std::vector<Vector3d>& vertices,
                                      const std::vector<std::array<Index, 3>>& triangles, double coplanar) {
  check::within("TriangleMesh: triangles", static_cast<Index>(triangles.size()), 1, kMostEdges / 3);
  check::within("TriangleMesh: vertices", static_cast<Index>(vertices.size()), 3, kMostEdges / 3);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (!check::all_finite(vertices[v]))
      check::finite("TriangleMesh: vertex " + std::to_string(v), ConstVectorRef(vertices[v]));
  }
  check::range("TriangleMesh: coplanar", coplanar, 0.0, 1e-3);
  auto surface = std::make_unique<Surface>();
  surface->given = vertices;
  enclose(*surface);
  take_triangles(triangles, *surface);
  connect(*surface);
  find_faces(coplanar * surface->size, *surface);
  find_sharp(*surface);
  find_parts(*surface);
  const auto is_rim = [](const Surface::Edge& edge) { return edge.right < 0; };
  surface->closed = std::none_of(surface->edges.begin(), surface->edges.end(), is_rim);
  find_vertex_normals(*surface);
  std::vector<Corners> corners;
  for (const Surface::Triangle& triangle : surface->triangles) corners.push_back(triangle.vertices);
  surface->tree = narrow_phase::TriangleTree(surface->vertices, corners);
  return surface;
}

std::shared_ptr<const Surface> surface_below(const Eigen::MatrixXd& heights, const Eigen::Vector2d& spacing,
                                             double coplanar) {
  check::at_least("HeightField: rows of heights", heights.rows(), 2);
  check::at_least("HeightField: columns of heights", heights.cols(), 2);
  check::finite("HeightField: heights", ConstMatrixRef(heights));
  for (const double along : spacing) check::positive("HeightField: spacing", along);
  std::vector<Vector3d> vertices;
  std::vector<std::array<Index, 3>> triangles;
  const Index columns = heights.cols();
  for (Index i = 0; i < heights.rows(); ++i) {
    for (Index j = 0; j < columns; ++j) {
      const Index v = i * columns + j;
      vertices.emplace_back(static_cast<double>(i) * spacing.x(), static_cast<double>(j) * spacing.y(), heights(i, j));
      if (i + 1 == heights.rows() || j + 1 == columns) continue;
      triangles.push_back({v, v + columns, v + columns + 1});
      triangles.push_back({v, v + columns + 1, v + 1});
    }
  }
  auto surface = make_surface(vertices, triangles, coplanar);
  surface->bottomless = true;
  return surface;
}

std::vector<std::array<Index, 3>> triangles_of(const Surface& surface) {
  std::vector<std::array<Index, 3>> result;
  for (const Surface::Triangle& triangle : surface.triangles)
    result.push_back({triangle.vertices[0], triangle.vertices[1], triangle.vertices[2]});
  return result;
}

}  // namespace

TriangleMesh::TriangleMesh(const std::vector<Vector3d>& vertices, const std::vector<std::array<Index, 3>>& triangles,
                           double coplanar)
    : surface_(make_surface(vertices, triangles, coplanar)) {}

const std::vector<Vector3d>& TriangleMesh::vertices() const noexcept { return surface_->given; }

std::vector<std::array<Index, 3>> TriangleMesh::triangles() const { return triangles_of(*surface_); }

HeightField::HeightField(const Eigen::MatrixXd& heights, const Eigen::Vector2d& spacing, double coplanar)
    : surface_(surface_below(heights, spacing, coplanar)) {}

const std::vector<Vector3d>& HeightField::vertices() const noexcept { return surface_->given; }

std::vector<std::array<Index, 3>> HeightField::triangles() const { return triangles_of(*surface_); }

}  // namespace nonsmooth
