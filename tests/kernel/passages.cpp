// SPDX-License-Identifier: Apache-2.0
// Bodies that a step moves through others: what the run says of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "planar_scene.hpp"

namespace nonsmooth {
namespace {

using Eigen::Vector3d;
using test::rectangle;

const MoreauJean kWhole{.theta = 1.0, .forecast = 1.0};  ///< no body passes through another by its own velocity

/// A body of size 0.1 that flies at 100 sizes a step at a plate across x = 0, of half thickness 0.005, as high and deep
/// as 1 to either side.
constexpr double kSize = 0.1, kStep = 1e-3, kSpeed = 1e4, kHalfPlate = 0.005;

struct Flight {
  double x = -3.3, y = 0.0;  ///< where it starts
  double speed = kSpeed;
  Vector3d spin = Vector3d::Zero();
  MoreauJean scheme{};
  Index steps = 3;
};

struct Outcome {
  double x = 0.0;  ///< where it comes to
  RunRemarks told;
};

Outcome run(NonSmoothDynamicalSystem& model, SystemHandle body, const Flight& flight) {
  TimeStepping simulation(model, {.integrator = flight.scheme, .step = kStep});
  const auto report = simulation.advance_to(kStep * static_cast<double>(flight.steps));
  EXPECT_TRUE(report) << report.message();
  Outcome outcome{simulation.state().q(body)[0], {}};
  for (const RunRemark& remark : report.findings) {
    if (remark.kind == RunRemark::Kind::Passage) outcome.told.push_back(remark);
  }
  EXPECT_EQ(outcome.told.size(), static_cast<std::size_t>(std::count_if(
                                     simulation.findings().begin(), simulation.findings().end(),
                                     [](const RunRemark& remark) { return remark.kind == RunRemark::Kind::Passage; })));
  return outcome;
}

Outcome fly_in_space(const Shape& shape, const Flight& flight) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.inertia = 0.004 * Eigen::Matrix3d::Identity(),
                                        .position = {flight.x, flight.y, 0.0},
                                        .velocity = {flight.speed, 0.0, 0.0},
                                        .angular_velocity = flight.spin,
                                        .name = "bullet"});
  model.detect(BodyContacts({{body, {{.shape = shape}}}}, {{.shape = Box{{kHalfPlate, 1.0, 1.0}}}}, NewtonImpactLaw{}));
  return run(model, body, flight);
}

Outcome fly_in_the_plane(const PlanarShape& shape, const Flight& flight) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(PlanarBody{.inertia = 0.004,
                                         .position = {flight.x, flight.y},
                                         .velocity = {flight.speed, 0.0},
                                         .angular_velocity = flight.spin.z(),
                                         .name = "bullet"});
  model.detect(
      PlanarContacts({{body, {{.shape = shape}}}}, {{.shape = rectangle(kHalfPlate, 1.0)}}, NewtonImpactLaw{}));
  return run(model, body, flight);
}

/// At a row of disks of radius 0.1 that stand across its way.
Outcome fly_at_disks(const Flight& flight) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks{
      model.add(PlanarBody{.position = {flight.x, flight.y}, .velocity = {flight.speed, 0.0}, .name = "bullet"})};
  for (int k = -5; k <= 5; ++k) disks.push_back(model.add(PlanarBody{.mass = 1e9, .position = {0.0, 0.2 * k}}));
  model.detect(DiskContacts(disks, std::vector<double>(disks.size(), kSize), NewtonImpactLaw{}));
  return run(model, disks[0], flight);
}

/// Told once, of the step that passed x = 0, and how deep: the way from where they met to the end of that step.
void expect_told(const Outcome& outcome, double half_sizes, const Flight& flight, const std::string& other) {
  EXPECT_GT(outcome.x, half_sizes);
  ASSERT_EQ(outcome.told.size(), 1u);
  const RunRemark& told = outcome.told[0];
  EXPECT_EQ(told.subject, "the contact of bullet and " + other);
  EXPECT_EQ(told.count, 1);
  EXPECT_NEAR(told.first_t, kStep, 1e-15);
  EXPECT_NE(told.message().find("gone through"), std::string::npos);
  // Free flight, of one way a step: it ends at x + h v, and they met at -half_sizes.
  EXPECT_NEAR(told.worst, flight.x + kStep * flight.speed + half_sizes, 1e-6);
}

TEST(Passages, ABallAndABoxThroughAPlateAreTold) {
  // From 3.3 away half of the step's 10 reach the plate: found, and half of the step's way goes on all the same; from
  // 7 away nothing is found. Of a way of 10 the end is known to 1e-6 of it at least (kLeastAdvance).
  for (const double x : {-3.3, -7.0}) {
    const Flight flight{.x = x};
    const bool found = x > -5.0;
    for (const Outcome& outcome :
         {fly_in_space(Sphere{kSize}, flight), fly_in_space(Box{{kSize, kSize, kSize}}, flight),
          fly_in_the_plane(Disk{kSize}, flight), fly_in_the_plane(rectangle(kSize, kSize), flight)}) {
      if (!found) {
        expect_told(outcome, kSize + kHalfPlate, flight, "the ground");
        continue;
      }
      // The velocity is gone after half the way: 5 from 3.3 away.
      EXPECT_GT(outcome.x, kSize + kHalfPlate);
      ASSERT_EQ(outcome.told.size(), 1u);
      EXPECT_EQ(outcome.told[0].subject, "the contact of bullet and the ground");
      EXPECT_NEAR(outcome.told[0].worst, x + 5.0 + kSize + kHalfPlate, 1e-5);
    }
  }
}

TEST(Passages, ADiskThroughARowOfDisksIsTold) {
  const Outcome outcome = fly_at_disks({.x = -7.0});
  EXPECT_GT(outcome.x, 2.0 * kSize);
  ASSERT_EQ(outcome.told.size(), 1u);  // the one in its way: those beside it are grazed at most
  EXPECT_NEAR(outcome.told[0].worst, 3.0 + 2.0 * kSize, 1e-5);
}

TEST(Passages, ABodyThatSpinsIsTold) {
  // Ten turns a step.
  const Flight flight{.x = -7.0, .spin = {0.0, 0.0, 20.0 * std::numbers::pi / kStep}};
  EXPECT_EQ(fly_in_space(Box{{kSize, kSize, kSize}}, flight).told.size(), 1u);
  EXPECT_EQ(fly_in_the_plane(rectangle(kSize, kSize), flight).told.size(), 1u);
}

TEST(Passages, WithTheWholeStepForecastNothingPasses) {
  for (const double x : {-3.3, -7.0}) {
    const Flight flight{.x = x, .scheme = kWhole};
    for (const Outcome& outcome :
         {fly_in_space(Sphere{kSize}, flight), fly_in_space(Box{{kSize, kSize, kSize}}, flight),
          fly_in_the_plane(Disk{kSize}, flight), fly_in_the_plane(rectangle(kSize, kSize), flight),
          fly_at_disks(flight)}) {
      EXPECT_LE(outcome.x, 0.0);
      EXPECT_TRUE(outcome.told.empty());
    }
  }
}

TEST(Passages, WhatFliesPastOrSlowlyIsNotTold) {
  for (const Flight& flight : {Flight{.x = -7.0, .y = 1.2},                    // above the plate
                               Flight{.x = -7.0, .y = -1.11},                  // 0.01 below it
                               Flight{.x = -0.2, .speed = 30.0, .steps = 20},  // 0.3 of its size a step
                               Flight{.x = 7.0}}) {                            // away
    for (const Outcome& outcome :
         {fly_in_space(Sphere{kSize}, flight), fly_in_space(Box{{kSize, kSize, kSize}}, flight),
          fly_in_the_plane(Disk{kSize}, flight), fly_in_the_plane(rectangle(kSize, kSize), flight)}) {
      EXPECT_TRUE(outcome.told.empty()) << outcome.told[0].message() << " from " << flight.x << ", " << flight.y;
    }
  }
}

TEST(Passages, WhatFallsDeepIntoTheGroundOrSlidesOffAnEdgeIsNotTold) {
  // A half-space is solid all the way down: 5 deep, and pushed out. And a box that slides off a plate at 10 sizes a
  // step, falling: it was in its way by no more than the fall.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.position = {0.0, 0.0, 4.0}, .velocity = {0.0, 0.0, -kSpeed}});
  const auto box =
      model.add(RigidBody{.position = {0.0, 0.5, 0.105}, .velocity = {0.0, 1e3, 0.0}, .gravity = {0.0, 0.0, -9.81}});
  BodyContacts source(
      {{ball, {{.shape = Sphere{kSize}, .groups = 2, .mask = 1}}},
       {box, {{.shape = Box{{0.1, 0.1, 0.1}}, .groups = 4, .mask = 4}}}},
      {{.shape = HalfSpace{}, .groups = 1, .mask = 2}, {.shape = Box{{1.0, 1.0, 0.005}}, .groups = 4, .mask = 4}},
      NewtonImpactLaw{});
  model.detect(source);
  TimeStepping simulation(model, {.step = kStep});
  const auto report = simulation.advance_to(5.0 * kStep);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LT(simulation.state().q(ball)[2], 0.0);
  EXPECT_GT(simulation.state().q(box)[1], 1.1);
  for (const RunRemark& remark : report.findings) EXPECT_NE(remark.kind, RunRemark::Kind::Passage) << remark.message();
}

TEST(Passages, NothingIsLookedForWithoutExamination) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = {-7.0, 0.0, 0.0}, .velocity = {kSpeed, 0.0, 0.0}});
  model.detect(
      BodyContacts({{body, {{.shape = Sphere{kSize}}}}}, {{.shape = Box{{kHalfPlate, 1.0, 1.0}}}}, NewtonImpactLaw{}));
  TimeStepping simulation(model, {.step = kStep, .examination = Examination::Off});
  EXPECT_TRUE(simulation.advance_to(2.0 * kStep).findings.empty());
}

TEST(Passages, DepthsFromWhichShapesLetGoOfOneAnother) {
  // Half of the widths of both: of a ball and a plate, of two balls where the plate is thicker, of thin rods a
  // hundredth of their size. Slow bodies have none.
  NonSmoothDynamicalSystem model;
  const auto one = model.add(RigidBody{}), two = model.add(RigidBody{});
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(14);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(12);
  v[7] = 3.0;
  const BodyView bodies{0.0, q, v, {}, {}};
  const auto depth = [&](const Shape& shape, const Shape& ground, double horizon) {
    const BodyContacts source({{one, {{.shape = shape}}}, {two, {{.shape = shape}}}}, {{.shape = ground}},
                              NewtonImpactLaw{});
    return source.passage_depth(bodies, horizon);
  };
  const double infinite = std::numeric_limits<double>::infinity();
  // Widths of boxes are taken as half of those between their faces, as of any polyhedron.
  EXPECT_NEAR(depth(Sphere{0.1}, Box{{0.01, 1.0, 1.0}}, 1.0), 0.5 * (0.2 + 0.01), 1e-15);
  EXPECT_NEAR(depth(Sphere{0.1}, HalfSpace{}, 1.0), 0.2, 1e-15);
  EXPECT_NEAR(depth(Cylinder{0.1, 0.3}, HalfSpace{}, 1.0), 0.1, 1e-15);
  EXPECT_EQ(depth(Sphere{0.1}, HalfSpace{}, 0.033), infinite);  // twice 0.099 are less than 0.2
  EXPECT_NEAR(depth(Sphere{0.1}, HalfSpace{}, 0.034), 0.2, 1e-15);
  v[7] = 0.0;
  v[9] = 3.0;  // a turn moves the farthest point, of a capsule of half length 0.4: 0.5 from the middle
  EXPECT_NEAR(depth(Capsule{.radius = 0.1, .half_length = 0.4}, HalfSpace{}, 0.07), 0.2, 1e-15);
  EXPECT_EQ(depth(Capsule{.radius = 0.1, .half_length = 0.4}, HalfSpace{}, 0.066), infinite);
  const Eigen::VectorXd planar_q = Eigen::VectorXd::Zero(3), planar_v = Vector3d(3.0, 0.0, 0.0);
  const PlanarContacts rod({{one, {{.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}}}}}},
                           {{.shape = rectangle(0.3, 0.1)}}, NewtonImpactLaw{});
  EXPECT_NEAR(rod.passage_depth({0.0, planar_q, planar_v, {}, {}}, 1.0), 0.5 * (0.01 + 0.01), 1e-15);
}

}  // namespace
}  // namespace nonsmooth
