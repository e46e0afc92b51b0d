// SPDX-License-Identifier: Apache-2.0
// What docs/will_it_work.md says of schemes and classes of models: the limits, each where it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::will_it_work_test {
namespace {

constexpr double kGravity = 9.81;

/// Relative degree 1: a coil (L = 1) and a capacitor with a diode, from a current that the
/// diode forbids. x_2 jumps to 0 at once and x_1 = e^(-t/(R C)) from there.
double missed_after_a_jump(const Integrator& scheme, double h) {
  const double C = 1.0 / (4.0 * std::numbers::pi * std::numbers::pi), R = 10.0;
  NonSmoothDynamicalSystem model;
  const auto circuit =
      model.add(FirstOrderLinearSystem{.A = {{-1.0 / (R * C), 1.0}, {-1.0 / C, 0.0}}, .x0 = {1.0, -1.0}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .B = {{0.0}, {1.0}}}, ComplementarityLaw{});
  TimeStepping run(model, {.integrator = scheme, .step = h});
  EXPECT_TRUE(run.advance_to(1.0));
  return std::abs(run.state().x(circuit)[0] - std::exp(-1.0 / (R * C)));
}

TEST(WillItWork, RelativeDegreeOneConvergesThroughAJumpWithImplicitMultipliersAlone) {
  for (const Integrator& scheme :
       {Integrator(EulerMoreau{.theta = 1.0}), Integrator(EulerMoreau{.theta = 0.5}), Integrator(ZeroOrderHold{})}) {
    // Order 1: the second of two halvings leaves a ratio of 2, to terms of the next order.
    EXPECT_NEAR(missed_after_a_jump(scheme, 2.5e-3) / missed_after_a_jump(scheme, 1.25e-3), 2.0, 0.15);
    EXPECT_LE(missed_after_a_jump(scheme, 1.25e-3), 2e-4);
  }
  for (const EulerMoreau& scheme :
       {EulerMoreau{.theta = 0.5, .multiplier_weight = 0.5}, EulerMoreau{.theta = 0.5, .relation_weight = 0.5}}) {
    // They ring at the jump and do not forget it: 2.6e-4 is missed however short the step.
    EXPECT_GE(missed_after_a_jump(scheme, 1.25e-3), 2e-4);
    EXPECT_NEAR(missed_after_a_jump(scheme, 2.5e-3) / missed_after_a_jump(scheme, 1.25e-3), 1.0, 0.1);
  }
}

/// A ball as a first-order system, x_1' = x_2, x_2' = lambda - g: relative degree 2. From 1 m; how high it rises once
/// it has landed (at 0.4515 s).
double rises_again(const Integrator& scheme, double h) {
  NonSmoothDynamicalSystem model;
  const auto ball =
      model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {0.0, 0.0}}, .b = {0.0, -kGravity}, .x0 = {1.0, 0.0}});
  model.link(ball, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .B = {{0.0}, {1.0}}}, ComplementarityLaw{});
  TimeStepping run(model, {.integrator = scheme, .step = h});
  double highest = 0.0;
  EXPECT_TRUE(run.advance_to(1.0, [&](const State& state) {
    if (state.t > 0.5) highest = std::fmax(highest, state.x(ball)[0]);
  }));
  return highest;
}

TEST(WillItWork, RelativeDegreeTwoIsAPlasticImpactUnderImplicitEulerAndARandomReboundUnderOthers) {
  for (const double h : {1e-2, 1e-3}) EXPECT_EQ(rises_again(EulerMoreau{.theta = 1.0}, h), 0.0);
  EXPECT_GE(rises_again(EulerMoreau{.theta = 0.5}, 1e-2), 0.4);
  EXPECT_LE(rises_again(EulerMoreau{.theta = 0.5}, 1e-3), 1e-2);
  EXPECT_GE(rises_again(ZeroOrderHold{}, 1e-2), 0.4);
}

TEST(WillItWork, RelativeDegreeThreeDivergesAndIsRefused) {
  // x''' = lambda from (0, -1, 0): the solution is x = 0. The first step gives x'' = 1/h, x' = 0, which nothing takes
  // back: x(1) = (1 - h) / (2 h).
  for (const double h : {1e-1, 1e-2, 1e-3}) {
    NonSmoothDynamicalSystem model;
    const auto chain = model.add(
        FirstOrderLinearSystem{.A = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}}, .x0 = {0.0, -1.0, 0.0}});
    model.link(chain, FirstOrderLinearRelation{.C = {{1.0, 0.0, 0.0}}, .B = {{0.0}, {0.0}, {1.0}}},
               ComplementarityLaw{});
    TimeSteppingOptions options{.integrator = EulerMoreau{.theta = 1.0}, .step = h};
    EXPECT_THROW(TimeStepping(model, options), InvalidArgument);
    options.examination = Examination::Report;
    TimeStepping run(model, options);
    EXPECT_TRUE(run.advance_to(1.0));
    const double expected = (1.0 - h) / (2.0 * h);
    EXPECT_NEAR(run.state().x(chain)[0], expected, 1e-9 * expected);  // 1/h steps, each to round-off of 1/h
  }
}

TEST(WillItWork, ByEventsRelativeDegreeTwoEndsWithoutAMode) {
  NonSmoothDynamicalSystem model;
  const auto ball =
      model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {0.0, 0.0}}, .b = {0.0, -kGravity}, .x0 = {1.0, 0.0}});
  model.link(ball, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .B = {{0.0}, {1.0}}}, ComplementarityLaw{});
  EventDriven run(model);
  const auto report = run.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
  EXPECT_NEAR(report.t, std::sqrt(2.0 / kGravity), 1e-10);  // where it lands; relative_tolerance is 1e-10
  EXPECT_NE(report.message().find("relative degree 2"), std::string::npos) << report.message();
}

TEST(WillItWork, DThatIsNoPMatrixHasTwoAnswersOrNone) {
  // y = x - lambda: lambda = 0 and lambda = x for x > 0, neither for x < 0.
  for (const double x : {1.0, -1.0}) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.x0 = {x}});
    model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{-1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
    const TimeSteppingOptions options{.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-2};
    EXPECT_EQ(possible_steps(model, options, 1e-2, model.initial_state()).size(), x > 0.0 ? 2u : 0u);
    if (x > 0.0) continue;
    TimeStepping run(model, options);
    EXPECT_EQ(run.step().solver, Status::Infeasible);
  }
}

TEST(WillItWork, AGrowingSystemBoundsTheStep) {
  // x' = 10 x + lambda, 0 <= x ⟂ lambda >= 0 from 1: 1/(1 - 10 h) after a step as long as h theta 10 < 1; beyond, the
  // factor is negative and so is W.
  const auto after = [](double h) -> std::optional<double> {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.A = {{10.0}}, .x0 = {1.0}});
    model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
    try {
      TimeStepping run(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = h});
      if (!run.step()) return std::nullopt;
      return run.state().x(system)[0];
    } catch (const InvalidArgument&) {
      return std::nullopt;
    }
  };
  EXPECT_NEAR(after(0.05).value_or(0.0), 2.0, 1e-14);
  EXPECT_FALSE(after(0.15));
}

/// A mass of 1 kg falls on a floor from 1 m and rises again: how high, and how deep it went.
struct Bounce {
  double height = 0.0, depth = 0.0;
};
template <class AnyLaw>
Bounce bounce(const AnyLaw& law, const Integrator& scheme, double h, double T) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, law);
  TimeStepping run(model, {.integrator = scheme, .step = h});
  Bounce result;
  EXPECT_TRUE(run.advance_to(T, [&](const State& state) {
    const double q = state.q(ball)[0];
    if (state.t > 0.5) result.height = std::fmax(result.height, q);
    result.depth = std::fmax(result.depth, -q);
  }));
  return result;
}

TEST(WillItWork, AStiffSpringIsStableForEveryStepAndRightBelowItsContactTime) {
  // k = 1e4 N/m: a contact takes pi sqrt(m / k) = 31 ms, without damping it returns all energy, up to 1 m.
  const SpringDashpotLaw spring{.stiffness = 1e4};
  EXPECT_NEAR(bounce(spring, MoreauJean{}, 1e-4, 1.5).height, 1.0, 0.02);  // an error of h at both ends: h / 31 ms
  const SpringDashpotLaw stiff{.stiffness = 1e10};                         // 31 microseconds
  for (const double h : {1e-2, 1e-3}) EXPECT_LE(bounce(stiff, MoreauJean{}, h, 1.5).height, 1.0);
  EXPECT_LE(bounce(stiff, MoreauJean{}, 1e-3, 1.5).height, 0.1);  // stable, and nothing like the spring
}

TEST(WillItWork, RigidContactsPenetrateByAStepsWayUnderMoreauAndJeanAndNotUnderSchatzmanAndPaoli) {
  const double impact_velocity = std::sqrt(2.0 * kGravity);
  for (const double h : {1e-2, 3e-3, 1e-3}) {
    EXPECT_LE(bounce(NewtonImpactLaw{}, MoreauJean{}, h, 1.0).depth, h * (impact_velocity + kGravity * h));
    EXPECT_LE(bounce(NewtonImpactLaw{}, SchatzmanPaoli{}, h, 1.0).depth, 1e-15);
  }
}

}  // namespace
}  // namespace nonsmooth::will_it_work_test
