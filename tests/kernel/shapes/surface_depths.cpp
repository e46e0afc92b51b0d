// SPDX-License-Identifier: Apache-2.0
// Surfaces that are not quite plane, points near rims, bodies deep in a mesh, fast bodies past a tip.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::surface_depths_test {
namespace {

using Eigen::Vector3d;
using Triangles = std::vector<std::array<Index, 3>>;
using Points = std::vector<std::pair<double, Vector3d>>;  // gaps and normals

Points points_of(const Shape& shape, const Vector3d& position, const Shape& ground,
                 const Vector3d& velocity = Vector3d::Zero(), double horizon = 0.0,
                 const Eigen::Vector4d& orientation = {1.0, 0.0, 0.0, 0.0}) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = position, .orientation = orientation, .velocity = velocity});
  const BodyContacts source({{body, {{.shape = shape}}}}, {{.shape = ground}}, NewtonImpactLaw{});
  Points points;
  for (const ContactBatch& batch : contacts_at(model.initial_state(), source, horizon)) {
    for (Index i = 0; i < batch.size(); ++i)
      points.emplace_back(batch.contacts[static_cast<std::size_t>(i)].gap,
                          Eigen::Map<const Vector3d>(batch.H_first(i)));
  }
  return points;
}

constexpr double kCoplanar = 1e-6;

/// A square of 14 m, its centre raised by 4e-6 m: its size is 9.9 m, so that all are one face, its mean plane at a
/// third.
TriangleMesh raised_square() {
  return TriangleMesh({{-7, -7, 0}, {7, -7, 0}, {7, 7, 0}, {-7, 7, 0}, {0, 0, 4e-6}},
                      {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}, kCoplanar);
}

TEST(SurfaceDepths, ACornerOverAFaceThatIsNotQuitePlaneIsFoundAtAnyHeight) {
  const TriangleMesh square = raised_square();
  const double half = 0.3;
  for (const Vector3d& corner :
       {Vector3d(0, 0, 0), Vector3d(3.1, 0.7, 0), Vector3d(0.5, -4.0, 0), Vector3d(6.2, 6.3, 0)}) {
    for (int k = -60; k <= 60; ++k) {
      const double z = 1e-7 * k;
      const Points points = points_of(Box{Vector3d::Constant(half)}, corner + Vector3d(-half, -half, half + z), square);
      // All four corners, of which one is at `corner`: heights over the mean plane, to some last places of 10 m.
      ASSERT_EQ(points.size(), z - 4e-6 / 3.0 > 1e-12 ? 0u : 4u) << corner.transpose() << " " << z;
      for (const auto& [gap, normal] : points) ASSERT_NEAR(gap, z - 4e-6 / 3.0, 1e-14) << corner.transpose();
    }
  }
}

TEST(SurfaceDepths, ABoxRestsOnAMeshThatIsPlaneToHalfOfCoplanar) {
  std::mt19937_64 random(5);
  const Index n = 8;
  const double size = 2.0 * std::sqrt(2.0);
  std::uniform_real_distribution<double> height(-0.25 * kCoplanar * size, 0.25 * kCoplanar * size);
  std::vector<Vector3d> vertices;
  Triangles triangles;
  for (Index i = 0; i <= n; ++i) {
    for (Index j = 0; j <= n; ++j) {
      const bool first = i <= 1 && j <= 1;  // the face grows from there, in its plane
      vertices.emplace_back(0.5 * static_cast<double>(i) - 2.0, 0.5 * static_cast<double>(j) - 2.0,
                            first ? 0.0 : height(random));
      if (i == n || j == n) continue;
      const Index v = i * (n + 1) + j;
      triangles.push_back({v, v + n + 1, v + n + 2});
      triangles.push_back({v, v + n + 2, v + 1});
    }
  }
  const TriangleMesh mesh(vertices, triangles, kCoplanar);
  // The mean plane is within the heights of all corners, and tilted by no more than them over the half width.
  const double most = 2.0 * 0.25 * kCoplanar * size;
  std::uniform_real_distribution<double> place(-1.3, 1.3);
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3d centre(place(random), place(random), 0.4 + 4.0 * height(random));
    const Points points = points_of(Box{Vector3d(0.4, 0.4, 0.4)}, centre - Vector3d(0, 0, most), mesh);
    Index closed = 0;
    for (const auto& [gap, normal] : points) {
      EXPECT_GT(normal.z(), 1.0 - 1e-9);
      closed += std::abs(gap - (centre.z() - most - 0.4)) <= most ? 1 : 0;
    }
    EXPECT_TRUE(closed == 4 || centre.z() > 0.4) << trial;
  }
  NonSmoothDynamicalSystem model;
  const auto box = model.add(RigidBody{.mass = 2.0,
                                       .inertia = Vector3d::Constant(0.2).asDiagonal(),
                                       .position = {0.13, 0.07, 0.4},
                                       .gravity = {0.0, 0.0, -9.81}});
  model.detect(std::make_shared<const BodyContacts>(
      std::vector<BodyShapes>{{box, {{.shape = Box{Vector3d(0.4, 0.4, 0.4)}}}}},
      std::vector<ShapeOnBody>{{.shape = mesh}}, NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
  TimeStepping simulation(model, {.step = 1e-3});
  for (int k = 0; k < 300; ++k) ASSERT_TRUE(simulation.step());
  // Free fall would be 0.44 m. The gaps at first, and what one step falls.
  EXPECT_NEAR(simulation.state().q(box)[2], 0.4, most + 9.81e-6);
}

TEST(SurfaceDepths, BelowAHeightFieldIsInsideBesideItsBorderToo) {
  // z = x: 0.15 m below is 0.15 / sqrt 2 along the normal.
  Eigen::MatrixXd heights(11, 11);
  for (Index i = 0; i < 11; ++i) heights.row(i).setConstant(static_cast<double>(i));
  const HeightField field(heights, {1.0, 1.0});
  for (const double y : {5.0, 5.4}) {
    const Points points = points_of(Sphere{0.1}, {0.05, y, -0.1}, field);
    ASSERT_EQ(points.size(), 1u);
    EXPECT_NEAR(points[0].first, -0.15 / std::sqrt(2.0) - 0.1, 1e-13);
    EXPECT_LE((points[0].second - Vector3d(-1, 0, 1).normalized()).norm(), 1e-13);
  }
  EXPECT_TRUE(points_of(Sphere{0.1}, {-0.15, 5.4, -0.3}, field).empty());  // beside it
}

/// A cube from -1 to 1 m; its triangles.
Triangles cube_triangles(std::vector<Vector3d>& corners) {
  corners.clear();
  for (int c = 0; c < 8; ++c) corners.emplace_back(c & 1 ? 1.0 : -1.0, c & 2 ? 1.0 : -1.0, c & 4 ? 1.0 : -1.0);
  const ConvexPolyhedron cube(corners);
  corners = cube.vertices();
  Triangles triangles;
  for (const auto& face : cube.faces()) {
    for (std::size_t n = 2; n < face.size(); ++n) triangles.push_back({face[0], face[n - 1], face[n]});
  }
  return triangles;
}

TEST(SurfaceDepths, AWideBoxStandsOnAllCornersOfAPedestal) {
  std::vector<Vector3d> corners;
  const Triangles triangles = cube_triangles(corners);
  const TriangleMesh pedestal(corners, triangles);
  for (const double gap : {1e-9, 0.0, -1e-9, -1e-6, -1e-3}) {
    const Points points = points_of(Box{{1.7, 1.9, 0.3}}, {0.213, -0.171, 1.3 + gap}, pedestal);
    std::size_t up = 0;
    for (const auto& [own, normal] : points) {
      if ((normal - Vector3d::UnitZ()).norm() > 1e-9) continue;
      EXPECT_NEAR(own, gap, 1e-14);
      ++up;
    }
    EXPECT_EQ(up, 4u) << gap;
  }
}

TEST(SurfaceDepths, ABoxOverABorderKeepsWhereItsEdgesCrossTheBorder) {
  std::vector<Vector3d> corners;
  const Triangles triangles = cube_triangles(corners);
  const TriangleMesh table(corners, triangles);
  for (const double gap : {1e-9, 0.0, -1e-9}) {  // as it rests
    const Points points = points_of(Box{{0.4, 0.3, 0.3}}, {0.8, -0.1, 1.3 + gap}, table);
    std::size_t up = 0;
    for (const auto& [own, normal] : points) {
      if ((normal - Vector3d::UnitZ()).norm() > 1e-9) continue;
      EXPECT_NEAR(own, gap, 1e-14);
      ++up;
    }
    EXPECT_EQ(up, 4u) << gap;  // two of its corners, two crossings
  }
}

TEST(SurfaceDepths, ABodyDeepInAClosedMeshIsLiftedOutTheNearestSide) {
  std::vector<Vector3d> corners;
  Triangles triangles = cube_triangles(corners);
  const TriangleMesh cube(corners, triangles);
  const Points middle = points_of(Sphere{0.1}, Vector3d::Zero(), cube);
  ASSERT_FALSE(middle.empty());
  EXPECT_NEAR(middle[0].first, -1.1, 1e-13);
  const Points beside = points_of(Sphere{0.1}, {0.1, -0.3, 0.2}, cube);
  ASSERT_EQ(beside.size(), 1u);
  EXPECT_NEAR(beside[0].first, -0.8, 1e-13);
  EXPECT_LE((beside[0].second + Vector3d::UnitY()).norm(), 1e-13);
  EXPECT_TRUE(points_of(Sphere{0.1}, {1.05, 1.05, 1.3}, cube).empty());

  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.position = {0.1, -0.3, 0.2}});
  const BodyContacts source({{ball, {{.shape = Sphere{0.1}}}}}, {{.shape = cube}}, NewtonImpactLaw{});
  const auto overlaps = interpenetrations(model.initial_state(), source);
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_NEAR(overlaps[0].depth, 0.8, 1e-13);
  // The solid outside: a room of the same sides holds the ball.
  for (auto& triangle : triangles) std::swap(triangle[1], triangle[2]);
  EXPECT_TRUE(points_of(Sphere{0.1}, {0.1, -0.3, 0.2}, TriangleMesh(cube.vertices(), triangles)).empty());
}

TEST(SurfaceDepths, ACapsuleThatComesOverATipMeetsIt) {
  const TriangleMesh spike({{0, 0, 0}, {1, 0, -3}, {0, 1, -3}, {-1, 0, -3}, {0, -1, -3}},
                           {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 1}});
  // Along x from -0.5 to -0.3 m, 0.2 m over the tip: in 1 ms its end is 0.1 m past the tip, its axis in the tip.
  const double half = std::sqrt(0.5);
  const Points points =
      points_of(Capsule{0.03, 0.1}, {-0.4, 0.0, 0.2}, spike, {400.0, 0.0, -200.0}, 1e-3, {half, 0.0, half, 0.0});
  ASSERT_FALSE(points.empty());
  bool stopped = false;
  for (const auto& [gap, normal] : points)
    stopped = stopped || (std::abs(gap - 0.17) < 1e-13 && (normal - Vector3d::UnitZ()).norm() < 1e-13);
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace nonsmooth::surface_depths_test
