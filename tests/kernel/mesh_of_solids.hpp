// SPDX-License-Identifier: Apache-2.0
// Triangle meshes of convex solids.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::test {

inline TriangleMesh mesh_of(const std::vector<ConvexPolyhedron>& solids) {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<Index, 3>> triangles;
  for (const ConvexPolyhedron& solid : solids) {
    const auto begin = static_cast<Index>(vertices.size());
    vertices.insert(vertices.end(), solid.vertices().begin(), solid.vertices().end());
    for (const auto& face : solid.faces()) {
      for (std::size_t k = 2; k < face.size(); ++k)
        triangles.push_back({begin + face[0], begin + face[k - 1], begin + face[k]});
    }
  }
  return TriangleMesh(vertices, triangles);
}
inline TriangleMesh mesh_of(const ConvexPolyhedron& solid) { return mesh_of(std::vector{solid}); }

/// The corners of a box between two of its own.
inline ConvexPolyhedron block(const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
  std::vector<Eigen::Vector3d> corners;
  for (int c = 0; c < 8; ++c)
    corners.emplace_back(c & 1 ? high.x() : low.x(), c & 2 ? high.y() : low.y(), c & 4 ? high.z() : low.z());
  return ConvexPolyhedron(corners);
}

/// A prism along x whose edge, from -half to half, is at the origin: faces at two angles from y [degrees].
inline ConvexPolyhedron prism(double half, double length, double one, double other) {
  std::vector<Eigen::Vector3d> points;
  for (const double x : {-half, half}) {
    points.emplace_back(x, 0.0, 0.0);
    for (const double degrees : {one, other}) {
      const double angle = degrees * (std::numbers::pi / 180.0);
      points.emplace_back(x, length * std::cos(angle), length * std::sin(angle));
    }
  }
  return ConvexPolyhedron(points);
}

}  // namespace nonsmooth::test
