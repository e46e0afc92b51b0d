// SPDX-License-Identifier: Apache-2.0
// Bodies that a step moves through others: what the run says of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "kernel/planar_scene.hpp"

namespace nonsmooth::passages_test {
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
  Integrator scheme = MoreauJean{};
  Index steps = 3;
  Form form = Form::Reduced;
};

struct Outcome {
  double x = 0.0;  ///< where it comes to
  RunRemarks told;
};

Outcome run(NonSmoothDynamicalSystem& model, SystemHandle body, const Flight& flight) {
  TimeStepping simulation(model, {.integrator = flight.scheme, .step = kStep, .form = flight.form});
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

const ShapeOnBody kPlate{.shape = Box{{kHalfPlate, 1.0, 1.0}}};

Outcome fly_in_space(const Shape& shape, const Flight& flight, const ShapeOnBody& plate = kPlate) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.inertia = 0.004 * Eigen::Matrix3d::Identity(),
                                        .position = {flight.x, flight.y, 0.0},
                                        .velocity = {flight.speed, 0.0, 0.0},
                                        .angular_velocity = flight.spin,
                                        .name = "bullet"});
  model.detect(BodyContacts({{body, {{.shape = shape}}}}, {plate}, NewtonImpactLaw{}));
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

/// The same ball, and plate, linked.
Outcome fly_linked(const Flight& flight) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.inertia = 0.004 * Eigen::Matrix3d::Identity(),
                                        .position = {flight.x, flight.y, 0.0},
                                        .velocity = {flight.speed, 0.0, 0.0},
                                        .angular_velocity = flight.spin,
                                        .name = "bullet"});
  link_contacts(model, BodyContacts({{body, {{.shape = Sphere{kSize}}}}}, {{.shape = Box{{kHalfPlate, 1.0, 1.0}}}},
                                    NewtonImpactLaw{}));
  return run(model, body, flight);
}

/// A ball and a flat cylinder across its way, linked.
Outcome fly_linked_at_cylinder(const Flight& flight) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.inertia = 0.004 * Eigen::Matrix3d::Identity(),
                                        .position = {flight.x, flight.y, 0.0},
                                        .velocity = {flight.speed, 0.0, 0.0},
                                        .angular_velocity = flight.spin,
                                        .name = "bullet"});
  link_contacts(model, BodyContacts({{body, {{.shape = Sphere{kSize}}}}},
                                    {{.shape = Cylinder{.radius = 1.0, .half_length = kHalfPlate},
                                      .orientation = {std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0}}},
                                    NewtonImpactLaw{}));
  return run(model, body, flight);
}

/// A disk and a thin rectangle across its way, linked.
Outcome fly_linked_in_the_plane(const Flight& flight) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(PlanarBody{.inertia = 0.004,
                                         .position = {flight.x, flight.y},
                                         .velocity = {flight.speed, 0.0},
                                         .angular_velocity = flight.spin.z(),
                                         .name = "bullet"});
  link_contacts(model, PlanarContacts({{body, {{.shape = Disk{kSize}}}}}, {{.shape = rectangle(kHalfPlate, 1.0)}},
                                      NewtonImpactLaw{}));
  return run(model, body, flight);
}

/// At a row of disks of radius 0.1 that stand across its way.
Outcome fly_at_disks(const Flight& flight, bool linked = false) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks{
      model.add(PlanarBody{.position = {flight.x, flight.y}, .velocity = {flight.speed, 0.0}, .name = "bullet"})};
  for (int k = -5; k <= 5; ++k) disks.push_back(model.add(PlanarBody{.mass = 1e9, .position = {0.0, 0.2 * k}}));
  const DiskContacts source(disks, std::vector<double>(disks.size(), kSize), NewtonImpactLaw{});
  if (linked) {
    link_contacts(model, source);
  } else {
    model.detect(source);
  }
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

/// The plate as a closed mesh of its 12 triangles.
ShapeOnBody mesh_plate() {
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k)
    corners.emplace_back(k & 1 ? kHalfPlate : -kHalfPlate, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
  return {.shape = TriangleMesh(corners, {{0, 4, 6},
                                          {0, 6, 2},
                                          {1, 3, 7},
                                          {1, 7, 5},
                                          {0, 1, 5},
                                          {0, 5, 4},  //
                                          {2, 6, 7},
                                          {2, 7, 3},
                                          {0, 2, 3},
                                          {0, 3, 1},
                                          {4, 5, 7},
                                          {4, 7, 6}})};
}
/// A ridge of a height field, 6 high over a base 0.06 wide: as thick as the plate in z = 0, and 2 mm thicker 0.2 below.
/// Its sides lean by 1 / 200: a cone that one of them hits 0.1 beside its centre gets a spin of 0.1 / 200 m v / J =
/// 1250 rad/s, half of which it turns with in the step, so that this point is 0.1 (1 - cos(0.6)) = 18 mm off.
constexpr double kRidgeSlack = 0.02;
ShapeOnBody ridge() {
  Eigen::MatrixXd heights = Eigen::MatrixXd::Constant(5, 2, -5.0);
  heights.row(2).setOnes();
  return {.shape = HeightField(heights, {6.0 * kHalfPlate, 2.0}), .position = {-12.0 * kHalfPlate, -1.0, 0.0}};
}

/// kSize wide to either side along x, one of each kind that moves.
std::vector<Shape> bullets() {
  std::vector<Vector3d> octahedron;
  for (Index axis = 0; axis < 3; ++axis)
    for (const double side : {-kSize, kSize}) octahedron.push_back(side * Vector3d::Unit(axis));
  return {Sphere{kSize},
          Box{{kSize, kSize, kSize}},
          Capsule{.radius = kSize, .half_length = kSize},
          ConvexPolyhedron(octahedron),
          Cylinder{.radius = kSize, .half_length = kSize},
          Cone{.radius = kSize, .height = 2.0 * kSize},
          Cone{.radius = kSize, .height = 2.0 * kSize, .top_radius = 0.5 * kSize}};
}

TEST(Passages, ShapesOfEveryKindThroughPlatesMeshesAndRidgesAreTold) {
  // As a ball and a box through a plate; from 3.3 away the velocity is gone after half the way. The reduced and the
  // global form of a step take the same way.
  const double met = kSize + kHalfPlate;
  const std::vector<ShapeOnBody> obstacles{kPlate, mesh_plate(), ridge()};
  for (std::size_t o = 0; o < obstacles.size(); ++o) {
    const double slack = o < 2 ? 1e-5 : kRidgeSlack;
    const std::vector<Shape> shapes = bullets();
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      for (const Form form : {Form::Reduced, Form::Global}) {
        for (const double x : {-3.3, -7.0}) {
          const Outcome outcome = fly_in_space(shapes[k], {.x = x, .form = form}, obstacles[o]);
          EXPECT_GT(outcome.x, met) << k << " through " << o << " from " << x;
          ASSERT_EQ(outcome.told.size(), 1u) << k << " through " << o << " from " << x;
          EXPECT_EQ(outcome.told[0].subject, "the contact of bullet and the ground");
          EXPECT_EQ(outcome.told[0].count, 1);
          EXPECT_NEAR(outcome.told[0].worst, x + (x > -5.0 ? 5.0 : 10.0) + met, slack) << k << " through " << o;
        }
      }
    }
  }
}

TEST(Passages, WithGapsThatAreLinearisedNothingPassesButWhatTurns) {
  // Cones that stop on the ridge are turned by it (kRidgeSlack) with the whole spin, 0.85 rad in the step from 3.3
  // away: what speed they have left goes round the corner that touches then, and the next step tells.
  const std::vector<ShapeOnBody> obstacles{kPlate, mesh_plate(), ridge()};
  for (std::size_t o = 0; o < obstacles.size(); ++o) {
    for (const Shape& shape : bullets()) {
      const bool turns = o == 2 && std::holds_alternative<Cone>(shape);
      for (const Form form : {Form::Reduced, Form::Global}) {
        for (const double x : {-3.3, -7.0}) {
          const Outcome outcome = fly_in_space(shape, {.x = x, .scheme = StewartTrinkle{}, .form = form}, obstacles[o]);
          EXPECT_EQ(outcome.x > 0.0, turns) << shape.index() << " through " << o << " from " << x;
          EXPECT_EQ(outcome.told.size(), turns ? 1u : 0u) << shape.index() << " through " << o << " from " << x;
        }
      }
    }
  }
}

TEST(Passages, AHammerThatSwingsThroughAPlateIsToldAtLinearisedGapsToo) {
  // A ball on an arm of a body at x = c starts at c - arm, level with the lower edge of a plate that it moves along, so
  // that nothing closes; half a turn takes it through the plate to c + arm. It meets the plate at an angle a before the
  // top, arm sin(a) = kSize + kHalfPlate + c, and goes on with arm w cos(a) for the rest of the turn. Between two
  // places of at most 0.2 rad its way is off the tangent by arm 0.2^2 / 2 = 0.01, twice that over half a turn that is
  // left.
  const double arm = 0.5, c = -0.05;
  const double a = std::asin((kSize + kHalfPlate + c) / arm), turn = std::numbers::pi;
  for (const Integrator& scheme : {Integrator{StewartTrinkle{}}, Integrator{MoreauJean{}}}) {
    for (const Form form : {Form::Reduced, Form::Global}) {
      NonSmoothDynamicalSystem model;
      const auto body = model.add(
          RigidBody{.position = {c, 0.0, 0.0}, .angular_velocity = {0.0, turn / kStep, 0.0}, .name = "hammer"});
      model.detect(BodyContacts({{body, {{.shape = Sphere{kSize}, .position = {-arm, 0.0, 0.0}}}}},
                                {{.shape = Box{{kHalfPlate, 1.0, 0.6}}, .position = {0.0, 0.0, 0.6}}},
                                NewtonImpactLaw{}));
      const Outcome outcome = run(model, body, {.scheme = scheme, .steps = 1, .form = form});
      ASSERT_EQ(outcome.told.size(), 1u);
      EXPECT_EQ(outcome.told[0].subject, "the contact of hammer and the ground");
      EXPECT_NEAR(outcome.told[0].worst, arm * std::cos(a) * (0.5 * turn + a), 0.02);
    }
  }
}

TEST(Passages, ADiskThroughARowOfDisksIsTold) {
  const Outcome outcome = fly_at_disks({.x = -7.0});
  EXPECT_GT(outcome.x, 2.0 * kSize);
  ASSERT_EQ(outcome.told.size(), 1u);  // the one in its way: those beside it are grazed at most
  EXPECT_NEAR(outcome.told[0].worst, 3.0 + 2.0 * kSize, 1e-5);
}

TEST(Passages, OfContactsThatAreLinkedTheSameIsTold) {
  // Of a nonlinear relation H is that of where the body comes to, here behind the plate: what is linked does not stop
  // it, also where the whole step is forecast. Of a way of 10 the end is known to 1e-6 of it.
  for (const Flight& flight : {Flight{.x = -7.0}, Flight{.x = -3.3}, Flight{.x = -7.0, .scheme = kWhole},
                               Flight{.x = -3.3, .scheme = kWhole}}) {
    for (const Outcome& outcome :
         {fly_linked(flight), fly_linked_at_cylinder(flight), fly_linked_in_the_plane(flight)}) {
      EXPECT_GT(outcome.x, kSize + kHalfPlate);
      ASSERT_EQ(outcome.told.size(), 1u);
      EXPECT_EQ(outcome.told[0].subject, "the contact of bullet and the ground");
      EXPECT_EQ(outcome.told[0].count, 1);
      EXPECT_NEAR(outcome.told[0].first_t, kStep, 1e-15);
      EXPECT_NEAR(outcome.told[0].worst, flight.x + kStep * kSpeed + kSize + kHalfPlate, 1e-5);
    }
  }
  const Outcome row = fly_at_disks({.x = -7.0}, true);
  EXPECT_GT(row.x, 2.0 * kSize);
  ASSERT_EQ(row.told.size(), 1u);
  EXPECT_NEAR(row.told[0].worst, 3.0 + 2.0 * kSize, 1e-5);
  // Where it ends in the plate on the side that it came from the contact pushes it back; past it and slowly nothing is
  // said.
  for (const Flight& flight : {Flight{.x = -7.0, .y = 1.2}, Flight{.x = -7.0, .y = -1.11}, Flight{.x = 7.0},
                               Flight{.x = -10.1, .steps = 1}, Flight{.x = -0.2, .speed = 30.0, .steps = 20}}) {
    for (const Outcome& outcome : {fly_linked(flight), fly_linked_at_cylinder(flight), fly_linked_in_the_plane(flight)})
      EXPECT_TRUE(outcome.told.empty()) << flight.x << ", " << flight.y;
  }
}

TEST(Passages, WhatOverlapsBeforeAndComesOutBehindIsTold) {
  // 2 mm deep where it starts; it is stopped, and goes on for half of the step, to the other side.
  const Flight flight{.x = -kSize - kHalfPlate + 0.002, .steps = 1};
  for (const Outcome& outcome : {fly_in_space(Sphere{kSize}, flight), fly_in_the_plane(Disk{kSize}, flight),
                                 fly_in_space(Box{{kSize, kSize, kSize}}, flight), fly_linked(flight)}) {
    EXPECT_GT(outcome.x, kSize + kHalfPlate);
    EXPECT_EQ(outcome.told.size(), 1u);
  }
}

TEST(Passages, SchemesThatKeepTheirUnknownAreNotWatched) {
  // Disks of constant matrices, linked: the way of a step is not its velocity at the end.
  NonSmoothDynamicalSystem model;
  const auto disk = [&model](double mass, double x, double speed) {
    return model.add(LagrangianLinearSystem{
        .mass = mass * Eigen::Matrix3d::Identity(), .q0 = {x, 0.0, 0.0}, .v0 = {speed, 0.0, 0.0}});
  };
  const auto bullet = disk(1.0, -7.0, kSpeed), other = disk(1e9, 0.0, 0.0);
  link_contacts(model, DiskContacts({bullet, other}, {kSize, kSize}, NewtonImpactLaw{}));
  EXPECT_TRUE(run(model, bullet, {.scheme = SchatzmanPaoli{}, .steps = 1}).told.empty());
  EXPECT_EQ(run(model, bullet, {.steps = 1}).told.size(), 1u);
}

/// The remarks of kind Unwatched of some steps.
RunRemarks unwatched(const NonSmoothDynamicalSystem& model, const Integrator& scheme = MoreauJean{}) {
  TimeStepping simulation(model, {.integrator = scheme, .step = kStep});
  RunRemarks told;
  for (int run = 0; run < 2; ++run) {
    const auto report = simulation.advance_to(simulation.state().t + 3.0 * kStep);
    EXPECT_TRUE(report) << report.message();
    for (const RunRemark& remark : report.findings)
      if (remark.kind == RunRemark::Kind::Unwatched) told.push_back(remark);
  }
  return told;
}

TEST(Passages, LinkedContactsThatAreNotWatchedAreToldOnceAsTheRunBegins) {
  const auto expect_told = [](const RunRemarks& told, const std::string& subject) {
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].count, 1);
    EXPECT_EQ(told[0].worst, 0.0);
    EXPECT_NEAR(told[0].first_t, kStep, 1e-15);
    EXPECT_NE(told[0].subject.find(subject), std::string::npos) << told[0].subject;
    EXPECT_EQ(told[0].subject.ends_with(" more"), subject.ends_with(" more")) << told[0].subject;
    EXPECT_NE(told[0].message().find("not watched"), std::string::npos) << told[0].message();
  };
  const auto ball_on = [](const ShapeOnBody& ground, const Law& law = NewtonImpactLaw{}) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(RigidBody{.position = {-1.0, 0.0, 0.0}});
    link_contacts(model, BodyContacts({{ball, {{.shape = Sphere{kSize}}}}}, {ground}, law));
    return model;
  };
  expect_told(unwatched(ball_on(mesh_plate())), "shape 0");
  ShapeOnBody conveyor = kPlate;
  conveyor.surface_velocity = [](const Vector3d&, double) { return Vector3d(0.0, 1.0, 0.0); };
  expect_told(unwatched(ball_on(conveyor, NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3})), "shape 0");
  EXPECT_TRUE(unwatched(ball_on(conveyor)).empty());  // no row feels that it moves
  EXPECT_TRUE(unwatched(ball_on(kPlate)).empty());
  EXPECT_TRUE(unwatched(ball_on({.shape = HalfSpace{}})).empty());
  // Three disks of constant matrices: three pairs.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (const double x : {0.0, 1.0, 2.0}) disks.push_back(model.add(LagrangianLinearSystem{.q0 = {x, 0.0, 0.0}}));
  link_contacts(model, DiskContacts(disks, {kSize, kSize, kSize}, NewtonImpactLaw{}));
  expect_told(unwatched(model, SchatzmanPaoli{}), " and 2 more");
  EXPECT_TRUE(unwatched(model).empty());
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

TEST(Passages, AWayThatIsNotFollowedToItsEndIsTold) {
  // A bar beside a plate turns by 1000 rad in a step: a thousand places of at most 0.2 rad reach a fifth of its way.
  {
    NonSmoothDynamicalSystem model;
    const auto bar = model.add(
        PlanarBody{.position = {-3.0, 0.0}, .velocity = {1e3, 0.0}, .angular_velocity = 1e3 / kStep, .name = "bar"});
    model.detect(PlanarContacts({{bar, {{.shape = rectangle(0.2, 0.01)}}}}, {{.shape = rectangle(kHalfPlate, 1.0)}},
                                NewtonImpactLaw{}));
    TimeStepping simulation(model, {.step = kStep});
    ASSERT_TRUE(simulation.step());
    const RunRemarks& told = simulation.findings();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].kind, RunRemark::Kind::PassageUnknown);
    EXPECT_EQ(told[0].count, 1);
    EXPECT_NEAR(told[0].worst, 0.8, 1e-9);  // sums of a thousand places
    EXPECT_NE(told[0].message().find("bar"), std::string::npos) << told[0].message();
  }
  // A linked ball that flies along a capsule, 1e-7 of its way beside it: places advance by 1e-6 of the way, the least,
  // and reach a thousandth.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.position = {-5.0, 0.2 + 1e-6, 0.0}, .velocity = {kSpeed, 0.0, 0.0}});
  link_contacts(model, BodyContacts({{ball, {{.shape = Sphere{kSize}}}}},
                                    {{.shape = Capsule{.radius = kSize, .half_length = 10.0},
                                      .orientation = {std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0}}},
                                    NewtonImpactLaw{}));
  TimeStepping simulation(model, {.step = kStep});
  ASSERT_TRUE(simulation.step());
  const RunRemarks& told = simulation.findings();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, RunRemark::Kind::PassageUnknown);
  EXPECT_NEAR(told[0].worst, 0.999, 1e-9);
  EXPECT_NE(told[0].subject.find("shape 0 with shape 0"), std::string::npos) << told[0].subject;
}

TEST(Passages, NothingIsLookedForWithoutExamination) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = {-7.0, 0.0, 0.0}, .velocity = {kSpeed, 0.0, 0.0}});
  model.detect(
      BodyContacts({{body, {{.shape = Sphere{kSize}}}}}, {{.shape = Box{{kHalfPlate, 1.0, 1.0}}}}, NewtonImpactLaw{}));
  TimeStepping simulation(model, {.step = kStep, .examination = Examination::Off});
  EXPECT_TRUE(simulation.advance_to(2.0 * kStep).findings.empty());
}

}  // namespace
}  // namespace nonsmooth::passages_test
