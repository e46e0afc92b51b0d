// SPDX-License-Identifier: Apache-2.0
// FilippovSystems by implicit steps: exact in sliding whatever h is, order 1 through crossings.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::filippov_steps_test {
namespace {

using namespace filippov_systems;

constexpr double kEps = std::numeric_limits<double>::epsilon();
/// mixed::Automatic ends with residuals of round-off; 64 eps of the largest |x| and rates here, which are below 4.
constexpr double kSolved = 256.0 * kEps;

TimeSteppingOptions implicit(double h, double theta = 1.0) {
  return {.integrator = EulerMoreau{.theta = theta}, .step = h};
}

struct Motion {
  Motion(FilippovSystem system, double h)
      : handles(link_filippov(model, std::move(system))), simulation(model, implicit(h)) {}
  [[nodiscard]] Eigen::VectorXd x() const { return simulation.state().x(handles.system); }
  [[nodiscard]] Eigen::VectorXd lambda() const { return simulation.state().lambda(handles.fields); }

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  TimeStepping simulation;
};

FilippovSystem with(FilippovSystem system, FilippovMeaning meaning) {
  system.meaning = meaning;
  return system;
}

// x' = -Sgn x: steps of -h until |x| <= h, then 0 for ever, by both forms and at coarse and fine h.
TEST(FilippovSteps, SignArrivesAndRests) {
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    for (const double h : {1.7, 0.37, 0.0137}) {
      Motion run(with(sign(1.0), meaning), h);
      int turns = 0;
      double last = 1.0;
      const auto report = run.simulation.advance_to(100.0 * h, [&](const State& state) {
        const double x = state.x(run.handles.system)[0];
        turns += std::abs(x) > kSolved && x * last < 0.0 ? 1 : 0;
        EXPECT_LE(std::abs(x), std::max(0.0, 1.0 - state.t) + kSolved + 100.0 * kEps);
        last = x;
      });
      ASSERT_TRUE(report) << report.message();
      EXPECT_EQ(turns, 0);
      EXPECT_NEAR(run.x()[0], 0.0, kSolved);
      const Eigen::VectorXd lambda = run.lambda();
      EXPECT_NEAR(lambda[0], 0.5, kSolved / h);  // theta, or alpha
    }
  }
}

TEST(FilippovSteps, SlidesAtOneHalf) {
  Motion run({.x0 = {0.0}, .switches = {coordinate(0, 0.5)}, .regions = {constant({-1}, {1.0}), constant({1}, {-1.0})}},
             0.013);
  ASSERT_TRUE(run.simulation.advance_to(1.0));
  EXPECT_NEAR(run.x()[0], 0.5, kSolved);
}

// -6/17 from 1/7 on: all steps but the one that holds 1/7 are exact; in it theta differs, and x moves by at most 2.5 h
// off. x = y to the solver.
TEST(FilippovSteps, OneSwitchingFunction) {
  for (const double h : {0.01, 0.001}) {
    Motion run(one_relay(), h);
    ASSERT_TRUE(run.simulation.advance_to(1.0));
    EXPECT_NEAR(run.x()[0], 1.5 - 2.0 / 7.0 - 6.0 / 17.0 * 6.0 / 7.0, 2.5 * h);
    EXPECT_NEAR(run.x()[0] - run.x()[1], 0.0, kSolved);
    EXPECT_NEAR(run.lambda()[1], 10.0 / 17.0, 1e3 * kSolved);  // pattern 1: x > y; over h
  }
}

// Infinitely many switches. A step rests as soon as 0 is in x + h F, where |x1| + |x2| <= 4 h: within 2 h of the end.
TEST(FilippovSteps, SpiralComesToRest) {
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    const double h = 1e-3;
    Motion run(with(spiral(0.4, 0.3), meaning), h);
    double end = 0.0;
    const auto report = run.simulation.advance_to(1.0, [&](const State& state) {
      if (state.x(run.handles.system).norm() > 10.0 * kSolved) end = state.t + h;
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(end, 0.35, 2.0 * h * (1.0 + 1e-9));
    EXPECT_NEAR(run.x().norm(), 0.0, 10.0 * kSolved);
  }
}

// Order 1 through a crossing: a step damps at the rate w^2 h / 2, 8e-3 and less here.
TEST(FilippovSteps, OscillatorHasOrderOne) {
  const auto error = [](double h) {
    Motion run(oscillator(), h);
    EXPECT_TRUE(run.simulation.advance_to(2.0));
    return (run.x() - Eigen::Vector2d(std::numbers::e, 0.0)).norm();
  };
  EXPECT_NEAR(fitted_order(4.1e-4, 2, error), 1.0, 0.1);
}

// On the unit circle at the end of every step, at 1/3 of a radian a second but for O(h).
TEST(FilippovSteps, SlidesOnACircle) {
  for (const bool with_derivatives : {true, false}) {
    FilippovSystem system = circle(2.0);
    if (!with_derivatives) system.switches[0].gradient = {};
    const auto angle_error = [&](double h) {
      Motion run(system, h);
      const auto report = run.simulation.advance_to(3.0, [&](const State& state) {
        if (state.t < 0.8) return;
        EXPECT_NEAR(state.x(run.handles.system).norm(), 1.0, 1e-9);  // Newton's tolerance
      });
      EXPECT_TRUE(report) << report.message();
      return std::abs(std::atan2(run.x()[1], run.x()[0]) - (std::log(2.0) + (3.0 - std::log(2.0)) / 3.0));
    };
    const double coarse = angle_error(0.01), fine = angle_error(0.005);
    EXPECT_LT(coarse, 0.02);
    EXPECT_LT(fine, 0.75 * coarse);
  }
}

TEST(FilippovSteps, EntersSlidesAndLeaves) {
  const auto error = [](double h) {
    Motion run(sliding_and_exit(), h);
    EXPECT_TRUE(run.simulation.advance_to(2.0));
    return (run.x() - Eigen::Vector2d(0.5, std::exp(-1.75))).norm();
  };
  EXPECT_NEAR(fitted_order(0.0103, 4, error), 1.0, 0.15);
}

// Two switches on one surface leave x' open; a step takes one of its values, from -2 to 1.5.
TEST(FilippovSteps, TwoSwitchesOnOneSurface) {
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    Motion run(two_relays(meaning), 1e-3);
    ASSERT_TRUE(run.simulation.advance_to(1.0));
    EXPECT_NEAR(run.x()[0] - run.x()[1], 0.0, kSolved);
    const double x = 1.5 - 2.0 / 7.0, left = 6.0 / 7.0;
    EXPECT_GE(run.x()[0], x - 2.0 * left - 0.01);
    EXPECT_LE(run.x()[0], x + 1.5 * left + 0.01);
  }
}

// A spring on a FilippovSystem: x' = -Sgn x + r with r = -2 lambda, lambda = x. Linked relations add to its fields.
TEST(FilippovSteps, TakesFurtherRelations) {
  NonSmoothDynamicalSystem model;
  const auto handles = link_filippov(model, sign(1.0));
  model.link(handles.system, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{-1.0}}, .B = {{-2.0}}}, EqualityLaw{},
             "spring");
  TimeStepping simulation(model, implicit(5e-4));
  ASSERT_TRUE(simulation.advance_to(0.25));
  // x' = -1 - 2 x: x + 1/2 = 3/2 exp(-2 t); order 1: h |x''| t <= 6 h t / 2.
  EXPECT_NEAR(simulation.state().x(handles.system)[0], 1.5 * std::exp(-0.5) - 0.5, 5e-4);
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().x(handles.system)[0], 0.0, kSolved);
}

// Another run, and one from half way, have the same bits.
TEST(FilippovSteps, SameBits) {
  Motion one(spiral(0.4, 0.3), 1e-2), other(spiral(0.4, 0.3), 1e-2);
  ASSERT_TRUE(one.simulation.advance_to(0.5));
  ASSERT_TRUE(other.simulation.advance_to(0.25));
  NonSmoothDynamicalSystem model = other.simulation.model();
  TimeStepping resumed(model, implicit(1e-2));
  resumed.set_state(other.simulation.state());
  ASSERT_TRUE(resumed.advance_to(0.5));
  EXPECT_EQ(hash_of(resumed.state()), hash_of(one.simulation.state()));
}

TEST(FilippovSteps, FingerprintsTellFields) {
  const auto lines_of = [](FilippovSystem system) {
    NonSmoothDynamicalSystem model;
    (void)link_filippov(model, std::move(system));
    return fingerprint_of(model);
  };
  const auto lines = lines_of(sign(1.0));
  EXPECT_EQ(lines, lines_of(sign(1.0)));
  EXPECT_NE(lines, lines_of(sign(1.0, 2.0)));
  EXPECT_NE(lines, lines_of(sign(2.0)));
  EXPECT_NE(lines, lines_of(with(sign(1.0), FilippovMeaning::MultiAffine)));
}

// In mechanics: rows v and -v of a mass of 1 kg, of which the least gets the force of 1 N. Coulomb friction, which
// stops it after 1 s and holds it.
TEST(SimplexLaw, OpposesAMotion) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  const auto pair = model.link(mass, LagrangianLinearRelation{.H = {{1.0}, {-1.0}}}, SimplexLaw{2}, "pair");
  TimeStepping simulation(model, {.step = 0.013});
  ASSERT_TRUE(simulation.advance_to(0.52));  // 40 steps
  EXPECT_NEAR(simulation.state().v(mass)[0], 0.48, 1e-12);
  EXPECT_NEAR(simulation.state().force(pair)[1], 1.0, 1e-12);
  EXPECT_NEAR(simulation.state().force(pair)[0], 0.0, 1e-12);
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(simulation.state().v(mass)[0], 0.0, 1e-12);
  EXPECT_NEAR(simulation.state().force(pair).sum(), 1.0, 1e-12);
}

TEST(SimplexLaw, RefusesSizes) {
  for (const Index rows : {Index{0}, Index{-1}, Index{1025}}) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.x0 = {1.0}});
    EXPECT_THROW(model.link(system, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, SimplexLaw{rows}),
                 InvalidArgument);
  }
}

}  // namespace
}  // namespace nonsmooth::filippov_steps_test
