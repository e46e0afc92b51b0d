// SPDX-License-Identifier: Apache-2.0
// FilippovSystems by events: crossing, sliding, leaving, infinitely many switches, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::filippov_motions_test {
namespace {

using namespace filippov_systems;

constexpr double kEps = std::numeric_limits<double>::epsilon();

struct Motion {
  explicit Motion(FilippovSystem system, EventDrivenOptions options = {})
      : handles(link_filippov(model, std::move(system))), simulation(model, std::move(options)) {}
  [[nodiscard]] Eigen::VectorXd x() const { return simulation.state().x(handles.system); }
  [[nodiscard]] std::vector<double> times(EventKind kind) const {
    std::vector<double> list;
    for (const Event& event : simulation.events())
      if (event.kind == kind) list.push_back(event.t);
    return list;
  }

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  EventDriven simulation;
};

// The motion is linear until it arrives: the integrator is exact, the instant is that of a zero to round-off.
TEST(FilippovByEvents, SignArrivesAndRests) {
  for (const double x0 : {1.0, -0.3, 1e-6, 1e6}) {
    Motion run(sign(x0));
    const auto report = run.simulation.advance_to(2.0 * std::abs(x0));
    ASSERT_TRUE(report) << report.message();
    const auto switches = run.times(EventKind::Switch);
    ASSERT_EQ(switches.size(), 1u);
    EXPECT_NEAR(switches[0], std::abs(x0), 16.0 * kEps * std::abs(x0));
    EXPECT_EQ(run.x()[0], 0.0);
    const Eigen::VectorXd theta = run.simulation.state().lambda(run.handles.fields);
    EXPECT_NEAR(theta[0], 0.5, 4.0 * kEps);
    EXPECT_NEAR(theta[1], 0.5, 4.0 * kEps);
    EXPECT_EQ(run.simulation.events().front().value, 0.0);  // slides
  }
}

// x' = 1 where x < 1/2, -1 above, from 0.
TEST(FilippovByEvents, SlidesAtOneHalf) {
  Motion run(
      {.x0 = {0.0}, .switches = {coordinate(0, 0.5)}, .regions = {constant({-1}, {1.0}), constant({1}, {-1.0})}});
  ASSERT_TRUE(run.simulation.advance_to(3.0));
  EXPECT_EQ(run.x()[0], 0.5);
  ASSERT_EQ(run.times(EventKind::Switch).size(), 1u);
  EXPECT_NEAR(run.times(EventKind::Switch)[0], 0.5, 16.0 * kEps);
}

// Entry is a transversal zero, to round-off. The exit is where theta is 0, and leaves with x' = 0: all instants to the
// error of y and x, relative_tolerance times the steps (below 100) and the largest values, 1.
TEST(FilippovByEvents, EntersSlidesAndLeaves) {
  for (const SmoothIntegrator& integrator :
       {SmoothIntegrator(DormandPrince{}), SmoothIntegrator(DormandPrince{5}), SmoothIntegrator(RadauIIA{})}) {
    Motion run(sliding_and_exit(), {.integrator = integrator});
    const auto report = run.simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    const auto switches = run.times(EventKind::Switch);
    ASSERT_EQ(switches.size(), 2u);
    EXPECT_NEAR(switches[0], 1.0 - 1.0 / std::numbers::sqrt2, 1e-9);
    EXPECT_NEAR(switches[1], 1.0, 1e-9);
    EXPECT_NEAR(run.x()[0], 0.5, 1e-8);
    EXPECT_NEAR(run.x()[1], std::exp(-1.75), 1e-8);
  }
}

TEST(FilippovByEvents, OscillatorCrossesAtOne) {
  Motion run(oscillator());
  const auto report = run.simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  const auto switches = run.times(EventKind::Switch);
  ASSERT_EQ(switches.size(), 1u);
  // A step's error is 1e-10 of |x| <= e, and some 20 steps grow by e^2 at most.
  EXPECT_NEAR(switches[0], 1.0, 2e-10);
  EXPECT_NEAR(run.x()[0], std::numbers::e, 2e-9);
  EXPECT_NEAR(run.x()[1], 0.0, 4e-9);
}

// Switches follow one another three times as fast each time; followed to 1e-12 of the largest |x|, where the rest of
// the time is (|x1| + |x2|) / 2, below 1e-12.
TEST(FilippovByEvents, SpiralComesToRest) {
  for (const auto& [x1, x2] : {std::pair{0.4, 0.3}, {1.0, -2.0}, {-0.01, 0.0}, {3e5, 1e5}}) {
    const double end = 0.5 * (std::abs(x1) + std::abs(x2));
    Motion run(spiral(x1, x2));
    const auto report = run.simulation.advance_to(2.0 * end);
    ASSERT_TRUE(report) << report.message();
    const auto switches = run.times(EventKind::Switch);
    ASSERT_GT(switches.size(), 15u);
    EXPECT_NEAR(switches.back(), end, 1e-9 * end);
    EXPECT_EQ(run.x().norm(), 0.0);
    Index accumulations = 0;
    for (const Event& event : run.simulation.events()) {
      if (event.kind != EventKind::Accumulation) continue;
      ++accumulations;
      EXPECT_GT(event.value, 0.0);
      EXPECT_LE(event.value, 2e-12 * end);  // |x1|, |x2| <= 2 end: the threshold times what c_j is made of
    }
    EXPECT_EQ(accumulations, 1);
    EXPECT_TRUE(run.times(EventKind::Ambiguity).empty());
    EXPECT_LT(run.simulation.rates().norm(), 64.0 * kEps);  // weights of fields of magnitude 3
  }
}

// From outside r = 2 exp(-t) comes to 1 at t = log 2, at the angle log 2; from there 1/3 of a radian a second.
TEST(FilippovByEvents, SlidesOnACircle) {
  for (const bool with_gradient : {true, false}) {
    FilippovSystem system = circle(2.0);
    if (!with_gradient) system.switches[0].gradient = {};
    Motion run(system);
    double worst = 0.0;
    const auto report =
        run.simulation.advance_to(5.0, EventDrivenObserver{.segment = [&](const SmoothSegment& segment) {
                                    State at = run.simulation.state();
                                    segment.evaluate(segment.end(), at);
                                    if (segment.start() > 0.7)
                                      worst = std::max(worst, std::abs(at.x(run.handles.system).norm() - 1.0));
                                    return true;
                                  }});
    ASSERT_TRUE(report) << report.message();
    EXPECT_LE(worst, 8.0 * kEps);  // put back after each step
    const double angle = std::log(2.0) + (5.0 - std::log(2.0)) / 3.0;
    // Gradients by differences are known to eps^(2/3) = 4e-11, and so is the speed.
    EXPECT_NEAR(run.x()[0], std::cos(angle), 2e-9);
    EXPECT_NEAR(run.x()[1], std::sin(angle), 2e-9);
  }
}

// Bodies of a crossing, each with a sign of its own: a single x' on both surfaces, with theta in an interval.
TEST(FilippovByEvents, TwoSignsRestOnBothSurfaces) {
  FilippovSystem system = {.x0 = {0.25, 0.75, 0.0}, .switches = {coordinate(0), coordinate(1)}};
  for (const int s1 : {1, -1})
    for (const int s2 : {1, -1})
      system.regions.push_back(constant({s1, s2}, {-1.0 * s1, -1.0 * s2, 1.0 + 0.5 * s1 + 0.25 * s2}));
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    system.meaning = meaning;
    Motion run(system);
    const auto report = run.simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(run.x()[0], 0.0);
    EXPECT_EQ(run.x()[1], 0.0);
    // x3' = 1.75 until 0.25, then 1.25 until 0.75, then 1.
    EXPECT_NEAR(run.x()[2], 0.25 * 1.75 + 0.5 * 1.25 + 1.25, 1e-12);
    EXPECT_TRUE(run.times(EventKind::Ambiguity).empty());
  }
}

// x1' = -s1, x2' = -s2 + x3, x3' = 1 from the line x1 = x2 = 0: s2 = x3 keeps it there until x3 = 1, where its weights
// end. Behind, x2 = (t - 1)^2 / 2, and x1 slides on.
TEST(FilippovByEvents, LeavesACrossingForOneSurface) {
  FilippovSystem system{.x0 = {0.0, 0.0, 0.0}, .switches = {coordinate(0), coordinate(1)}};
  for (const int s1 : {1, -1})
    for (const int s2 : {1, -1}) {
      system.regions.push_back({.signs = {s1, s2}, .f = [=](double, ConstVectorRef x, VectorRef f) {
                                  f[0] = -s1;
                                  f[1] = -s2 + x[2];
                                  f[2] = 1.0;
                                }});
    }
  for (const auto meaning : {FilippovMeaning::Hull, FilippovMeaning::MultiAffine}) {
    system.meaning = meaning;
    Motion run(system);
    const auto report = run.simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    ASSERT_EQ(run.times(EventKind::Switch).size(), 1u);
    EXPECT_NEAR(run.times(EventKind::Switch)[0], 1.0, 1e-12);
    EXPECT_EQ(run.simulation.events().front().row, 1);
    EXPECT_EQ(run.simulation.events().front().value, 1.0);
    EXPECT_EQ(run.x()[0], 0.0);
    EXPECT_NEAR(run.x()[1], 0.5, 1e-12);
  }
}

// A surface that moves: c = x - sin t, x' = -2 Sgn c, followed from 0 on with theta_+ - theta_- = -cos(t) / -2.
TEST(FilippovByEvents, FollowsAMovingSurface) {
  for (const bool with_rate : {true, false}) {
    FilippovSystem system{.x0 = {1.0},
                          .switches = {{.value = [](double t, ConstVectorRef x) { return x[0] - std::sin(t); }}},
                          .regions = {constant({1}, {-2.0}), constant({-1}, {2.0})}};
    if (with_rate) system.switches[0].rate = [](double t, ConstVectorRef) { return -std::cos(t); };
    Motion run(system);
    const auto report = run.simulation.advance_to(3.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(run.x()[0], std::sin(3.0), 8.0 * kEps);
    const Eigen::VectorXd theta = run.simulation.state().lambda(run.handles.fields);
    EXPECT_NEAR(2.0 * (theta[0] - theta[1]), std::cos(3.0), 1e-9);
  }
}

// Both fields turn away from the surface: x' = Sgn x from 0 has three motions, and -1e-3 one.
TEST(FilippovByEvents, ARepellingSurfaceIsTold) {
  Motion run({.x0 = {0.0}, .switches = {coordinate(0)}, .regions = {constant({1}, {1.0}), constant({-1}, {-1.0})}});
  const auto report = run.simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous);
  EXPECT_EQ(report.t, 0.0);
  ASSERT_EQ(run.simulation.alternatives().size(), 3u);
  std::vector<double> rates;
  for (const OtherMotion& motion : run.simulation.alternatives()) rates.push_back(motion.rates[0]);
  std::sort(rates.begin(), rates.end());
  EXPECT_EQ(rates, (std::vector<double>{-1.0, 0.0, 1.0}));
  Motion other({.x0 = {-1e-3}, .switches = {coordinate(0)}, .regions = {constant({1}, {1.0}), constant({-1}, {-1.0})}});
  ASSERT_TRUE(other.simulation.advance_to(1.0));
  EXPECT_NEAR(other.x()[0], -1.001, 8.0 * kEps);
}

// The same motion by implicit integrators with the mode's rates as their residual.
TEST(FilippovByEvents, SundialsTakeIt) {
  if (!Ida::available()) GTEST_SKIP() << "no SUNDIALS in this build";
  for (const SmoothIntegrator& integrator : {SmoothIntegrator(Cvode{}), SmoothIntegrator(Ida{})}) {
    Motion run(sliding_and_exit(), {.integrator = integrator});
    const auto report = run.simulation.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(run.x()[0], 0.5, 1e-6);  // their tolerances hold step by step
    EXPECT_NEAR(run.x()[1], std::exp(-1.75), 1e-6);
  }
}

}  // namespace
}  // namespace nonsmooth::filippov_motions_test
