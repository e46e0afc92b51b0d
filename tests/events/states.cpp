// SPDX-License-Identifier: Apache-2.0
// States that are set, actions that move bodies, instants at which a run stops or a function fails.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <nonsmooth/kernel.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nonsmooth::states_test {
namespace {

constexpr double kGravity = 9.81;
constexpr double kExact = 1e-12;  // a second of free flight of order 1: some thousand roundings

struct Ball {
  NonSmoothDynamicalSystem model;
  SystemHandle ball;
  InteractionHandle floor;
};

Ball ball_at(double height, double restitution = 0.0) {
  Ball result;
  result.ball = result.model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {height}, .v0 = {0.0}});
  result.floor = result.model.link(result.ball, LagrangianLinearRelation{.H = {{1.0}}},
                                   NewtonImpactLaw{.restitution = restitution}, "floor");
  return result;
}

TEST(EventDrivenState, ASetStateForgetsThatTheContactWasClosed) {
  const Ball at_rest = ball_at(0.0);
  EventDriven simulation(at_rest.model);
  ASSERT_TRUE(simulation.advance_to(1.0));
  State state = simulation.state();
  state.q(at_rest.ball)[0] = 10.0;
  simulation.set_state(state);
  EXPECT_EQ(simulation.state().q(at_rest.ball)[0], 10.0);
  EXPECT_EQ(simulation.state().force(at_rest.floor)[0], 0.0);
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(simulation.state().q(at_rest.ball)[0], 10.0 - 0.5 * kGravity, kExact);
}

TEST(EventDrivenState, StatesWithinAStepAreTakenByBothSimulations) {
  // Half a turn a step: its quaternion goes on by 1.57 rad, so that a polynomial of order 7 is off by up to
  // 1.57^8 / 8! = 9e-4, far more than the 1e-6 of its norm that is refused.
  NonSmoothDynamicalSystem model;
  const auto top = model.add(RigidBody{.angular_velocity = {0.0, 0.0, 31.4}, .name = "top"});
  EventDriven simulation(model, {.step = 0.1}), by_events(model);
  TimeStepping by_steps(model, {.step = 0.01});
  std::vector<State> seen;
  const EventDrivenObserver observer{.output =
                                         [&](const State& state) {
                                           seen.push_back(state);
                                           return true;
                                         },
                                     .output_step = 0.017};
  ASSERT_TRUE(simulation.advance_to(1.0, observer));
  ASSERT_GT(seen.size(), 50u);
  for (const State& state : seen) {
    EXPECT_NEAR(state.q(top).tail(4).norm(), 1.0, 1e-15);  // a square root and a quotient of doubles
    EXPECT_NO_THROW(by_events.set_state(state));
    EXPECT_NO_THROW(by_steps.set_state(state));
  }
}

TEST(EventDrivenState, ARunFromASetStateHasTheSameEvents) {
  const Ball bouncing = ball_at(1.0, 0.8);
  EventDriven first(bouncing.model), second(bouncing.model);
  ASSERT_TRUE(first.advance_to(1.0));
  second.set_state(first.state());
  const std::size_t known = first.events().size();
  ASSERT_TRUE(first.advance_to(3.0));
  ASSERT_TRUE(second.advance_to(3.0));
  ASSERT_EQ(first.events().size() - known, second.events().size());
  for (std::size_t k = 0; k < second.events().size(); ++k)
    EXPECT_NEAR(first.events()[known + k].t, second.events()[k].t, kExact);
}

TEST(EventDrivenState, TheSameRunTwiceGivesTheSameBits) {
  const Ball bouncing = ball_at(1.0, 0.8);
  EventDriven first(bouncing.model), second(bouncing.model);
  ASSERT_TRUE(first.advance_to(3.0));
  ASSERT_TRUE(second.advance_to(3.0));
  EXPECT_EQ(hash_of(first.state()), hash_of(second.state()));
}

TEST(EventDrivenState, TheSameStateSetAgainGivesTheSameBits) {
  // Whatever the run before left behind: lengths of steps, instants counted.
  for (const SmoothIntegrator& integrator : {SmoothIntegrator{DormandPrince{}}, SmoothIntegrator{RadauIIA{}}}) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(LagrangianLinearSystem{.stiffness = {{40.0}}, .q0 = {1.0}});
    model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {0.3}}, NewtonImpactLaw{.restitution = 0.7});
    EventDriven simulation(model, {.integrator = integrator});
    const State start = simulation.state();
    std::vector<std::uint64_t> hashes;
    for (int run = 0; run < 3; ++run) {
      simulation.set_state(start);
      ASSERT_TRUE(simulation.advance_to(3.0));
      hashes.push_back(hash_of(simulation.state()));
    }
    EXPECT_EQ(hashes[1], hashes[0]);
    EXPECT_EQ(hashes[2], hashes[0]);
  }
}

TEST(EventDrivenState, ManyShortRunsAreNoPaceOfEvents) {
  // One event a run, at the same instant of each: more runs than instants that make a pace.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {-1.0}});
  EventDrivenOptions options;
  options.events = {{.guard = [body](const State& state) { return state.q(body)[0] - 0.5; }}};
  options.thresholds.chattering_events = 2;  // a pace over 2 x 200
  EventDriven simulation(model, options);
  const State start = simulation.state();
  for (int run = 0; run < 1000; ++run) {
    simulation.set_state(start);
    const auto report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << run << ": " << report.message();
    ASSERT_EQ(report.events, 1);
  }
}

TEST(EventDrivenState, FixedStepsStartFromZero) {
  // From rest at the origin: coordinates are as large as their way.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.force = {-3.0}, .q0 = {0.0}});
  EventDriven simulation(model, {.integrator = RadauIIA{}, .step = 1.0});
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().q(body)[0], -6.0, kExact);
}

TEST(EventDrivenState, OfAnotherSizeIsRefused) {
  const Ball ball = ball_at(1.0);
  EventDriven simulation(ball.model);
  State positions = simulation.state(), unknowns = simulation.state();
  positions.positions.conservativeResize(3);
  unknowns.unknowns.conservativeResize(0);
  EXPECT_THROW(simulation.set_state(positions), InvalidArgument);
  EXPECT_THROW(simulation.set_state(unknowns), InvalidArgument);
  EXPECT_TRUE(simulation.advance_to(0.1));  // a state that was refused changes nothing
}

TEST(EventDrivenState, WhateverAnActionThrowsEndsTheCallOnly) {
  const Ball ball = ball_at(1.0);
  bool throws = true;
  EventDriven simulation(ball.model, {.events = {{.instants = {0.1}, .action = [&](State&) {
                                                    if (std::exchange(throws, false)) throw 42;
                                                  }}}});
  const auto report = simulation.advance_to(0.2);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_FALSE(report.detail.empty());
  EXPECT_EQ(simulation.state().t, 0.1);
  EXPECT_TRUE(simulation.advance_to(0.2));
  EXPECT_NEAR(simulation.state().q(ball.ball)[0], 1.0 - 0.5 * kGravity * 0.04, kExact);
}

TEST(EventDrivenState, AStateInsideTheFloorIsRefusedAndNothingGoesOnFromIt) {
  const Ball at_rest = ball_at(0.0);
  EventDriven simulation(at_rest.model);
  State state = simulation.state();
  state.q(at_rest.ball)[0] = -0.5;
  EXPECT_THROW(simulation.set_state(state), InvalidArgument);
  EXPECT_FALSE(simulation.advance_to(1.0));
}

TEST(EventDrivenState, AnActionMayLiftARestingBody) {
  const Ball at_rest = ball_at(0.0);
  const SystemHandle ball = at_rest.ball;
  EventDriven simulation(at_rest.model,
                         {.events = {{.instants = {1.0}, .action = [ball](State& x) { x.q(ball)[0] = 10.0; }}}});
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(simulation.state().q(ball)[0], 10.0 - 0.5 * kGravity, kExact);
}

TEST(EventDrivenState, AnActionThatPutsABodyIntoAnObstacleFails) {
  const Ball at_rest = ball_at(0.0);
  const SystemHandle ball = at_rest.ball;
  EventDriven simulation(at_rest.model,
                         {.events = {{.instants = {1.0}, .action = [ball](State& x) { x.q(ball)[0] = -1.0; }}}});
  const auto report = simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("floor"), std::string::npos) << report.message();
  EXPECT_EQ(simulation.state().t, 1.0);
}

TEST(EventDrivenState, ImpulsesOnTwoBodiesAtOneInstantBothAct) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;
  for (const double impulse : {1.0, 2.0}) {
    bodies.push_back(model.add(LagrangianLinearSystem{
        .mass = {{2.0}}, .q0 = {0.0}, .v0 = {0.0}, .impulses = {{.instant = 0.5, .impulse = {impulse}}}}));
  }
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().v(bodies[0])[0], 0.5, kExact);
  EXPECT_NEAR(simulation.state().v(bodies[1])[0], 1.0, kExact);
  EXPECT_EQ(simulation.events().size(), 2u);
}

TEST(EventDrivenState, AnEventAtTheStartHappens) {
  const Ball falling = ball_at(10.0);
  const SystemHandle ball = falling.ball;
  const auto kick = [ball](State& x) { x.v(ball)[0] += 1.0; };
  EventDriven single(falling.model, {.events = {{.instants = {0.0}, .action = kick}}});
  EXPECT_EQ(single.state().v(ball)[0], 1.0);
  EventDriven periodic(falling.model, {.events = {{.period = 0.25, .action = kick}}});
  ASSERT_TRUE(periodic.advance_to(0.5));  // at 0, 0.25 and 0.5
  EXPECT_NEAR(periodic.state().v(ball)[0], 3.0 - 0.5 * kGravity, kExact);
}

TEST(EventDrivenState, APeriodThatIsRoundOffIsRefused) {
  const Ball falling = ball_at(10.0);
  EXPECT_THROW(EventDriven(falling.model, {.events = {{.first = 1.0, .period = 1e-17}}}), InvalidArgument);
}

/// An observer that stops a run just before an instant: the next call handles the instant first, for every integrator.
TEST(EventDrivenState, ARunStoppedAtAnInstantGoesOnThroughIt) {
  const Ball falling = ball_at(10.0);
  const SystemHandle ball = falling.ball;
  for (const SmoothIntegrator& integrator :
       {SmoothIntegrator{DormandPrince{}}, SmoothIntegrator{DormandPrince{.order = 5}}, SmoothIntegrator{RadauIIA{}},
        SmoothIntegrator{GeneralisedAlpha{}}}) {
    EventDrivenOptions options;
    options.integrator = integrator;
    if (std::holds_alternative<GeneralisedAlpha>(integrator)) options.step = 0.01;
    options.events = {{.instants = {0.5}, .action = [ball](State& x) { x.v(ball)[0] = 0.0; }}};
    EventDriven simulation(falling.model, options);
    const auto stopped = simulation.advance_to(
        1.0, EventDrivenObserver{.segment = [](const SmoothSegment& segment) { return segment.end() < 0.5; }});
    EXPECT_EQ(stopped.outcome, RunReport::Outcome::StoppedByObserver);
    EXPECT_EQ(simulation.state().t, 0.5);
    ASSERT_TRUE(simulation.advance_to(1.0));
    // Free fall of constant acceleration is exact for all of them, but for some roundings a step.
    EXPECT_NEAR(simulation.state().v(ball)[0], -0.5 * kGravity, kExact);
    EXPECT_EQ(simulation.events().size(), 1u);
  }
}

TEST(EventDrivenState, AFunctionThatThrowsLeavesTheStateThatWasReached) {
  NonSmoothDynamicalSystem model;
  bool broken = true;
  const auto body = model.add(LagrangianLinearSystem{.force =
                                                         [&broken](double t, VectorRef F) {
                                                           if (broken && t > 0.7) throw std::runtime_error("no table");
                                                           F[0] = -kGravity;
                                                         },
                                                     .q0 = {10.0},
                                                     .v0 = {0.0}});
  EventDriven simulation(model, {.largest_step = 0.1});
  const auto report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("no table"), std::string::npos);
  EXPECT_EQ(simulation.state().t, report.t);
  EXPECT_GT(report.t, 0.5);  // steps of 0.1 that stay below 0.7 were kept
  EXPECT_NEAR(simulation.state().v(body)[0], -kGravity * report.t, kExact);
  broken = false;
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().v(body)[0], -kGravity, kExact);
}

/// A guard watched in one direction only, passed in the other after each bounce: impacts are as without it.
TEST(EventDrivenState, AGuardPassedTheOtherWayDisturbsNothing) {
  const Ball bouncing = ball_at(1.0, 0.8);
  const SystemHandle ball = bouncing.ball;
  EventDriven plain(bouncing.model);
  EventDriven watched(bouncing.model, {.events = {{.guard = [ball](const State& x) { return x.q(ball)[0] - 0.05; },
                                                   .direction = UserEvent::Direction::Falling}}});
  ASSERT_TRUE(plain.advance_to(3.0));
  ASSERT_TRUE(watched.advance_to(3.0));
  std::vector<double> expected, found;
  std::size_t passages = 0;
  for (const Event& event : plain.events()) expected.push_back(event.t);
  for (const Event& event : watched.events()) {
    if (event.kind == EventKind::Impact) found.push_back(event.t);
    if (event.kind == EventKind::User) ++passages;
  }
  // Once before each landing: at 0.45, 1.17, 1.75, 2.21, 2.58 and 2.88 s; all their flights rise above 0.05.
  EXPECT_EQ(passages, 6u);
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(expected[k], found[k], kExact);
}

/// A guard that is zero just where a step ends, because a call or an instant ends there, is an event all the same.
TEST(EventDrivenState, AZeroAtTheEndOfACallIsAnEvent) {
  const Ball falling = ball_at(10.0);
  const std::vector<UserEvent> events{{.name = "one", .guard = [](const State& x) { return x.t - 1.0; }}};
  EventDriven whole(falling.model, {.events = events}), split(falling.model, {.events = events});
  ASSERT_TRUE(whole.advance_to(1.5));
  ASSERT_TRUE(split.advance_to(1.0));
  ASSERT_TRUE(split.advance_to(1.5));
  ASSERT_EQ(whole.events().front().kind, EventKind::User);
  ASSERT_EQ(split.events().front().kind, EventKind::User);
  EXPECT_NEAR(whole.events().front().t, 1.0, kExact);
  EXPECT_NEAR(split.events().front().t, 1.0, kExact);
  EXPECT_EQ(whole.events().size(), split.events().size());
}

TEST(EventDrivenState, ASetStateHasHadTheEventsOfItsInstant) {
  const Ball falling = ball_at(10.0);
  const SystemHandle ball = falling.ball;
  EventDriven simulation(falling.model,
                         {.events = {{.instants = {0.5}, .action = [ball](State& x) { x.v(ball)[0] += 1.0; }}}});
  ASSERT_TRUE(simulation.advance_to(0.5));
  simulation.set_state(simulation.state());
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().v(ball)[0], 1.0 - kGravity, kExact);
}

TEST(EventDrivenState, ATerminalEventAtTheStartStopsTheFirstCall) {
  const Ball falling = ball_at(10.0);
  EventDriven simulation(falling.model, {.events = {{.instants = {0.0}, .terminal = true}}});
  EXPECT_EQ(simulation.advance_to(1.0).outcome, RunReport::Outcome::StoppedByEvent);
  EXPECT_EQ(simulation.advance_to(1.0).outcome, RunReport::Outcome::Completed);
}

/// An action that fails at an instant at which a ball lands too: the next call resolves the instant whole.
TEST(EventDrivenState, AnInstantThatFailedIsResolvedAgain) {
  const Ball bouncing = ball_at(1.0, 0.5);
  const double landing = std::sqrt(2.0 / kGravity);
  bool broken = true;
  int acted = 0;
  EventDriven simulation(bouncing.model, {.events = {{.instants = {landing}, .action = [&](State&) {
                                                        if (broken) throw std::runtime_error("not yet");
                                                        ++acted;
                                                      }}}});
  EXPECT_EQ(simulation.advance_to(1.0).outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NEAR(simulation.state().t, landing, kExact);
  broken = false;
  ASSERT_TRUE(simulation.advance_to(landing + 0.1));
  EXPECT_EQ(acted, 1);
  std::size_t impacts = 0;
  for (const Event& event : simulation.events()) impacts += event.kind == EventKind::Impact ? 1 : 0;
  EXPECT_EQ(impacts, 1u);
  EXPECT_NEAR(simulation.state().v(bouncing.ball)[0], 0.5 * kGravity * landing - 0.1 * kGravity, kExact);
}

/// A mass on a spring, dragged by a force of constant size while it slides: half an oscillation about -F / k, by the
/// method that makes its own Newton matrix. Order 2: 1e-3 steps of a period of 2 pi err by some h^2 = 1e-6.
TEST(EventDrivenState, GeneralisedAlphaTakesARelayAtItsBound) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.stiffness = {{1.0}}, .q0 = {-1.0}, .v0 = {1e-3}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{-0.1, 0.1});
  EventDriven simulation(model, {.integrator = GeneralisedAlpha{.rho = 1.0}, .step = 1e-3});
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().q(mass)[0], -0.1 - 0.9 * std::cos(1.0) + 1e-3 * std::sin(1.0), 1e-6);
}

}  // namespace
}  // namespace nonsmooth::states_test
