// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/io/scene.hpp>

namespace nonsmooth::paraview {

/// How fine shapes are drawn, and how large those that have no end.
struct Fineness {
  Index around = 32;                                 ///< corners of a full circle, >= 3
  double mark = 0.0;                                 ///< of bodies without a shape: from the middle to a tip [m]
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();  ///< of what is shown, in the shape's axes
  double reach = 1.0;                                ///< how far from there unbounded shapes go [m]
};

/// A shape in its own axes: triangles (counterclockwise seen from outside) and pieces of lines between points, each
/// with the normal of the surface there. Edges have their points once for each side.
struct Tessellated {
  std::vector<Eigen::Vector3d> points, normals;
  std::vector<std::array<std::int32_t, 3>> triangles;
  std::vector<std::array<std::int32_t, 2>> lines;
};

/// Points lie on the shape: what is round is drawn by flat pieces within it.
[[nodiscard]] Tessellated tessellated(const SceneGeometry& geometry, const Fineness& fineness);

}  // namespace nonsmooth::paraview
