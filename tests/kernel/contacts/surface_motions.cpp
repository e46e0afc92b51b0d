// SPDX-License-Identifier: Apache-2.0
// Bodies on triangle meshes and height fields: nothing is felt of edges within a plane, valleys and ridges, fast
// bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/body_on_ground.hpp"

namespace nonsmooth::surface_motions_test {
namespace {

using bad_input::expect_refused;
using Eigen::Vector3d;
using Eigen::Vector4d;
using test::BodyOnGround;
using Triangles = std::vector<std::array<Index, 3>>;

constexpr double g = 9.81, kStep = test::kBodyStep, kMass = 2.0, kSide = 0.2;

/// A square of n x n cells about the origin, all its inner vertices moved at random within the plane.
TriangleMesh plane_mesh(Index n, double half_width, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> shift(-0.3, 0.3);
  const double cell = 2.0 * half_width / static_cast<double>(n);
  std::vector<Vector3d> vertices;
  Triangles triangles;
  for (Index i = 0; i <= n; ++i) {
    for (Index j = 0; j <= n; ++j) {
      const bool inner = i > 0 && i < n && j > 0 && j < n;
      const double x = static_cast<double>(i) + (inner ? shift(random) : 0.0),
                   y = static_cast<double>(j) + (inner ? shift(random) : 0.0);
      vertices.emplace_back(x * cell - half_width, y * cell - half_width, 0.0);
      if (i == n || j == n) continue;
      const Index v = i * (n + 1) + j;
      triangles.push_back({v, v + n + 1, v + n + 2});
      triangles.push_back({v, v + n + 2, v + 1});
    }
  }
  return TriangleMesh(vertices, triangles);
}

Law with_friction(double mu) { return NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}; }

RigidBody moving_body(const Vector3d& position, const Vector3d& velocity, const Vector3d& spin = Vector3d::Zero()) {
  return {.mass = kMass,
          .inertia = Vector3d(0.01, 0.011, 0.012).asDiagonal(),
          .position = position,
          .velocity = velocity,
          .angular_velocity = spin,
          .gravity = {0.0, 0.0, -g}};
}

TEST(Surfaces, WhatSlidesOverEdgesOfAPlaneTouchesItAsAHalfSpace) {
  // Along the motion on a half-space, the same points with the same rows, but for some last places of 3 m.
  const std::vector<Vector3d> tetrahedron{{0.1, 0.0, -0.1}, {-0.05, 0.09, -0.1}, {-0.05, -0.09, -0.1}, {0.0, 0.0, 0.2}};
  const std::vector<std::pair<Shape, double>> sliders{{Sphere{0.1}, 0.1},
                                                      {Box{Vector3d(0.15, 0.1, 0.1)}, 0.1},
                                                      {Capsule{0.1, 0.1}, 0.2},
                                                      {ConvexPolyhedron(tetrahedron), 0.1}};
  const std::vector<ShapeOnBody> grounds{
      {.shape = plane_mesh(40, 2.0, 3)},
      {.shape = HeightField(Eigen::MatrixXd::Zero(41, 31), {0.1, 0.13}), .position = {-2.0, -2.0, 0.0}}};
  Index compared = 0;
  for (const auto& [shape, height] : sliders) {
    for (const double spin : {0.0, 4.0}) {
      const BodyOnGround slider(moving_body({-0.7, 0.013, height}, {2.5, 0.4, 0.0}, {0.0, 0.0, spin}), shape,
                                {.shape = HalfSpace{}}, with_friction(0.3));
      TimeStepping simulation = slider.simulation();
      for (int k = 0; k < 400; ++k) {
        ASSERT_TRUE(simulation.step());
        const ContactBatches on_plane = contacts_at(simulation.state(), *slider.model.sources().front(), kStep);
        for (const ShapeOnBody& ground : grounds) {
          const BodyContacts source({{slider.body, {{.shape = shape}}}}, {ground}, with_friction(0.3));
          const ContactBatches on_surface = contacts_at(simulation.state(), source, kStep);
          ASSERT_EQ(on_surface.num_contacts(), on_plane.num_contacts()) << k;
          if (on_plane.num_contacts() == 0) continue;
          const ContactBatch &found = *on_surface.begin(), &expected = *on_plane.begin();
          for (Index i = 0; i < found.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            ASSERT_NEAR(found.contacts[at].gap, expected.contacts[at].gap, 2e-15) << k;
            for (Index entry = 0; entry < found.stride(); ++entry)
              ASSERT_NEAR(found.H_first(i)[entry], expected.H_first(i)[entry], 2e-15) << k;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

TEST(Surfaces, BodiesStopWhereThePlaneStopsThem) {
  // From v = N mu g h a box stops after N steps; theta = 1/2 takes the way v^2 / (2 mu g) exactly. A ball rolls after
  // it, at 5/7 of its speed.
  const double mu = 0.5, speed = 400.0 * mu * g * kStep;
  const ShapeOnBody ground{.shape = plane_mesh(30, 2.0, 5)};
  const BodyOnGround box(moving_body({-0.5, 0.1, 0.5 * kSide}, {0.6 * speed, 0.8 * speed, 0.0}),
                         Box{Vector3d::Constant(0.5 * kSide)}, ground, with_friction(mu));
  TimeStepping simulation = box.simulation();
  for (int k = 0; k < 420; ++k) {
    ASSERT_TRUE(simulation.step());
    ASSERT_NEAR(simulation.state().q(box.body)[2], 0.5 * kSide, 1e-11) << k;
    ASSERT_NEAR(simulation.state().v(box.body)[2], 0.0, 1e-10) << k;
    ASSERT_EQ(simulation.state().contacts.size(), 4u) << k;
  }
  const double way = speed * speed / (2.0 * mu * g);
  EXPECT_NEAR(simulation.state().q(box.body)[0], -0.5 + 0.6 * way, 1e-10);
  EXPECT_NEAR(simulation.state().q(box.body)[1], 0.1 + 0.8 * way, 1e-10);

  const double radius = 0.1;
  RigidBody ball = moving_body({-0.5, 0.1, radius}, {0.6, 0.8, 0.0});
  ball.inertia = 0.4 * kMass * radius * radius * Eigen::Matrix3d::Identity();
  const BodyOnGround rolling(ball, Sphere{radius}, {.shape = plane_mesh(71, 2.0, 7)}, with_friction(mu));
  TimeStepping motion = rolling.simulation();
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(motion.step());
    ASSERT_EQ(motion.state().contacts.size(), 1u) << k;
    ASSERT_NEAR(motion.state().v(rolling.body)[2], 0.0, 1e-10) << k;
  }
  EXPECT_NEAR(motion.state().v(rolling.body)[0], 0.6 * 5.0 / 7.0, 1e-8);
  EXPECT_NEAR(motion.state().v(rolling.body)[1], 0.8 * 5.0 / 7.0, 1e-8);
}

/// z = slope |x| for x from -1 to 1, |y| <= 1; below zero: a ridge.
TriangleMesh fold(double slope) {
  std::vector<Vector3d> vertices;
  for (const double x : {-1.0, 0.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) vertices.emplace_back(x, y, slope * std::abs(x));
  }
  return TriangleMesh(vertices, {{0, 2, 3}, {0, 3, 1}, {2, 4, 5}, {2, 5, 3}});
}

TEST(Surfaces, ABoxAcrossAValleyRestsOnBothSides) {
  // Without friction four corners of a box carry m g = 4 N cos(alpha).
  const double slope = 0.4, half = 0.1, cosine = 1.0 / std::sqrt(1.0 + slope * slope);
  const BodyOnGround box(moving_body({0.0, 0.2, slope * half + half}, Vector3d::Zero()), Box{Vector3d::Constant(half)},
                         {.shape = fold(slope)}, NewtonImpactLaw{});
  TimeStepping simulation = box.simulation();
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(simulation.step());
    ASSERT_EQ(simulation.state().contacts.size(), 4u) << k;
    for (const ContactMemory& contact : simulation.state().contacts)
      ASSERT_NEAR(contact.impulse[0], kMass * g * kStep / (4.0 * cosine), 1e-10) << k;
  }
  // Residual velocities of 1e-12 m/s for 0.2 s.
  EXPECT_LE((simulation.state().q(box.body).head<3>() - Vector3d(0.0, 0.2, slope * half + half)).norm(), 1e-12);
}

TEST(Surfaces, ABallFeelsFacesAndRidgesWhereTheyAre) {
  const double slope = 0.5, radius = 0.3, cosine = 1.0 / std::sqrt(1.0 + slope * slope);
  const auto contacts_of = [&](const Shape& ground, const Vector3d& centre) {
    const BodyOnGround ball(moving_body(centre, Vector3d::Zero()), Sphere{radius}, {.shape = ground},
                            NewtonImpactLaw{});
    const ContactBatches found = contacts_at(ball.model.initial_state(), *ball.model.sources().front(), 0.0);
    std::vector<std::pair<double, Vector3d>> points;
    for (const ContactBatch& batch : found) {
      for (Index i = 0; i < batch.size(); ++i)
        points.emplace_back(batch.contacts[static_cast<std::size_t>(i)].gap,
                            Eigen::Map<const Vector3d>(batch.H_first(i)));
    }
    return points;
  };
  // Over a ridge: beside it the face alone, above it the direction from it.
  for (const double x : {-0.5, -0.16, -0.1, 0.0, 0.05, 0.14, 0.2, 0.6}) {
    const double z = std::abs(x) > slope * radius * cosine ? -slope * std::abs(x) + radius / cosine
                                                           : std::sqrt(radius * radius - x * x);
    const Vector3d expected = std::abs(x) > slope * radius * cosine
                                  ? Vector3d(std::copysign(slope, x), 0.0, 1.0).normalized()
                                  : Vector3d(x, 0.0, z).normalized();
    const auto points = contacts_of(fold(-slope), {x, 0.1, z});
    ASSERT_EQ(points.size(), 1u) << x;
    EXPECT_NEAR(points[0].first, 0.0, 1e-14) << x;
    EXPECT_LE((points[0].second - expected).norm(), 1e-14) << x;
  }
  // In a valley: both faces in the middle, one beside it, nothing of the concave edge.
  EXPECT_EQ(contacts_of(fold(slope), {0.0, 0.1, radius / cosine - 1e-9}).size(), 2u);
  const auto beside = contacts_of(fold(slope), {0.1, 0.1, slope * 0.1 + radius / cosine - 1e-9});
  ASSERT_EQ(beside.size(), 1u);
  EXPECT_LE((beside[0].second - Vector3d(-slope, 0.0, 1.0).normalized()).norm(), 1e-14);
  // Deep below the valley, with its centre in the solid: out of both sides.
  const auto deep = contacts_of(fold(slope), {0.0, 0.1, -0.05});
  ASSERT_EQ(deep.size(), 2u);
  for (const auto& [gap, normal] : deep) EXPECT_NEAR(gap, -0.05 * cosine - radius, 1e-14);
}

TEST(Surfaces, ABallAtAnySpeedIsStopped) {
  // 1 m a step onto a sheet of triangles smaller than the ball, from every place before it, straight and aslant; onto a
  // ridge that it does not see from where it is.
  for (const double from : {0.15, 0.4, 0.77, 1.05}) {
    for (const double aslant : {0.0, 700.0}) {
      RigidBody body = moving_body({-aslant * 1e-3 * from, 0.01, from}, {aslant, 0.0, -1000.0});
      body.gravity.setZero();
      const BodyOnGround ball(body, Sphere{0.05}, {.shape = plane_mesh(80, 2.0, 11)}, with_friction(0.2));
      TimeStepping simulation = ball.simulation(MoreauJean{.theta = 1.0, .forecast = 1.0});
      for (int k = 0; k < 5; ++k) ASSERT_TRUE(simulation.step());
      EXPECT_GE(simulation.state().q(ball.body)[2], 0.05 - 1e-9) << from;
    }
    RigidBody body = moving_body({-from, 0.01, -0.02}, {1000.0, 0.0, 0.0});
    body.gravity.setZero();
    // A roof whose edge lies along y, 0.1 m wide, in its way.
    const BodyOnGround ball(body, Sphere{0.05}, {.shape = fold(-3.0), .position = {0.0, 0.0, 0.0}}, NewtonImpactLaw{});
    TimeStepping simulation = ball.simulation(MoreauJean{.theta = 1.0, .forecast = 1.0});
    for (int k = 0; k < 5; ++k) ASSERT_TRUE(simulation.step());
    const double x = simulation.state().q(ball.body)[0], z = simulation.state().q(ball.body)[2];
    // Stopped or turned aside over the edge, never through it: outside of both faces, or above.
    EXPECT_GE(std::max((3.0 * std::abs(x) + z) / std::sqrt(10.0), z), 0.05 - 1e-9) << from;
  }
}

TEST(Surfaces, AHeightFieldIsSolidAllTheWayDown) {
  const HeightField field(Eigen::MatrixXd::Zero(5, 5), {1.0, 1.0});
  const BodyOnGround ball(moving_body({2.2, 1.7, -0.8}, Vector3d::Zero()), Sphere{0.1}, {.shape = field},
                          NewtonImpactLaw{});
  const auto overlaps =
      interpenetrations(ball.model.initial_state(), dynamic_cast<const BodyContacts&>(*ball.model.sources().front()));
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_NEAR(overlaps[0].depth, 0.9, 1e-14);
  EXPECT_EQ(overlaps[0].second.body, -1);
  EXPECT_EQ(overlaps[0].second.place, 0);
}

TEST(Surfaces, ABoxInACornerTouchesThreeSides) {
  // The corner of a room, its sides seen from inside; the box pressed into it by 1e-10.
  const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
  const TriangleMesh room(corners, {{0, 1, 4}, {0, 4, 2}, {0, 2, 6}, {0, 6, 3}, {0, 3, 5}, {0, 5, 1}});
  for (const double depth : {0.0, 1e-10}) {
    const BodyOnGround box(moving_body(Vector3d::Constant(0.1 - depth), Vector3d::Zero()), Box{Vector3d::Constant(0.1)},
                           {.shape = room}, NewtonImpactLaw{});
    Vector3d sum = Vector3d::Zero();
    Index count = 0;
    for (const ContactBatch& batch : contacts_at(box.model.initial_state(), *box.model.sources().front(), 0.0)) {
      for (Index i = 0; i < batch.size(); ++i) {
        EXPECT_NEAR(batch.contacts[static_cast<std::size_t>(i)].gap, -depth, 1e-15);
        sum += Eigen::Map<const Vector3d>(batch.H_first(i));
      }
      count += batch.size();
    }
    EXPECT_EQ(count, 12);  // four corners of each of three sides
    EXPECT_LE((sum - Vector3d::Constant(4.0)).norm(), 1e-14);
  }
}

TEST(Surfaces, RefuseWhatIsNoSurface) {
  const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  const double nan = std::nan("");
  const auto mesh = [&](const Triangles& triangles) {
    return [&corners, triangles] { TriangleMesh(corners, triangles); };
  };
  const std::string all = "TriangleMesh: triangles", corners_are = "expected 0 to 4";
  expect_refused(mesh({}), {all, "found 0", "expected at least 1"});
  expect_refused(mesh({{0, 1, 5}}), {all, "found vertex 5 of triangle 0", corners_are});
  expect_refused(mesh({{0, 1, 2}, {0, -1, 2}}), {all, "found vertex -1 of triangle 1", corners_are});
  expect_refused(mesh({{0, 1, 2}, {0, 1, 1}}),
                 {all, "found a degenerate one, number 1", "expected heights above 1e-9 of the longest side"});
  expect_refused(mesh({{0, 1, 2}, {0, 1, 4}}), {all, "found two that run through the edge", "in one direction",
                                                "expected corners counterclockwise as seen from outside"});
  expect_refused(mesh({{0, 1, 2}, {1, 0, 3}, {1, 0, 4}}),
                 {all, "found an edge of three triangles", "expected edges of at most two triangles"});
  expect_refused(
      [&] {
        TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, nan, 0}}, {{0, 1, 2}});
      },
      {"TriangleMesh: vertex 2", "found nan in entry 1", "expected finite entries"});
  expect_refused(
      [&] {
        TriangleMesh(corners, {{0, 1, 2}}, 0.1);
      },
      {"coplanar", "found 0.1", "expected a number in [0, 0.001]"});
  expect_refused(
      [] {
        HeightField(Eigen::MatrixXd::Zero(1, 3), {1.0, 1.0});
      },
      {"HeightField: rows of heights", "found 1", "expected at least 2"});
  expect_refused(
      [] {
        HeightField(Eigen::MatrixXd::Zero(3, 1), {1.0, 1.0});
      },
      {"HeightField: columns of heights", "found 1", "expected at least 2"});
  expect_refused(
      [&] {
        HeightField(Eigen::MatrixXd{{0.0, 0.0}, {0.0, nan}}, {1.0, 1.0});
      },
      {"HeightField: heights", "found nan in entry (1, 1)", "expected finite entries"});
  expect_refused(
      [] {
        HeightField(Eigen::MatrixXd::Zero(3, 3), {1.0, 0.0});
      },
      {"HeightField: spacing", "found 0", "expected a positive finite number"});
  const std::string bodies_have = "expected shapes that bodies can have";
  expect_refused(
      [&] {
        BodyContacts({{SystemHandle{}, {{.shape = TriangleMesh(corners, {{0, 1, 2}})}}}}, {}, NewtonImpactLaw{});
      },
      {"BodyShapes::shapes", "found a triangle mesh", bodies_have});
  expect_refused(
      [&] {
        BodyContacts({{SystemHandle{}, {{.shape = HeightField(Eigen::MatrixXd::Zero(2, 2), {1.0, 1.0})}}}}, {},
                     NewtonImpactLaw{});
      },
      {"BodyShapes::shapes", "found a height field", bodies_have});
}

}  // namespace
}  // namespace nonsmooth::surface_motions_test
