// SPDX-License-Identifier: Apache-2.0
// Guards that turn often in one step, or agree with a constant where they are sampled: no event is lost silently.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "event_log.hpp"
#include "smooth/guard_roots.hpp"

namespace nonsmooth::missed_events_test {
namespace {

using namespace event_log;
using Direction = UserEvent::Direction;

/// A function of s in [0, 1] on a step of length h from 0.
class Function final : public smooth::Guards {
 public:
  explicit Function(std::function<double(double)> function) : function_(std::move(function)) {}
  [[nodiscard]] Index size() const override { return 1; }
  void operator()(double, const Eigen::VectorXd& z, Eigen::VectorXd& values) override {
    values.resize(1);
    values[0] = function_(z[0]);
  }

 private:
  std::function<double(double)> function_;
};

smooth::DensePolynomial step() {
  smooth::DensePolynomial dense;
  dense.h = 1.0;
  dense.degree = 1;
  dense.coefficients = Eigen::RowVector2d(0.0, 1.0);
  return dense;
}

/// T_n(2 s - 1).
double chebyshev(int n, double s) { return std::cos(n * std::acos(std::clamp(2.0 * s - 1.0, -1.0, 1.0))); }
/// s of the first zero of level + T_n(2 s - 1), 0 < level < 1, n even: n theta = n pi - acos(-level).
double first_zero(int n, double level) { return 0.5 + 0.5 * std::cos(kPi - std::acos(-level) / n); }

TEST(MissedEvents, PolynomialsThatAreConstantOnTheNodes) {
  // T_8 is 1 on five nodes, T_16 on nine, T_32 on those of the halves' ends too.
  for (const int n : {8, 16, 32}) {
    for (const double level : {0.5, 0.9, 0.01}) {
      Function guard([&](double s) { return level + chebyshev(n, s); });
      smooth::FirstCrossing search;
      const auto found = search.first(guard, step(), {}, {});
      ASSERT_TRUE(found) << n;
      // acos and cos of angles up to n pi: n pi eps, over a slope of n sqrt(1 - level^2) / sin(theta) > 2.
      EXPECT_NEAR(found->t, first_zero(n, level), 1e-13) << n;
      Function other([&](double s) { return 1.5 + chebyshev(n, s); });
      EXPECT_FALSE(search.first(other, step(), {}, {}));
      EXPECT_FALSE(search.unresolved());
    }
  }
}

TEST(MissedEvents, WhatIsNotResolvedIsTold) {
  constexpr double turns = 5000.3;
  Function guard([&](double s) { return std::cos(2.0 * kPi * turns * s); });
  smooth::FirstCrossing search;
  EXPECT_FALSE(search.first(guard, step(), {}, {}));
  ASSERT_TRUE(search.unresolved());
  EXPECT_LT(search.unresolved()->t, 0.25 / turns);
  EXPECT_GT(search.unresolved()->size, 0.1);
  // A part that is smooth is certain: up to 3/4 nothing happens, behind it is the same.
  Function late([&](double s) { return s < 0.75 ? 2.0 : 1.0 + std::cos(2.0 * kPi * turns * (s - 0.75)); });
  EXPECT_FALSE(search.first(late, step(), {}, {}));
  ASSERT_TRUE(search.unresolved());
  EXPECT_NEAR(search.unresolved()->t, 0.75, 1.0 / 1024.0);
}

TEST(MissedEvents, NoiseEndsWhereItIsKnownToBe) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-1e-9, 1e-9);
  Function guard([&](double) { return noise(random); });
  smooth::FirstCrossing search;
  EXPECT_FALSE(search.first(guard, step(), {}, {}));
  ASSERT_TRUE(search.unresolved());
  search.count_as_noise(*search.unresolved());
  EXPECT_FALSE(search.first(guard, step(), {}, {}));
  EXPECT_FALSE(search.unresolved());
  EXPECT_LT(search.evaluations(), 9 * 3 * 1024);
  // Below a tolerance nothing has to be known.
  smooth::FirstCrossing other;
  EXPECT_FALSE(other.first(guard, step(), {}, Eigen::VectorXd::Constant(1, 1e-9)));
  EXPECT_FALSE(other.unresolved());
}

TEST(MissedEvents, AStepOfManyPeriodsAtRest) {
  // Steps of a body at rest grow to T; the guard goes on all the time.
  for (const double T : {1e4, 1e6}) {
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{.q0 = {0.0}});
    EventDrivenOptions options;
    options.events = {{.guard = [](const State& state) { return std::cos(2.0 * kPi * state.t); },
                       .direction = Direction::Falling,
                       .terminal = true}};
    EventDriven simulation(model, options);
    std::vector<double> expected;
    for (int k = 0; k < 50; ++k) {
      const auto report = simulation.advance_to(T);
      ASSERT_EQ(report.outcome, RunReport::Outcome::StoppedByEvent) << k << ' ' << report.message();
      expected.push_back(k + 0.25);
    }
    // The argument 2 pi t is rounded: 50 eps, and t itself.
    expect_times(times_of(simulation, EventKind::User), expected, 1e-13);
  }
}

TEST(MissedEvents, GuardsWithoutEventsDoNotHoldUpARun) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {0.0}});
  EventDrivenOptions options;
  options.events = {{.guard = [](const State& state) { return 1.1 + std::cos(2.0 * kPi * state.t); }}};
  EventDriven simulation(model, options);
  run_to(simulation, 3e3);
  EXPECT_TRUE(simulation.events().empty());
}

TEST(MissedEvents, AJumpThatIsKnownIsNotFollowed) {
  // On a step of 9e4 eps of t: at once, by the nodes and the places off them, where round-off was looked for before.
  constexpr double length = 9e4 * std::numeric_limits<double>::epsilon();
  smooth::DensePolynomial dense = step();
  dense.t0 = 1.0;
  dense.h = length;
  Function guard([](double s) { return s < 0.3 ? 2.0 : 0.1; });
  smooth::FirstCrossing search;
  EXPECT_FALSE(search.first(guard, dense, {}, {}));
  ASSERT_TRUE(search.unresolved());
  search.count_as_noise(*search.unresolved());
  const Index before = search.evaluations();
  EXPECT_FALSE(search.first(guard, dense, {}, {}));
  EXPECT_FALSE(search.unresolved());
  EXPECT_LE(search.evaluations() - before, 16);
  // What falls to stay is found all the same: the first value below zero is 0.1 - 1.
  Function falls([](double s) { return 0.1 - s; });
  EXPECT_TRUE(search.first(falls, dense, {}, {}));
}

TEST(MissedEvents, AJumpIsNamed) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  EventDrivenOptions options;
  options.events = {{.name = "side", .guard = [](const State& state) { return state.t < 1.0 / 3.0 ? 1.0 : -1.0; }}};
  EventDriven simulation(model, options);
  const auto report = simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::IntegratorFailed);
  EXPECT_NE(report.detail.find("side"), std::string::npos) << report.detail;
  EXPECT_NEAR(report.t, 1.0 / 3.0, 1e-9);
}

TEST(MissedEvents, AliasedOnAFixedStep) {
  for (const int n : {8, 16}) {
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{.q0 = {0.0}});
    EventDrivenOptions options;
    options.step = 1.0;
    options.events = {{.guard = [n](const State& state) { return 0.5 + chebyshev(n, state.t); }, .terminal = true}};
    EventDriven simulation(model, options);
    const auto report = simulation.advance_to(1.0);
    EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByEvent);
    EXPECT_NEAR(report.t, first_zero(n, 0.5), 1e-13);
  }
}

TEST(MissedEvents, AWallThatIsAliasedIsHit) {
  // A body at rest, and a wall that comes to it: a gap that is 3/2 at the samples of a step, and -1/2 between them.
  for (const int n : {8, 16}) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(LagrangianLinearSystem{.q0 = {0.0}});
    model.link(
        body,
        RheonomousRelation{.h = [n](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] + 0.5 + chebyshev(n, t); },
                           .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; }},
        NewtonImpactLaw{.restitution = 0.5});
    EventDrivenOptions options;
    options.step = 1.0;
    EventDriven simulation(model, options);
    const auto report =
        simulation.advance_to(1.0, EventDrivenObserver{.instant = [](const Instant&) { return false; }});
    EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
    EXPECT_NEAR(report.t, first_zero(n, 0.5), 1e-13);
    EXPECT_EQ(times_of(simulation, EventKind::Impact).size(), 1U);
  }
}

TEST(MissedEvents, AffineGapsAreBoundedByTheirPolynomials) {
  // Two balls over a floor and one another, thrown so that the gap between them dips below zero by 1e-9 within a step:
  // 0.5 - 2 t (1 + d) + 2 t^2 with d = 1e-9 / 2 has its lowest value at 1/2.
  const double d = 1e-9;
  NonSmoothDynamicalSystem model;
  const auto lower = model.add(LagrangianLinearSystem{.q0 = {1.0}, .v0 = {0.0}});
  const auto upper = model.add(LagrangianLinearSystem{.force = {4.0}, .q0 = {1.5}, .v0 = {-2.0 - d}});
  model.link(lower, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  model.link({upper, lower}, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, NewtonImpactLaw{.restitution = 1.0});
  EventDrivenOptions options;
  options.step = 1.0;
  EventDriven simulation(model, options);
  run_to(simulation, 1.0);
  const auto impacts = times_of(simulation, EventKind::Impact);
  ASSERT_FALSE(impacts.empty());
  // 2 t^2 - (2 + d) t + 1/2 = 0; the slope there is -sqrt(d (4 + d)); gaps count as zero below 8 eps of their 2.5 m.
  const double root = std::sqrt(d * (4.0 + d));
  EXPECT_NEAR(impacts.front(), 0.25 * (2.0 + d - root), 8.0 * std::numeric_limits<double>::epsilon() * 2.5 / root);
}

}  // namespace
}  // namespace nonsmooth::missed_events_test
