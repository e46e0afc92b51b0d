// SPDX-License-Identifier: Apache-2.0
// Automata that slide where they would switch to and fro too fast: against closed forms, beside the saw-tooth itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/joined_systems.hpp>
#include <nonsmooth/kernel/sliding_bound.hpp>
#include <nonsmooth/kernel/systems.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "event_log.hpp"

namespace nonsmooth::automaton_sliding_test {
namespace {

using event_log::times_of;
using Field = std::function<void(double, ConstVectorRef, VectorRef)>;

constexpr double kEvents = 1e-8;  ///< integrators keep 1e-10 a step

/// `below` until x_0 = d, `above` until x_0 = -d.
HybridAutomaton hysteresis(const Eigen::VectorXd& x0, const Field& below, const Field& above, double d,
                           double interval) {
  const auto guard = [d](double sign) {
    return SwitchingFunction{.value = [=](double, ConstVectorRef x) { return sign * x[0] - d; },
                             .gradient = [=](double, ConstVectorRef, VectorRef gradient) { gradient[0] = sign; }};
  };
  return {.x0 = x0,
          .modes = {{.name = "below", .f = below}, {.name = "above", .f = above}},
          .transitions = {{.name = "up", .from = "below", .to = "above", .guard = guard(1.0)},
                          {.name = "down", .from = "above", .to = "below", .guard = guard(-1.0)}},
          .name = "relay",
          .sliding_interval = interval};
}
/// x' = 30 - x and -x about 20.
HybridAutomaton thermostat(double half_width, double interval) {
  HybridAutomaton room = hysteresis(
      Eigen::VectorXd::Constant(1, 18.0), [](double, ConstVectorRef x, VectorRef f) { f[0] = 30.0 - x[0]; },
      [](double, ConstVectorRef x, VectorRef f) { f[0] = -x[0]; }, half_width, interval);
  room.transitions[0].guard = {.value = [=](double, ConstVectorRef x) { return x[0] - 20.0 - half_width; }};
  room.transitions[1].guard = {.value = [=](double, ConstVectorRef x) { return 20.0 - half_width - x[0]; }};
  return room;
}
/// x' = t - 1 above, t + 1 below; y' = -y and y.
HybridAutomaton sliding_and_exit(double d, double interval) {
  const auto field = [](double l) { return [l](double t, ConstVectorRef x, VectorRef f) { f << t - l, -l * x[1]; }; };
  HybridAutomaton automaton = hysteresis(Eigen::Vector2d(0.25, 1.0), field(-1.0), field(1.0), d, interval);
  automaton.start = "above";
  return automaton;
}

struct Motion {
  explicit Motion(HybridAutomaton automaton, EventDrivenOptions options = {})
      : system(model.add(std::move(automaton))), simulation(model, std::move(options)) {}
  RunReport to(double T) {
    RunReport report = simulation.advance_to(T);
    EXPECT_TRUE(report) << report.message();
    return report;
  }
  [[nodiscard]] Eigen::VectorXd x() const {
    const Eigen::VectorXd all = simulation.state().x(system);
    return all.head(all.size() - 1);
  }
  [[nodiscard]] Index mode() const { return mode_of(simulation.state(), system); }

  NonSmoothDynamicalSystem model;
  SystemHandle system;
  EventDriven simulation;
};

// From 18 up to 20.01, where a tooth takes 0.002 up and 0.001 down: at 20 from then on, 0.01 from the saw-tooth, as G =
// 1 and nothing is tangent to a point.
TEST(AutomatonSliding, StandsForAFastSawTooth) {
  Motion run(thermostat(0.01, 0.1));
  const RunReport report = run.to(3.0);
  EXPECT_EQ(run.mode(), 2);
  EXPECT_NEAR(run.x()[0], 20.0, 1e-14 * 20.0);
  ASSERT_EQ(run.simulation.events().size(), 1u);
  const Event& event = run.simulation.events().front();
  EXPECT_EQ(event.kind, EventKind::Transition);
  EXPECT_EQ(event.row, 0);
  EXPECT_EQ(event.value, 2.0);
  EXPECT_NEAR(event.t, std::log(12.0 / 9.99), 1e-9);
  for (const RunRemarks* remarks : {&run.simulation.findings(), &report.findings}) {
    ASSERT_EQ(remarks->size(), 1u);
    EXPECT_EQ(remarks->front().kind, RunRemark::Kind::SlidingInstead);
    EXPECT_EQ(remarks->front().subject, "relay: sliding between below and above");
    EXPECT_EQ(remarks->front().count, 1);
    EXPECT_EQ(remarks->front().first_t, event.t);
    EXPECT_NEAR(remarks->front().worst, 0.01, 1e-8);
  }
  // Later calls tell it again, once.
  EXPECT_EQ(run.to(4.0).findings.front().count, 1);
  EXPECT_EQ(run.simulation.findings().front().count, 1);
}

// The same automaton where teeth are slow against what is asked, or nothing is asked: followed switch by switch.
TEST(AutomatonSliding, LeavesASlowSawToothAlone) {
  for (const double interval : {0.0, 0.1}) {
    Motion run(thermostat(1.0, interval));  // 0.2 up, 0.1 down
    run.to(2.0);
    const double period = std::log(21.0 / 19.0) + std::log(11.0 / 9.0);
    EXPECT_NEAR(static_cast<double>(run.simulation.events().size()), 2.0 * 2.0 / period, 4.0);
    EXPECT_LE(run.mode(), 1);
    EXPECT_TRUE(run.simulation.findings().empty());
  }
}

// (1, 2 - y) and (-1, -y) about x = 0: y' = 1 - y in sliding, which begins at t = d with x - G c, G = (1, 1). The
// distance is d (sqrt 2 + 1 - e^(d - t)), the largest at the end, and the saw-tooth keeps it.
TEST(AutomatonSliding, TellsTheDistanceOfTheSawTooth) {
  constexpr double T = 1.3;
  const auto automaton = [](double d, double interval) {
    return hysteresis(
        Eigen::Vector2d(0.0, 0.5), [](double, ConstVectorRef x, VectorRef f) { f << 1.0, 2.0 - x[1]; },
        [](double, ConstVectorRef x, VectorRef f) { f << -1.0, -x[1]; }, d, interval);
  };
  for (const double d : {0.1, 0.01, 0.001}) {
    Motion slides(automaton(d, 1.0)), switches(automaton(d, 0.0));
    slides.to(T);
    switches.to(T);
    EXPECT_GE(switches.simulation.events().size(), 5u);
    ASSERT_EQ(slides.simulation.events().size(), 1u);
    const double start = 2.0 - 1.5 * std::exp(-d) - d;  // y where it lands
    EXPECT_NEAR(slides.x()[0], 0.0, 1e-15);
    EXPECT_NEAR(slides.x()[1], 1.0 + (start - 1.0) * std::exp(d - T), kEvents);
    const double distance = slides.simulation.findings().front().worst;
    // Steps of 0.3 and less of a linear equation with rate 1: (0.3)^4 / 120; differences 1e-8.
    EXPECT_NEAR(distance, d * (std::numbers::sqrt2 + 1.0 - std::exp(d - T)), 1e-4 * d);
    EXPECT_LE((slides.x() - switches.x()).norm(), distance);
  }
}

// Along x = 0 from the band's lower end on until the upper tooth takes 2 I: -w_+ = 1 - t = d / I. From there on x' = t
// - 1 by the automaton itself, which goes down to -d (1 - t > 0), and up again.
TEST(AutomatonSliding, EndsWhereTheSawToothGetsSlow) {
  constexpr double d = 1e-3, interval = 0.02;
  Motion run(sliding_and_exit(d, interval));
  run.to(2.0);
  const std::vector<double> times = times_of(run.simulation, EventKind::Transition);
  ASSERT_GE(times.size(), 2u);
  EXPECT_NEAR(times[0], 1.0 - std::sqrt(0.5 - 2.0 * d), 1e-9);  // x = 1/4 - t + t^2 / 2 = -d
  EXPECT_NEAR(times[1], 1.0 - d / interval, 1e-9);
  EXPECT_EQ(run.simulation.events()[0].value, 2.0);
  EXPECT_EQ(run.simulation.events()[1].value, 1.0);
  EXPECT_EQ(run.mode(), 1);
  // The motion without a band ends at (1/2, exp(-7/4)); what a band of d changes is some d, and where x leaves later by
  // some sqrt d the exit is quadratic.
  EXPECT_NEAR(run.x()[0], 0.5, 20.0 * d);
  EXPECT_NEAR(run.x()[1], std::exp(-1.75), 20.0 * d);
}

// No width: the Schmitt trigger that has no motion as an automaton has one as it slides, from 1 - 1 / sqrt 2 to 1.
TEST(AutomatonSliding, OfNoWidthIsFilippovsMotion) {
  {
    Motion chatters(sliding_and_exit(0.0, 0.0));
    EXPECT_EQ(chatters.simulation.advance_to(2.0).outcome, RunReport::Outcome::Chattering);
  }
  Motion run(sliding_and_exit(0.0, 1e-3));
  run.to(2.0);
  event_log::expect_times(times_of(run.simulation, EventKind::Transition), {1.0 - std::numbers::sqrt2 / 2.0, 1.0},
                          kEvents);
  EXPECT_EQ(run.mode(), 1);
  EXPECT_NEAR(run.x()[0], 0.5, kEvents);
  EXPECT_NEAR(run.x()[1], std::exp(-1.75), kEvents);
  EXPECT_EQ(run.simulation.findings().front().worst, 0.0);
}

// A third mode that both lead to at x_1 = 1: x_1 rises at rate 1 in both.
TEST(AutomatonSliding, OtherTransitionsLeaveIt) {
  const auto field = [](double w) { return [w](double, ConstVectorRef, VectorRef f) { f << w, 1.0; }; };
  HybridAutomaton automaton = hysteresis(Eigen::Vector2d(-0.5, 0.0), field(1.0), field(-2.0), 0.01, 0.5);
  automaton.modes.push_back({.name = "off"});
  const SwitchingFunction late{.value = [](double, ConstVectorRef x) { return x[1] - 1.0; }};
  for (const char* from : {"below", "above"})
    automaton.transitions.push_back({.name = "off", .from = from, .to = "off", .guard = late});
  Motion run(automaton);
  run.to(3.0);
  EXPECT_EQ(run.mode(), 2);
  event_log::expect_times(times_of(run.simulation, EventKind::Transition), {0.51, 1.0}, 1e-9);
  EXPECT_EQ(run.simulation.events().back().row, 6);  // behind up, down, off, off and the two ends of the sliding
  EXPECT_NEAR(run.x()[0], 0.0, 1e-14);
  EXPECT_NEAR(run.x()[1], 1.0, 1e-12);
}

// A run that goes on from a state on the way has the same bits, and the same bound.
TEST(AutomatonSliding, GoesOnFromAState) {
  Motion whole(sliding_and_exit(1e-3, 0.02));
  whole.to(0.6);
  EXPECT_EQ(whole.mode(), 2);
  EventDriven second(whole.model);
  second.set_state(whole.simulation.state());
  whole.to(0.9);
  ASSERT_TRUE(second.advance_to(0.9));
  EXPECT_EQ(whole.simulation.state().unknowns, second.state().unknowns);
  ASSERT_EQ(second.findings().size(), 1u);
  EXPECT_EQ(whole.simulation.findings().front().worst, second.findings().front().worst);
  EXPECT_EQ(whole.simulation.findings().front().first_t, second.findings().front().first_t);
}

// m v' = u, u = -+4 about q + v = 0 with a band: on the line v = -q, by the whole of the equations.
TEST(AutomatonSliding, HoldsAMassOnALine) {
  const JoinedSystems plant({make_system(LagrangianLinearSystem{.mass = {{2.0}}, .q0 = {1.0}, .v0 = {-1.0}})});
  const auto push = [](double u) { return [u](double, ConstVectorRef, VectorRef value) { value[0] = u; }; };
  const auto line = [](double sign) {
    return SwitchingFunction{.value = [sign](double, ConstVectorRef x) { return sign * (x[0] + x[1]) - 1e-3; }};
  };
  Motion run(
      plant.join(HybridAutomaton{.modes = {{.name = "pushes", .f = push(4.0)}, {.name = "pulls", .f = push(-4.0)}},
                                 .transitions = {{.from = "pushes", .to = "pulls", .guard = line(1.0)},
                                                 {.from = "pulls", .to = "pushes", .guard = line(-1.0)}},
                                 .sliding_interval = 0.05}));
  run.to(2.0);
  EXPECT_EQ(run.mode(), 2);
  // It lands at most 1e-3 |G| = 1e-3 from where it was.
  EXPECT_NEAR(run.x()[0], std::exp(-2.0), 2e-3);
  EXPECT_NEAR(run.x()[1], -run.x()[0], 1e-14);
}

// A reset that throws x far above the band: "up" is due there, and no place to slide.
TEST(AutomatonSliding, BeginsNextToTheBandAlone) {
  const auto field = [](double w) { return [w](double, ConstVectorRef, VectorRef f) { f << w, 1.0; }; };
  HybridAutomaton automaton = hysteresis(Eigen::Vector2d(-0.5, 0.0), field(1.0), field(-2.0), 0.0, 0.5);
  for (const char* from : {"below", "above"}) {
    automaton.transitions.push_back({.name = "thrown",
                                     .from = from,
                                     .to = from,
                                     .guard = {.value = [](double, ConstVectorRef x) { return x[1] - 1.0; }},
                                     .reset = [](double, VectorRef x) { x << 1.0, -9.0; }});
  }
  Motion run(automaton);
  run.to(1.2);
  EXPECT_EQ(run.mode(), 1);
  EXPECT_NEAR(run.x()[0], 0.6, 1e-12);
  run.to(2.0);
  EXPECT_EQ(run.mode(), 2);
  // What slides may be thrown from either mode, and from below goes up at the same instant.
  std::vector<double> times = times_of(run.simulation, EventKind::Transition);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  event_log::expect_times(times, {0.5, 1.0, 1.5}, 1e-9);
}

TEST(AutomatonSliding, RefusesWhatItCannotSlideBetween) {
  NonSmoothDynamicalSystem model;
  EXPECT_THROW((void)model.add(thermostat(0.01, -1.0)), InvalidArgument);
  EXPECT_THROW((void)model.add(thermostat(0.01, std::numeric_limits<double>::infinity())), InvalidArgument);
  HybridAutomaton jumps = thermostat(0.01, 0.1);
  jumps.transitions[0].reset = [](double, VectorRef) {};
  try {
    (void)model.add(jumps);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("sliding_interval"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace nonsmooth::automaton_sliding_test
