// SPDX-License-Identifier: Apache-2.0
#include "scene_tables.hpp"

#include <string>

#include "checked_table.hpp"

namespace nonsmooth {
namespace {

// Columns of /scene/geometries: kind, numbers (4), size, first point, points, first triangle, triangles; of
// /scene/shapes: geometry, body, position (3), orientation (w, x, y, z), material.
constexpr Index kGeometryColumns = 10, kShapeColumns = 10;
constexpr Index kMostMaterials = Index{1} << 53;  // integers up to it are doubles
constexpr const char *kGeometries = "/scene/geometries", *kPoints = "/scene/points", *kTriangles = "/scene/triangles",
                     *kShapes = "/scene/shapes";
constexpr Index kKinds = static_cast<Index>(SceneGeometry::Kind::HeightLine) + 1;

SceneGeometry read_geometry(const scene::CheckedTable& geometries, const scene::CheckedTable& points,
                            const scene::CheckedTable& triangles, Index row) {
  SceneGeometry geometry;
  geometry.kind = static_cast<SceneGeometry::Kind>(geometries.whole(row, 0, 0, kKinds - 1));
  for (std::size_t k = 0; k < 4; ++k) geometry.numbers[k] = geometries.number(row, 1 + static_cast<Index>(k));
  geometry.size = geometries.number(row, 5);
  const Index first = geometries.whole(row, 6, 0, points.size());
  const Index count = geometries.whole(row, 7, 0, points.size() - first);
  for (Index k = first; k < first + count; ++k) {
    geometry.points.emplace_back(points.number(k, 0), points.number(k, 1), points.number(k, 2));
  }
  const Index face = geometries.whole(row, 8, 0, triangles.size());
  const Index faces = geometries.whole(row, 9, 0, triangles.size() - face);
  for (Index k = face; k < face + faces; ++k) {
    geometry.triangles.push_back({triangles.whole(k, 0, 0, count - 1), triangles.whole(k, 1, 0, count - 1),
                                  triangles.whole(k, 2, 0, count - 1)});
  }
  return geometry;
}

}  // namespace

void describe_scene(const Scene& scene, RunDescription& description) {
  Index num_points = 0, num_triangles = 0;
  for (const SceneGeometry& geometry : scene.geometries) {
    num_points += static_cast<Index>(geometry.points.size());
    num_triangles += static_cast<Index>(geometry.triangles.size());
  }
  RunRows geometries(static_cast<Index>(scene.geometries.size()), kGeometryColumns), points(num_points, 3),
      triangles(num_triangles, 3), shapes(static_cast<Index>(scene.shapes.size()), kShapeColumns);
  Index point = 0, triangle = 0, row = 0;
  for (const SceneGeometry& geometry : scene.geometries) {
    const auto count = static_cast<Index>(geometry.points.size()),
               faces = static_cast<Index>(geometry.triangles.size());
    geometries.row(row++) << static_cast<double>(geometry.kind), geometry.numbers[0], geometry.numbers[1],
        geometry.numbers[2], geometry.numbers[3], geometry.size, static_cast<double>(point), static_cast<double>(count),
        static_cast<double>(triangle), static_cast<double>(faces);
    for (const Eigen::Vector3d& p : geometry.points) points.row(point++) = p.transpose();
    for (const auto& face : geometry.triangles) {
      triangles.row(triangle++) << static_cast<double>(face[0]), static_cast<double>(face[1]),
          static_cast<double>(face[2]);
    }
  }
  row = 0;
  for (const SceneShape& shape : scene.shapes) {
    shapes.row(row++) << static_cast<double>(shape.geometry), static_cast<double>(shape.body),
        shape.position.transpose(), shape.orientation.transpose(), static_cast<double>(shape.material);
  }
  description.tables.push_back({kGeometries, std::move(geometries)});
  description.tables.push_back({kPoints, std::move(points)});
  description.tables.push_back({kTriangles, std::move(triangles)});
  description.tables.push_back({kShapes, std::move(shapes)});
}

Scene read_scene(const RunFile& run, Index part) {
  if (!run.has(part, kShapes)) return {};
  const RunPart& own = run.parts()[static_cast<std::size_t>(part)];
  return scene::read_tables(own.path.string(), static_cast<Index>(own.systems.size()),
                            [&](const char* path) { return run.table(part, path); });
}

Scene scene::read_tables(const std::string& file, Index bodies, const ReadTable& read) {
  Scene scene;
  const CheckedTable geometries(file, read, kGeometries, kGeometryColumns), points(file, read, kPoints, 3),
      triangles(file, read, kTriangles, 3), shapes(file, read, kShapes, kShapeColumns);
  for (Index g = 0; g < geometries.size(); ++g) {
    scene.geometries.push_back(read_geometry(geometries, points, triangles, g));
  }
  bool in_space = false;
  for (Index s = 0; s < shapes.size(); ++s) {
    SceneShape shape;
    shape.geometry = shapes.whole(s, 0, 0, geometries.size() - 1);
    shape.body = shapes.whole(s, 1, -1, bodies - 1);
    for (Index k = 0; k < 3; ++k) shape.position[k] = shapes.number(s, 2 + k);
    for (Index k = 0; k < 4; ++k) shape.orientation[k] = shapes.number(s, 5 + k);
    shape.material = shapes.whole(s, 9, 0, kMostMaterials);
    in_space = in_space || scene.geometries[static_cast<std::size_t>(shape.geometry)].kind < SceneGeometry::Kind::Disk;
    scene.shapes.push_back(shape);
  }
  scene.dimension = scene.shapes.empty() ? 0 : in_space ? 3 : 2;
  return scene;
}

}  // namespace nonsmooth
