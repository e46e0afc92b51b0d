// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones on triangle meshes and height fields: gaps against those on convex polyhedra, no ghosts, whole
// patches, motions with closed forms.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "frusta.hpp"
#include "kernel/mesh_of_solids.hpp"

namespace nonsmooth::frusta_surfaces_test {
namespace {

using Eigen::Vector3d;
using frusta::Random;
using test::mesh_of;

struct Found {
  double gap;
  Vector3d normal;
  std::uint64_t feature;
};

struct Pose {
  Vector3d position;
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  Vector3d velocity = Vector3d::Zero();
};

std::vector<Found> found_on(const Shape& shape, const Pose& pose, const std::vector<ShapeOnBody>& ground,
                            double horizon) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = pose.position,
                                        .orientation = {pose.turn.w(), pose.turn.x(), pose.turn.y(), pose.turn.z()},
                                        .velocity = pose.velocity});
  const BodyContacts source({{body, {{.shape = shape}}}}, ground, NewtonImpactLaw{});
  std::vector<Found> found;
  for (const ContactBatch& batch : contacts_at(model.initial_state(), source, horizon)) {
    for (Index i = 0; i < batch.size(); ++i) {
      const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
      found.push_back({contact.gap, Eigen::Map<const Vector3d>(batch.H_first(i)), contact.feature});
    }
  }
  return found;
}

Found least_of(const std::vector<Found>& found) {
  Found least{std::numeric_limits<double>::infinity(), Vector3d::Zero(), 0};
  for (const Found& one : found) {
    if (one.gap < least.gap) least = one;
  }
  return least;
}

ConvexPolyhedron box_of(const Vector3d& half) {
  std::vector<Vector3d> corners;
  for (int c = 0; c < 8; ++c)
    corners.push_back(half.cwiseProduct(Vector3d(c & 1 ? 1.0 : -1.0, c & 2 ? 1.0 : -1.0, c & 4 ? 1.0 : -1.0)));
  return ConvexPolyhedron(corners);
}

TEST(FrustaSurfaces, OnAConvexMeshGapsAreThoseOfThePolyhedron) {
  Random random(53);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Vector3d> corners;
    for (int k = 0; k < 10; ++k) corners.push_back(0.8 * random.vector(1.0).normalized());
    const ConvexPolyhedron polyhedron = trial % 2 == 0 ? box_of({0.5, 0.4, 0.3}) : ConvexPolyhedron(corners);
    const TriangleMesh mesh = mesh_of(polyhedron);
    const Shape shape = trial % 3 == 0   ? Shape(Cylinder{0.3, 0.4})
                        : trial % 3 == 1 ? Shape(Cone{.radius = 0.4, .height = 0.6})
                                         : Shape(Cone{.radius = 0.2, .height = 0.3, .top_radius = 0.5});
    Pose pose{1.6 * random.vector(1.0).normalized(), Eigen::Quaterniond(random.turn())};
    const Found apart =
        least_of(found_on(shape, {pose.position, pose.turn, pose.position.normalized()}, {{.shape = polyhedron}}, 3.0));
    ASSERT_TRUE(std::isfinite(apart.gap)) << trial;
    for (const double gap : {1e-3, 1e-9, -1e-9}) {
      // Away from the ground at 1 m/s: within reach, with nothing to be met along the way.
      const Pose there{pose.position + (gap - apart.gap) * apart.normal, pose.turn, apart.normal};
      const Found on_hull = least_of(found_on(shape, there, {{.shape = polyhedron}}, 0.01)),
                  on_mesh = least_of(found_on(shape, there, {{.shape = mesh}}, 0.01));
      if (gap > 0.0) {
        ASSERT_NEAR(on_hull.gap, gap, 1e-12) << trial;
        ASSERT_NEAR(on_mesh.gap, gap, 1e-12) << trial;
      } else {  // each feature has its own depth: all within 1e-8 of the sizes, as what rests
        ASSERT_NEAR(on_mesh.gap, on_hull.gap, 5e-9) << trial;
      }
      if (gap > 1e-6) {
        ASSERT_LE((on_mesh.normal - on_hull.normal).norm(), 1e-11) << trial;
      }
    }
  }
}

/// A field of heights of that much over a grid of 0.25 m, seen from its middle.
HeightField hills(double most, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd heights(13, 13);
  for (Index i = 0; i < 13; ++i) {
    for (Index j = 0; j < 13; ++j) heights(i, j) = random.number(-most, most);
  }
  return HeightField(heights, {0.25, 0.25});
}

TEST(FrustaSurfaces, OnHillsGapsAreTheLeastOfTheirPrisms) {
  const HeightField field = hills(0.1, 59);
  std::vector<ShapeOnBody> prisms;
  for (const auto& triangle : field.triangles()) {
    std::vector<Vector3d> corners;
    for (const Index v : triangle) {
      const Vector3d& top = field.vertices()[static_cast<std::size_t>(v)];
      corners.push_back(top);
      corners.emplace_back(top.x(), top.y(), -1.0);
    }
    prisms.push_back({.shape = ConvexPolyhedron(corners, 1e-9)});
  }
  Random random(61);
  for (int trial = 0; trial < 60; ++trial) {
    const Shape shape = trial % 3 == 0   ? Shape(Cylinder{0.2, 0.3})
                        : trial % 3 == 1 ? Shape(Cone{.radius = 0.3, .height = 0.4})
                                         : Shape(Cylinder{0.4, 0.05});
    const Pose pose{
        {random.number(1.0, 2.0), random.number(1.0, 2.0), 0.8}, Eigen::Quaterniond(random.turn()), {0.0, 0.0, 1.0}};
    const Found on_prisms = least_of(found_on(shape, pose, prisms, 1.0));
    ASSERT_TRUE(std::isfinite(on_prisms.gap));
    Pose low = pose;
    low.position -= (on_prisms.gap - 1e-4) * on_prisms.normal;
    low.velocity = on_prisms.normal;
    const Found least = least_of(found_on(shape, low, prisms, 0.01)),
                on_field = least_of(found_on(shape, low, {{.shape = field}}, 0.01));
    ASSERT_NEAR(on_field.gap, least.gap, 1e-12) << trial;
    ASSERT_LE((on_field.normal - least.normal).norm(), 1e-10) << trial;
  }
}

TEST(FrustaSurfaces, FlatGroundOfManyTrianglesIsAHalfSpace) {
  // The same gaps and normals whatever the triangles, under an end, a line of the side, a circle and a tip.
  const HeightField field(Eigen::MatrixXd::Zero(21, 21), {0.1, 0.1});
  const std::vector<ShapeOnBody> plane{{.shape = HalfSpace{}}};
  Random random(67);
  for (int trial = 0; trial < 200; ++trial) {
    const Shape shape = trial % 2 == 0 ? Shape(Cylinder{0.15, 0.2}) : Shape(Cone{.radius = 0.2, .height = 0.3});
    const double half = std::sqrt(0.5);
    const Eigen::Quaterniond turn = trial / 2 % 3 == 0   ? Eigen::Quaterniond::Identity()
                                    : trial / 2 % 3 == 1 ? Eigen::Quaterniond(half, half, 0.0, 0.0)
                                                         : Eigen::Quaterniond(random.turn());
    Pose pose{{random.number(0.6, 1.4), random.number(0.6, 1.4), 1.0}, turn, random.vector(3.0)};
    // On a grid, on the diagonals and anywhere.
    if (trial % 5 == 0) pose.position.head<2>() << 1.0, 1.0;
    if (trial % 5 == 1) pose.position.y() = pose.position.x();
    pose.position.z() -= least_of(found_on(shape, {pose.position, turn, {0.0, 0.0, -1.0}}, plane, 2.0)).gap;
    pose.position.z() += 1e-9 * (trial % 3 - 1);
    const auto expected = found_on(shape, pose, plane, 1e-3), found = found_on(shape, pose, {{.shape = field}}, 1e-3);
    ASSERT_EQ(found.size(), expected.size()) << trial;
    std::multiset<double> gaps, expected_gaps;
    for (const Found& one : found) {
      ASSERT_LE((one.normal - Vector3d::UnitZ()).norm(), 1e-15);
      gaps.insert(one.gap);
    }
    for (const Found& one : expected) expected_gaps.insert(one.gap);
    for (auto i = gaps.begin(), j = expected_gaps.begin(); i != gaps.end(); ++i, ++j)
      ASSERT_NEAR(*i, *j, 1e-14) << trial;
  }
}

TEST(FrustaSurfaces, PatchesEndAtBordersAndTakePedestals) {
  const TriangleMesh table = mesh_of(box_of({1.0, 1.0, 0.1})), pedestal = mesh_of(box_of({0.1, 0.1, 0.1}));
  const auto count = [](const TriangleMesh& mesh, const Shape& shape, const Pose& pose, double gap) {
    Pose there = pose;
    there.position.z() += gap;
    const auto found = found_on(shape, there, {{.shape = mesh}}, 0.0);
    std::size_t on_top = 0;
    for (const Found& one : found) {
      if ((one.normal - Vector3d::UnitZ()).norm() > 1e-9) continue;
      EXPECT_NEAR(one.gap, gap, 1e-14);
      ++on_top;
    }
    return on_top;
  };
  const double half = std::sqrt(0.5);
  const Pose lying{{0.1, 0.8, 0.4}, Eigen::Quaterniond(half, half, 0.0, 0.0)};
  for (const double gap : {1e-9, 0.0, -1e-9, -1e-6}) {
    EXPECT_EQ(count(table, Cylinder{0.3, 0.5}, {{0.1, 0.2, 0.6}}, gap), 4u);
    EXPECT_EQ(count(table, Cylinder{0.3, 0.5}, {{0.9, 0.2, 0.6}}, gap), 5u);  // two where the border leaves the circle
    EXPECT_EQ(count(table, Cylinder{0.3, 0.5}, lying, gap), 2u);              // an end and where the border is
    EXPECT_EQ(count(pedestal, Cylinder{0.3, 0.5}, {{0.05, 0.02, 0.6}}, gap), 4u);  // its corners
    EXPECT_EQ(count(pedestal, Cone{.radius = 0.3, .height = 0.5}, {{0.05, 0.02, 0.1}}, gap), 4u);
  }
}

// ---- Motions ----

using frusta::cylinder_body, frusta::kMass;
constexpr double g = frusta::kGravity, kStep = 1e-3;

TEST(FrustaSurfaces, ACylinderRollsOnManyTrianglesAsOnAPlane) {
  // v0 - mu g t until v0 / (3 mu g), 2/3 v0 after, with two contacts of two names: over 35 triangles' edges.
  const double mu = 0.2, speed = 0.5, radius = 0.1, rolls = speed / (3.0 * mu * g), half = std::sqrt(0.5);
  NonSmoothDynamicalSystem model;
  RigidBody description = cylinder_body(radius, 0.15);
  description.position = {0.511, 1.003, radius};
  description.orientation = {half, -half, 0.0, 0.0};
  description.velocity = {speed, 0.0, 0.0};
  const auto body = model.add(description);
  model.detect(std::make_shared<const BodyContacts>(
      std::vector<BodyShapes>{{body, {{.shape = Cylinder{radius, 0.15}}}}},
      std::vector<ShapeOnBody>{{.shape = HeightField(Eigen::MatrixXd::Zero(101, 101), {0.02, 0.02})}},
      NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  TimeStepping simulation(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  std::set<std::uint64_t> features;
  for (int k = 1; k <= 150; ++k) {
    ASSERT_TRUE(simulation.step());
    const double t = kStep * k, expected = t < rolls ? speed - mu * g * t : 2.0 / 3.0 * speed;
    ASSERT_NEAR(simulation.state().v(body)[0], expected, 1e-8) << k;
    ASSERT_NEAR(simulation.state().v(body)[2], 0.0, 1e-8) << k;
    for (const ContactMemory& contact : simulation.state().contacts) features.insert(contact.feature);
  }
  EXPECT_EQ(features.size(), 2u);
}

TEST(FrustaSurfaces, WhatStandsOnAMeshKeepsItsPlace) {
  // Residual velocities of 1e-12 m/s for 0.2 s.
  const TriangleMesh pedestal = mesh_of(box_of({0.08, 0.08, 0.1}));
  const HeightField field(Eigen::MatrixXd::Constant(41, 41, 0.1), {0.05, 0.05});
  for (const ShapeOnBody& ground :
       {ShapeOnBody{.shape = pedestal}, ShapeOnBody{.shape = field, .position = {-1.0, -1.0, 0.0}}}) {
    for (const bool cone : {false, true}) {
      NonSmoothDynamicalSystem model;
      RigidBody description = cylinder_body(0.15, 0.1);
      description.position = {0.02, -0.01, 0.2};
      description.orientation = {std::cos(0.3), 0.0, 0.0, std::sin(0.3)};
      const auto body = model.add(description);
      const ShapeOnBody shape =
          cone ? ShapeOnBody{.shape = Cone{.radius = 0.15, .height = 0.4}, .position = {0.0, 0.0, -0.1}}
               : ShapeOnBody{.shape = Cylinder{0.15, 0.1}};
      model.detect(std::make_shared<const BodyContacts>(std::vector<BodyShapes>{{body, {shape}}},
                                                        std::vector<ShapeOnBody>{ground},
                                                        NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
      TimeStepping simulation(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
      const Eigen::VectorXd before = simulation.state().q(body);
      for (int k = 0; k < 200; ++k) {
        ASSERT_TRUE(simulation.step());
        ASSERT_GE(simulation.state().contacts.size(), 4u) << k;
      }
      EXPECT_LE((simulation.state().q(body) - before).cwiseAbs().maxCoeff(), 1e-11) << cone;
    }
  }
}

TEST(FrustaSurfaces, AFastCylinderDoesNotPassThroughARidge) {
  // At 100 m/s, 0.3 m over a roof's ridge along y, and 0.5 m beside it: stopped in the step that would take it through.
  const TriangleMesh roof({{-1, -2, -1}, {-1, 2, -1}, {0, -2, 0}, {0, 2, 0}, {1, -2, -1}, {1, 2, -1}},
                          {{0, 2, 3}, {0, 3, 1}, {2, 4, 5}, {2, 5, 3}});
  const double half = std::sqrt(0.5);
  const Pose fast{{-0.5, 0.0, 0.5}, Eigen::Quaterniond(half, half, 0.0, 0.0), {100.0, 0.0, -90.0}};
  const auto found = found_on(Cylinder{0.1, 0.3}, fast, {{.shape = roof}}, 0.01);
  ASSERT_FALSE(found.empty());
  double soonest = std::numeric_limits<double>::infinity();
  for (const Found& one : found) {
    const double rate = one.normal.dot(fast.velocity);
    if (rate < 0.0) soonest = std::min(soonest, one.gap / -rate);
  }
  EXPECT_LT(soonest, 0.01);
  EXPECT_GT(soonest, 0.0);
}

}  // namespace
}  // namespace nonsmooth::frusta_surfaces_test
