// SPDX-License-Identifier: Apache-2.0
// Where switches and impacts accumulate, sliding ends, or several motions satisfy the laws.
#include <cmath>
#include <string>
#include <vector>

#include <problems/reference.hpp>

#include "event_log.hpp"

namespace nonsmooth::several_motions_test {
namespace {

using namespace event_log;

// Twisting, x1' = x2, x2' in -a Sgn(x1) - b Sgn(x2), from (1, 0): speeds at the turns fall by r = sqrt((a - b)/(a +
// b)), and with the first quarter T1 = sqrt(2 / (a + b)) down, sqrt(2 / (a - b)) r up... the sum of the geometric
// series is the instant of rest.
TEST(AccumulatingSwitches, TwistingComesToRest) {
  for (const auto& [a, b] : {std::pair{2.0, 1.0}, std::pair{3.0, 0.5}, std::pair{2.0, 1.5}}) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.A = {{0, 1}, {0, 0}}, .x0 = {1.0, 0.0}});
    model.link(system, FirstOrderLinearRelation{.C = {{1, 0}, {0, 1}}, .B = {{0, 0}, {a, b}}}, RelayLaw{}, "twist");
    EventDriven simulation(model);
    const auto report = simulation.advance_to(40.0);
    ASSERT_TRUE(report) << report.message();
    // Towards x1 = 0, x2 opposes x1 and its friction the drive: |x2'| = a - b from 1 to 0; past it both brake: a + b.
    const double r = (a - b) / (a + b);  // |x1| at one turn over that at the turn before
    const double first = std::sqrt(2.0 / (a - b)) + std::sqrt(2.0 * r / (a + b));
    const double end = first / (1.0 - std::sqrt(r));
    EXPECT_TRUE(times_of(simulation, EventKind::Ambiguity).empty());
    const auto switches = times_of(simulation, EventKind::Switch);
    ASSERT_FALSE(switches.empty());
    // Followed until |x1| is below 1e-12 (EventThresholds::accumulation) of its largest at a turn. From a turn at x1
    // the rest takes sqrt(x1) times what it takes from 1: 1e-6 of the end.
    EXPECT_LE(switches.back(), end * (1.0 + 1e-9));
    EXPECT_GE(switches.back(), end * (1.0 - 1.001e-6)) << a << ' ' << b;
    EXPECT_LE(simulation.state().x(system).norm(), 1e-12);
  }
}

// Balls of 1 kg and of size 1 over a floor, dropped with gaps between them: at rest on one another in the end.
TEST(AccumulatingImpacts, StacksComeToRest) {
  for (const auto& [count, restitution, T] :
       {std::tuple{2, 0.95, 60.0}, {3, 0.95, 60.0}, {3, 0.5, 10.0}, {4, 0.9, 40.0}, {5, 0.99, 400.0}}) {
    NonSmoothDynamicalSystem model;
    std::vector<SystemHandle> balls;
    for (int i = 0; i < count; ++i)
      balls.push_back(model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {0.5 + i + 0.1 * i * i}}));
    model.link(balls[0], LagrangianLinearRelation{.H = {{1.0}}, .b = {-0.5}}, NewtonImpactLaw{restitution});
    for (std::size_t i = 1; i < balls.size(); ++i) {
      model.link({balls[i - 1], balls[i]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-1.0}},
                 NewtonImpactLaw{restitution});
    }
    EventDriven simulation(model);
    const auto report = simulation.advance_to(T);
    ASSERT_TRUE(report) << count << " balls, e = " << restitution << ": " << report.message();
    for (std::size_t i = 0; i < balls.size(); ++i) {
      EXPECT_NEAR(simulation.state().q(balls[i])[0], 0.5 + static_cast<double>(i), 1e-10);
      EXPECT_EQ(simulation.state().v(balls[i])[0], 0.0);
    }
  }
}

// x' = f - Sgn(x) slides at 0 from where f has fallen below 1 until |f| is 1 at t = 1, then follows x' = f + 1. A
// Jacobian that vanishes at x = 0 tells no time scale there.
TEST(SlidingEnds, WhereTheJacobianVanishes) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(
      FirstOrderSystem{.f = [](double t, ConstVectorRef x, VectorRef f) { f[0] = -x[0] * x[0] - t; }, .x0 = {1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, RelayLaw{});
  EventDriven simulation(model);
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  const auto switches = events_of(simulation, EventKind::Switch);
  ASSERT_EQ(switches.size(), 2u);
  EXPECT_NEAR(switches[1].t, 1.0, 1e-12);
  EXPECT_EQ(switches[1].value, 1.0);
  const auto after = [](double t, ConstVectorRef x, VectorRef slope) { slope[0] = 1.0 - t - x[0] * x[0]; };
  EXPECT_NEAR(simulation.state().x(system)[0], problems::solve_ode(after, Eigen::VectorXd::Zero(1), 1.0, 2.0)[0], 1e-9);
}

// x' = lambda with lambda in Sgn(x), from 0: x = t, x = -t and x = 0 are motions, and others that leave later.
TEST(Ambiguity, RelayOfTheWrongSign) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{-1.0}}}, RelayLaw{}, "wrong");
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(1.0));
  const auto told = events_of(simulation, EventKind::Ambiguity);
  ASSERT_EQ(told.size(), 2u) << "the other two motions";
  EXPECT_NEAR(told[0].t, 0.0, 1e-300);  // right of the start
  EXPECT_NE(told[0].value, told[1].value);
}

// x' = -2 Sgn(x - y), y' = -0.75 + 2.25 Sgn(x - y), each with a relay of its own: sliding on x = y determines one
// combination of the two, and x(1) depends on the other.
TEST(Ambiguity, TwoRelaysOnOneSurface) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.b = {0.0, -0.75}, .x0 = {1.5, 1.0}});
  const auto two = model.link(system, FirstOrderLinearRelation{.C = {{1, -1}, {1, -1}}, .B = {{2, 0}, {0, -2.25}}},
                              RelayLaw{}, "two");
  EventDriven simulation(model, {.on_ambiguity = OnAmbiguity::First});
  ASSERT_TRUE(simulation.advance_to(1.0));
  const auto told = events_of(simulation, EventKind::Ambiguity);
  ASSERT_EQ(told.size(), 1u);
  // They close at 5 t = 0.5 + 0.75 t.
  EXPECT_NEAR(told[0].t, 0.5 / 3.5, 1e-12);
  EXPECT_EQ(told[0].interaction, two);
}

// Relays that oppose their outputs: motions are unique, and nothing is told.
TEST(Ambiguity, IsNotToldWhereMotionsAreUnique) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.b = {0.3, -0.2}, .x0 = {1.5, 1.0}});
  model.link(system, FirstOrderLinearRelation{.C = {{1, 0.2}, {0.1, 1}}, .B = {{1, 0}, {0, 1}}}, RelayLaw{});
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(5.0));
  EXPECT_TRUE(events_of(simulation, EventKind::Ambiguity).empty());
}

TEST(RefusedByEvents, AGraphOfOneBranch) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {0.0}});
  model.link(body, LagrangianLinearRelation{.H = {{1.0}}},
             PiecewiseLinearLaw{.points = {{0.0, 0.5}}, .slope_before = HUGE_VAL, .slope_after = HUGE_VAL}, "graph");
  EXPECT_THROW(EventDriven{model}, InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::several_motions_test
