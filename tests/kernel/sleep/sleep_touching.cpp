// SPDX-License-Identifier: Apache-2.0
// Islands that sleep beside what moves: what they lean on, what slides by, and steps that are compared, cut or
// projected.
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/planar_scene.hpp"
#include "sleep.hpp"

namespace nonsmooth::sleep_touching_test {
namespace {

using namespace sleep_tests;

/// A box on a prescribed platform that moves from t = 0.0505 on, and one that falls on it from 0.2 m, 0.5 m beside it.
struct Platform {
  test::PlanarScene scene;
  SystemHandle box, falling;

  Platform(double along, double up) {
    const auto from_start = [](double speed) { return [speed](double t) { return t > 0.0505 ? speed : 0.0; }; };
    const auto platform = scene.model.add(PlanarBody{
        .prescribed = {{.component = 0, .velocity = from_start(along)}, {1, from_start(up)}, {2, from_start(0.0)}}});
    scene.bodies.push_back({platform, {{.shape = test::rectangle(1.0, 0.1)}}});
    box = scene.add({.shape = test::rectangle(0.1, 0.1)}, 0.01, {0.0, 0.2, 0.0});
    falling = scene.add({.shape = test::rectangle(0.1, 0.1)}, 0.01, {0.5, 0.4, 0.0});
    scene.model.detect(PlanarContacts(scene.bodies, scene.ground, NewtonImpactFrictionLaw{.friction = 0.5}));
  }
};

TEST(SleepTouching, WhatItStoodOnWakesItAlsoWhereNothingActsBetweenThemAnyMore) {
  // A gap of 1e-9 m, as residuals and projections leave it: 5e4 times what a resting contact forgives, 1e-9 h^2 g.
  for (const auto& [along, up] : {std::pair{0.1, 0.0}, std::pair{0.0, -1.0}}) {
    Platform moving(along, up);
    TimeStepping simulation(moving.scene.model, sleeping());
    ASSERT_EQ(steps_until(simulation, 1, 30), kSteps);
    State state = std::as_const(simulation).state();
    state.q(moving.box)[1] += 1e-9;
    simulation.set_state(state);
    ASSERT_TRUE(simulation.advance_to(0.05));
    EXPECT_TRUE(std::as_const(simulation).state().is_asleep(moving.box));
    EXPECT_EQ(simulation.advance_to(0.055).woken, 1);
    // It falls 1e-9 m, then slides until the friction of a few steps has it at the platform's speed; or falls freely.
    ASSERT_TRUE(simulation.advance_to(0.1));
    const auto v = std::as_const(simulation).state().v(moving.box);
    if (up < 0.0)
      EXPECT_NEAR(v[1], -kGravity * 0.05, 2.0 * kGravity * kStep);  // when it wakes, within a step or two
    else
      EXPECT_NEAR(v[0], along, 1e-9);  // after 0.1 / (mu g) = 0.02 s
  }
}

TEST(SleepTouching, ContactsOfWhoSlidesBesideSleepersAreListedOnce) {
  // One disk stands, one rolls on and on at 1 m/s, in one source.
  NonSmoothDynamicalSystem model;
  const auto disk = [&model](double x, double speed) {
    constexpr double r = 0.1;
    return model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 0.5 * r * r).asDiagonal(),
                                            .force = {0.0, -kGravity, 0.0},
                                            .q0 = {x, r, 0.0},
                                            .v0 = {speed, 0.0, -speed / r}});
  };
  const std::vector<SystemHandle> disks{disk(0.0, 0.0), disk(1.0, 1.0)};
  model.detect(DiskContacts(disks, {0.1, 0.1}, NewtonImpactFrictionLaw{.friction = 0.5},
                            {.height = [](double) { return 0.0; },
                             .slope = [](double) { return 0.0; },
                             .curvature = [](double) { return 0.0; }}));
  TimeStepping simulation(model, sleeping());
  ASSERT_EQ(steps_until(simulation, 1, 30), kSteps);
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(simulation.step());
    const State& state = std::as_const(simulation).state();
    ASSERT_EQ(state.contacts.size(), 2u);
    EXPECT_LT(state.contacts[0].feature, state.contacts[1].feature);
    EXPECT_EQ(state.contacts[0].sleeper, 0);
    EXPECT_EQ(state.contacts[1].sleeper, -1);
    EXPECT_NEAR(state.contacts[1].impulse[0], kGravity * kStep, 1e-9 * kGravity * kStep);
  }
}

/// A mass on a floor by a linked law.
struct Standing {
  NonSmoothDynamicalSystem model;
  SystemHandle mass;

  Standing() {
    mass = model.add(LagrangianLinearSystem{.mass = {{2.0}}, .force = {-2.0 * kGravity}, .q0 = {0.0}});
    model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  }
};

TEST(SleepTouching, StepsThatAreComparedWithHalvesSayNothingOfSleepers) {
  Standing scene;
  TimeSteppingOptions options = sleeping();
  options.verify = 1;
  TimeStepping simulation(scene.model, options);
  const RunReport run = simulation.advance_to(0.1);
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(run.fell_asleep, 1);
  // What is awake moves by residuals of 1e-12 at most, which are noise beside positions of 0: nothing to be told.
  EXPECT_TRUE(std::isfinite(run.worst_subdivision_difference));
}

TEST(SleepTouching, ShorterStepsAreNotCounted) {
  // Every other step is a tenth as long: it counts for nothing and takes nothing back.
  Standing scene;
  TimeStepping simulation(scene.model, sleeping());
  Index whole = 0;
  while (!std::as_const(simulation).state().is_asleep(scene.mass)) {
    ASSERT_LT(whole, 2 * kSteps);
    ASSERT_TRUE(simulation.advance_to(std::as_const(simulation).state().t + 1.1 * kStep));
    ++whole;
  }
  EXPECT_EQ(whole, kSteps);
}

TEST(SleepTouching, ProjectionsLeaveWhoSleepsWhereItIs) {
  for (const Projection kind : {Projection::Direct, Projection::Combined, Projection::All}) {
    Platform still(0.0, 0.0);
    TimeSteppingOptions options = sleeping();
    options.projection.kind = kind;
    TimeStepping simulation(still.scene.model, options);
    ASSERT_GT(steps_until(simulation, 1, 40), 0);
    const Eigen::VectorXd q = std::as_const(simulation).state().q(still.box);
    const RunReport run = simulation.advance_to(0.25);  // the other lands after 0.2 s
    ASSERT_TRUE(run) << run.message();
    EXPECT_LT(std::as_const(simulation).state().q(still.falling)[1], 0.2 + 1e-6);
    EXPECT_TRUE(std::as_const(simulation).state().is_asleep(still.box));
    EXPECT_EQ(q, Eigen::VectorXd(std::as_const(simulation).state().q(still.box)));
  }
}

}  // namespace
}  // namespace nonsmooth::sleep_touching_test
