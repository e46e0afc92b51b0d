// SPDX-License-Identifier: Apache-2.0
// Islands at rest that fall asleep and wake: when, what it takes away, and that nothing else changes.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/planar_scene.hpp"
#include "sleep.hpp"

namespace nonsmooth::sleep_test {
namespace {

using namespace sleep_tests;

/// A mass m = 2 over a floor, q = y, where it stands.
struct StandingMass {
  NonSmoothDynamicalSystem model;
  SystemHandle mass;
  InteractionHandle floor;
  static constexpr double m = 2.0;

  explicit StandingMass(LagrangianLinearSystem more = {}) {
    more.mass = {{m}};
    more.q0 = {0.0};
    if (!more.force.function()) more.force = {-m * kGravity};
    mass = model.add(std::move(more));
    floor = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  }
};

TEST(Sleep, FallsAsleepAfterSoManyStepsAtRestAndKeepsItsForce) {
  StandingMass scene;
  TimeStepping simulation(scene.model, sleeping());
  EXPECT_EQ(steps_until(simulation, 1, 100), kSteps);
  EXPECT_TRUE(simulation.state().is_asleep(scene.mass));
  const double q = std::as_const(simulation).state().q(scene.mass)[0];
  // The last step is shorter, and the impulse with it; forces are those of one contact, solved to 1e-12.
  const RunReport run = simulation.advance_to(0.1234, [&](const State& state, const StepReport& step) {
    EXPECT_EQ(step.rows, 0);
    EXPECT_EQ(step.asleep, 1);
    EXPECT_EQ(state.v(scene.mass)[0], 0.0);
    EXPECT_EQ(state.q(scene.mass)[0], q);
    EXPECT_NEAR(state.force(scene.floor)[0], StandingMass::m * kGravity, 1e-9);
  });
  EXPECT_TRUE(run) << run.message();
  EXPECT_EQ(run.fell_asleep + run.woken, 0);
  EXPECT_LE(run.energy_taken, 0.0);
  EXPECT_NEAR(simulation.reaction(scene.floor, scene.mass).impulse[0],
              StandingMass::m * kGravity * simulation.state().last_step, 1e-12);
}

/// A disk that rolls: v^T M v = m v^2 + J (v / r)^2 = 3/2 m v^2.
struct RollingDisk {
  NonSmoothDynamicalSystem model;
  SystemHandle disk;
  static constexpr double m = 3.0, r = 0.2;

  explicit RollingDisk(double speed) {
    const double inertia = 0.5 * m * r * r;
    disk = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, inertia).asDiagonal(),
                                            .force = {0.0, -m * kGravity, 0.0},
                                            .q0 = {0.0, r, 0.0},
                                            .v0 = {speed, 0.0, -speed / r}});
    model.detect(DiskContacts({disk}, {r}, NewtonImpactFrictionLaw{.friction = 0.5},
                              {.height = [](double) { return 0.0; },
                               .slope = [](double) { return 0.0; },
                               .curvature = [](double) { return 0.0; }}));
  }
};

TEST(Sleep, RestIsKineticEnergyAgainstThatOfAStepOfFreeFall) {
  const double limit = kFall / std::sqrt(1.5);
  for (const double part : {0.97, 1.03}) {
    RollingDisk scene(part * limit);
    TimeStepping simulation(scene.model, sleeping());
    const RunReport run = simulation.advance_to(2.0 * kSteps * kStep);
    ASSERT_TRUE(run) << run.message();
    if (part > 1.0) {
      EXPECT_EQ(run.fell_asleep, 0);
      continue;
    }
    EXPECT_EQ(run.fell_asleep, 1);
    // The energy that it rolls with, up to what the problem's 1e-12 leaves of m g h in velocities of 1e-4 g h.
    const double energy = 0.75 * RollingDisk::m * part * part * limit * limit;
    EXPECT_NEAR(run.energy_taken, energy, 1e-7 * energy);
    EXPECT_LE(run.energy_taken, 0.5 * RollingDisk::m * kFall * kFall);
  }
}

TEST(Sleep, NothingFallsAsleepInFlight) {
  // At its apex a throw is slower than h g / 2 for one step or two.
  NonSmoothDynamicalSystem model;
  model.add(PlanarBody{.velocity = {0.0, 0.2 * kGravity}, .gravity = {0.0, -kGravity}});
  TimeSteppingOptions options = sleeping(0.5);
  options.sleep.steps = 3;
  TimeStepping simulation(model, options);
  EXPECT_EQ(simulation.advance_to(0.4).fell_asleep, 0);
}

TEST(Sleep, GravityThatTurnsWakesAtItsBound) {
  // From 0.1 s on the force turns by 0.1 rad/s: it is off by 2 sin(angle / 2) of itself, 0.01 after 0.1 s, in the mean
  // of a step (theta = 1/2).
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(2.0, 2.0).asDiagonal(),
                                                     .force =
                                                         [](double t, VectorRef f) {
                                                           const double angle = 0.1 * std::max(0.0, t - 0.1);
                                                           f[0] = 2.0 * kGravity * std::sin(angle);
                                                           f[1] = -2.0 * kGravity * std::cos(angle);
                                                         },
                                                     .q0 = {0.0, 0.0}});
  const auto floor = model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
                                NewtonImpactFrictionLaw{.friction = 0.5});
  TimeStepping simulation(model, sleeping());
  EXPECT_EQ(steps_until(simulation, 1, 100), kSteps);
  double woke = 0.0;
  const RunReport run = simulation.advance_to(0.215, [&](const State& state, const StepReport& step) {
    if (step.woken == 0) return;
    woke = state.t;
    EXPECT_NEAR(state.force(floor)[1], -2.0 * kGravity * std::sin(0.1 * (state.t - 0.5 * kStep - 0.1)), 1e-6);
  });
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(run.woken, 1);
  EXPECT_NEAR(woke, 0.2, 1.6 * kStep);
}

TEST(Sleep, AnImpulseActsInItsStep) {
  StandingMass scene({.impulses = {{.instant = 0.0505, .impulse = {0.3}}}});
  TimeStepping simulation(scene.model, sleeping());
  const RunReport run = simulation.advance_to(0.051);
  EXPECT_EQ(run.woken, 1);
  EXPECT_FALSE(simulation.state().is_asleep(scene.mass));
  EXPECT_NEAR(simulation.state().v(scene.mass)[0], 0.3 / StandingMass::m - kGravity * kStep, 1e-12);
}

TEST(Sleep, ASupportThatMovesWakesWhatStandsOnIt) {
  test::PlanarScene scene;
  constexpr double lift = 0.1, start = 0.0505;
  const auto velocity = [](double t) { return t > start ? lift : 0.0; };
  const auto still = [](double) { return 0.0; };
  const auto platform =
      scene.model.add(PlanarBody{.prescribed = {{.component = 0, .velocity = still}, {1, velocity}, {2, still}}});
  scene.bodies.push_back({platform, {{.shape = test::rectangle(1.0, 0.1)}}});
  const auto box = scene.add({.shape = test::rectangle(0.1, 0.1)}, 0.01, {0.0, 0.2, 0.0});
  scene.model.detect(PlanarContacts(scene.bodies, scene.ground, NewtonImpactFrictionLaw{.friction = 0.5}));
  TimeStepping simulation(scene.model, sleeping());
  EXPECT_EQ(steps_until(simulation, 1, 30), kSteps);
  const RunReport run = simulation.advance_to(0.051);
  EXPECT_EQ(run.woken, 1);
  EXPECT_NEAR(simulation.state().v(box)[1], lift, 1e-9);  // certified to 1e-12 of m g h, some 1e-2
  EXPECT_EQ(simulation.advance_to(0.2).fell_asleep, 0);   // what it stands on moves
}

TEST(Sleep, EditsWrittenCoordinatesAndUsersWake) {
  StandingMass scene;
  TimeStepping simulation(scene.model, sleeping());
  ASSERT_GT(steps_until(simulation, 1, 100), 0);
  simulation.state().wake(scene.mass);
  EXPECT_FALSE(simulation.state().is_asleep(scene.mass));
  EXPECT_EQ(steps_until(simulation, 1, 100), kSteps);
  simulation.state().wake();
  EXPECT_EQ(steps_until(simulation, 1, 100), kSteps);
  simulation.state().q(scene.mass)[0] = 0.5;  // it hangs in the air
  (void)simulation.step();
  EXPECT_NEAR(simulation.state().v(scene.mass)[0], -kGravity * kStep, 1e-15);
  simulation.state().q(scene.mass)[0] = simulation.state().v(scene.mass)[0] = 0.0;
  EXPECT_EQ(steps_until(simulation, 1, 100), kSteps);
  simulation.state().v(scene.mass)[0] = 0.25;  // jumps
  EXPECT_EQ(simulation.step().asleep, 0);
  EXPECT_NEAR(simulation.state().v(scene.mass)[0], 0.25 - kGravity * kStep, 1e-15);

  simulation.state().q(scene.mass)[0] = simulation.state().v(scene.mass)[0] = 0.0;
  EXPECT_EQ(steps_until(simulation, 1, 100), kSteps);
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(scene.floor); });
  (void)simulation.step();
  EXPECT_NEAR(simulation.state().v(scene.mass)[0], -kGravity * kStep, 1e-15);
}

TEST(Sleep, IslandsWithOtherSystemsStayAwake) {
  // A linear mass on one whose M is a function, both on each other: an island, of which the lower one may not sleep.
  const auto two = [](bool linear) {
    NonSmoothDynamicalSystem model;
    LagrangianSystem below{.mass = [](ConstVectorRef, MatrixRef M) { M(0, 0) = 1.0; },
                           .force = [](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = -kGravity; },
                           .q0 = {0.0}};
    const LagrangianLinearSystem body{.mass = {{1.0}}, .force = {-kGravity}, .q0 = {0.0}};
    const auto first = linear ? model.add(body) : model.add(below), second = model.add(body);
    model.link(first, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
    model.link({first, second}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{});
    return TimeStepping(model, sleeping()).advance_to(0.1).fell_asleep;
  };
  EXPECT_EQ(two(true), 2);
  EXPECT_EQ(two(false), 0);

  // A source that depends on time.
  for (const bool filtered : {false, true}) {
    RollingDisk scene(0.0);
    if (filtered) {
      const auto source = std::make_shared<const DiskContacts>(std::vector{scene.disk}, std::vector{0.2},
                                                               NewtonImpactFrictionLaw{.friction = 0.5});
      scene.model.detect(FilteredContacts(source, [](const DetectedContact& c, const BodyView&) { return c.law; }));
    }
    EXPECT_EQ(TimeStepping(scene.model, sleeping()).advance_to(0.1).fell_asleep, filtered ? 0 : 1);
  }
  // A relation that depends on time.
  StandingMass scene;
  scene.model.link(scene.mass,
                   RheonomousRelation{.rows = 1,
                                      .h = [](double, ConstVectorRef q, VectorRef y) { y[0] = q[0] + 1.0; },
                                      .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
                                      .h_t = [](double, ConstVectorRef, VectorRef value) { value[0] = 0.0; }},
                   NewtonImpactLaw{});
  EXPECT_EQ(TimeStepping(scene.model, sleeping()).advance_to(0.1).fell_asleep, 0);
}

TEST(Sleep, ABallWakesAStackWhichThenMovesAsIfItHadNeverSlept) {
  Bowling scene;
  TimeStepping asleep(scene.model, sleeping()), awake(scene.model, sleeping(0.0));
  Index slept = 0, woken = 0;
  double apart = 0.0;
  for (Index k = 0; k < 500; ++k) {
    const StepReport report = asleep.step(), other = awake.step();
    ASSERT_TRUE(report && other) << report.message() << other.message();
    if (report.asleep == 2 && report.fell_asleep == 0) {
      ++slept;
      EXPECT_EQ(report.rows, 0);
    }
    if (report.woken > 0 && woken == 0) {
      woken = report.woken;
      EXPECT_EQ(report.rows, other.rows);  // what acts is what acts between those that never slept
    }
    apart = std::max(
        apart,
        (std::as_const(asleep).state().positions - std::as_const(awake).state().positions).lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(slept, 50);
  EXPECT_EQ(woken, 2);
  EXPECT_GT((std::as_const(asleep).state().q(scene.stack[1]) - scene.model.initial_state().q(scene.stack[1])).norm(),
            0.05);
  // While they slept at most rest h g of speed was neglected, for so many steps.
  EXPECT_LE(apart, kFall * static_cast<double>(slept) * kStep);
}

TEST(Sleep, ACopiedStateHasTheSameBitsOnAnyNumberOfThreads) {
  Bowling scene;
  TimeStepping whole(scene.model, sleeping());
  State copied;
  for (Index k = 0; k < 300; ++k) {
    ASSERT_TRUE(whole.step());
    if (k == 40) copied = std::as_const(whole).state();
  }
  ASSERT_TRUE(copied.is_asleep(scene.stack[0]));
  for (const int threads : {1, 2, 4}) {
    TimeSteppingOptions options = sleeping();
    options.threads = threads;
    TimeStepping rest(scene.model, options);
    rest.set_state(copied);
    for (Index k = 41; k < 300; ++k) ASSERT_TRUE(rest.step());
    EXPECT_EQ(hash_of(std::as_const(rest).state()), hash_of(std::as_const(whole).state())) << threads << " threads";
  }
}

TEST(Sleep, ContactsFoundKeepWhatTheyPressedWith) {
  Bowling scene;
  TimeStepping simulation(scene.model, sleeping());
  const auto total = [&] {
    double sum = 0.0;
    for (const ContactMemory& contact : std::as_const(simulation).state().contacts) sum += contact.impulse[0];
    return sum;
  };
  ASSERT_GT(steps_until(simulation, 2, 100), 0);
  const std::vector<ContactMemory> before = std::as_const(simulation).state().contacts;
  ASSERT_EQ(simulation.step().asleep, 2);
  // Floor and stack carry 2 m g h and m g h, solved to 1e-12 of that.
  EXPECT_NEAR(total(), 3.0 * kGravity * kStep, 1e-9 * kGravity * kStep);
  const std::vector<ContactMemory>& after = std::as_const(simulation).state().contacts;
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].feature, before[i].feature);
    EXPECT_EQ(after[i].impulse, before[i].impulse);
    EXPECT_EQ(after[i].work_normal, 0.0);
  }
}

TEST(Sleep, IsOffByDefault) {
  StandingMass scene;
  TimeSteppingOptions options = sleeping();
  options.sleep = {};
  TimeStepping simulation(scene.model, options);
  EXPECT_EQ(simulation.advance_to(0.2).fell_asleep, 0);
  EXPECT_TRUE(std::as_const(simulation).state().sleep.island.empty());

  // A state of those that slept: where nobody may sleep, they are awake.
  TimeStepping other(scene.model, sleeping());
  ASSERT_GT(steps_until(other, 1, 100), 0);
  simulation.set_state(std::as_const(other).state());
  EXPECT_EQ(simulation.step().rows, 1);
  EXPECT_FALSE(std::as_const(simulation).state().is_asleep(scene.mass));
}

TEST(Sleep, BadOptionsAndStatesAreRefused) {
  StandingMass scene;
  const auto refused = [&](SleepOptions sleep, const char* name, const char* expected) {
    TimeSteppingOptions options = sleeping();
    options.sleep = sleep;
    bad_input::expect_refused([&] { TimeStepping simulation(scene.model, options); }, {name, expected});
  };
  refused({.rest = -0.01}, "SleepOptions::rest", "[0, 0.5]");
  refused({.rest = 0.51}, "SleepOptions::rest", "[0, 0.5]");
  refused({.rest = 0.1, .steps = 2}, "SleepOptions::steps", "at least 3");
  refused({.rest = 0.1, .force_change = 0.0}, "SleepOptions::force_change", "positive");
  refused({.rest = 0.1, .force_change = 1.5}, "SleepOptions::force_change", "[0, 1]");

  TimeStepping simulation(scene.model, sleeping());
  ASSERT_TRUE(simulation.step());
  State state = std::as_const(simulation).state();
  state.sleep.rested.clear();
  bad_input::expect_refused([&] { simulation.set_state(state); }, {"State::sleep.rested", "one a system"});
  state = std::as_const(simulation).state();
  state.sleep.island.push_back(0);
  bad_input::expect_refused([&] { simulation.set_state(state); }, {"State::sleep.island", "one a system"});
  state = std::as_const(simulation).state();
  state.sleep.accelerations[0] = std::nan("");
  bad_input::expect_refused([&] { simulation.set_state(state); }, {"State::sleep.accelerations", "finite"});
  bad_input::expect_refused([&] { (void)state.is_asleep({}); }, {"system handle"});
}

}  // namespace
}  // namespace nonsmooth::sleep_test
