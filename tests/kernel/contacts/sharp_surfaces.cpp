// SPDX-License-Identifier: Apache-2.0
// Bodies that come down on edges of triangle meshes and height fields rest there as on the convex solid.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/body_on_ground.hpp"
#include "kernel/mesh_of_solids.hpp"

namespace nonsmooth::sharp_surfaces_test {
namespace {

using Eigen::Vector3d;
using test::kBodyStep, test::mesh_of, test::prism;

constexpr double g = 9.81, kDegree = std::numbers::pi / 180.0, kAbove = 1e-3;

/// A roof along y with its ridge at x = `at`, z = 0: a square on its edge.
std::vector<Vector3d> roof(double at, double width) {
  std::vector<Vector3d> points;
  for (const double y : {-1.0, 1.0}) {
    points.emplace_back(at, y, 0.0);
    points.emplace_back(at + width, y, -width);
    points.emplace_back(at, y, -2.0 * width);
    points.emplace_back(at - width, y, -width);
  }
  return points;
}

/// Up and down alone, from 1 mm above.
RigidBody lift_at(const Vector3d& position, double turn = 0.0) {
  RigidBody body{.inertia = 0.01 * Eigen::Matrix3d::Identity(),
                 .position = position + Vector3d(0.0, 0.0, kAbove),
                 .orientation = {std::cos(0.5 * turn), 0.0, 0.0, std::sin(0.5 * turn)},
                 .gravity = {0.0, 0.0, -g}};
  for (const Index k : {0, 1, 3, 4, 5}) body.prescribed.push_back({k, [](double) { return 0.0; }});
  return body;
}

/// 1 mm takes 0.014 s at 0.14 m/s, so that a step without projection ends inside by at most 1.4e-4 m; it is carried
/// then, and with projection it is at zero. `height`: of the body where it touches.
void expect_rests(const RigidBody& body, const ShapeOnBody& shape, const std::vector<ShapeOnBody>& ground,
                  double height, const std::string& what) {
  for (const bool all : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto handle = model.add(body);
    model.detect(BodyContacts({{handle, {shape}}}, ground, NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
    TimeSteppingOptions options{.step = kBodyStep};
    if (all) options.projection.kind = Projection::All;
    TimeStepping simulation(model, options);
    for (int k = 0; k < 200; ++k) ASSERT_TRUE(simulation.step()) << what;
    const double below = height - simulation.state().q(handle)[2];
    EXPECT_LE(below, all ? 1e-12 : 1.4e-4) << what;
    EXPECT_GE(below, -1e-12) << what;
    EXPECT_FALSE(simulation.state().contacts.empty()) << what;
    EXPECT_NEAR(simulation.state().v(handle)[2], 0.0, 1e-9) << what;
  }
}

TEST(SharpSurfaces, APlankRestsOnTwoRoofs) {
  const TriangleMesh roofs = mesh_of(std::vector{ConvexPolyhedron(roof(-0.2, 0.1)), ConvexPolyhedron(roof(0.2, 0.1))});
  const Vector3d half(0.3, 0.05, 0.02);
  for (const double turn : {0.0, 0.2}) {
    RigidBody plank = lift_at({0.0, 0.0, half.z()}, turn);
    plank.prescribed.clear();
    plank.inertia = MassProperties::of_mass(Box{half}, 1.0).inertia;
    expect_rests(plank, {.shape = Box{half}}, {{.shape = roofs}}, half.z(), "plank " + std::to_string(turn));
  }
}

TEST(SharpSurfaces, APlankRestsOnADovetailRail) {
  // Undercut flanks, so that its rims are edges of 50 degrees, over which the plank goes far on both sides.
  const double narrow = 0.05, depth = 0.02, under = depth / std::tan(50.0 * kDegree);
  std::vector<Vector3d> rail;
  for (const double x : {-1.0, 1.0}) {
    rail.emplace_back(x, -0.5 * narrow, 0.0);
    rail.emplace_back(x, 0.5 * narrow, 0.0);
    rail.emplace_back(x, 0.5 * narrow - under, -depth);
    rail.emplace_back(x, -0.5 * narrow + under, -depth);
  }
  const Vector3d half(0.1, 0.3, 0.02);
  for (const double turn : {0.0, 0.3})
    expect_rests(lift_at({0.0, 0.0, half.z()}, turn), {.shape = Box{half}},
                 {{.shape = mesh_of(ConvexPolyhedron(rail))}}, half.z(), "rail " + std::to_string(turn));
}

TEST(SharpSurfaces, ACubeRestsOnTheRidgeOfARoof) {
  const TriangleMesh ridge = mesh_of(ConvexPolyhedron(roof(0.0, 1.0)));
  for (const double turn : {0.0, 0.3})
    expect_rests(lift_at({0.0, 0.0, 0.1}, turn), {.shape = Box{Vector3d::Constant(0.1)}}, {{.shape = ridge}}, 0.1,
                 "cube " + std::to_string(turn));
}

TEST(SharpSurfaces, ALeaningBladeRestsAcrossARidge) {
  const ConvexPolyhedron blade = prism(0.1, 0.2, 10.0, 50.0);
  expect_rests(lift_at(Vector3d::Zero()), {.shape = blade}, {{.shape = mesh_of(ConvexPolyhedron(roof(0.0, 1.0)))}}, 0.0,
               "blade");
}

TEST(SharpSurfaces, ALeaningRidgeCarriesWhatLiesAcrossIt) {
  const TriangleMesh ridge = mesh_of(prism(1.0, 2.0, 190.0, 230.0));
  const double half = 0.1, side = std::sqrt(0.5);
  RigidBody on_edge = lift_at({0.0, 0.05, half * std::sqrt(2.0)}), on_face = lift_at({0.0, 0.05, half}),
            lying = on_face;
  on_edge.orientation = {std::cos(22.5 * kDegree), 0.0, std::sin(22.5 * kDegree), 0.0};
  lying.orientation = {side, side, 0.0, 0.0};
  const Box box{Vector3d(half, 0.3, half)};
  expect_rests(on_edge, {.shape = box}, {{.shape = ridge}}, half * std::sqrt(2.0), "box on its edge");
  expect_rests(on_face, {.shape = box}, {{.shape = ridge}}, half, "box on its face");
  expect_rests(lying, {.shape = Cylinder{half, 0.3}}, {{.shape = ridge}}, half, "cylinder");
  expect_rests(lying, {.shape = Capsule{half, 0.3}}, {{.shape = ridge}}, half, "capsule");
}

TEST(SharpSurfaces, ABladeRestsOnAVertexOfARidgeOfAHeightField) {
  // The ridge along y is of ten cells; the blade is over one of its vertices and between two.
  const ConvexPolyhedron blade = prism(0.04, 0.2, 45.0, 135.0);
  for (const double slope : {0.1, 0.3, 0.6, 1.0}) {
    Eigen::MatrixXd heights(21, 11);
    for (Index i = 0; i < 21; ++i) heights.row(i).setConstant(-0.1 * slope * std::abs(static_cast<double>(i - 10)));
    const HeightField field(heights, {0.1, 0.1});
    for (const double beside : {0.0, 0.03})
      expect_rests(lift_at(Vector3d::Zero()), {.shape = blade},
                   {{.shape = field, .position = {-1.0, -0.5 + beside, 0.0}}}, 0.0,
                   std::to_string(slope) + " beside " + std::to_string(beside));
  }
}

}  // namespace
}  // namespace nonsmooth::sharp_surfaces_test
