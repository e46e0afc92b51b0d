// SPDX-License-Identifier: Apache-2.0
// The surfaces that ParaView gets: closed, outward, on the shapes that they stand for, with the volumes of what is
// inscribed.
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <nonsmooth/io/paraview.hpp>
#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/io/scene.hpp>

#include "problem_files.hpp"
#include "vtk_reader.hpp"

namespace nonsmooth::paraview_shapes_test {
namespace {

using Eigen::Vector3d;
using problem_files_test::Files;
using vtk_test::VtkFile;
using Kind = SceneGeometry::Kind;

constexpr double kAround = 32;  // corners of a circle where there are few shapes

struct Mesh {
  std::vector<Vector3d> points, normals;
  std::vector<std::array<std::size_t, 3>> triangles;
  std::vector<std::array<std::size_t, 2>> lines;

  [[nodiscard]] double volume() const {  // by the divergence theorem
    double six = 0.0;
    for (const auto& t : triangles) six += points[t[0]].dot(points[t[1]].cross(points[t[2]]));
    return six / 6.0;
  }
  [[nodiscard]] double area() const {
    double two = 0.0;
    for (const auto& t : triangles) two += (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]).norm();
    return 0.5 * two;
  }
  /// Each edge, by the places of its ends, once in either direction.
  [[nodiscard]] bool closed() const {
    std::map<std::pair<std::array<long, 3>, std::array<long, 3>>, int> edges;
    const auto place = [&](std::size_t k) {
      const Vector3d& p = points[k];
      return std::array<long, 3>{std::lround(1e7 * p.x()), std::lround(1e7 * p.y()), std::lround(1e7 * p.z())};
    };
    for (const auto& t : triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto a = place(t[k]), b = place(t[(k + 1) % 3]);
        if (a == b) return false;
        ++edges[{a, b}];
      }
    }
    for (const auto& [edge, count] : edges) {
      if (count != 1 || !edges.contains({edge.second, edge.first})) return false;
    }
    return !edges.empty();
  }
  /// Triangles turn about the normals at their corners.
  [[nodiscard]] bool outward() const {
    for (const auto& t : triangles) {
      const Vector3d turn = (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]).normalized();
      for (const std::size_t k : t) {
        if (std::abs(normals[k].norm() - 1.0) > 1e-12 || !(turn.dot(normals[k]) > 0.9)) return false;
      }
    }
    return !triangles.empty();
  }
};

class ParaviewShapes : public Files {
 protected:
  /// A shape of a body, or of the ground, as it is written.
  Mesh mesh_of(const SceneGeometry& geometry, bool of_ground = false, const SceneShape& place = {}) {
    const std::string name = "run" + std::to_string(written_++);
    Scene scene{.dimension = geometry.kind < Kind::Disk ? 3 : 2, .geometries = {geometry}, .shapes = {place}};
    scene.shapes[0].body = 0;
    if (of_ground) {  // beside a body, as otherwise there is nothing to be seen
      scene.shapes[0].body = -1;
      scene.geometries.push_back(
          {.kind = scene.dimension == 3 ? Kind::Sphere : Kind::Disk, .numbers = {1.0}, .size = 1.0});
      scene.shapes.push_back({.geometry = 1, .body = 0});
    }
    RunDescription description{.systems = {{"body", 0, 7, 0, 6, false}}, .sizes = {7, 6}};
    describe_scene(scene, description);
    RunWriter writer(file(name + ".h5"), description);
    const std::vector<double> t{0.0}, q{3.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0}, v(6, 0.0);
    RunStep step{.values = t};
    step.arrays[0] = q;
    step.arrays[1] = v;
    writer.add(step);
    writer.close();
    (void)write_paraview(RunFile(file(name + ".h5")), file(name), {.doubles = true});
    const VtkFile data(file(name) / (of_ground ? "ground.vtp" : "shapes.vtp"));
    Mesh mesh;
    const auto& points = data.values("Points/Points");
    const auto& normals = data.values("PointData/Normals");
    for (std::size_t k = 0; k < points.size(); k += 3) {
      mesh.points.emplace_back(points[k], points[k + 1], points[k + 2]);
      mesh.normals.emplace_back(normals[k], normals[k + 1], normals[k + 2]);
    }
    const auto corner = [](double value) { return static_cast<std::size_t>(value); };
    if (data.has("Polys/connectivity")) {
      const auto& corners = data.values("Polys/connectivity");
      for (std::size_t k = 0; k < corners.size(); k += 3)
        mesh.triangles.push_back({corner(corners[k]), corner(corners[k + 1]), corner(corners[k + 2])});
    }
    if (data.has("Lines/connectivity")) {
      const auto& ends = data.values("Lines/connectivity");
      for (std::size_t k = 0; k < ends.size(); k += 2) mesh.lines.push_back({corner(ends[k]), corner(ends[k + 1])});
    }
    return mesh;
  }

 private:
  int written_ = 0;
};

/// Volumes are sums of up to 1000 terms, all of them together below 10.
constexpr double kRounding = 1e-13;

/// Of the polygon of kAround corners within a circle of radius 1.
const double kPolygon = 0.5 * kAround * std::sin(2.0 * std::numbers::pi / kAround);

TEST_F(ParaviewShapes, BoxesAndMeshesAreExact) {
  const Mesh box = mesh_of({.kind = Kind::Box, .numbers = {0.1, 0.2, 0.3}, .size = 0.4});
  EXPECT_TRUE(box.closed());
  EXPECT_TRUE(box.outward());
  EXPECT_EQ(box.triangles.size(), 12U);
  EXPECT_NEAR(box.volume(), 8 * 0.1 * 0.2 * 0.3, 1e-15);
  const SceneGeometry tetrahedron{.kind = Kind::Mesh,
                                  .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                  .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
                                  .size = 1.0};
  // Turned by a quarter about x and moved: the same volume.
  const Mesh turned =
      mesh_of(tetrahedron, false, {.position = {1, 2, 3}, .orientation = {std::sqrt(0.5), std::sqrt(0.5), 0, 0}});
  EXPECT_TRUE(turned.closed());
  EXPECT_TRUE(turned.outward());
  EXPECT_NEAR(turned.volume(), 1.0 / 6.0, 1e-14);
  EXPECT_LE((turned.points[1] - Vector3d(1, 2, 4)).norm(),
            1e-15);  // of the face (0, 2, 1), (0, 1, 0) turned to (0, 0, 1)
}

TEST_F(ParaviewShapes, RoundShapesAreInscribed) {
  const double r = 0.5, h = 0.75;
  const Mesh sphere = mesh_of({.kind = Kind::Sphere, .numbers = {r}, .size = r});
  EXPECT_TRUE(sphere.closed());
  EXPECT_TRUE(sphere.outward());
  for (const Vector3d& point : sphere.points) EXPECT_NEAR(point.norm(), r, 1e-15);
  // The volume lacks what both directions of the grid take: 1 - V / V0 = O((2 pi / N)^2), below 2 % for N = 32.
  const double ball = 4.0 / 3.0 * std::numbers::pi * r * r * r;
  EXPECT_LT(sphere.volume(), ball);
  EXPECT_GT(sphere.volume(), 0.98 * ball);

  const Mesh capsule = mesh_of({.kind = Kind::Capsule, .numbers = {r, h}, .size = r + h});
  EXPECT_TRUE(capsule.closed());
  EXPECT_TRUE(capsule.outward());
  for (const Vector3d& p : capsule.points) {
    EXPECT_NEAR((p - Vector3d(0, 0, std::clamp(p.z(), -h, h))).norm(), r, 1e-15);
  }
  EXPECT_NEAR(capsule.volume(), sphere.volume() + kPolygon * r * r * 2 * h, kRounding);

  const Mesh cylinder = mesh_of({.kind = Kind::Cylinder, .numbers = {r, h}, .size = 1.0});
  EXPECT_TRUE(cylinder.closed());
  EXPECT_TRUE(cylinder.outward());
  EXPECT_NEAR(cylinder.volume(), kPolygon * r * r * 2 * h, kRounding);

  const Mesh cone = mesh_of({.kind = Kind::Cone, .numbers = {r, h, 0.0}, .size = 1.0});
  EXPECT_TRUE(cone.closed());
  EXPECT_TRUE(cone.outward());
  EXPECT_NEAR(cone.volume(), kPolygon * r * r * h / 3.0, kRounding);
  const Mesh frustum = mesh_of({.kind = Kind::Cone, .numbers = {r, h, 0.2}, .size = 1.0});
  EXPECT_TRUE(frustum.closed());
  EXPECT_TRUE(frustum.outward());
  EXPECT_NEAR(frustum.volume(), kPolygon * (r * r + 0.2 * r + 0.04) * h / 3.0, kRounding);

  const Mesh mark = mesh_of({.kind = Kind::Mark});
  EXPECT_TRUE(mark.closed());
  EXPECT_TRUE(mark.outward());
  EXPECT_EQ(mark.triangles.size(), 8U);
}

TEST_F(ParaviewShapes, InThePlaneShapesAreFlat) {
  const Mesh disk = mesh_of({.kind = Kind::Disk, .numbers = {0.5}, .size = 0.5});
  EXPECT_TRUE(disk.outward());
  EXPECT_NEAR(disk.area(), kPolygon * 0.25, 1e-15);
  ASSERT_EQ(disk.lines.size(), 1U);
  EXPECT_EQ((disk.points[disk.lines[0][1]] - disk.points[disk.lines[0][0]]).norm(), 0.5);

  const std::vector<Vector3d> square{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  EXPECT_NEAR(mesh_of({.kind = Kind::Polygon, .points = square, .size = 2}).area(), 4.0, 1e-15);
  // Rounded: square, four strips and quarter circles of kAround / 4 pieces each.
  const Mesh rounded = mesh_of({.kind = Kind::Polygon, .numbers = {0.5}, .points = square, .size = 2});
  EXPECT_TRUE(rounded.outward());
  EXPECT_NEAR(rounded.area(), 4.0 + 4 * 2 * 0.5 + kPolygon * 0.25, 1e-14);
  const Mesh stick = mesh_of({.kind = Kind::Segment, .numbers = {0.1}, .points = {{0, 0, 0}, {2, 0, 0}}, .size = 2});
  EXPECT_NEAR(stick.area(), 2 * 0.2 + kPolygon * 0.01, 1e-14);
  EXPECT_TRUE(stick.outward());
  const Mesh segment = mesh_of({.kind = Kind::Segment, .points = {{0, 0, 0}, {2, 0, 0}}, .size = 2});
  EXPECT_TRUE(segment.triangles.empty());
  ASSERT_EQ(segment.lines.size(), 1U);
  const Mesh heights = mesh_of({.kind = Kind::HeightLine, .points = {{0, 0, 0}, {1, 1, 0}, {3, 0, 0}}}, true);
  ASSERT_EQ(heights.lines.size(), 2U);
  EXPECT_EQ(heights.points[heights.lines[1][1]], Vector3d(3, 0, 0));
}

TEST_F(ParaviewShapes, UnboundedGroundsLieBelowTheScene) {
  const Vector3d normal = Vector3d(1, 2, 2) / 3.0;
  const Mesh plane = mesh_of({.kind = Kind::HalfSpace, .numbers = {normal.x(), normal.y(), normal.z(), -1.0}}, true);
  EXPECT_TRUE(plane.outward());
  Vector3d middle = Vector3d::Zero();
  for (const Vector3d& point : plane.points) {
    EXPECT_NEAR(normal.dot(point), -1.0, 1e-14);
    middle += point / 4.0;
  }
  const Vector3d body(3, 2, 1);
  EXPECT_LE((body - (body - middle).dot(normal) * normal - middle).norm(), 1e-12);  // right below it
  const Mesh line = mesh_of({.kind = Kind::HalfPlane, .numbers = {0.6, 0.8, 0.5}}, true);
  ASSERT_EQ(line.lines.size(), 1U);
  for (const Vector3d& point : line.points) EXPECT_NEAR(0.6 * point.x() + 0.8 * point.y(), 0.5, 1e-14);
  EXPECT_GT((line.points[1] - line.points[0]).norm(), 1.0);
}

}  // namespace
}  // namespace nonsmooth::paraview_shapes_test
