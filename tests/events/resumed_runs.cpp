// SPDX-License-Identifier: Apache-2.0
// A run from a copied state in a fresh simulation has the bits of the run that went on: what decides the next step is
// in the state. CVODE and IDA are left out, as they do not show their histories; they begin anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/event_driven.hpp>
#include <problems/named_models.hpp>
#include <problems/point_on_the_circle.hpp>
#include <support/parameter_name.hpp>

namespace nonsmooth::resumed_runs_test {
namespace {

constexpr double kGravity = 9.81;

template <class Numbers>
void expect_same_numbers(const char* what, const Numbers& one, const Numbers& other) {
  ASSERT_EQ(one.size(), other.size()) << what;
  for (decltype(one.size()) i = 0; i < one.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(one[i]), std::bit_cast<std::uint64_t>(other[i]))
        << what << "[" << i << "]: " << one[i] << " and " << other[i];
}

void expect_same_bits(const State& one, const State& other) {
  EXPECT_EQ(hash_of(one), hash_of(other)) << "t = " << one.t << " and " << other.t;
  expect_same_numbers("q", one.positions, other.positions);
  expect_same_numbers("v, x", one.unknowns, other.unknowns);
  expect_same_numbers("multipliers", one.multipliers, other.multipliers);
  expect_same_numbers("percussions", one.percussions, other.percussions);
  expect_same_numbers("forces", one.forces, other.forces);
  expect_same_numbers("loop", one.events.loop, other.events.loop);
  expect_same_numbers("mechanics", one.events.mechanics, other.events.mechanics);
  expect_same_numbers("first order", one.events.first_order, other.events.first_order);
  expect_same_numbers("users", one.events.users, other.events.users);
  expect_same_numbers("integrator", one.events.integrator, other.events.integrator);
}

void expect_same_events(const std::vector<Event>& one, const std::vector<Event>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].kind, other[k].kind) << "at t = " << one[k].t;
    EXPECT_EQ(one[k].t, other[k].t);
    EXPECT_EQ(one[k].row, other[k].row);
    EXPECT_EQ(one[k].value, other[k].value);
    EXPECT_EQ(one[k].end, other[k].end);
  }
}

/// From stop to stop, or for a hundred steps, the run is gone on with in a simulation of its own, and compared there.
void expect_same_runs(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options,
                      const std::vector<double>& stops) {
  EventDriven whole(model, options);
  State state = whole.state();
  (void)whole.take_events();
  for (const double stop : stops) {
    EventDriven resumed(model, options);
    resumed.set_state(state);
    (void)resumed.take_events();
    const auto advance = [stop](EventDriven& simulation) {
      int steps = 0;
      return simulation.advance_to(std::max(stop, simulation.state().t),
                                   {.segment = [&steps](const SmoothSegment&) { return ++steps < 100; }});
    };
    const auto report = advance(whole), same = advance(resumed);
    SCOPED_TRACE("t = " + std::to_string(state.t) + " to " + std::to_string(stop));
    EXPECT_EQ(report.outcome, same.outcome) << report.message() << " / " << same.message();
    EXPECT_EQ(report.steps, same.steps);
    EXPECT_EQ(report.events, same.events);
    EXPECT_EQ(report.evaluations, same.evaluations);
    expect_same_events(whole.take_events(), resumed.take_events());
    expect_same_bits(whole.state(), resumed.state());
    if (!report || ::testing::Test::HasFailure()) return;
    state = whole.state();
  }
}

/// Irregular ones, so that they fall everywhere into modes and steps.
std::vector<double> stops_until(double end, int count) {
  std::vector<double> stops;
  for (int k = 1; k <= count; ++k) stops.push_back(end * (k + 0.3 * std::sin(7.0 * k)) / (count + 1));
  return stops;
}

struct Method {
  const char* name;
  SmoothIntegrator integrator;
  friend void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }
};
const Method kMethods[] = {{"DormandPrince8", DormandPrince{.order = 8}},
                           {"DormandPrince5", DormandPrince{.order = 5}},
                           {"RadauIIA", RadauIIA{}},
                           {"GeneralisedAlpha", GeneralisedAlpha{}}};

/// What only time-stepping takes, and how the refusal by events begins.
struct Refused {
  const char* model;
  const char* message;
};
const Refused kRefused[] = {{"ball_on_compliant_floor", "EventDriven: model: found the compliance of floor"},
                            {"gene_network", "EventDriven: found FirstOrderRelation on interaction 0"},
                            {"unfolded_ball", "EventDriven: found FirstOrderRelation on interaction 0"},
                            {"observed_system", "EventDriven: found Feedback on observer"}};

bool is_refused(const problems::NamedModel& named) {
  return std::any_of(std::begin(kRefused), std::end(kRefused),
                     [&](const Refused& refused) { return std::string(refused.model) == named.name; });
}

using Run = std::tuple<problems::NamedModel, Method>;

EventDrivenOptions options_of(const problems::Model& model, const Method& method) {
  EventDrivenOptions options{.integrator = method.integrator, .repair_initial_state = true};
  if (std::holds_alternative<GeneralisedAlpha>(method.integrator)) options.step = model.options.step;
  return options;
}

/// All models that EventDriven takes with all its integrators; GeneralisedAlpha is for mechanics.
std::vector<Run> all_runs() {
  std::vector<Run> runs;
  const auto add = [&runs](const std::vector<problems::NamedModel>& models, bool mechanics) {
    for (const problems::NamedModel& named : models) {
      for (const Method& method : kMethods) {
        if (!is_refused(named) && (mechanics || !std::holds_alternative<GeneralisedAlpha>(method.integrator)))
          runs.emplace_back(named, method);
      }
    }
  };
  add(problems::mechanical_models(), true);
  add(problems::bodies_in_space(), true);
  add(problems::waves(), true);
  add(problems::first_order_models(), false);
  return runs;
}

class ResumedRun : public ::testing::TestWithParam<Run> {};

TEST_P(ResumedRun, HasTheBitsOfTheRunThatWentOn) {
  const auto& [named, method] = GetParam();
  const problems::Model model = named.make();
  const double end = std::min(static_cast<double>(model.steps), 60.0) * model.options.step;
  expect_same_runs(model.system, options_of(model, method), stops_until(end, 7));
}

INSTANTIATE_TEST_SUITE_P(Models, ResumedRun, ::testing::ValuesIn(all_runs()), test::parameter_name);

void expect_refused(const problems::NamedModel& named, const Method& method, const std::string& message) {
  const problems::Model model = named.make();
  try {
    const EventDriven taken(model.system, options_of(model, method));
    ADD_FAILURE() << named.name << " is taken with " << method.name;
  } catch (const InvalidArgument& refused) {
    EXPECT_EQ(std::string(refused.what()).rfind(message, 0), 0u) << refused.what();
  }
}

TEST(RefusedRun, ModelsOfTimeSteppingAlone) {
  int found = 0;
  for (const auto* models : {&problems::mechanical_models(), &problems::first_order_models()}) {
    for (const problems::NamedModel& named : *models) {
      for (const Refused& refused : kRefused) {
        if (std::string(refused.model) != named.name) continue;
        ++found;
        for (const Method& method : kMethods) expect_refused(named, method, refused.message);
      }
    }
  }
  EXPECT_EQ(found, static_cast<int>(std::size(kRefused)));
}

TEST(RefusedRun, GeneralisedAlphaIsForMechanics) {
  const Method& alpha = *std::find_if(std::begin(kMethods), std::end(kMethods), [](const Method& method) {
    return std::holds_alternative<GeneralisedAlpha>(method.integrator);
  });
  for (const problems::NamedModel& named : problems::first_order_models())
    if (!is_refused(named))
      expect_refused(named, alpha, "EventDrivenOptions::integrator: found GeneralisedAlpha with a first-order system");
}

class ResumedModel : public ::testing::TestWithParam<Method> {
 protected:
  [[nodiscard]] EventDrivenOptions options() const {
    EventDrivenOptions result{.integrator = GetParam().integrator};
    if (std::holds_alternative<GeneralisedAlpha>(result.integrator)) result.step = 1e-3;
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, ResumedModel, ::testing::ValuesIn(kMethods), test::parameter_name);

TEST_P(ResumedModel, BallWhoseImpactsAccumulate) {
  // e = 0.8 from 1 m: impacts end at sqrt(2 / g) (1 + e) / (1 - e) = 4.06 s; the sequence goes on over the copies.
  const problems::Model ball = problems::falling_ball(0.8);
  expect_same_runs(ball.system, options(), {0.3, 1.7, 3.5, 4.0, 4.05, 4.06, 4.2, 5.0});
}

TEST_P(ResumedModel, OscillatorThatSticksAndSlips) {
  // A block on a belt, k = 1 N/m, m = 1 kg: sticks at speed 1, slips once the spring pulls more than static friction.
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.stiffness = {{1.0}}, .q0 = {0.0}, .v0 = {1.0}});
  model.link(block,
             RheonomousRelation{.rows = 1,
                                .h = [](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - t; },
                                .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
                                .h_t = [](double, ConstVectorRef, VectorRef h_t) { h_t[0] = -1.0; }},
             RelayLaw{.lower = -2.0, .upper = 2.0});
  expect_same_runs(model, options(), stops_until(14.0, 9));
}

TEST_P(ResumedModel, PrescribedImpulsesAndVelocities) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{
      .force = {-kGravity, 0.0},
      .q0 = {1.0, 0.0},
      .prescribed = {{.component = 1, .velocity = [](double t) { return std::sin(t); }}},
      .impulses = {{.instant = 0.7, .impulse = {3.0, 0.0}}, {.instant = 1.4, .impulse = {2.0, 0.0}}}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{.restitution = 0.5});
  expect_same_runs(model, options(), {0.3, 0.69, 0.7, 0.9, 1.4, 2.5});
}

TEST_P(ResumedModel, UsersEvents) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.9});
  EventDrivenOptions with_events = options();
  with_events.events = {
      {.name = "push", .first = 0.2, .period = 0.25, .action = [ball](State& state) { state.v(ball)[0] += 0.1; }},
      {.name = "half way",
       .guard = [ball](const State& state) { return state.q(ball)[0] - 0.5; },
       .direction = UserEvent::Direction::Rising},
      {.name = "stop", .instants = {1.1}, .terminal = true}};
  expect_same_runs(model, with_events, {0.15, 0.2, 0.41, 0.7, 1.0, 1.2, 1.9});
}

TEST(ResumedManifold, PendulumOnTheCircleThatHitsAStop) {
  NonSmoothDynamicalSystem model;
  const auto pendulum = model.add(std::make_shared<const problems::PointOnTheCircle>(1.0, kGravity));
  model.link(pendulum,
             ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] + 0.2; },
                                  .H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = q[0]; }},
             NewtonImpactLaw{0.5});
  for (const Method& method : kMethods) {
    const bool fixed = std::holds_alternative<GeneralisedAlpha>(method.integrator);
    SCOPED_TRACE(method.name);
    expect_same_runs(model, {.integrator = method.integrator, .step = fixed ? 1e-3 : 0.0}, stops_until(3.0, 8));
  }
}

TEST(ResumedState, AnInstantThatWaitsIsHandledByTheOther) {
  // The observer stops the run behind the step that ends at the impact, before the impact.
  const problems::Model ball = problems::falling_ball(0.8);
  EventDriven first(ball.system), second(ball.system);
  const auto report = first.advance_to(3.0, {.segment = [](const SmoothSegment& at) { return at.end() < 0.44; }});
  ASSERT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
  second.set_state(first.state());
  (void)first.take_events();
  (void)second.take_events();
  ASSERT_TRUE(first.advance_to(3.0));
  ASSERT_TRUE(second.advance_to(3.0));
  expect_same_events(first.take_events(), second.take_events());
  expect_same_bits(first.state(), second.state());
}

/// A simulation goes on as one that is set to the state without its history.
void expect_begun(EventDriven& simulation, const EventDrivenOptions& options, State state) {
  EventDriven other(simulation.model(), options);
  state.events = {};
  other.set_state(state);
  ASSERT_TRUE(simulation.advance_to(3.0));
  ASSERT_TRUE(other.advance_to(3.0));
  expect_same_bits(simulation.state(), other.state());
}

TEST(ResumedState, WhatChangedSinceBeginsAMotion) {
  const problems::Model ball = problems::falling_ball(0.8);
  EventDriven first(ball.system), second(ball.system);
  ASSERT_TRUE(first.advance_to(1.0));
  State moved = first.state(), damaged = first.state();
  moved.positions[0] += 1.0;
  moved.unknowns[0] = 0.0;
  damaged.events.mechanics.pop_back();
  second.set_state(moved);
  EXPECT_EQ(second.state().positions[0], moved.positions[0]);
  second.set_state(damaged);
  expect_begun(second, {}, first.state());
}

TEST(ResumedState, OtherTolerancesBeginAMotion) {
  const problems::Model ball = problems::falling_ball(0.8);
  EventDriven first(ball.system);
  ASSERT_TRUE(first.advance_to(1.0));
  const EventDrivenOptions coarse{.relative_tolerance = 1e-6};
  EventDriven second(ball.system, coarse);
  second.set_state(first.state());
  expect_begun(second, coarse, first.state());
}

TEST(ResumedState, RowsOfOtherSizesAreNotGoneOnWith) {
  const problems::Model ball = problems::falling_ball(0.8);
  EventDriven simulation(ball.system);
  ASSERT_TRUE(simulation.advance_to(1.0));
  State cut = simulation.state();
  cut.forces.resize(0);
  simulation.set_state(cut);
  EXPECT_EQ(simulation.state().forces.size(), cut.outputs.size());
}

TEST(ResumedState, OtherEventsBeginAMotion) {
  const problems::Model ball = problems::falling_ball(0.8);
  EventDriven first(ball.system);
  ASSERT_TRUE(first.advance_to(1.0));
  EventDrivenOptions options;
  options.events = {{.name = "tick", .first = 0.75, .period = 0.5}};
  EventDriven second(ball.system, options);
  second.set_state(first.state());
  (void)second.take_events();
  ASSERT_TRUE(second.advance_to(2.0));
  int ticks = 0;
  for (const Event& event : second.events()) ticks += event.kind == EventKind::User ? 1 : 0;
  EXPECT_EQ(ticks, 2);  // 1.25, 1.75
}

TEST(ResumedState, AnotherIntegratorGoesOnInTheMode) {
  const problems::Model ball = problems::falling_ball(0.0);
  EventDriven first(ball.system), second(ball.system, {.integrator = RadauIIA{}});
  ASSERT_TRUE(first.advance_to(1.0));
  second.set_state(first.state());
  (void)second.take_events();
  ASSERT_TRUE(second.advance_to(2.0));
  EXPECT_TRUE(second.events().empty());  // at rest, and it was before
}

}  // namespace
}  // namespace nonsmooth::resumed_runs_test
