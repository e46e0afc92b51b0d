// SPDX-License-Identifier: Apache-2.0
// Schemes of several stages and steps on circuits with known motions: orders where it is smooth, over a change of mode,
// and with the change located; selections of relays; variable steps; nonlinear systems and relations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <support/parameter_name.hpp>

#include "kernel/fitted_order.hpp"
#include "kernel/staged_circuits.hpp"

namespace nonsmooth::staged_schemes_test {
namespace {

using staged_circuits::Diode;
using staged_circuits::Zener;

struct Staged {
  const char* name;
  Integrator plain, located;
  double order;
  double h;              ///< from which on errors of the circuit are those of the order
  bool follows = false;  ///< multipliers follow from the state
};

void PrintTo(const Staged& scheme, std::ostream* out) { *out << scheme.name; }

class StagedSchemes : public testing::TestWithParam<Staged> {};

/// From the exact state at t0 over `steps` steps of h: the error at the end. Counts located instants.
double diode_error(const Integrator& integrator, double t0, double h, int steps, Index* instants = nullptr) {
  const Diode diode;
  TimeStepping simulation(diode.model(diode.exact(t0)), {.integrator = integrator, .step = h}, t0);
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    if (instants != nullptr) *instants += report.subdivisions;
  }
  return (Eigen::Vector2d(simulation.state().unknowns) - diode.exact(simulation.state().t)).norm();
}

TEST_P(StagedSchemes, HasItsOrderWhereTheModeStays) {
  // 0.3 s before the diode opens. What the next order adds is h times rates of 2 pi and 4, a tenth at the coarsest h of
  // the least squares.
  const auto error = [&](double h) {
    return diode_error(GetParam().plain, 0.0, h, static_cast<int>(std::lround(0.3 / h)));
  };
  EXPECT_NEAR(fitted_order(GetParam().h, 3, error), GetParam().order, 0.12);
}

TEST_P(StagedSchemes, IsOfOrderTwoAtMostOverAKink) {
  // The switch falls 0.3 of a step behind its start, at every h: the right side has a kink there, whose share of the
  // error is c h^2 with the same c. A scheme of order 1 has its own error.
  const Diode diode;
  const auto error = [&](double h) {
    const int before = static_cast<int>(std::lround(0.05 / h));
    return diode_error(GetParam().plain, diode.t_switch - (before + 0.3) * h, h, 3 * before);
  };
  EXPECT_NEAR(fitted_order(2.5e-3, 3, error), std::min(GetParam().order, 2.0), 0.15);
}

TEST_P(StagedSchemes, LocatedInstantsMendTheOrder) {
  const Diode diode;
  Index runs = 0, instants = 0;
  const auto error = [&](double h) {
    const int before = static_cast<int>(std::lround(0.1 / h));
    ++runs;
    return diode_error(GetParam().located, diode.t_switch - (before + 0.3) * h, h, 3 * before, &instants);
  };
  EXPECT_NEAR(fitted_order(GetParam().h, 3, error), GetParam().order, 0.2);
  EXPECT_EQ(instants, runs);  // the diode opens once
}

TEST_P(StagedSchemes, IsAsExactBesideACircuitOfOtherUnits) {
  // Motions are homogeneous in (x, lambda): with x0 times S the error is S times that of the circuit alone, but for
  // roundings, 500 of numbers of 5. Nothing links the two circuits, so that nobody compares their numbers.
  const Diode diode;
  const Eigen::Vector2d x0(1.0, -1.0), exact = diode.exact(1.0);
  for (const Integrator& integrator : {GetParam().plain, GetParam().located}) {
    const double h = GetParam().h;
    const auto error = [&](const std::vector<double>& units) {
      NonSmoothDynamicalSystem model;
      for (const double S : units) Diode::add(S * x0, model);
      TimeStepping simulation(std::move(model), {.integrator = integrator, .step = h});
      EXPECT_TRUE(simulation.advance_to(1.0));
      Eigen::VectorXd errors(std::ssize(units));
      for (std::size_t k = 0; k < units.size(); ++k)
        errors[static_cast<Index>(k)] =
            (simulation.state().unknowns.segment<2>(2 * static_cast<Index>(k)) / units[k] - exact).norm();
      return errors;
    };
    const double alone = error({1.0})[0];
    for (const double S : {1e-15, 1e9, 1e15}) {
      const Eigen::VectorXd beside = error({1.0, S});
      EXPECT_NEAR(beside[0], alone, 1e-12) << integrator->name() << " beside " << S;
      EXPECT_NEAR(beside[1], alone, 1e-12) << integrator->name() << " of " << S;
    }
  }
}

TEST_P(StagedSchemes, LocatesTheInstantOfTheClosedForm) {
  // The state at the located instant is not kept, but behind it the charge stands: its error is that of the scheme up
  // to there, times the little that x1' = 0 makes of an error of the instant.
  const Diode diode;
  TimeStepping simulation(diode.model({1.0, -1.0}), {.integrator = GetParam().located, .step = GetParam().h / 4.0});
  ASSERT_TRUE(simulation.advance_to(1.0));
  const Eigen::Vector2d exact = diode.exact(1.0);
  const double allowed = 40.0 * std::pow(2.0 * std::numbers::pi * GetParam().h / 4.0, GetParam().order);
  EXPECT_NEAR(simulation.state().unknowns[0], exact[0], allowed);
  EXPECT_NEAR(simulation.state().multipliers[0], -exact[0] / Diode::C + Diode::R * exact[1], allowed / Diode::C);
}

TEST_P(StagedSchemes, KeepsYAndLambdaOfTheEnd) {
  // w = lambda / R + x1 / (RC) - x2 at every end of a step, and the law to the solver's tolerance.
  const Diode diode;
  auto model = diode.model({1.0, -1.0});
  TimeStepping simulation(std::move(model), {.integrator = GetParam().plain, .step = 5e-3});
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(simulation.step());
    const State& state = simulation.state();
    const double lambda = state.multipliers[0], y = state.outputs[0], x1 = state.unknowns[0], x2 = state.unknowns[1];
    ASSERT_NEAR(y, lambda / Diode::R + x1 / (Diode::R * Diode::C) - x2, 1e-14 * 20.0) << k;
    ASSERT_NEAR(std::min(lambda / Diode::R, y), 0.0, 1e-8 * 5.0) << k;
    ASSERT_FALSE(simulation.problem().empty());
    ASSERT_EQ(simulation.problem().place(0), "row 0 of diode on circuit");
  }
}

TEST_P(StagedSchemes, HasItsOrderOfANonlinearSystem) {
  // x' = -x^2 + cos t + (sin t + 2)^2 from 2, whose motion is 2 + sin t.
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    model.add(FirstOrderSystem{
        .f = [](double t, ConstVectorRef x,
                VectorRef value) { value[0] = -x[0] * x[0] + std::cos(t) + std::pow(std::sin(t) + 2.0, 2); },
        .x0 = {2.0}});
    TimeStepping simulation(model, {.integrator = GetParam().plain, .step = h});
    EXPECT_TRUE(simulation.advance_to(1.0));
    return std::abs(simulation.state().unknowns[0] - 2.0 - std::sin(1.0));
  };
  EXPECT_NEAR(fitted_order(GetParam().order > 3.0 ? 0.1 : 0.02, 3, error), GetParam().order, 0.25);
}

TEST_P(StagedSchemes, HasItsOrderOfANonlinearRelation) {
  // x' = -lambda, 0 <= lambda ⟂ lambda + lambda^3 - x >= 0 from lambda = 1: d(ln lambda + 3/2 lambda^2) = -dt.
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderSystem{.x0 = {2.0}});
    model.link(
        system,
        FirstOrderRelation{.h = [](double, ConstVectorRef x, ConstVectorRef lambda,
                                   VectorRef y) { y[0] = lambda[0] + std::pow(lambda[0], 3) - x[0]; },
                           .g = [](double, ConstVectorRef, ConstVectorRef lambda, VectorRef r) { r[0] = -lambda[0]; }},
        ComplementarityLaw{});
    TimeStepping simulation(model, {.integrator = GetParam().plain, .step = h, .newton = {.tolerance = 1e-13}});
    EXPECT_TRUE(simulation.advance_to(1.0));
    const double lambda = simulation.state().multipliers[0];
    return std::abs(std::log(lambda) + 1.5 * lambda * lambda - 1.5 + 1.0);
  };
  EXPECT_NEAR(fitted_order(GetParam().order > 3.0 ? 0.2 : 0.02, 3, error), GetParam().order, 0.25);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, StagedSchemes,
    testing::Values(Staged{"ExplicitEuler", ExplicitEuler{}, ExplicitEuler{.locate = true}, 1.0, 1e-3, true},
                    Staged{"RungeKutta4", RungeKutta4{}, RungeKutta4{.locate = true}, 4.0, 0.02, true},
                    Staged{"ImplicitRadau1", ImplicitRadau{1}, ImplicitRadau{1, true}, 1.0, 1e-3},
                    Staged{"ImplicitRadau2", ImplicitRadau{2}, ImplicitRadau{2, true}, 3.0, 0.01},
                    Staged{"ImplicitRadau3", ImplicitRadau{3}, ImplicitRadau{3, true}, 5.0, 0.05},
                    Staged{"Bdf2", Bdf2{}, Bdf2{.locate = true}, 2.0, 5e-3},
                    Staged{"AdamsBashforth2", AdamsBashforth2{}, AdamsBashforth2{.locate = true}, 2.0, 5e-3, true}),
    test::parameter_name);

TEST(StagedSchemesThatLocate, LookPastRowsAtRestInTheirCorners) {
  // Beside the circuit its like at rest, y = lambda = 0 for ever, which leaves no mode and hides no instant.
  const Diode diode;
  for (const Integrator& integrator : {Integrator(RungeKutta4{true}), Integrator(ImplicitRadau{2, true})}) {
    auto model = diode.model({1.0, -1.0});
    const auto other = model.add(
        FirstOrderLinearSystem{.A = {{-1.0 / (Diode::R * Diode::C), 1.0}, {-1.0 / Diode::C, 0.0}}, .x0 = {0.0, 0.0}});
    model.link(
        other,
        FirstOrderLinearRelation{
            .C = {{1.0 / (Diode::R * Diode::C), -1.0}}, .D = {{1.0 / Diode::R}}, .B = {{-1.0 / Diode::R}, {-1.0}}},
        ComplementarityLaw{});
    TimeStepping simulation(std::move(model), {.integrator = integrator, .step = 0.01});
    Index instants = 0;
    for (int k = 0; k < 100; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      instants += report.subdivisions;
    }
    EXPECT_EQ(instants, 1) << integrator->name();
    // 100 times (2 pi h)^4 / 120, and less.
    EXPECT_LT((Eigen::Vector2d(simulation.state().unknowns.head(2)) - diode.exact(simulation.state().t)).norm(),
              1.5e-5);
    EXPECT_EQ(simulation.state().unknowns.tail(2).norm(), 0.0);
  }
}

TEST(StagedSchemesThatLocate, FindAnInstantInTheFirstStepOfARun) {
  // q' = v, v' = lambda - q, -v in N_[-1,1](lambda) from (3, 0.1): v turns where tan t = 0.1 / 4, and lambda jumps from
  // -1 to 1. At the start lambda is 0, as nothing has solved it yet. Three stages err by h^6 / 7200 times 4, less than
  // 1e-9; a jump of 2 that is seen a part of a step late is 1e-2 and more.
  NonSmoothDynamicalSystem model;
  model.link(model.add(FirstOrderLinearSystem{.A = {{0.0, 1.0}, {-1.0, 0.0}}, .x0 = {3.0, 0.1}}),
             FirstOrderLinearRelation{.C = {{0.0, 1.0}}, .B = {{0.0}, {1.0}}}, RelayLaw{.lower = -1.0, .upper = 1.0});
  const double h = 0.1, turn = std::atan(0.025), left = -2.0 + 4.0 * std::cos(turn) + 0.1 * std::sin(turn);
  const Eigen::Vector2d exact(1.0 + left * std::cos(h - turn), -left * std::sin(h - turn));
  TimeStepping simulation(model, {.integrator = ImplicitRadau{3, true}, .step = h});
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report.subdivisions, 1);
  EXPECT_LT((Eigen::Vector2d(simulation.state().unknowns) - exact).norm(), 1e-9);
}

TEST(StagedSchemesOfTwoSteps, KeepOrderTwoOverStepsOfTwoLengths) {
  for (const Integrator& integrator : {Integrator(Bdf2{}), Integrator(AdamsBashforth2{})}) {
    const auto error = [&](double h) {
      const Diode diode;
      const auto model = diode.model({1.0, -1.0});
      const TimeSteppingOptions options{.integrator = integrator, .step = h};
      State state = model.initial_state(0.0);
      Workspace workspace(1);
      for (int k = 0; state.t < 0.3 - 0.5 * h; ++k)
        EXPECT_TRUE(step(model, options, k % 2 == 0 ? h : 1.5 * h, state, workspace));
      return (Eigen::Vector2d(state.unknowns) - diode.exact(state.t)).norm();
    };
    EXPECT_NEAR(fitted_order(4e-3, 3, error), 2.0, 0.12) << integrator->name();
  }
}

TEST(StagedSchemesOfTwoSteps, StartAnewWhereAStepIsTooLong) {
  // A table of ratio 0 is implicit Euler's, at and beyond 1 + sqrt(2).
  const auto scheme = std::dynamic_pointer_cast<const StagedIntegrator>(Integrator(Bdf2{}).pointer());
  EXPECT_EQ(scheme->table(2.5).b[0], 1.0);
  EXPECT_EQ(scheme->table(2.5).v, 0.0);
  EXPECT_DOUBLE_EQ(scheme->table(1.0).b[0], 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(scheme->table(1.0).v, 1.0 / 3.0);
}

TEST(StagedSchemesThatSlide, HaveTheOrderOfRadauOnAZenerDiode) {
  // The current turns, runs back and stays 0, v between its bounds: a jump of x2' at two instants, and an index 2
  // behind the second. Without location the order is 1, as one step sees the jump a part of it late.
  const Zener zener;
  const auto error = [&](const Integrator& integrator, double h) {
    TimeStepping simulation(Zener::model(), {.integrator = integrator, .step = h});
    EXPECT_TRUE(simulation.advance_to(0.6));
    return (Eigen::Vector2d(simulation.state().unknowns) - zener.exact(0.6)).norm();
  };
  EXPECT_NEAR(fitted_order(0.02, 3, [&](double h) { return error(ImplicitRadau{2, true}, h); }), 3.0, 0.2);
  EXPECT_NEAR(fitted_order(0.06, 3, [&](double h) { return error(ImplicitRadau{3, true}, h); }), 5.0, 0.4);
  EXPECT_NEAR(fitted_order(5e-3, 3, [&](double h) { return error(Bdf2{true}, h); }), 2.0, 0.3);
  // Without, errors scatter with where instants fall in their steps: 1e-3 is what order 1 leaves, 1e-7 what order 3.
  double worst = 0.0, worst_located = 0.0;
  for (const double h : {4.1e-3, 4.4e-3, 4.7e-3}) {
    worst = std::max(worst, error(ImplicitRadau{2}, h));
    worst_located = std::max(worst_located, error(ImplicitRadau{2, true}, h));
  }
  EXPECT_GT(worst, 1e-4);
  EXPECT_LT(worst_located, 1e-5);
  TimeStepping simulation(Zener::model(), {.integrator = ImplicitRadau{3, true}, .step = 0.01});
  ASSERT_TRUE(simulation.advance_to(0.6));
  EXPECT_NEAR(simulation.state().unknowns[1], 0.0, 1e-12);
  EXPECT_NEAR(simulation.state().multipliers[0], zener.exact(0.6)[0] / Zener::C, 1e-6);
}

TEST(StagedSchemesThatSlide, AreThrownByAJumpButForOneStage) {
  // x' = lambda, 0 <= lambda ⟂ x >= 0 from -1. Two stages: lambda_2 = 0, as both stages at 0 would need lambda_2 =
  // -2 / h; then 5/12 h lambda_1 = 1 and x = -1 + 3/4 12/5 = 4/5.
  NonSmoothDynamicalSystem model;
  model.link(model.add(FirstOrderLinearSystem{.A = {{0.0}}, .x0 = {-1.0}}),
             FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  for (const Index stages : {1, 2}) {
    TimeStepping simulation(model, {.integrator = ImplicitRadau{stages}, .step = 0.1});
    ASSERT_TRUE(simulation.step());
    EXPECT_NEAR(simulation.state().unknowns[0], stages == 1 ? 0.0 : 0.8, 1e-12);
  }
}

TEST(StagedSelections, ExplicitEulerChattersWithinAStepOfTheSurface) {
  // |x2'| is below V / L + |x1| / (LC) < 40: after sticking |x2| < 40 h; v flips between its bounds.
  const double h = 5e-3;
  TimeStepping simulation(Zener::model(), {.integrator = ExplicitEuler{}, .step = h});
  ASSERT_TRUE(simulation.advance_to(1.0));
  int flips = 0;
  double last = -1.0, mean = 0.0;
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(simulation.step());
    const double v = simulation.state().multipliers[0];
    ASSERT_TRUE(v == 0.0 || v == Zener::V) << v;
    ASSERT_LT(std::abs(simulation.state().unknowns[1]), 40.0 * h);
    flips += v != last;
    last = v;
    mean += v / 400.0;
  }
  EXPECT_GT(flips, 100);
  EXPECT_NEAR(mean, simulation.state().unknowns[0] / Zener::C, 0.1 * Zener::V);
}

TEST(StagedSelections, TheLeastOfTheRatesIsTakenOnTheSurface) {
  // x' = f - (l1, l1 + l2), -l the multipliers, in [-1, 1]^2, at x = 0: |x'| is least, 0, for l = (f1, f2 - f1) where
  // that is between the bounds; with f = (0.5, 3) at l = (1, 1): the gradient of half its square is there
  // -(x1' + x2', x2') = -(0.5, 1), so that the bounds stop it.
  for (const bool inside : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto system =
        model.add(FirstOrderLinearSystem{.A = {{0.0, 0.0}, {0.0, 0.0}},
                                         .b = inside ? Eigen::Vector2d(0.3, 0.1) : Eigen::Vector2d(0.5, 3.0),
                                         .x0 = {0.0, 0.0}});
    model.link(system, FirstOrderLinearRelation{.C = {{1.0, 0.0}, {0.0, 1.0}}, .B = {{1.0, 0.0}, {1.0, 1.0}}},
               RelayLaw{.lower = -1.0, .upper = 1.0});
    TimeStepping simulation(model, {.integrator = ExplicitEuler{}, .step = 0.1});
    ASSERT_TRUE(simulation.step());
    if (inside) {
      for (int k = 0; k < 10; ++k) ASSERT_TRUE(simulation.step());  // it stays: each step rounds 0.1 |f| at most
      EXPECT_NEAR(simulation.state().unknowns.norm(), 0.0, 1e-15);
      EXPECT_NEAR(simulation.state().multipliers[0], -0.3, 1e-14);
      EXPECT_NEAR(simulation.state().multipliers[1], 0.2, 1e-14);
    } else {
      EXPECT_NEAR(simulation.state().unknowns[0], -0.05, 1e-15);
      EXPECT_NEAR(simulation.state().unknowns[1], 0.1, 1e-15);
    }
  }
}

TEST(StagedSchemesAdapt, ToAnAccuracy) {
  // The accuracy is of the run; a factor of ten is what AdaptiveTimeStepping's contract grants.
  const Diode diode;
  for (const Integrator& integrator : {Integrator(RungeKutta4{true}), Integrator(ImplicitRadau{2, true})}) {
    AdaptiveTimeStepping simulation(diode.model({1.0, -1.0}), {.stepping = {.integrator = integrator, .step = 1e-2},
                                                               .accuracy = {.state = {.absolute = 1e-6}, .span = 1.0}});
    const auto report = simulation.advance_to(1.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_LT((Eigen::Vector2d(simulation.state().unknowns) - diode.exact(1.0)).norm(), 1e-5) << integrator->name();
  }
}

TEST(StagedSchemesAdapt, WithTwoStepsOfWhatTheStepBeforeWasInAll) {
  // A step is taken as two halves, and the next one looks back over both. Of order 2 it takes sqrt(10) times as many
  // steps a decade; of order 1, as Euler's without a step before, 10 times as many.
  const Diode diode;
  for (const Integrator& integrator :
       {Integrator(Bdf2{}), Integrator(Bdf2{true}), Integrator(AdamsBashforth2{}), Integrator(AdamsBashforth2{true})}) {
    Index taken[2];
    for (const int i : {0, 1}) {
      const double asked = i == 0 ? 1e-3 : 1e-4;
      AdaptiveTimeStepping simulation(diode.model({1.0, -1.0}),
                                      {.stepping = {.integrator = integrator, .step = 1e-2},
                                       .accuracy = {.state = {.absolute = asked}, .span = 1.0, .events = 10}});
      const auto report = simulation.advance_to(1.0);
      ASSERT_TRUE(report) << report.message();
      EXPECT_LT((Eigen::Vector2d(simulation.state().unknowns) - diode.exact(1.0)).norm(), 10.0 * asked)
          << integrator->name();
      taken[i] = simulation.steps().taken;
    }
    EXPECT_LT(taken[1], 5 * taken[0]) << integrator->name();
  }
}

}  // namespace
}  // namespace nonsmooth::staged_schemes_test
