// SPDX-License-Identifier: Apache-2.0
// States that users write, simulations that were moved from, models that change many times.
#include <algorithm>
#include <vector>

#include "bad_input.hpp"

namespace nonsmooth::written_states_test {
namespace {

using namespace bad_input;

struct Bouncing {
  NonSmoothDynamicalSystem model;
  SystemHandle body = model.add(ball());
  InteractionHandle floor = model.link(body, height(), NewtonImpactLaw{.restitution = 1.0}, "floor");
};

TEST(WrittenState, ArraysOfAnotherSize) {
  Bouncing b;
  TimeStepping simulation(b.model, with_step(0.01));
  const auto broken = [&](auto&& write, const char* array) {
    TimeStepping copy(b.model, with_step(0.01));
    write(copy.state());
    expect_refused([&] { copy.step(); }, {std::string("State::") + array});
    State state = simulation.state();
    write(state);
    expect_refused([&] { simulation.set_state(state); }, {std::string("State::") + array});
  };
  broken([](State& s) { s.positions.resize(0); }, "positions");
  broken([](State& s) { s.unknowns.resize(7); }, "unknowns");
  broken([](State& s) { s.outputs.resize(0); }, "outputs");
  broken([](State& s) { s.velocities.resize(0); }, "velocities");
  broken([](State& s) { s.multipliers.resize(3); }, "multipliers");
  broken([](State& s) { s.percussions.resize(0); }, "percussions");
  broken([](State& s) { s.projections.resize(0); }, "projections");
  broken([](State& s) { s.differences.resize(0); }, "differences");
  broken([](State& s) { s.law_memory.resize(2); }, "law_memory");
  broken([](State& s) { s.t = kNaN; }, "t");
  EXPECT_TRUE(simulation.step());
}

// A time that was written is where the next step starts; force f(t) = t tells.
TEST(WrittenState, Time) {
  NonSmoothDynamicalSystem model;
  auto system = ball();
  system.force = VectorData([](double t, VectorRef f) { f[0] = t; });
  const auto body = model.add(system);
  TimeStepping simulation(model, with_step(0.5));
  ASSERT_TRUE(simulation.step());
  EXPECT_EQ(simulation.state().t, 0.5);
  simulation.state().t = 7.0;
  ASSERT_TRUE(simulation.step());
  EXPECT_EQ(simulation.state().t, 7.5);
  EXPECT_EQ(simulation.state().t_origin, 7.0);
  // Of theta = 1/2: v = 1/8 + (7.5^2 - 7^2) / 2, exact in doubles.
  EXPECT_EQ(simulation.state().v(body)[0], 0.125 + 0.5 * (56.25 - 49.0));
  expect_refused([&] { simulation.advance_to(1.0); }, {"advance_to: T", "7.5"});
}

// The ball is put below the floor's forecast, moving down: the contact has to see it in the very next step.
TEST(WrittenState, CoordinatesWithoutUpdateOutputs) {
  for (const bool by_reference : {false, true}) {
    Bouncing b;
    TimeStepping simulation(b.model, with_step(0.01));
    State& held = simulation.state();
    ASSERT_TRUE(simulation.step());
    State& written = by_reference ? held : simulation.state();
    written.q(b.body)[0] = 1e-6;
    written.v(b.body)[0] = -1.0;
    ASSERT_TRUE(simulation.step());
    EXPECT_GT(simulation.state().v(b.body)[0], 0.0);
    EXPECT_GT(simulation.state().percussion(b.floor)[0], 0.0);
  }
  Bouncing b;
  TimeStepping simulation(b.model, with_step(0.01));
  State state = simulation.state();
  state.q(b.body)[0] = 1e-6;
  state.v(b.body)[0] = -1.0;
  simulation.set_state(state);
  ASSERT_TRUE(simulation.step());
  EXPECT_GT(simulation.state().v(b.body)[0], 0.0);
}

// An orientation that was written is refused by an edit as by a step, and the simulation is what it was.
TEST(WrittenState, OrientationBeforeAnEdit) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.angular_velocity = {0.0, 0.0, 1.0}, .name = "top"});
  TimeStepping simulation(model, with_step(0.01));
  ASSERT_TRUE(simulation.step());
  const Eigen::VectorXd q = simulation.state().q(body);
  simulation.state().q(body).tail(4) *= 1.1;
  expect_refused([&] { simulation.edit([](NonSmoothDynamicalSystem& changed) { changed.add(ball()); }); },
                 {"State: q of top"});
  EXPECT_EQ(simulation.model().num_systems(), 1);
  expect_refused([&] { simulation.step(); }, {"State: q of top"});
  simulation.state().q(body) = q;
  simulation.edit([](NonSmoothDynamicalSystem& changed) { changed.add(ball()); });
  EXPECT_TRUE(simulation.step());
}

// Reading through the writable accessor changes no bit.
TEST(WrittenState, ReadingChangesNothing) {
  Bouncing b;
  TimeStepping read(b.model, with_step(0.01)), alone(b.model, with_step(0.01));
  for (int k = 0; k < 100; ++k) {
    (void)read.state();
    ASSERT_TRUE(read.step());
    ASSERT_TRUE(alone.step());
  }
  EXPECT_EQ(hash_of(read.state()), hash_of(alone.state()));
}

TEST(WrittenState, StepLongerThanTheRun) {
  Bouncing b;
  TimeStepping simulation(b.model, with_step(1e15));
  const auto report = simulation.advance_to(0.25);
  EXPECT_TRUE(report);
  EXPECT_EQ(report.steps, 1);
  EXPECT_EQ(simulation.state().t, 0.25);
}

TEST(WrittenState, CountsStepsOfAnyLength) {
  Bouncing b;
  TimeStepping simulation(b.model, with_step(0.1));
  ASSERT_TRUE(simulation.advance_to(0.25));  // the third is shortened, and starts a new grid
  ASSERT_TRUE(simulation.advance_to(0.45));
  EXPECT_EQ(simulation.state().steps, 5);
  EXPECT_EQ(simulation.state().k, 2);
}

TEST(MovedFrom, SimulationsAndWorkspaces) {
  Bouncing b;
  EventDriven first(b.model);
  EventDriven second(std::move(first));
  EXPECT_TRUE(second.advance_to(0.1));
  expect_refused([&] { first.advance_to(0.1); }, {"EventDriven", "moved from"});  // NOLINT: that is the test
  expect_refused([&] { (void)first.state(); }, {"EventDriven", "moved from"});
  expect_refused([&] { (void)first.events(); }, {"EventDriven", "moved from"});
  expect_refused([&] { first.set_state(second.state()); }, {"EventDriven", "moved from"});
  Workspace workspace;
  const Workspace other(std::move(workspace));
  State state = b.model.initial_state();
  expect_refused([&] { step(b.model, with_step(0.1), 0.1, state, workspace); }, {"Workspace", "moved from"});
  TimeStepping third(b.model, with_step(0.1));
  const TimeStepping fourth(std::move(third));
  expect_refused([&] { third.step(); }, {});
}

TEST(MovedFrom, StatesThatWereHandedOut) {
  Bouncing b;
  TimeStepping first(b.model, with_step(0.1));
  (void)first.state();
  const TimeStepping second(std::move(first));
  expect_refused([&] { first.step(); }, {"moved from"});  // NOLINT: that is the test
  TimeStepping third(b.model, with_step(0.1));
  third.state() = State{};
  expect_refused([&] { third.step(); }, {"TimeStepping::state"});
  Bouncing other;
  other.model.add(ball());
  TimeStepping fourth(b.model, with_step(0.1));
  fourth.state() = other.model.initial_state();
  expect_refused([&] { fourth.step(); }, {"another revision or model"});
}

// The floor is at t - 7 beside a ball at rest at 0: at t = 7 it reaches the ball, whose outputs are of t = 0.
TEST(WrittenState, TimeAloneOfARelationThatMoves) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {0.0}});
  model.link(body,
             RheonomousRelation{.h = [](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - (t - 7.0); },
                                .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
                                .h_t = [](double, ConstVectorRef, VectorRef value) { value[0] = -1.0; }},
             NewtonImpactLaw{}, "lift");
  TimeStepping simulation(model, with_step(0.01));
  simulation.state().t = 7.0;
  ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(simulation.state().v(body)[0], 1.0, 1e-12);
}

// An edit is examined as a new simulation is, and refused without a trace.
TEST(ManyChanges, EditsAreExamined) {
  NonSmoothDynamicalSystem model;
  const auto chain = model.add(
      FirstOrderLinearSystem{.A = {{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, .x0 = {0.0, -1.0, 0.0}, .name = "chain"});
  TimeSteppingOptions options = with_step(0.1);
  options.integrator = EulerMoreau{.theta = 1.0};
  TimeStepping simulation(model, options);
  expect_refused(
      [&] {
        simulation.edit([&](NonSmoothDynamicalSystem& m) {
          m.link(chain, FirstOrderLinearRelation{.C = {{1, 0, 0}}, .B = {{0}, {0}, {1}}}, ComplementarityLaw{}, "stop");
        });
      },
      {"row 0 of stop", "relative degree 3"});
  EXPECT_EQ(simulation.model().num_interactions(), 0);
  EXPECT_TRUE(simulation.step());
}

// Across t = 0 the present time is what a sum of steps makes of it.
TEST(WrittenState, PresentTimeNearZero) {
  Bouncing b;
  TimeStepping simulation(b.model, with_step(0.1), -0.3);
  ASSERT_TRUE(simulation.advance_to(0.0));
  const auto again = simulation.advance_to(0.0);
  EXPECT_TRUE(again);
  EXPECT_EQ(again.steps, 0);
}

TEST(ManyChanges, SlotsAreTakenAgain) {
  Bouncing b;
  // Nothing of 10^5 links that came and went may stay; with a slot each, the layout alone would.
  for (int k = 0; k < 100'000; ++k) b.model.remove(b.model.link(b.body, height(), NewtonImpactLaw{}));
  EXPECT_LE(b.model.interactions().size(), 2u);
  for (int k = 0; k < 1000; ++k) b.model.remove(b.model.add(ball()));
  EXPECT_LE(b.model.systems().size(), 2u);
  EXPECT_EQ(b.model.num_interactions(), 1);
  EXPECT_EQ(b.model.num_systems(), 1);
}

// The same while a simulation runs: its state and caches are those of the model that is, not of all that were.
TEST(ManyChanges, OfARunningSimulationLeaveNothing) {
  Bouncing b;
  TimeStepping simulation(b.model, with_step(1e-3));
  for (int k = 0; k < 2000; ++k) {
    const InteractionHandle link = simulation.edit(
        [&](NonSmoothDynamicalSystem& model) { return model.link(b.body, height(), NewtonImpactLaw{}); });
    ASSERT_TRUE(simulation.step());
    simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(link); });
  }
  EXPECT_LE(simulation.model().interactions().size(), 2u);
  EXPECT_EQ(simulation.state().outputs.size(), 1);
  TimeStepping untouched(b.model, with_step(1e-3));
  ASSERT_TRUE(untouched.advance_to(2.0));
  // A second floor in the same place shares the impulse and changes no motion: round-off of 2000 steps.
  EXPECT_NEAR(simulation.state().q(b.body)[0], untouched.state().q(b.body)[0], 2000.0 * 16.0 * 2.2e-16);
}

// A new interaction in the slot of one that was removed starts anew: it inherits no impulse.
TEST(ManyChanges, MigrationKnowsSlotsThatWereTakenAgain) {
  Bouncing b;
  TimeStepping simulation(b.model, with_step(0.01));
  ASSERT_TRUE(simulation.advance_to(0.5, [&](const State& s) { return s.impulse(b.floor)[0] == 0.0; }));
  ASSERT_GT(simulation.state().impulse(b.floor)[0], 0.0);
  const InteractionHandle again = simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.remove(b.floor);
    return model.link(b.body, height(), NewtonImpactLaw{});
  });
  EXPECT_EQ(again.slot, b.floor.slot);
  EXPECT_EQ(simulation.state().impulse(again)[0], 0.0);
  expect_refused([&] { (void)simulation.state().y(b.floor); }, {"interaction handle", "stale"});
}

TEST(Observers, GetTheReportOfTheStep) {
  Bouncing b;
  TimeStepping simulation(b.model, with_step(0.1));
  Index steps = 0;
  ASSERT_TRUE(simulation.advance_to(0.5, [&](const State& state, const StepReport& report) {
    EXPECT_EQ(report.t, state.t);
    ++steps;
  }));
  EXPECT_EQ(steps, 5);
  const auto stopped = simulation.advance_to(1.0, [](const State&, const StepReport&) { return false; });
  EXPECT_EQ(stopped.outcome, RunReport::Outcome::StoppedByObserver);
}

TEST(Observers, EventDrivenOutputOnAGrid) {
  Bouncing b;
  EventDriven simulation(b.model);
  std::vector<double> t, q;
  EventDrivenObserver observer{.output =
                                   [&](const State& state) {
                                     t.push_back(state.t);
                                     q.push_back(state.q(b.body)[0]);
                                     return true;
                                   },
                               .output_step = 0.125};
  ASSERT_TRUE(simulation.advance_to(0.3, observer));
  ASSERT_TRUE(simulation.advance_to(1.0, observer));
  ASSERT_EQ(t.size(), 9u);
  const double impact = std::sqrt(2.0 / 9.81);
  for (std::size_t k = 0; k < t.size(); ++k) {
    EXPECT_EQ(t[k], 0.125 * static_cast<double>(k));
    const double since = t[k] < impact ? t[k] : t[k] - 2.0 * impact;  // elastic: the parabola again
    EXPECT_NEAR(q[k], 1.0 - 0.5 * 9.81 * since * since, 1e-9);
  }
  EXPECT_FALSE(simulation.take_events().empty());
  EXPECT_TRUE(simulation.events().empty());
}

}  // namespace
}  // namespace nonsmooth::written_states_test
