// SPDX-License-Identifier: Apache-2.0
// What a run of a FilippovSystem leaves in its state: a run that goes on from it has the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::filippov_states_test {
namespace {

using namespace filippov_systems;

struct Motion {
  explicit Motion(const FilippovSystem& system, EventDrivenOptions given = {})
      : handles(link_filippov(model, system)), options(std::move(given)), simulation(model, options) {}

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  EventDrivenOptions options;
  EventDriven simulation;
};

// In a region, in sliding, behind an exit, at rest on two surfaces, with alpha that Newton's iteration starts from.
TEST(FilippovStates, ResumedRunsHaveTheSameBits) {
  const std::vector<std::tuple<FilippovSystem, EventDrivenOptions, double>> cases{
      {sliding_and_exit(), {}, 2.0},
      {sliding_and_exit(), {.integrator = RadauIIA{}}, 2.0},
      {oscillator(), {}, 2.0},
      {circle(2.0), {}, 3.0},
      {spiral(0.4, 0.3), {}, 1.0},
      {line_in_space(), {.on_ambiguity = OnAmbiguity::Utkin}, 1.0},
      {line_in_space(), {.on_ambiguity = OnAmbiguity::LeastNorm}, 1.0},
      {two_relays(), {.on_ambiguity = OnAmbiguity::Utkin}, 1.0},
  };
  for (const auto& [system, options, T] : cases) {
    for (const double part : {0.1, 0.45, 0.9}) {
      Motion whole(system, options), other(system, options);
      ASSERT_TRUE(whole.simulation.advance_to(part * T));
      const State half_way = whole.simulation.state();
      ASSERT_TRUE(whole.simulation.advance_to(T));
      EXPECT_TRUE(has_whole_history(half_way));
      // The model is the other's: its layout is a revision of its own, and the same numbers fit a copy of the first.
      EventDriven resumed(whole.model, options);
      resumed.set_state(half_way);
      ASSERT_TRUE(resumed.advance_to(T));
      EXPECT_EQ(hash_of(resumed.state()), hash_of(whole.simulation.state())) << "from " << part * T;
      EXPECT_EQ(resumed.state().events.first_order, whole.simulation.state().events.first_order);
      // And so does a run that never stopped.
      ASSERT_TRUE(other.simulation.advance_to(part * T));
      ASSERT_TRUE(other.simulation.advance_to(T));
      EXPECT_EQ(other.simulation.state().unknowns, whole.simulation.state().unknowns);
    }
  }
}

// A state that is set without a history begins a motion: on a surface it slides at once.
TEST(FilippovStates, BeginFromAnyState) {
  Motion run(sign(1.0));
  State state = run.simulation.state();
  state.x(run.handles.system)[0] = 0.0;
  run.simulation.set_state(state);
  ASSERT_TRUE(run.simulation.advance_to(1.0));
  EXPECT_EQ(run.simulation.state().x(run.handles.system)[0], 0.0);
  EXPECT_TRUE(run.simulation.events().empty());
}

// Users' actions move x off a surface, and onto one; guards are told beside the surfaces.
TEST(FilippovStates, UsersEvents) {
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, sign(1.0));
  EventDrivenOptions options;
  options.events = {{.name = "kick", .instants = {2.0}, .action = [&](State& x) { x.x(handles.system)[0] = -0.5; }},
                    {.name = "quarter", .guard = [&](const State& x) { return x.x(handles.system)[0] + 0.25; }}};
  EventDriven simulation(model, options);
  const auto report = simulation.advance_to(3.0);
  ASSERT_TRUE(report) << report.message();
  std::vector<double> users, switches;
  for (const Event& event : simulation.events()) (event.kind == EventKind::User ? users : switches).push_back(event.t);
  ASSERT_EQ(users.size(), 2u);
  EXPECT_NEAR(users[1], 2.25, 1e-14);
  ASSERT_EQ(switches.size(), 3u);  // slides from 1, leaves at 2, slides from 2.5
  EXPECT_NEAR(switches[2], 2.5, 1e-14);
  EXPECT_EQ(simulation.state().x(handles.system)[0], 0.0);
}

// Beside a mechanical and a first-order system, and beside another of its kind.
TEST(FilippovStates, BesideOtherSystems) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-1.0}, .q0 = {0.5}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}, "floor");
  const auto relay = model.add(FirstOrderLinearSystem{.x0 = {0.7}});
  model.link(relay, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{-1.0}}}, RelayLaw{}, "relay");
  const auto one = link_filippov(model, sliding_and_exit()), other = link_filippov(model, spiral(0.4, 0.3));
  EventDriven simulation(model);
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  Motion alone(sliding_and_exit());
  ASSERT_TRUE(alone.simulation.advance_to(2.0));
  EXPECT_LT((simulation.state().x(one.system) - alone.simulation.state().x(alone.handles.system)).norm(), 1e-8);
  EXPECT_EQ(simulation.state().x(other.system).norm(), 0.0);
}

// Multipliers of events are those of steps: theta by pattern, mu last of them, and outputs g.
TEST(FilippovStates, MultipliersAreWeights) {
  Motion run(one_relay());
  ASSERT_TRUE(run.simulation.advance_to(1.0));
  const Eigen::VectorXd theta = run.simulation.state().lambda(run.handles.fields);
  EXPECT_NEAR(theta[1], 10.0 / 17.0, 1e-14);  // x > y
  EXPECT_NEAR(theta[0], 7.0 / 17.0, 1e-14);
  State stepped = run.simulation.state();
  stepped.events = {};
  TimeStepping steps(run.model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-2});
  steps.set_state(stepped);
  ASSERT_TRUE(steps.step());
  EXPECT_NEAR(steps.state().lambda(run.handles.fields)[1], 10.0 / 17.0, 1e-12);
}

}  // namespace
}  // namespace nonsmooth::filippov_states_test
