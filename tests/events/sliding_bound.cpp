// SPDX-License-Identifier: Apache-2.0
// Chattering automata beside the sliding that they tend to: the limit recognised, and the distance bounded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/sliding_bound.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::sliding_bound_test {
namespace {

using Field = std::function<void(double, ConstVectorRef, VectorRef)>;
using Function = std::function<double(double, ConstVectorRef)>;

/// `below` until c = d, `above` until c = -d.
HybridAutomaton hysteresis(const Eigen::VectorXd& x0, const Field& below, const Field& above, const Function& c,
                           double d) {
  return {
      .x0 = x0,
      .modes = {{.name = "below", .f = below}, {.name = "above", .f = above}},
      .transitions = {
          {.from = "below", .to = "above", .guard = {.value = [=](double t, ConstVectorRef x) { return c(t, x) - d; }}},
          {.from = "above", .to = "below", .guard = {.value = [=](double t, ConstVectorRef x) {
                                             return -c(t, x) - d;
                                           }}}}};
}
/// The automaton's x at T, and the largest number of transitions on the way.
Eigen::VectorXd chatters_to(double T, const HybridAutomaton& automaton, std::size_t least_transitions) {
  NonSmoothDynamicalSystem model;
  const SystemHandle handle = model.add(automaton);
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(T);
  EXPECT_TRUE(report) << report.message();
  EXPECT_GE(simulation.events().size(), least_transitions);
  const Eigen::VectorXd x = simulation.state().x(handle);
  return x.head(x.size() - 1);
}

// x' = 30 - x and -x between 19 and 21: slides at 20, and is never farther from it than the half width.
TEST(SlidingBound, AThermostatTendsToItsMiddle) {
  const HybridAutomaton room = hysteresis(
      Eigen::VectorXd::Constant(1, 18.0), [](double, ConstVectorRef x, VectorRef f) { f[0] = 30.0 - x[0]; },
      [](double, ConstVectorRef x, VectorRef f) { f[0] = -x[0]; }, [](double, ConstVectorRef x) { return x[0] - 20.0; },
      1.0);
  const SlidingLimit limit = sliding_limit(room, "below", "above");
  EXPECT_NEAR(limit.lag.band, 1.0, 1e-14);
  NonSmoothDynamicalSystem model;
  const FilippovHandles handles = link_filippov(model, limit.sliding);
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().x(handles.system)[0], 20.0, 1e-12);
  const SlidingBound bound = sliding_bound(limit.sliding, limit.lag, 1.0, simulation.state().x(handles.system), 9.0);
  EXPECT_TRUE(bound.slides);
  EXPECT_EQ(bound.t, 9.0);
  EXPECT_NEAR(bound.distance, 1.0, 1e-8);  // G = (f_- - f_+) / (w_- - w_+) = 1
}

// (1, 2 - y) and (-1, -y) about x = 0: y_s = 1 - e^-t / 2, G = (1, 1), B = (0, -1), mu = -1, so that the distance is
// d (sqrt 2 + 1 - e^-t). The automaton obeys it for each d, and is no closer than its own x shows.
TEST(SlidingBound, HasItsClosedForm) {
  constexpr double T = 1.3;
  for (const double d : {0.1, 0.05, 0.01}) {
    const HybridAutomaton automaton = hysteresis(
        Eigen::Vector2d(0.0, 0.5), [](double, ConstVectorRef x, VectorRef f) { f << 1.0, 2.0 - x[1]; },
        [](double, ConstVectorRef x, VectorRef f) { f << -1.0, -x[1]; }, [](double, ConstVectorRef x) { return x[0]; },
        d);
    const SlidingLimit limit = sliding_limit(automaton, "below", "above");
    const SlidingBound bound = sliding_bound(limit.sliding, limit.lag, 0.0, automaton.x0.value(), T);
    ASSERT_TRUE(bound.slides);
    EXPECT_NEAR(bound.x[1], 1.0 - 0.5 * std::exp(-T), 1e-9);
    EXPECT_NEAR(bound.distance, d * (std::sqrt(2.0) + 1.0 - std::exp(-T)), 1e-6 * d);
    const Eigen::VectorXd x = chatters_to(T, automaton, 5);
    EXPECT_LE((x - bound.x).norm(), bound.distance);
    EXPECT_GE((x - bound.x).norm(), std::abs(x[0]));
  }
}

// On the unit circle, outwards at rate 1 with rotation 1, inwards with rotation 3: x_s turns by 2 t. What is left out
// of the bound is some d^2.
TEST(SlidingBound, HoldsOnACircle) {
  const auto field = [](double out, double turn) {
    return [=](double, ConstVectorRef x, VectorRef f) { f << out * x[0] - turn * x[1], out * x[1] + turn * x[0]; };
  };
  const auto c = [](double, ConstVectorRef x) { return 0.5 * (x.squaredNorm() - 1.0); };
  for (const double d : {0.05, 0.02}) {
    const HybridAutomaton automaton = hysteresis(Eigen::Vector2d(1.0, 0.0), field(1.0, 1.0), field(-1.0, 3.0), c, d);
    const SlidingLimit limit = sliding_limit(automaton, "below", "above");
    const SlidingBound bound = sliding_bound(limit.sliding, limit.lag, 0.0, automaton.x0.value(), 1.0);
    ASSERT_TRUE(bound.slides);
    EXPECT_NEAR(bound.x[0], std::cos(2.0), 1e-8);
    EXPECT_LE(bound.distance, 10.0 * d);
    EXPECT_LE((chatters_to(1.0, automaton, 5) - bound.x).norm(), bound.distance + 10.0 * d * d);
  }
}

// Switched 0.01 too late, x' = 1 and -2 go up to 0.01 and down to -0.02: delay times the fastest rate.
TEST(SlidingBound, DelaysAreLagsToo) {
  using filippov_systems::constant;
  using filippov_systems::coordinate;
  constexpr double tau = 0.01;
  const FilippovSystem relay{
      .x0 = {0.0}, .switches = {coordinate(0)}, .regions = {constant({-1}, {1.0}), constant({1}, {-2.0})}};
  const SlidingBound bound = sliding_bound(relay, {.delay = tau}, 0.0, Eigen::VectorXd::Zero(1), 1.0);
  EXPECT_NEAR(bound.distance, 2.0 * tau, 1e-12);
  const auto moves = [](double speed, double clock) {
    return [=](double, ConstVectorRef, VectorRef f) { f << speed, clock; };
  };
  const SwitchingFunction late{.value = [](double, ConstVectorRef x) { return x[1] - tau; }},
      rises{.value = [](double, ConstVectorRef x) { return x[0]; }},
      falls{.value = [](double, ConstVectorRef x) { return -x[0]; }};
  const auto zero = [](double, VectorRef x) { x[1] = 0.0; };
  NonSmoothDynamicalSystem model;
  const SystemHandle handle =
      model.add(HybridAutomaton{.x0 = {-0.005, 0.0},
                                .modes = {{.name = "up", .f = moves(1.0, 0.0)},
                                          {.name = "still up", .f = moves(1.0, 1.0)},
                                          {.name = "down", .f = moves(-2.0, 0.0)},
                                          {.name = "still down", .f = moves(-2.0, 1.0)}},
                                .transitions = {{.from = "up", .to = "still up", .guard = rises, .reset = zero},
                                                {.from = "still up", .to = "down", .guard = late},
                                                {.from = "down", .to = "still down", .guard = falls, .reset = zero},
                                                {.from = "still down", .to = "up", .guard = late}}});
  EventDriven simulation(model);
  double farthest = 0.0;
  for (int k = 1; k <= 200; ++k) {
    ASSERT_TRUE(simulation.advance_to(0.001 * k));
    farthest = std::max(farthest, std::abs(simulation.state().x(handle)[0]));
  }
  EXPECT_LE(farthest, bound.distance * (1.0 + 1e-9));
  EXPECT_GE(farthest, 0.9 * bound.distance);
}

// x' = t - l, l in Sgn x: slides until t = 1, found within the steps of 0.0075.
TEST(SlidingBound, TellsWhereSlidingEnds) {
  const SlidingBound bound =
      sliding_bound(filippov_systems::sliding_and_exit(), {.band = 1e-3}, 0.5, Eigen::Vector2d(0.0, 1.0), 2.0);
  EXPECT_FALSE(bound.slides);
  EXPECT_NEAR(bound.t, 1.0, 0.016);
  EXPECT_EQ(sliding_bound(filippov_systems::sliding_and_exit(), {}, 0.5, Eigen::Vector2d(0.0, 1.0), 0.9).distance, 0.0);
}

TEST(SlidingBound, RefusesWhatIsNoHysteresis) {
  const auto up = [](double, ConstVectorRef, VectorRef f) { f[0] = 1.0; };
  const auto down = [](double, ConstVectorRef, VectorRef f) { f[0] = -1.0; };
  const auto c = [](double, ConstVectorRef x) { return x[0]; };
  const Eigen::VectorXd x0 = Eigen::VectorXd::Zero(1);
  const HybridAutomaton good = hysteresis(x0, up, down, c, 0.1);
  EXPECT_EQ(sliding_limit(hysteresis(x0, up, down, c, 0.0), "below", "above").lag.band, 0.0);
  EXPECT_THROW((void)sliding_limit(good, "below", "nowhere"), InvalidArgument);
  EXPECT_THROW((void)sliding_limit(good, "below", "below"), InvalidArgument);
  EXPECT_THROW((void)sliding_limit(hysteresis(x0, up, down, c, -0.1), "below", "above"), InvalidArgument);
  HybridAutomaton jumps = good;
  jumps.transitions[0].reset = [](double, VectorRef) {};
  EXPECT_THROW((void)sliding_limit(jumps, "below", "above"), InvalidArgument);
  HybridAutomaton slanted = good;
  slanted.transitions[1].guard.value = [](double, ConstVectorRef x) { return -2.0 * x[0] - 0.1; };
  EXPECT_THROW((void)sliding_limit(slanted, "below", "above"), InvalidArgument);
  const FilippovSystem sliding = sliding_limit(good, "below", "above").sliding;
  EXPECT_THROW((void)sliding_bound(sliding, {.band = -1.0}, 0.0, x0, 1.0), InvalidArgument);
  EXPECT_THROW((void)sliding_bound(sliding, {}, 0.0, Eigen::VectorXd::Ones(1), 1.0), InvalidArgument);
  EXPECT_THROW((void)sliding_bound(sliding, {}, 1.0, x0, 0.0), InvalidArgument);
  EXPECT_THROW((void)sliding_bound(sliding, {}, 0.0, Eigen::VectorXd::Zero(2), 1.0), InvalidArgument);
  EXPECT_THROW((void)sliding_bound(filippov_systems::two_relays(), {}, 0.0, Eigen::Vector2d::Zero(), 1.0),
               InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::sliding_bound_test
