// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <Eigen/Geometry>

#include "frame_data.hpp"
#include "tessellation.hpp"

namespace nonsmooth::paraview {
namespace {

constexpr double kMark = 0.01;  // of the reach

/// Fewer pieces where there are many shapes: some 10^6 triangles are still moved and drawn several times a second.
Index corners_around(std::size_t shapes) { return shapes <= 200 ? 32 : shapes <= 3000 ? 16 : 10; }

}  // namespace

PolyData shapes_of(const Scene& scene, bool of_ground, const SceneExtent& extent, const VtkEncoder& encoder) {
  Fineness fineness{.around = corners_around(scene.shapes.size()), .mark = kMark * extent.reach, .reach = extent.reach};
  std::vector<double> points, normals;
  std::vector<std::int32_t> bodies, geometries, materials, lines, triangles;
  for (const SceneShape& shape : scene.shapes) {
    if ((shape.body < 0) != of_ground) continue;
    const Eigen::Quaterniond turn(shape.orientation[0], shape.orientation[1], shape.orientation[2],
                                  shape.orientation[3]);
    if (of_ground) fineness.middle = turn.conjugate() * (extent.middle - shape.position);
    const Tessellated drawn = tessellated(scene.geometries[static_cast<std::size_t>(shape.geometry)], fineness);
    const auto first = static_cast<std::int32_t>(bodies.size());
    for (std::size_t k = 0; k < drawn.points.size(); ++k) {
      const Eigen::Vector3d point = shape.position + turn * drawn.points[k], normal = turn * drawn.normals[k];
      points.insert(points.end(), point.begin(), point.end());
      normals.insert(normals.end(), normal.begin(), normal.end());
      bodies.push_back(static_cast<std::int32_t>(shape.body));
      geometries.push_back(static_cast<std::int32_t>(shape.geometry));
      materials.push_back(static_cast<std::int32_t>(shape.material));
    }
    for (const auto& piece : drawn.lines) {
      for (const std::int32_t point : piece) lines.push_back(first + point);
    }
    for (const auto& triangle : drawn.triangles) {
      for (const std::int32_t point : triangle) triangles.push_back(first + point);
    }
  }
  PolyData data{.num_points = static_cast<Index>(bodies.size()),
                .points = encoder.numbers("Points", 3, points),
                .lines = vtk_cells(encoder, 2, lines),
                .polygons = vtk_cells(encoder, 3, triangles)};
  data.point_data = {encoder.numbers("Normals", 3, normals), encoder.integers("body", bodies),
                     encoder.integers("geometry", geometries), encoder.integers("material", materials)};
  return data;
}

}  // namespace nonsmooth::paraview
