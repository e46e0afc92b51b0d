// SPDX-License-Identifier: Apache-2.0
// HybridAutomata by events: transitions at their instants, resets, what goes on from one instant, and what is told.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "event_log.hpp"

namespace nonsmooth::hybrid_automata_test {
namespace {

using event_log::events_of;
using event_log::times_of;

constexpr double kEps = std::numeric_limits<double>::epsilon();
/// A guard with slope 1 and terms of 1 is located to 64 eps of these; what fields of 2 and 3 make of it.
constexpr double kLocated = 64.0 * kEps, kBehind = 4.0 * kLocated;

/// x' = a x + b in one dimension.
AutomatonMode affine(const std::string& name, double a, double b) {
  return {.name = name,
          .f = [a, b](double, ConstVectorRef x, VectorRef f) { f[0] = a * x[0] + b; },
          .f_dx = [a](double, ConstVectorRef, MatrixRef J) { J(0, 0) = a; }};
}
/// sign (x_k - level), with its gradient.
SwitchingFunction level(double sign, double height, Index k = 0) {
  return {.value = [=](double, ConstVectorRef x) { return sign * (x[k] - height); },
          .gradient = [=](double, ConstVectorRef, VectorRef gradient) { gradient[k] = sign; }};
}
/// x' = 30 - x and -x between two thresholds.
HybridAutomaton thermostat(double low, double high) {
  return {.x0 = {18.0},
          .modes = {affine("heats", -1.0, 30.0), affine("rests", -1.0, 0.0)},
          .transitions = {{.name = "warm", .from = "heats", .to = "rests", .guard = level(1.0, high)},
                          {.name = "cold", .from = "rests", .to = "heats", .guard = level(-1.0, low)}},
          .name = "room"};
}
/// Height and velocity, v := -e v where it falls through zero.
HybridAutomaton ball(double e, double height) {
  return {.x0 = {height, 0.0},
          .modes = {{.name = "flies", .f = [](double, ConstVectorRef x, VectorRef f) { f << x[1], -1.0; }}},
          .transitions = {{.name = "bounce",
                           .from = "flies",
                           .to = "flies",
                           .guard = level(-1.0, 0.0),
                           .reset = [e](double, VectorRef x) { x[1] *= -e; }}},
          .name = "ball"};
}

struct Motion {
  explicit Motion(HybridAutomaton automaton, EventDrivenOptions options = {})
      : system(model.add(std::move(automaton))), simulation(model, std::move(options)) {}
  [[nodiscard]] Eigen::VectorXd x() const { return simulation.state().x(system); }
  [[nodiscard]] Index mode() const { return mode_of(simulation.state(), system); }

  NonSmoothDynamicalSystem model;
  SystemHandle system;
  EventDriven simulation;
};

void expect_in(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

// From 18 to 21 in log(12 / 9), then by turns log(21 / 19) down and log(11 / 9) up. Instants are sums of what steps to
// 1e-10 leave of x, over slopes of 9 and more: 1e-9 after some periods.
TEST(HybridAutomata, HysteresisHasItsPeriod) {
  for (const SmoothIntegrator& integrator : {SmoothIntegrator(DormandPrince{}), SmoothIntegrator(RadauIIA{})}) {
    Motion run(thermostat(19.0, 21.0), {.integrator = integrator});
    const double down = std::log(21.0 / 19.0), up = std::log(11.0 / 9.0), first = std::log(12.0 / 9.0);
    const double T = first + 3.0 * (down + up) + 0.5 * down;
    const auto report = run.simulation.advance_to(T);
    ASSERT_TRUE(report) << report.message();
    event_log::expect_times(times_of(run.simulation, EventKind::Transition),
                            {first, first + down, first + down + up, first + 2.0 * down + up, first + 2.0 * (down + up),
                             first + 3.0 * down + 2.0 * up, first + 3.0 * (down + up)},
                            1e-9);
    EXPECT_EQ(run.mode(), 1);
    EXPECT_EQ(run.x()[1], 1.0);
    EXPECT_NEAR(run.x()[0], 21.0 * std::exp(-0.5 * down), 1e-7);
    const Event& event = run.simulation.events().front();
    EXPECT_EQ(event.kind, EventKind::Transition);
    EXPECT_EQ(event.row, 0);
    EXPECT_EQ(event.value, 1.0);
    EXPECT_TRUE(event.system == run.system);
  }
}

// One mode with a transition to itself: bounces at t_1 = sqrt(2 h), then 2 e^k t_1 apart, each found anew to round-off
// of the height: 64 eps h over a speed that falls by e.
TEST(HybridAutomata, ImpulsesAtGivenStates) {
  const double e = 0.5, fall = std::sqrt(2.0);
  Motion run(ball(e, 1.0));
  const double T = fall * (1.0 + 2.0 * e + 2.0 * e * e + e * e * e);  // at the top of the third flight
  const auto report = run.simulation.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  event_log::expect_times(times_of(run.simulation, EventKind::Transition),
                          {fall, fall * (1.0 + 2.0 * e), fall * (1.0 + 2.0 * e + 2.0 * e * e)}, 1e-12);
  EXPECT_NEAR(run.x()[0], std::pow(e, 6), 1e-12);
}

TEST(HybridAutomata, ZenoIsTold) {
  const double e = 0.5, fall = std::sqrt(2.0), end = fall * (1.0 + e) / (1.0 - e);
  Motion run(ball(e, 1.0));
  const auto report = run.simulation.advance_to(10.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Chattering);
  // Ended where a rebound is 512 eps high: 2 sqrt(2 * 512 eps) / (1 - e) before the sequence's end.
  EXPECT_NEAR(report.t, end, 4.0 * std::sqrt(1024.0 * kEps));
  expect_in(report.message(), {"ball in flies", "accumulate", "bounce", "flies, flies", "t = "});
  EXPECT_FALSE(run.simulation.advance_to(11.0));  // every later call tells the same
}

// Both thresholds at 20: x' = 10 below, -20 above. A Schmitt trigger of zero width has no motion as an automaton.
TEST(HybridAutomata, ZeroWidthHasNoMotionAndSlidesAsFilippovSystem) {
  Motion run(thermostat(20.0, 20.0));
  const auto report = run.simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Chattering);
  EXPECT_NEAR(report.t, std::log(12.0 / 10.0), 1e-10);
  expect_in(report.message(), {"heats, rests, heats", "FilippovSystem", "x = (20)"});
  EXPECT_EQ(run.simulation.events().size(), 2u);

  NonSmoothDynamicalSystem model;
  const auto field = [](double b) { return [b](double, ConstVectorRef x, VectorRef f) { f[0] = b - x[0]; }; };
  const auto handles =
      link_filippov(model, {.x0 = {18.0},
                            .switches = {level(1.0, 20.0)},
                            .regions = {{.signs = {1}, .f = field(0.0)}, {.signs = {-1}, .f = field(30.0)}}});
  EventDriven slides(model);
  ASSERT_TRUE(slides.advance_to(1.0));
  EXPECT_NEAR(slides.state().x(handles.system)[0], 20.0, 64.0 * kEps);
  EXPECT_NEAR(slides.state().lambda(handles.fields)[0], 2.0 / 3.0, 1e-12);  // 30 theta = 20
}

/// x' = 1 up to x = 1, where modes b (x' = -2) and c (x' = 0.5) may follow.
HybridAutomaton fork() {
  return {.x0 = {0.0},
          .modes = {affine("a", 0.0, 1.0), affine("b", 0.0, -2.0), affine("c", 0.0, 0.5)},
          .transitions = {{.name = "to b", .from = "a", .to = "b", .guard = level(1.0, 1.0)},
                          {.name = "to c", .from = "a", .to = "c", .guard = level(1.0, 1.0)}},
          .name = "fork"};
}

TEST(HybridAutomata, SeveralTransitionsObeyTheOptions) {
  {
    Motion run(fork());
    const auto report = run.simulation.advance_to(2.0);
    EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous);
    EXPECT_NEAR(report.t, 1.0, kLocated);
    expect_in(report.message(), {"to b", "to c", "fork in a", "x' = (-2)"});
    ASSERT_EQ(run.simulation.alternatives().size(), 2u);
    EXPECT_EQ(run.simulation.alternatives()[0].rates[0], -2.0);
    EXPECT_EQ(run.simulation.alternatives()[1].rows[0].row, 1);
    ASSERT_EQ(run.simulation.findings().size(), 1u);
    EXPECT_EQ(run.simulation.findings()[0].subject, "fork");
    EXPECT_EQ(times_of(run.simulation, EventKind::Ambiguity).size(), 2u);
  }
  const auto last = [](const std::vector<OtherMotion>& motions) { return static_cast<Index>(motions.size()) - 1; };
  const std::vector<std::pair<EventDrivenOptions, double>> cases{
      {{.on_ambiguity = OnAmbiguity::First}, -1.0},
      {{.on_ambiguity = OnAmbiguity::LeastNorm}, 1.5},
      {{.on_ambiguity = OnAmbiguity::Choose, .choose = last}, 1.5}};
  for (const auto& [options, end] : cases) {
    Motion run(fork(), options);
    const auto report = run.simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(run.x()[0], end, kBehind);
    EXPECT_EQ(run.simulation.alternatives().size(), 1u);
  }
  HybridAutomaton same = fork();  // two names for one motion are none
  same.transitions[1].to = "b";
  Motion run(same);
  ASSERT_TRUE(run.simulation.advance_to(2.0));
  EXPECT_NEAR(run.x()[0], -1.0, kBehind);
}

// Two forks in a chain at one instant: the motions that were not taken from either are kept, and logged.
TEST(HybridAutomata, AllAmbiguitiesOfAChainAreTold) {
  HybridAutomaton chain = fork();
  chain.modes.push_back(affine("d", 0.0, -3.0));
  chain.transitions.push_back({.name = "on to c", .from = "b", .to = "c", .guard = level(1.0, 0.5)});
  chain.transitions.push_back({.name = "on to d", .from = "b", .to = "d", .guard = level(1.0, 0.5)});
  Motion run(chain, {.on_ambiguity = OnAmbiguity::First});
  const auto report = run.simulation.advance_to(1.5);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(run.mode(), 2);
  const auto& others = run.simulation.alternatives();
  ASSERT_EQ(others.size(), 2u);
  EXPECT_EQ(others[0].rates[0], 0.5);  // to c from a, and to d from b
  EXPECT_EQ(others[0].rows[0].row, 1);
  EXPECT_EQ(others[1].rates[0], -3.0);
  EXPECT_EQ(others[1].rows[0].row, 3);
  EXPECT_EQ(others[1].rows[0].kind, EventKind::Transition);
  std::vector<Index> told;
  for (const Event& event : run.simulation.events())
    if (event.kind == EventKind::Ambiguity) told.push_back(event.row);
  EXPECT_EQ(told, (std::vector<Index>{1, 3}));
}

// A tank that must not run over, whose valve opens too late.
TEST(HybridAutomata, AnInvariantWithoutExitIsTold) {
  HybridAutomaton tank{.x0 = {0.0},
                       .modes = {affine("fills", 0.0, 1.0), affine("drains", 0.0, -1.0)},
                       .transitions = {{.name = "open", .from = "fills", .to = "drains", .guard = level(1.0, 1.25)}},
                       .name = "tank"};
  tank.modes[0].invariant = level(-1.0, 1.0);
  {
    Motion run(tank);
    const auto report = run.simulation.advance_to(2.0);
    EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
    EXPECT_NEAR(report.t, 1.0, kLocated);
    expect_in(report.message(), {"tank in fills", "invariant", "x = (1)", "open to drains: guard -0.25"});
  }
  tank.transitions[0].guard = level(1.0, 1.0);  // in time
  {
    Motion run(tank);
    const auto report = run.simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(run.x()[0], 0.0, kBehind);
  }
  tank.transitions[0].reset = [](double, VectorRef x) { x[0] = -3.0; };  // into what the next mode does not allow
  tank.modes[1].invariant = level(1.0, 0.0);
  Motion run(tank);
  const auto report = run.simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
  expect_in(report.message(), {"tank in drains", "none leaves this mode"});
}

// Tangent to its guard it is not taken: x = 1 - (t - 1)^2 against 1. Where it rises by its second derivative it is.
TEST(HybridAutomata, GuardsRiseByTheDerivativeThatTells) {
  const auto parabola = [](double start) {
    return HybridAutomaton{
        .x0 = {1.0 - start * start},
        .modes = {{.name = "a", .f = [=](double t, ConstVectorRef, VectorRef f) { f[0] = -2.0 * (t + start); }},
                  affine("b", 0.0, 1.0)},
        .transitions = {{.from = "a", .to = "b", .guard = level(1.0, 1.0)}}};
  };
  Motion grazes(parabola(-1.0));
  ASSERT_TRUE(grazes.simulation.advance_to(2.0));
  EXPECT_TRUE(grazes.simulation.events().empty());
  Motion leaves(parabola(0.0));  // from the top, downwards
  ASSERT_TRUE(leaves.simulation.advance_to(1.0));
  EXPECT_TRUE(leaves.simulation.events().empty());
  HybridAutomaton up = parabola(0.0);
  up.modes[0].f = [](double t, ConstVectorRef, VectorRef f) { f[0] = 2.0 * t; };
  Motion rises(up);
  EXPECT_EQ(rises.mode(), 1);  // at once
  ASSERT_TRUE(rises.simulation.advance_to(1.0));
  EXPECT_NEAR(rises.x()[0], 2.0, kLocated);
}

// t, as a guard, is a switch from outside; chains of transitions at one instant are taken in turn, and are told.
TEST(HybridAutomata, TimesAndChains) {
  const auto at = [](double instant) {
    return SwitchingFunction{.value = [=](double t, ConstVectorRef) { return t - instant; },
                             .rate = [](double, ConstVectorRef) { return 1.0; }};
  };
  HybridAutomaton gears{.x0 = {0.0},
                        .modes = {affine("first", 0.0, 1.0), affine("second", 0.0, 2.0), affine("third", 0.0, 3.0)},
                        .transitions = {{.from = "first", .to = "second", .guard = at(1.0)},
                                        {.from = "second", .to = "third", .guard = at(1.0)}}};
  Motion run(gears);
  ASSERT_TRUE(run.simulation.advance_to(2.0));
  EXPECT_NEAR(run.x()[0], 4.0, kBehind);
  event_log::expect_times(times_of(run.simulation, EventKind::Transition), {1.0, 1.0}, kLocated);
}

TEST(HybridAutomata, ResumedRunsHaveTheSameBits) {
  for (const auto& automaton : {thermostat(19.0, 21.0), ball(0.8, 1.0)}) {
    for (const SmoothIntegrator& integrator : {SmoothIntegrator(DormandPrince{}), SmoothIntegrator(RadauIIA{})}) {
      const EventDrivenOptions options{.integrator = integrator};
      Motion whole(automaton, options);
      ASSERT_TRUE(whole.simulation.advance_to(1.5));
      const State half_way = whole.simulation.state();
      ASSERT_TRUE(whole.simulation.advance_to(3.0));
      EventDriven resumed(whole.model, options);
      resumed.set_state(half_way);
      EXPECT_TRUE(has_whole_history(half_way));
      ASSERT_TRUE(resumed.advance_to(3.0));
      EXPECT_EQ(hash_of(resumed.state()), hash_of(whole.simulation.state()));
    }
  }
}

// The mode is a number of the state: set with it, written by actions, refused where it is none.
TEST(HybridAutomata, TheModeIsPartOfTheState) {
  NonSmoothDynamicalSystem model;
  const SystemHandle room = model.add(thermostat(19.0, 21.0));
  EventDriven simulation(
      model, {.events = {{.name = "off", .instants = {0.125}, .action = [=](State& s) { s.x(room)[1] = 1.0; }}}});
  State state = simulation.state();
  state.x(room) << 20.0, 1.0;
  simulation.set_state(state);
  ASSERT_TRUE(simulation.advance_to(0.01));
  EXPECT_NEAR(simulation.state().x(room)[0], 20.0 * std::exp(-0.01), 1e-9);
  state.x(room) << 20.0, 0.0;
  state.t = 0.0;
  simulation.set_state(state);
  ASSERT_TRUE(simulation.advance_to(0.2));  // warm at log(10 / 9) = 0.105
  EXPECT_EQ(mode_of(simulation.state(), room), 1);
  EXPECT_NEAR(simulation.state().x(room)[0], 21.0 * std::exp(-(0.2 - std::log(10.0 / 9.0))), 1e-9);
  state.x(room)[0] = 19.5;
  simulation.set_state(state);
  ASSERT_TRUE(simulation.advance_to(0.2));  // off at 1/8, at 20.7
  EXPECT_NEAR(simulation.state().x(room)[0], (30.0 - 10.5 * std::exp(-0.125)) * std::exp(-0.075), 1e-9);
  for (const double number : {0.5, 2.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    state.x(room)[1] = number;
    EXPECT_THROW(simulation.set_state(state), InvalidArgument) << number;
  }
}

// A room beside a tank with a diode: the mode drives another system through a relation, u = 1 - m.
TEST(HybridAutomata, RelationsReadTheMode) {
  NonSmoothDynamicalSystem model;
  const SystemHandle room = model.add(thermostat(19.0, 21.0));
  const SystemHandle meter = model.add(FirstOrderLinearSystem{.x0 = {0.0}, .name = "meter"});
  // 0 = lambda - (1 - m), r of the meter = lambda: it counts the time of heating.
  model.link({room, meter},
             FirstOrderLinearRelation{.C = {{0.0, 1.0, 0.0}}, .D = {{1.0}}, .B = {{0.0}, {0.0}, {1.0}}, .e = {-1.0}},
             EqualityLaw{});
  EventDriven simulation(model);
  const double down = std::log(21.0 / 19.0), up = std::log(11.0 / 9.0), first = std::log(12.0 / 9.0);
  const auto report = simulation.advance_to(first + down + up + 0.5 * down);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().x(meter)[0], first + up, 1e-9);
}

// Guards are judged along f_m alone: nothing else may act on x, and transitions alone change a mode.
TEST(HybridAutomata, RelationsThatActOnItAreRefused) {
  const auto refused = [](FirstOrderLinearRelation relation, const char* what) {
    NonSmoothDynamicalSystem model;
    const SystemHandle room = model.add(thermostat(19.0, 21.0));
    const SystemHandle meter = model.add(FirstOrderLinearSystem{.x0 = {0.0}, .name = "meter"});
    model.link({room, meter}, std::move(relation), EqualityLaw{});
    try {
      EventDriven simulation(model);
      FAIL() << what;
    } catch (const InvalidArgument& refusal) {
      expect_in(refusal.what(), {what, "room, a HybridAutomaton", "FirstOrderLinearRelation::B"});
    }
  };
  const Eigen::MatrixXd C{{1.0, 0.0, 1.0}};
  refused({.C = C, .B = {{1.0}, {0.0}, {0.0}}}, "an input to state 0");
  refused({.C = C, .B = {{0.0}, {1.0}, {0.0}}}, "an input to the mode");
  refused({.C = C, .B = [](double, MatrixRef B) { B << 0.0, 0.0, 1.0; }}, "a function of time");
}

// A guard that is a function of time without rate, of a scale that does not grow with t: -0.1 sin(10 t) is zero
// at t = 318 pi and falls there, pi / 10 on it rises. Differences over 1e-3 t have the wrong sign.
TEST(HybridAutomata, RatesByDifferencesLateInARun) {
  const double start = 318.0 * std::numbers::pi;
  NonSmoothDynamicalSystem model;
  const SystemHandle system = model.add(
      HybridAutomaton{.x0 = {0.0},
                      .modes = {affine("a", 0.0, 1.0), affine("b", 0.0, -1.0)},
                      .transitions = {{.from = "a", .to = "b", .guard = {.value = [](double t, ConstVectorRef) {
                                                                 return -0.1 * std::sin(10.0 * t);
                                                               }}}}});
  EventDriven simulation(model);
  State state = simulation.state();
  state.t = start;
  simulation.set_state(state);
  ASSERT_TRUE(simulation.advance_to(start + 10.0));
  EXPECT_EQ(mode_of(simulation.state(), system), 1);
  // t is known to eps * 1000, and so is sin(10 t) / 10.
  event_log::expect_times(times_of(simulation, EventKind::Transition), {start + 0.1 * std::numbers::pi}, 1e-11);
}

// Where the derivative by differences moved the mode, absolute / relative = 1e8 would make it another one.
TEST(HybridAutomata, DifferencesLeaveTheModeAlone) {
  HybridAutomaton room = thermostat(19.0, 21.0);
  room.modes[0].f_dx = room.modes[1].f_dx = nullptr;
  Motion run(room, {.integrator = RadauIIA{}, .relative_tolerance = 1e-10, .absolute_tolerance = 1e-2});
  const auto report = run.simulation.advance_to(0.2);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(run.mode(), 0);
  EXPECT_NEAR(run.x()[0], 30.0 - 12.0 * std::exp(-0.2), 0.1);  // steps to 1e-2
}

// sigma(t) = 1 and -1 by turns: by a system whose f reads it, and by modes with a clock. x_{k+1} = s + (x_k - s) / e.
TEST(HybridAutomata, SwitchedFromOutside) {
  double expected = 0.0;
  for (int k = 0; k < 5; ++k) {
    const double sigma = k % 2 == 0 ? 1.0 : -1.0;
    expected = sigma + (expected - sigma) * std::exp(-1.0);
  }
  NonSmoothDynamicalSystem model;
  const SystemHandle driven = model.add(
      FirstOrderSystem{.f = [](double t, ConstVectorRef x,
                               VectorRef f) { f[0] = (static_cast<long>(std::floor(t)) % 2 == 0 ? 1.0 : -1.0) - x[0]; },
                       .x0 = {0.0}});
  const auto towards = [](const std::string& name, double sigma) {
    return AutomatonMode{.name = name, .f = [=](double, ConstVectorRef x, VectorRef f) { f << sigma - x[0], 1.0; }};
  };
  const auto turn = [](const std::string& from, const std::string& to) {
    return AutomatonTransition{
        .from = from, .to = to, .guard = level(1.0, 1.0, 1), .reset = [](double, VectorRef x) { x[1] = 0.0; }};
  };
  const SystemHandle clocked = model.add(HybridAutomaton{.x0 = {0.0, 0.0},
                                                         .modes = {towards("up", 1.0), towards("down", -1.0)},
                                                         .transitions = {turn("up", "down"), turn("down", "up")}});
  EventDriven simulation(model, {.events = {{.name = "sigma", .first = 1.0, .period = 1.0}}});
  const auto report = simulation.advance_to(5.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().x(driven)[0], expected, 1e-9);
  EXPECT_NEAR(simulation.state().x(clocked)[0], expected, 1e-9);
}

TEST(HybridAutomata, BadInput) {
  NonSmoothDynamicalSystem model;
  const auto refused = [&](HybridAutomaton automaton, const char* what) {
    try {
      model.add(std::move(automaton));
      FAIL() << what;
    } catch (const InvalidArgument& refusal) {
      expect_in(refusal.what(), {what});
    }
  };
  const HybridAutomaton good = thermostat(19.0, 21.0);
  HybridAutomaton bad = good;
  bad.x0 = {};
  refused(bad, "x0");
  bad = good;
  bad.modes.clear();
  refused(bad, "modes");
  bad = good;
  bad.modes[1].name = "heats";
  refused(bad, "two modes heats");
  bad = good;
  bad.modes[1].name = "";
  refused(bad, "name of mode 1");
  bad = good;
  bad.start = "cools";
  refused(bad, "one of heats and rests");
  bad = good;
  bad.transitions[1].to = "cools";
  refused(bad, "to of cold");
  bad = good;
  bad.transitions[0].guard = {};
  refused(bad, "guard of warm");
  bad = good;
  bad.transitions[0].guard.gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient[0] = -1.0; };
  refused(bad, "gradient of warm");
  bad = good;
  bad.modes[0].f_dx = [](double, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; };
  refused(bad, "f_dx of heats");
  bad = good;
  bad.modes[0].f = [](double, ConstVectorRef, VectorRef f) { f[0] = std::nan(""); };
  refused(bad, "f of heats");
  bad = good;
  bad.modes[1].f = nullptr;
  refused(bad, "f_dx of rests");
  bad = good;  // not the one to begin in
  bad.modes[1].f_dx = [](double, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; };
  refused(bad, "f_dx of rests");
  bad = good;  // not defined at x0 = 18
  bad.modes[1].f = [](double, ConstVectorRef x, VectorRef f) { f[0] = std::sqrt(x[0] - 18.5); };
  EXPECT_NO_THROW(model.add(bad));
  bad.modes[1].f = [](double, ConstVectorRef x, VectorRef f) { f[0] = std::abs(x[0] - 18.0); };  // smooth elsewhere
  EXPECT_NO_THROW(model.add(bad));
  bad = good;  // 2e9 eps over a step of 1e-4 is 0.01: a right gradient
  bad.transitions[0].guard = level(1.0, 2e9);
  EXPECT_NO_THROW(model.add(bad));
  NonSmoothDynamicalSystem other;
  const SystemHandle linear = other.add(FirstOrderLinearSystem{.x0 = {7.4}});
  EXPECT_THROW((void)mode_of(other.initial_state(), linear), InvalidArgument);
  model = {};

  model.add(good);
  try {
    TimeStepping simulation(model, {.integrator = EulerMoreau{}, .step = 0.1});
    FAIL();
  } catch (const InvalidArgument& refusal) {
    expect_in(refusal.what(), {"room", "HybridAutomaton", "EventDriven"});
  }
  try {
    FiniteElementStepping simulation(model, {.step = 0.1});
    FAIL();
  } catch (const InvalidArgument& refusal) {
    expect_in(refusal.what(), {"room", "HybridAutomaton", "EventDriven"});
  }
}

}  // namespace
}  // namespace nonsmooth::hybrid_automata_test
