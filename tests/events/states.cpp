// SPDX-License-Identifier: Apache-2.0
// States that are set, actions that move bodies, instants at which a run stops or a function fails.
#include <gtest/gtest.h>

#include <cmath>
#include <nonsmooth/kernel.hpp>
#include <stdexcept>

namespace nonsmooth {
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
  EXPECT_EQ(hash(first.state()), hash(second.state()));
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
  EXPECT_EQ(report.outcome, EventDrivenReport::Outcome::CallableFailed);
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
    EXPECT_EQ(stopped.outcome, EventDrivenReport::Outcome::StoppedByObserver);
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
  EXPECT_EQ(report.outcome, EventDrivenReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("no table"), std::string::npos);
  EXPECT_EQ(simulation.state().t, report.t);
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
  for (const Event& event : plain.events()) expected.push_back(event.t);
  for (const Event& event : watched.events()) {
    if (event.kind == EventKind::Impact) found.push_back(event.t);
  }
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(expected[k], found[k], kExact);
}

}  // namespace
}  // namespace nonsmooth
