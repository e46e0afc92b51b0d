// SPDX-License-Identifier: Apache-2.0
// What of a model is drawn: shapes of all sources.
#include <nonsmooth/io/scene.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/laws.hpp>
#include <nonsmooth/kernel/link_contacts.hpp>
#include <nonsmooth/kernel/planar_contacts.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth::scene_test {
namespace {

using Kind = SceneGeometry::Kind;

/// Bodies in space with every shape that one may have, on a ground of every kind, and one body without a shape.
struct ShapesInSpace {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;

  ShapesInSpace() {
    for (int i = 0; i < 8; ++i) {
      bodies.push_back(model.add(RigidBody{.position = {0.5 * i, 0.1 * i, 1.0}, .name = "body " + std::to_string(i)}));
    }
    const ConvexPolyhedron wedge({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    const std::vector<BodyShapes> shapes{{bodies[0], {{.shape = Sphere{0.1}}}},
                                         {bodies[1], {{.shape = Sphere{0.1}}}},
                                         {bodies[2], {{.shape = Box{{0.1, 0.2, 0.3}}, .material = 0}}},
                                         {bodies[3], {{.shape = Capsule{0.1, 0.2}, .position = {0.0, 0.3, 0.0}}}},
                                         {bodies[4], {{.shape = Cylinder{0.1, 0.2}}}},
                                         {bodies[5], {{.shape = Cone{0.1, 0.3}}}},
                                         {bodies[6], {{.shape = wedge}}}};
    const TriangleMesh mesh({{0, 0, -1}, {1, 0, -1}, {0, 1, -1}}, {{0, 1, 2}});
    const HeightField heights(Eigen::MatrixXd::Zero(2, 2), {1.0, 1.0});
    model.detect(BodyContacts(shapes, {{.shape = HalfSpace{{0, 0, 2}, -2.0}}, {.shape = mesh}, {.shape = heights}},
                              NewtonImpactFrictionLaw{.restitution = 0.0, .friction = 0.3, .dimension = 3}));
  }
};

std::vector<Kind> kinds_of(const Scene& scene) {
  std::vector<Kind> kinds;
  for (const SceneShape& shape : scene.shapes)
    kinds.push_back(scene.geometries[static_cast<std::size_t>(shape.geometry)].kind);
  return kinds;
}

TEST(Scenes, HaveTheShapesOfBodiesAndGroundAndAMarkOfABareBody) {
  const ShapesInSpace made;
  const Scene scene = scene_of(made.model);
  EXPECT_EQ(scene.dimension, 3);
  EXPECT_EQ(kinds_of(scene),
            (std::vector<Kind>{Kind::Sphere, Kind::Sphere, Kind::Box, Kind::Capsule, Kind::Cylinder, Kind::Cone,
                               Kind::Mesh, Kind::HalfSpace, Kind::Mesh, Kind::Mesh, Kind::Mark}));
  EXPECT_EQ(scene.shapes[0].geometry, scene.shapes[1].geometry);  // alike: one geometry
  EXPECT_EQ(scene.shapes[3].position, Eigen::Vector3d(0.0, 0.3, 0.0));
  EXPECT_EQ(scene.shapes[7].body, -1);
  EXPECT_EQ(scene.shapes.back().body, 7);
  EXPECT_EQ(scene.geometries[static_cast<std::size_t>(scene.shapes[6].geometry)].triangles.size(), 4U);
  EXPECT_DOUBLE_EQ(scene.geometries[static_cast<std::size_t>(scene.shapes[2].geometry)].size, std::sqrt(0.14));
}

TEST(Scenes, InThePlaneFloorsThatAreFunctionsBecomeLines) {
  NonSmoothDynamicalSystem model;
  const SystemHandle disk = model.add(PlanarBody{.position = {3.0, 1.0}, .name = "disk"});
  const SystemHandle block = model.add(PlanarBody{.position = {5.0, 1.0}, .name = "block"});
  const FloorProfile floor{.height = [](double x) { return 0.1 * x; },
                           .slope = [](double) { return 0.1; },
                           .curvature = [](double) { return 0.0; }};
  model.detect(DiskContacts({disk}, {0.5}, NewtonImpactLaw{0.5}, floor));
  model.detect(
      PlanarContacts({{block, {{.shape = ConvexPolygon{{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, 0.1}, .angle = 0.5}}}},
                     {{.shape = HalfPlane{{0, 3}, -3.0}},
                      {.shape = PlanarSegment{{0, 0}, {1, 0}}},
                      {.shape = HeightLine{{{0, 0}, {1, 1}}}}},
                     NewtonImpactLaw{0.5}));
  const Scene scene = scene_of(model);
  EXPECT_EQ(scene.dimension, 2);
  EXPECT_EQ(kinds_of(scene), (std::vector<Kind>{Kind::Disk, Kind::HeightLine, Kind::Polygon, Kind::HalfPlane,
                                                Kind::Segment, Kind::HeightLine}));
  const SceneGeometry& line = scene.geometries[static_cast<std::size_t>(scene.shapes[1].geometry)];
  ASSERT_GE(line.points.size(), 2U);
  EXPECT_LE(line.points.front().x(), 2.5);  // below the disk and as much on either side
  EXPECT_GE(line.points.back().x(), 3.5);
  for (const Eigen::Vector3d& point : line.points) EXPECT_DOUBLE_EQ(point.y(), 0.1 * point.x());
  // A polygon's vertices in the order of its outline: the sides of a square of 2, not its diagonals.
  const auto& corners = scene.geometries[static_cast<std::size_t>(scene.shapes[2].geometry)].points;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_DOUBLE_EQ((corners[k] - corners[(k + 1) % 4]).norm(), 2.0);
  EXPECT_DOUBLE_EQ(scene.shapes[2].orientation[0], std::cos(0.25));
}

TEST(Scenes, OfWideFieldsHaveFloorsOnWhichTheirDisksAreDrawn) {
  // Waves of 4 m and 0.15 m under disks of 0.1 m, 500 m wide. Samples are 0.05 m apart or less, between which the sine
  // leaves its chord by 0.15 (pi / 2)^2 0.05^2 / 8 = 1.2e-4 m; thinning adds a fiftieth of the radius, 2e-3 m.
  constexpr double kRadius = 0.1, kSlope = 0.5 * std::numbers::pi;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (int k = 0; k <= 100; ++k) disks.push_back(model.add(PlanarBody{.position = {5.0 * k, 1.0}}));
  const FloorProfile floor{.height = [](double x) { return 0.15 * std::sin(kSlope * x); },
                           .slope = [](double x) { return 0.15 * kSlope * std::cos(kSlope * x); },
                           .curvature = [](double x) { return -0.15 * kSlope * kSlope * std::sin(kSlope * x); }};
  model.detect(DiskContacts(disks, std::vector<double>(disks.size(), kRadius), NewtonImpactLaw{0.5}, floor));
  const Scene scene = scene_of(model);
  const auto& points = scene.geometries.back().points;
  double worst = 0.0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const Eigen::Vector3d way = points[k] - points[k - 1];
    ASSERT_GT(way.x(), 0.0);
    for (int part = 0; part < 8; ++part) {
      const Eigen::Vector3d at = points[k - 1] + 0.125 * part * way;
      worst = std::max(worst, std::abs(at.y() - floor.height(at.x())));
    }
  }
  EXPECT_LE(worst, 2.2e-3);
  EXPECT_LE(points.front().x(), 0.0);
  EXPECT_GE(points.back().x(), 500.0);
  EXPECT_LE(points.size(), 15'000U);  // a third of the samples: the waves, not the disks, say how many
}

TEST(Scenes, AreThereWhereSourcesAreLinked) {
  ShapesInSpace made;
  NonSmoothDynamicalSystem model;
  const SystemHandle ball = model.add(RigidBody{.position = {0, 0, 1}});
  model.detect(BodyContacts({{ball, {{.shape = Sphere{0.1}}}}}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{0.5}));
  const Scene found = scene_of(model);
  model.link_sources();
  EXPECT_EQ(scene_of(model), found);
  EXPECT_EQ(found.shapes.size(), 2U);
}

}  // namespace
}  // namespace nonsmooth::scene_test
