// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/kernel/drawn_shape.hpp>
#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// A geometry about its own origin, its axis (of capsules, cylinders, cones) along z. Of what a kind does not name, the
/// numbers are 0.
struct SceneGeometry {
  enum class Kind : unsigned char {
    Mark,        ///< where a body is that has no shape: `size` alone is a hint
    Sphere,      ///< numbers: radius
    Box,         ///< half extents along x, y, z
    Capsule,     ///< radius, half length
    Cylinder,    ///< radius, half length
    Cone,        ///< radius, height, top radius
    HalfSpace,   ///< normal (3) of length 1, offset
    Mesh,        ///< points, triangles; of a polyhedron, a mesh or a height field
    Disk,        ///< radius; in the plane, as all below
    Polygon,     ///< rounding; points counterclockwise
    Segment,     ///< rounding; two points
    HalfPlane,   ///< normal (2) of length 1, offset
    HeightLine,  ///< points, x ascending
  };
  Kind kind = Kind::Mark;
  std::array<double, 4> numbers{};                ///< [m]
  std::vector<Eigen::Vector3d> points{};          ///< [m]
  std::vector<std::array<Index, 3>> triangles{};  ///< of points
  double size = 0.0;                              ///< no point is farther from the origin [m]; 0 of what is unbounded

  friend bool operator==(const SceneGeometry&, const SceneGeometry&) = default;
};

/// A geometry on a body.
struct SceneShape {
  Index geometry = 0;                                  ///< in Scene::geometries
  Index body = -1;                                     ///< system of the run's part, by number; -1: the ground
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in the body's frame; z = 0 in the plane [m]
  Eigen::Vector4d orientation{1.0, 0.0, 0.0, 0.0};     ///< (w, x, y, z), shape to body
  Index material = 0;

  friend bool operator==(const SceneShape&, const SceneShape&) = default;
};

/// What of a model is drawn. Shapes that are alike share their geometry.
struct Scene {
  Index dimension = 0;  ///< 3: bodies in space; 2: all in the plane; 0: nothing to be drawn
  std::vector<SceneGeometry> geometries{};
  std::vector<SceneShape> shapes{};

  friend bool operator==(const Scene&, const Scene&) = default;
};

/// The shapes of a model's sources of contacts, linked or not, then `further` ones; bodies in space (RigidBody) without
/// a shape get a mark. Of a floor that is a function, the piece that lies below the disks at their initial positions
/// and as much on either side, as a line: within a fortieth of the radius of the smallest disk where the floor bends by
/// six such radii and more, under fields that are no wider than 6,000 of them. @throws InvalidArgument: a shape of
/// `further` on a stale handle.
[[nodiscard]] Scene scene_of(const NonSmoothDynamicalSystem& model, const std::vector<DrawnShape>& further = {});

/// Into what a run's file says before its first step, and back: tables under /scene.
void describe_scene(const Scene& scene, RunDescription& description);
/// Of a part of a run; empty where it has none. @throws FormatError naming the table and the row.
[[nodiscard]] Scene read_scene(const RunFile& run, Index part);

}  // namespace nonsmooth
