// SPDX-License-Identifier: Apache-2.0
// Each outcome of an event-driven run that failed says where and when: the interaction, its row, the bodies, the
// coordinate, the instant.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "event_log.hpp"

namespace nonsmooth::failure_messages_test {
namespace {

using namespace event_log;
using Ending = RunReport::Outcome;

void expect_told(const RunReport& report, Ending outcome, const std::vector<std::string>& parts) {
  EXPECT_EQ(report.outcome, outcome) << report.message();
  for (const std::string& part : parts)
    EXPECT_NE(report.message().find(part), std::string::npos) << "\"" << part << "\" is not in: " << report.message();
  EXPECT_EQ(report.message().find("loosen"), std::string::npos) << report.message();
}

std::vector<SmoothIntegrator> all_integrators(bool mechanics) {
  std::vector<SmoothIntegrator> all = {DormandPrince{}, DormandPrince{.order = 5}, RadauIIA{}};
  if (Cvode::available()) {
    all.emplace_back(Cvode{});
    all.emplace_back(Cvode{.method = Cvode::Method::Bdf});
  }
  if (Ida::available()) all.emplace_back(Ida{});
  if (mechanics) all.emplace_back(GeneralisedAlpha{});
  return all;
}

LagrangianLinearSystem falling(std::string name, double height) {
  return {.force = {-kGravity}, .q0 = {height}, .v0 = {0.0}, .name = std::move(name)};
}

TEST(FailureTold, OfAGapThatJumpsBeforeAnythingIsMoved) {
  // A block slides on a floor with a step at x = 1, up or down, which its H knows nothing of: no correction of drift
  // lifts or drops it. Along a straight line steps have no error but round-off.
  for (const double step : {0.2, -0.2}) {
    NonSmoothDynamicalSystem model;
    const auto block = model.add(LagrangianLinearSystem{
        .mass = {{1.0, 0.0}, {0.0, 1.0}}, .force = {{0.0, -kGravity}}, .q0 = {{0.0, 0.0}}, .v0 = {{1.0, 0.0}}});
    ScleronomousRelation floor;
    floor.h = [step](ConstVectorRef q, VectorRef y) { y[0] = q[1] - (q[0] > 1.0 ? step : 0.0); };
    floor.H = [](ConstVectorRef, MatrixRef H) { H << 0.0, 1.0; };
    floor.curvature = [](ConstVectorRef, ConstVectorRef, VectorRef c) { c[0] = 0.0; };
    model.link(block, floor, NewtonImpactLaw{}, "floor");
    EventDriven simulation(model, {.largest_step = 0.3});
    const auto report = simulation.advance_to(2.0);
    expect_told(report, Ending::IntegratorFailed, {"the constraint of floor", "is not kept: y = ", "it jumps"});
    EXPECT_GT(report.t, 1.0);
    EXPECT_LE(report.t, 1.3);
    EXPECT_NEAR(simulation.state().q(block)[0], report.t, 1e-9);
    EXPECT_NEAR(simulation.state().q(block)[1], 0.0, 1e-9);
  }
}

TEST(FailureTold, OfAMotorWhoseRateJumpsWhereNoEventIs) {
  // From 1 to 3 rad/s at t = 1: the bar goes on at 1 rad/s to the end of the step, where y = -2 (t - 1). Where events
  // know the instant it is an impulse, behind which the angle is 1 + 3 (t - 1) to a step's error of 1e-10.
  for (const bool known : {false, true}) {
    NonSmoothDynamicalSystem model;
    const Eigen::Vector3d start(0.5, 0.0, 0.0);
    const auto bar = model.add(PlanarBody{.inertia = 0.1,
                                          .position = {0.5, 0.0},
                                          .velocity = {0.0, 0.5},
                                          .angular_velocity = 1.0,
                                          .gravity = {0.0, -kGravity}});
    const PlanarFrames frames = planar_joint_to_ground(start, {0.0, 0.0});
    model.link(bar, PlanarHinge{frames}, EqualityLaw{});
    model.link(bar,
               PlanarHingeMotor{.frames = frames,
                                .angle = [](double t) { return t < 1.0 ? t : 1.0 + 3.0 * (t - 1.0); },
                                .velocity = [](double t) { return t < 1.0 ? 1.0 : 3.0; },
                                .acceleration = [](double) { return 0.0; }},
               EqualityLaw{}, "motor");
    EventDrivenOptions options;
    if (known) options.events = {{.name = "faster", .instants = {1.0}}};
    EventDriven simulation(model, options);
    const auto report = simulation.advance_to(2.0);
    const double angle = simulation.state().q(bar)[2];
    if (known) {
      EXPECT_TRUE(report) << report.message();
      EXPECT_NEAR(angle, 4.0, 1e-9);
      continue;
    }
    expect_told(report, Ending::IntegratorFailed, {"the constraint of motor", "is not kept: y = ", "or its rate does"});
    EXPECT_GT(report.t, 1.0);
    EXPECT_NEAR(angle, report.t, 1e-9) << "nothing is moved";
  }
}

TEST(FailureTold, OfForcesThatAreNotFiniteWithTheCoordinate) {
  // A spring whose force is sqrt(q) falls below zero at t = sqrt(2 / g) = 0.4515: NaN from there on.
  LagrangianSystem spring;
  spring.force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) {
    F[0] = -kGravity + 0.0 * std::sqrt(q[0]);
  };
  spring.q0 = {1.0};
  spring.v0 = {0.0};
  spring.name = "spring";
  for (const SmoothIntegrator& integrator : all_integrators(true)) {
    NonSmoothDynamicalSystem model;
    model.add(falling("calm", 100.0));
    model.add(spring);
    EventDrivenOptions options{.integrator = integrator};
    if (std::holds_alternative<GeneralisedAlpha>(integrator)) options.step = 0.01;
    EventDriven simulation(model, options);
    const auto report = simulation.advance_to(1.0);
    expect_told(report, Ending::IntegratorFailed, {"at t = 0.4", "not finite", "the rate of velocity 0 of spring"});
  }
}

TEST(FailureTold, OfAMotionThatGrowsWithoutBoundWithTheCoordinate) {
  // x' = x^2 from 1: x = 1 / (1 - t).
  FirstOrderSystem runaway;
  runaway.f = [](double, ConstVectorRef x, VectorRef value) { value << -x[0], x[1] * x[1]; };
  runaway.f_dx = [](double, ConstVectorRef x, MatrixRef J) { J << -1.0, 0.0, 0.0, 2.0 * x[1]; };
  runaway.x0 = {1.0, 1.0};
  runaway.name = "runaway";
  for (const SmoothIntegrator& integrator : all_integrators(false)) {
    NonSmoothDynamicalSystem model;
    model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}, .name = "calm"});
    model.add(runaway);
    EventDriven simulation(model, {.integrator = integrator});
    const auto report = simulation.advance_to(2.0);
    expect_told(report, Ending::IntegratorFailed, {"at t = ", "x 1 of runaway"});
    EXPECT_NEAR(report.t, 1.0, 1e-6);
  }
}

TEST(FailureTold, OfAGuardThatJumpsByItsName) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(falling("ball", 1.0));
  EventDriven simulation(model, {.events = {{.name = "beacon", .guard = [ball](const State& state) {
                                               return std::sin(1e9 * state.q(ball)[0]) > 0.0 ? 1.0 : -1.0;
                                             }}}});
  const auto report = simulation.advance_to(1.0);
  expect_told(report, Ending::IntegratorFailed, {"at t = ", "beacon"});
}

TEST(FailureTold, OfNoAccelerationsWithTheContactAndItsBody) {
  // The Painleve rod at tan(phi) = 2 with mu above 4 / 3, sliding: no acceleration satisfies Coulomb's law.
  const double l = 1.0, phi = std::atan(2.0);
  NonSmoothDynamicalSystem model;
  const auto rod = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, l * l / 3.0).asDiagonal(),
                                                    .force = {0.0, -kGravity, 0.0},
                                                    .q0 = {0.0, l * std::sin(phi), phi},
                                                    .v0 = {-1.0, 0.0, 0.0},
                                                    .name = "slender rod"});
  const auto ball = model.add(falling("ball", 5.0));
  ScleronomousRelation tip;
  tip.rows = 2;
  tip.h = [](ConstVectorRef q, VectorRef y) { y << q[1] - std::sin(q[2]), q[0] - std::cos(q[2]); };
  tip.H = [](ConstVectorRef q, MatrixRef H) {
    H(0, 1) = H(1, 0) = 1.0;
    H(0, 2) = -std::cos(q[2]);
    H(1, 2) = std::sin(q[2]);
  };
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{}, "floor");
  model.link(rod, tip, NewtonImpactFrictionLaw{.friction = 4.0 / 3.0 + 0.1}, "tip");
  EventDriven simulation(model);
  expect_told(simulation.advance_to(1e-3), Ending::NoMode, {"at t = 0", "tip on slender rod", "Painlevé"});
}

TEST(FailureTold, OfMotorsThatContradictEachOther) {
  // One wheel is to turn at the rates t and 2 t.
  NonSmoothDynamicalSystem model;
  const auto wheel = model.add(PlanarBody{.name = "wheel"});
  const PlanarFrames frames = planar_joint_to_ground(model.initial_state().q(wheel), {0.0, 0.0});
  for (const double rate : {1.0, 2.0}) {
    model.link(wheel, PlanarHingeMotor{.frames = frames, .velocity = [rate](double t) { return rate * t; }},
               EqualityLaw{}, rate == 1.0 ? "slow" : "fast");
  }
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
  for (const char* part : {"slow on wheel", "fast on wheel", "contradict"})
    EXPECT_NE(report.message().find(part), std::string::npos) << report.message();
  EXPECT_EQ(report.message().find("Painlev"), std::string::npos) << report.message();
}

TEST(FailureTold, OfNoBranchWithTheRowAndItsSystems) {
  // y = 1 - t - lambda with 0 <= lambda ⟂ y >= 0: from t = 1 on neither side of the law holds.
  NonSmoothDynamicalSystem model;
  const auto store = model.add(FirstOrderLinearSystem{.x0 = {1.0}, .name = "capacitor"});
  model.link(store,
             FirstOrderLinearRelation{.C = {{0.0}, {0.0}},
                                      .D = {{1.0, 0.0}, {0.0, -1.0}},
                                      .B = {{0.0, 0.0}},
                                      .e = [](double t, VectorRef e) { e << 1.0, 1.0 - t; }},
             ComplementarityLaw{}, "diode");
  EventDriven simulation(model);
  const auto report = simulation.advance_to(2.0);
  expect_told(report, Ending::NoMode, {"at t = ", "violated in turn: ", "row 1 of diode on capacitor"});
  EXPECT_NEAR(report.t, 1.0, 1e-9);
}

TEST(FailureTold, OfAnImpactWithEveryContactInIt) {
  // Newton's and Poisson's law act on one another at a common body: refused once both impacts happen.
  NonSmoothDynamicalSystem model;
  const auto one = model.add(falling("lower", 1.0)), other = model.add(falling("upper", 1.0));
  model.link(one, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}, "floor");
  model.link({one, other}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, PoissonImpactLaw{.restitution = 0.5},
             "between");
  EventDriven simulation(model);
  const auto report = simulation.advance_to(1.0);
  expect_told(report, Ending::ImpactUnsolved, {"at t = 0.45", "floor on lower", "between on lower and upper"});
}

TEST(FailureTold, OfEventsWithoutEndWithTheContactAndItsBody) {
  // Elastic hops of 4e-9 s: 2.5e8 a second.
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.0}, .v0 = {2e-8}, .name = "ball"});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 1.0}, "floor");
  EventDrivenOptions options;
  options.thresholds.chattering_events = 3;
  options.thresholds.velocity = 1e-12;
  options.thresholds.position = 1e-18;
  EventDriven simulation(model, options);
  expect_told(simulation.advance_to(10.0), Ending::Chattering, {"at t = ", "impact of floor on ball"});
}

TEST(FailureTold, OfCallablesByTheirName) {
  const auto fails_after = [](const bool& broken) {
    return [&broken] {
      if (broken) throw std::runtime_error("no table");
    };
  };
  bool broken = false;
  const auto ask = fails_after(broken);
  const auto expect_named = [&broken](const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options,
                                      const std::string& name) {
    broken = false;
    EventDriven simulation(model, options);
    ASSERT_TRUE(simulation.advance_to(0.1));
    broken = true;
    const auto report = simulation.advance_to(0.2);
    expect_told(report, Ending::CallableFailed, {"at t = 0.1", name + " threw: no table"});
    broken = false;
    EXPECT_TRUE(simulation.advance_to(0.2));
    broken = true;
    EXPECT_THROW(EventDriven(model, options), InvalidArgument);
  };
  {
    NonSmoothDynamicalSystem model;
    const auto force = [ask](double, VectorRef F) { F[0] = -1.0, ask(); };
    model.add(LagrangianLinearSystem{.force = force, .q0 = {1.0}, .name = "kite"});
    expect_named(model, {}, "force(t) of kite");
  }
  {
    NonSmoothDynamicalSystem model;
    LagrangianSystem kite;
    kite.force = [ask](double, ConstVectorRef, ConstVectorRef, VectorRef F) { F[0] = -1.0, ask(); };
    kite.q0 = kite.v0 = {1.0};
    kite.name = "kite";
    model.add(kite);
    expect_named(model, {}, "force(t, q, v) of kite");
  }
  {
    NonSmoothDynamicalSystem model;
    const auto store = model.add(FirstOrderLinearSystem{.x0 = {1.0}, .name = "store"});
    model.link(store, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}, .e = [ask](double, VectorRef) { ask(); }},
               ComplementarityLaw{}, "diode");
    expect_named(model, {}, "e(t) of diode");
  }
  {
    NonSmoothDynamicalSystem model;
    auto piston = falling("piston", 1.0);
    piston.v0 = {1.0};
    piston.prescribed = {{.component = 0, .velocity = [ask](double) { return ask(), 1.0; }}};
    model.add(piston);
    expect_named(model, {}, "the prescribed velocity of piston");
  }
  NonSmoothDynamicalSystem model;
  model.add(falling("ball", 1.0));
  const auto guard = [ask](const State&) { return ask(), 1.0; };
  expect_named(model, {.events = {{.name = "watch", .guard = guard}}}, "guard of watch");
}

TEST(FailureTold, OfActionsAndObserversByTheirName) {
  NonSmoothDynamicalSystem model;
  model.add(falling("ball", 1.0));
  const auto fail = [](auto&&...) -> bool { throw std::runtime_error("disk full"); };
  EventDriven acting(model, {.events = {{.name = "valve", .instants = {0.1}, .action = fail}}});
  expect_told(acting.advance_to(0.2), Ending::CallableFailed, {"at t = 0.1", "action of valve threw: disk full"});
  EventDriven seen(model, {.events = {{.instants = {0.1}}}});
  expect_told(seen.advance_to(0.2, EventDrivenObserver{.segment = fail}), Ending::CallableFailed,
              {"an observer of the run threw: disk full"});
  expect_told(seen.advance_to(0.2, EventDrivenObserver{.instant = fail}), Ending::CallableFailed,
              {"at t = 0.1", "an observer of the run threw: disk full"});
}

}  // namespace
}  // namespace nonsmooth::failure_messages_test
