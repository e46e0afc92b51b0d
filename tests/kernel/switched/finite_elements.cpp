// SPDX-License-Identifier: Apache-2.0
// Finite elements with switch detection: orders through switches and sliding, sensitivities, ends, against closed
// forms.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth::finite_elements_test {
namespace {

using namespace filippov_systems;

constexpr double kEps = std::numeric_limits<double>::epsilon();

struct Elements {
  explicit Elements(FilippovSystem system, FiniteElementOptions options)
      : handles(link_filippov(model, std::move(system))), simulation(model, std::move(options)) {}
  [[nodiscard]] Eigen::VectorXd x() const { return simulation.state().x(handles.system); }
  [[nodiscard]] std::vector<double> switches() const {
    std::vector<double> list;
    for (const Event& event : simulation.events())
      if (event.kind == EventKind::Switch) list.push_back(event.t);
    return list;
  }

  NonSmoothDynamicalSystem model;
  FilippovHandles handles;
  FiniteElementStepping simulation;
};

struct Method {
  FiniteElementFamily family;
  Index stages;
  [[nodiscard]] double order() const {
    return static_cast<double>(family == FiniteElementFamily::RadauIIA ? 2 * stages - 1 : 2 * stages);
  }
};

std::vector<Method> methods() {
  std::vector<Method> list;
  for (const FiniteElementFamily family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre})
    for (Index s = 1; s <= 4; ++s) list.push_back({family, s});
  return list;
}

/// The slope of log(error) from the first of `steps` to the last that has one above `floor`; infinite where that is the
/// first.
template <class Error>
double measured_order(const std::vector<Index>& steps, double floor, const Error& error) {
  const double first = error(steps.front());
  double order = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double now = error(steps[i]);
    if (now < floor) break;
    order = std::log(first / now) / std::log(static_cast<double>(steps[i]) / static_cast<double>(steps.front()));
  }
  return order;
}

// |x| = e^(t - 1); the angle goes back by 2 pi until t = 1 and forth from then on. T = pi / 2: t = 1 is on no grid.
TEST(FiniteElements, OrderThroughACrossing) {
  const double T = 0.5 * std::numbers::pi, angle = 2.0 * std::numbers::pi * (T - 2.0);
  const Eigen::Vector2d exact = std::exp(T - 1.0) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  for (const Method& method : methods()) {
    if (method.family == FiniteElementFamily::RadauIIA && method.stages == 1) continue;  // |x| itself blows up: below
    const double order = measured_order({10, 20, 40, 80}, 1e-11, [&](Index steps) {
      Elements run(oscillator(),
                   {.step = T / static_cast<double>(steps), .family = method.family, .stages = method.stages});
      EXPECT_TRUE(run.simulation.advance_to(T));
      EXPECT_EQ(run.switches().size(), 1u);
      return (run.x() - exact).norm();
    });
    EXPECT_NEAR(order, method.order(), 0.4) << method.stages << " stages";
  }
}

// Implicit Euler between switches: order 1 where the motion is resolved at all.
TEST(FiniteElements, OrderOneOfOneStageOfRadau) {
  const double order = measured_order({64, 128, 256}, 0.0, [](Index steps) {
    Elements run(sliding_and_exit(), {.step = 2.0 / (static_cast<double>(steps) + 0.3), .stages = 1});
    EXPECT_TRUE(run.simulation.advance_to(2.0));
    return (run.x() - Eigen::Vector2d(0.5, std::exp(-1.75))).norm();
  });
  EXPECT_NEAR(order, 1.0, 0.1);
}

// Entry at 1 - 1 / sqrt 2, exit at 1, and the end; t = 1 on no grid. x is a parabola, which two stages have exactly.
TEST(FiniteElements, OrderThroughSliding) {
  for (const Method& method : methods()) {
    if (method.stages == 1) continue;
    const double order = measured_order({5, 10, 20, 40}, 1e-12, [&](Index steps) {
      const double h = 2.0 / (static_cast<double>(steps) + 0.3);
      Elements run(sliding_and_exit(), {.step = h, .family = method.family, .stages = method.stages});
      EXPECT_TRUE(run.simulation.advance_to(2.0));
      const auto switches = run.switches();
      EXPECT_EQ(switches.size(), 2u);
      EXPECT_NEAR(switches.at(0), 1.0 - std::sqrt(0.5), 1e-12);
      EXPECT_NEAR(switches.at(1), 1.0, 1e-8);  // alpha by differences of the fields
      return (run.x() - Eigen::Vector2d(0.5, std::exp(-1.75))).norm();
    });
    // Elements beside a switch are as short as the grid has it: constants vary by up to 8, one order over 5 to 40
    // steps.
    EXPECT_GT(order, method.order() - 1.0) << method.stages << " stages";
  }
}

// A start that is on the grid of the exit: alpha = 1 there to round-off, and the step after it leaves at once.
TEST(FiniteElements, LeavesWhereAStepEnds) {
  for (const Method& method : methods()) {
    if (method.stages == 1) continue;
    Elements run(sliding_and_exit(), {.step = 0.125, .family = method.family, .stages = method.stages});
    ASSERT_TRUE(run.simulation.advance_to(2.0));
    EXPECT_EQ(run.switches().size(), 2u);
    EXPECT_NEAR(run.x()[0], 0.5, 1e-8);
  }
}

// On the circle x turns with angular speed 1/3; before it, r' = -r from 1.5: there at log(1.5), turned by as much.
TEST(FiniteElements, OrderAlongACurvedSurface) {
  const double T = 2.0, angle = std::log(1.5) + (T - std::log(1.5)) / 3.0;
  const Eigen::Vector2d exact(std::cos(angle), std::sin(angle));
  for (const Method& method : methods()) {
    const double order = measured_order({7, 14, 28, 56}, 1e-12, [&](Index steps) {
      Elements run(circle(1.5),
                   {.step = T / static_cast<double>(steps), .family = method.family, .stages = method.stages});
      EXPECT_TRUE(run.simulation.advance_to(T));
      EXPECT_NEAR(run.x().norm(), 1.0, 16.0 * kEps);
      return (run.x() - exact).norm();
    });
    // Two switch-free phases of constant modes; the order is that of the index-2 system on the circle.
    EXPECT_GT(order, method.order() - 0.4) << method.stages << " stages of family " << static_cast<int>(method.family);
  }
}

// Zero after infinitely many switches at (|x1| + |x2|) / 2: rests there once the rest is below the threshold.
TEST(FiniteElements, InfinitelyManySwitches) {
  Elements run(spiral(0.7, 0.4), {.step = 0.1, .stages = 2});
  const auto report = run.simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE(run.x().norm(), 1e-10);
  EXPECT_NEAR(run.switches().back(), 0.55, 1e-9);
}

TEST(FiniteElements, SeveralMotions) {
  // One surface: the hull has x' = -6/17 on it from 1/7 on, x(1) = 1.5 - 2/7 - (6/17) (6/7).
  Elements one(one_relay(), {.step = 0.1});
  ASSERT_TRUE(one.simulation.advance_to(1.0));
  EXPECT_NEAR(one.x()[0], 1.5 - 2.0 / 7.0 - 36.0 / 119.0, 16.0 * kEps);

  // Two surfaces on one place: every x' in [-2, 1.5] goes on.
  Elements two(two_relays(), {.step = 0.1});
  const auto report = two.simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous);
  EXPECT_NEAR(report.t, 1.0 / 7.0, 1e-12);
  EXPECT_NEAR(two.x()[0], 1.5 - 2.0 / 7.0, 1e-12);  // kept up to there
  double least = 0.0, most = 0.0;
  for (const OtherMotion& motion : two.simulation.alternatives()) {
    EXPECT_NEAR(motion.rates[0], motion.rates[1], 1e-12);
    least = std::min(least, motion.rates[0]);
    most = std::max(most, motion.rates[0]);
  }
  EXPECT_NEAR(least, -2.0, 1e-12);
  EXPECT_NEAR(most, 1.5, 1e-12);
}

// dx(T)/dx0 through a crossing: M = I + (f+ - f-) grad^T / (grad . f-) at the switch between the flows' exponentials;
// here |x| scales by e^T whatever the start, and the angle is w (T - 2 t*), t* = -log |x0|: d(angle) = 2 w dr / r.
TEST(FiniteElements, SensitivityThroughACrossing) {
  const double T = 0.5 * std::numbers::pi, w = 2.0 * std::numbers::pi, r = std::exp(-1.0);
  Elements run(oscillator(), {.step = T / 40.0, .stages = 4, .sensitivities = true});
  ASSERT_TRUE(run.simulation.advance_to(T));
  const double size = std::exp(T - 1.0), angle = w * (T - 2.0);
  const Eigen::Vector2d radial(std::cos(angle), std::sin(angle)), across(-radial[1], radial[0]);
  Eigen::Matrix2d exact;
  // At x0 = (r, 0), along x: dr; along y: r dangle.
  exact.col(0) = size / r * radial + 2.0 * w * size / r * across;
  exact.col(1) = size / r * across;
  const Sensitivity& found = run.simulation.sensitivity(run.handles.system);
  EXPECT_FALSE(found.grazed || found.coincided);
  EXPECT_LE((found.transition - exact).norm(), 1e-8 * exact.norm());  // the error of the flow: 40 steps of order 7
}

// Sliding forgets where it came from: dx/dx0 = 0, and y = exp(-(t_entry + ...)) by the time of entry, which is where
// x0 + t^2 / 2 - t = 0: dt = dx0 / (1 - t). y(2) = y0 exp(-t_entry) * (sliding: l = t) exp(-(1 - t_entry^2) / 2) *
// exp(-1).
TEST(FiniteElements, SensitivityThroughSliding) {
  for (const FiniteElementFamily family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre}) {
    Elements run(sliding_and_exit(), {.step = 0.09, .family = family, .stages = 4, .sensitivities = true});
    ASSERT_TRUE(run.simulation.advance_to(2.0));
    const double entry = 1.0 - std::sqrt(0.5), y = std::exp(-1.75), dt = 1.0 / (1.0 - entry);
    const Eigen::MatrixXd& found = run.simulation.sensitivity(run.handles.system).transition;
    EXPECT_NEAR(found(0, 0), 0.0, 1e-7);  // differences of alpha at the exit
    EXPECT_NEAR(found(0, 1), 0.0, 1e-7);
    EXPECT_NEAR(found(1, 0), y * (entry - 1.0) * dt, 1e-7);
    EXPECT_NEAR(found(1, 1), y, 1e-7);
  }
}

// x1' = -1 and x2' = 0, behind x1 = 0 x2' = 5: dx2 / dx1(0) = -5, wherever the grid has the switch.
TEST(FiniteElements, SensitivityThroughASwitchOnTheGrid) {
  FilippovSystem system{.x0 = {1.0, 0.0},
                        .switches = {coordinate(0)},
                        .regions = {constant({1}, {-1.0, 0.0}), constant({-1}, {-1.0, 5.0})}};
  for (const FiniteElementFamily family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre}) {
    for (const double step : {0.25, 0.3, 0.1, 1.0, 1.0 + 4.0 * kEps, 1.0 - 4.0 * kEps}) {
      Elements run(system, {.step = step, .family = family, .sensitivities = true});
      ASSERT_TRUE(run.simulation.advance_to(2.0));
      Eigen::Matrix2d exact;
      exact << 1.0, 0.0, -5.0, 1.0;
      EXPECT_LE((run.simulation.sensitivity(run.handles.system).transition - exact).norm(), 1e-8) << step;
      EXPECT_NEAR(run.x()[1], 5.0, 1e-10);
    }
  }
}

// A surface that moves, c = x1 - t / 2, from 1 at speed -1: met at t* = 2/3 x1(0), from then on x2' = 1:
// x2(2) = 2 - t*, dx2 / dx1(0) = -2/3.
TEST(FiniteElements, SensitivityThroughASurfaceThatMoves) {
  FilippovSystem system{.x0 = {1.0, 0.0},
                        .switches = {{.name = "ramp",
                                      .value = [](double t, ConstVectorRef x) { return x[0] - 0.5 * t; },
                                      .gradient = [](double, ConstVectorRef, VectorRef g) { g[0] = 1.0; },
                                      .rate = [](double, ConstVectorRef) { return -0.5; }}},
                        .regions = {constant({1}, {-1.0, 0.0}), constant({-1}, {-1.0, 1.0})}};
  Elements run(system, {.step = 0.3, .sensitivities = true});
  ASSERT_TRUE(run.simulation.advance_to(2.0));
  EXPECT_NEAR(run.x()[1], 2.0 - 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(run.simulation.sensitivity(run.handles.system).transition(1, 0), -2.0 / 3.0, 1e-8);
}

// Two systems in one model, switches at 0.3 and 0.7 within one step; then one that stops where it is ambiguous.
TEST(FiniteElements, SeveralSystems) {
  NonSmoothDynamicalSystem model;
  const auto first = link_filippov(model, sign(0.3)), second = link_filippov(model, sign(0.7));
  FiniteElementStepping simulation(model, {.step = 1.0});
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().x(first.system)[0], 0.0, 4.0 * kEps);
  EXPECT_NEAR(simulation.state().x(second.system)[0], 0.0, 4.0 * kEps);
  ASSERT_EQ(simulation.events().size(), 2u);
  EXPECT_NEAR(simulation.events()[0].t, 0.3, 4.0 * kEps);
  EXPECT_NEAR(simulation.events()[1].t, 0.7, 4.0 * kEps);

  const auto third = link_filippov(model, two_relays());
  FiniteElementStepping ends(model, {.step = 1.0});
  EXPECT_EQ(ends.advance_to(1.0).outcome, RunReport::Outcome::Ambiguous);
  EXPECT_NEAR(ends.state().t, 1.0 / 7.0, 1e-12);
  EXPECT_NEAR(ends.state().x(third.system)[0], 1.5 - 2.0 / 7.0, 1e-12);
  EXPECT_NEAR(ends.state().x(first.system)[0], 0.3 - 1.0 / 7.0, 1e-12);  // all at one instant
}

// Two step functions on one place are not determined by sliding: told, with what to take instead.
TEST(FiniteElements, StepFunctionsThatNothingDetermines) {
  Elements run(two_relays(), {.step = 0.1, .on_ambiguity = OnAmbiguity::Utkin});
  const auto report = run.simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::NoMode);
  EXPECT_NE(report.detail.find("EventDriven"), std::string::npos) << report.detail;
}

// A second switch on the same surface, which acts on nothing: its step function is open while x slides, and x' is not.
// Newton's iteration has no answer there; the steps are found as programs, in one of which sliding ends at t = 1.
TEST(FiniteElements, OpenStepFunctionsOfOneMotion) {
  FilippovSystem system = sliding_and_exit();
  system.switches.push_back(system.switches.front());
  for (FilippovRegion& region : system.regions) region.signs.push_back(0);
  Elements run(system, {.step = 0.3, .stages = 3});
  const auto report = run.simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  // Certificates are 1e-6 of terms up to 1, of five programs; order 5 in elements of 0.15 leaves less.
  EXPECT_NEAR(run.x()[0], 0.5, 5e-6);
  EXPECT_NEAR(run.x()[1], std::exp(-1.75), 5e-6);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().kind, RunRemark::Kind::StepProblem);
  EXPECT_LE(report.findings.front().worst, 1e-6);
  EXPECT_NE(report.message().find("complementarity"), std::string::npos) << report.message();
  // Derivatives are not made from programs: told as before.
  Elements sensitive(system, {.step = 0.3, .sensitivities = true});
  EXPECT_EQ(sensitive.simulation.advance_to(2.0).outcome, RunReport::Outcome::NoMode);
}

// On the line of line_in_space() x3' is not unique; with a step function a surface it is 1/2.
TEST(FiniteElements, SlidesOnTwoSurfacesByStepFunctions) {
  for (const FiniteElementFamily family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre}) {
    Elements stops(line_in_space(), {.step = 0.1, .family = family});
    EXPECT_EQ(stops.simulation.advance_to(1.0).outcome, RunReport::Outcome::Ambiguous);
    Elements run(line_in_space(), {.step = 0.1, .family = family, .on_ambiguity = OnAmbiguity::Utkin});
    ASSERT_TRUE(run.simulation.advance_to(1.0));
    EXPECT_NEAR(run.x().head(2).norm(), 0.0, 4.0 * kEps);
    // x3' = 1 until x2 = 0 at 1/8, then 1/2 along x2 = 0 (fields 1 and 0 alike) and on the line.
    EXPECT_NEAR(run.x()[2], 0.125 + 0.5 * 0.875, 1e-12);
    EXPECT_FALSE(run.simulation.findings().empty());
  }
}

// x1' = -s1, x2' = x3 - 1 above, 3 and -1/2 below, x3' = 1: from x3 = 1 on x2 may leave upwards, or stay. Told at that
// instant, within a step; the motion with a step function a surface leaves, x2 = (t - 1)^2 / 2.
TEST(FiniteElements, ACrossingThatAttractsNoMore) {
  const auto field = [](double s1, double below, double along) {
    return [=](double, ConstVectorRef x, VectorRef f) {
      f[0] = -s1;
      f[1] = below + along * (x[2] - 1.0);
      f[2] = 1.0;
    };
  };
  const FilippovSystem system{.x0 = {0.0, 0.0, 0.0},
                              .switches = {coordinate(0), coordinate(1)},
                              .regions = {{.signs = {1, 1}, .f = field(1.0, 0.0, 1.0)},
                                          {.signs = {-1, 1}, .f = field(-1.0, 0.0, 1.0)},
                                          {.signs = {1, -1}, .f = field(1.0, 3.0, 0.0)},
                                          {.signs = {-1, -1}, .f = field(-1.0, -0.5, 0.0)}}};
  Elements stops(system, {.step = 0.3});
  const auto report = stops.simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Ambiguous) << report.message();
  EXPECT_NEAR(report.t, 1.0, 1e-8);
  EXPECT_EQ(stops.simulation.alternatives().size(), 2u);
  Elements run(system, {.step = 0.3, .on_ambiguity = OnAmbiguity::Utkin});
  const auto leaves = run.simulation.advance_to(2.0);
  ASSERT_TRUE(leaves) << leaves.message();
  EXPECT_NEAR(run.x()[1], 0.5, 1e-7);
}

// A trajectory that just touches its surface: x' = (1, 2 x0) from (-1, 1) has x1 = x0^2, c = x1 touches 0 at x0 = 0.
TEST(FiniteElements, GrazingIsTold) {
  const auto graze = [](double height) {
    const auto field = [](double, ConstVectorRef x, VectorRef f) {
      f[0] = 1.0;
      f[1] = 2.0 * x[0];
    };
    FilippovSystem system{.x0 = {-1.0, 1.0 + height},
                          .switches = {coordinate(1)},
                          .regions = {{.signs = {1}, .f = field}, {.signs = {-1}, .f = field}}};
    Elements run(system, {.step = 0.15, .stages = 3, .sensitivities = true});
    EXPECT_TRUE(run.simulation.advance_to(1.0));
    return run.simulation.sensitivity(run.handles.system);
  };
  EXPECT_TRUE(graze(-1e-14).grazed);  // |dc/dt| = 2e-7 where it passes
  EXPECT_FALSE(graze(-1e-2).grazed);
  EXPECT_FALSE(graze(1e-2).grazed);
}

// A ball on a floor by time freezing: x = (q, v, t); where q < 0, time stands still and a spring and damper turn v
// round: q'' = -k q - d q' from (0, -u) back to (0, e u), e = exp(-pi zeta / sqrt(1 - zeta^2)).
TEST(FiniteElements, BouncingBallByTimeFreezing) {
  const double g = 9.81, e = 0.6, k = 100.0;
  const double ratio = -std::log(e) / std::numbers::pi, zeta = ratio / std::sqrt(1.0 + ratio * ratio);
  const double d = 2.0 * zeta * std::sqrt(k);
  FilippovSystem ball{.x0 = {1.0, 0.0, 0.0},
                      .switches = {coordinate(0)},
                      .regions = {{.signs = {1},
                                   .f =
                                       [=](double, ConstVectorRef x, VectorRef f) {
                                         f[0] = x[1];
                                         f[1] = -g;
                                         f[2] = 1.0;
                                       }},
                                  {.signs = {-1}, .f = [=](double, ConstVectorRef x, VectorRef f) {
                                     f[0] = x[1];
                                     f[1] = -k * x[0] - d * x[1];
                                   }}}};
  Elements run(ball, {.step = 0.05, .stages = 4});
  // To the top of the first bounce: falls for sqrt(2 / g), turns round in pi / (omega sqrt(1 - zeta^2)) of frozen time,
  // rises for e sqrt(2 g) / g to e^2.
  const double fall = std::sqrt(2.0 / g), frozen = std::numbers::pi / (std::sqrt(k) * std::sqrt(1.0 - zeta * zeta));
  ASSERT_TRUE(run.simulation.advance_to(fall + frozen + e * fall));
  EXPECT_NEAR(run.x()[0], e * e, 1e-9);  // order 7 in the frozen phase of some 12 elements: (0.025)^7
  EXPECT_NEAR(run.x()[1], 0.0, 1e-8);
  EXPECT_NEAR(run.x()[2], (1.0 + e) * fall, 1e-9);
}

TEST(FiniteElements, GoesOnFromAStateWithTheSameBits) {
  for (const double stop : {0.2, 0.4, 0.9, 1.3}) {
    NonSmoothDynamicalSystem model;
    const SystemHandle system = link_filippov(model, sliding_and_exit()).system;
    FiniteElementStepping whole(model, {.step = 0.1}), first(model, {.step = 0.1}), second(model, {.step = 0.1});
    ASSERT_TRUE(whole.advance_to(2.0));
    ASSERT_TRUE(first.advance_to(stop));
    second.set_state(first.state());
    ASSERT_TRUE(second.advance_to(2.0));
    EXPECT_EQ(Eigen::VectorXd(second.state().x(system)), Eigen::VectorXd(whole.state().x(system))) << "from " << stop;
  }
}

TEST(FiniteElements, ShowsEachStepAndMultipliers) {
  Elements run(sliding_and_exit(), {.step = 0.1});
  Index shown = 0;
  const auto report = run.simulation.advance_to(0.85, [&](const State& state) {
    ++shown;
    if (state.t > 0.35) {
      const double l = state.lambda(run.handles.fields)[1] - state.lambda(run.handles.fields)[0];
      EXPECT_NEAR(l, state.t, 1e-12);  // slides with l = t
    }
    return state.t < 0.75;
  });
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
  EXPECT_EQ(shown, 8);
  EXPECT_EQ(report.steps, 8);
  EXPECT_NEAR(run.simulation.state().t, 0.8, 4.0 * kEps);
}

TEST(FiniteElements, RefusesWhatItDoesNotTake) {
  NonSmoothDynamicalSystem model;
  EXPECT_THROW((FiniteElementStepping{model, {.step = 0.1}}), InvalidArgument);
  const auto handles = link_filippov(model, oscillator());
  EXPECT_THROW((FiniteElementStepping{model, {.step = 0.0}}), InvalidArgument);
  EXPECT_THROW((FiniteElementStepping{model, {.step = 0.1, .stages = 9}}), InvalidArgument);
  EXPECT_THROW((FiniteElementStepping{model, {.step = 0.1, .elements = 0}}), InvalidArgument);
  EXPECT_THROW((FiniteElementStepping{model, {.step = 0.1, .on_ambiguity = OnAmbiguity::Moments}}), InvalidArgument);
  FiniteElementStepping plain(model, {.step = 0.1});
  EXPECT_THROW((void)plain.sensitivity(handles.system), InvalidArgument);
  EXPECT_THROW((void)plain.advance_to(-1.0), InvalidArgument);
  (void)model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {{1.0}}});
  EXPECT_THROW((FiniteElementStepping{model, {.step = 0.1}}), InvalidArgument);
}

TEST(FiniteElements, TellsOfFunctionsThatFailAndOfNoMotion) {
  FilippovSystem system = sign(1.0);
  system.regions[0].f = [](double t, ConstVectorRef, VectorRef f) {
    if (t > 0.5) throw std::runtime_error("no data");
    f[0] = -1.0;
  };
  system.name = "valve";
  Elements failing(system, {.step = 0.1});
  const auto report = failing.simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.detail.find("valve"), std::string::npos) << report.detail;
  EXPECT_NE(report.detail.find("no data"), std::string::npos) << report.detail;
  EXPECT_GT(report.t, 0.3);
}

// A transient of 1e-8 before a switch, in elements of 0.05: told, and the state is where the step began.
TEST(FiniteElements, ASwitchThatNoElementResolvesIsTold) {
  FilippovSystem system{
      .x0 = {1.0},
      .switches = {coordinate(0)},
      .regions = {{.signs = {1}, .f = [](double, ConstVectorRef x, VectorRef f) { f[0] = -1e8 * x[0] - 1.0; }},
                  {.signs = {-1}, .f = [](double, ConstVectorRef x, VectorRef f) { f[0] = -1e8 * x[0] + 1.0; }}},
      .name = "stiff"};
  Elements run(system, {.step = 0.1});
  const auto report = run.simulation.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::StepFailed);
  EXPECT_NE(report.detail.find("stiff"), std::string::npos) << report.detail;
  EXPECT_EQ(report.t, 0.0);
  EXPECT_EQ(run.x()[0], 1.0);
}

// Units of x from 1e-16 to 1e16, of t from 1e-9 to 1e9: the same switches and end, in these units. Three stages of
// Radau's with steps of 0.09 are good to 1e-10 (FiniteElements.OrderThroughSliding).
TEST(FiniteElements, UnitsDoNotMatter) {
  for (const double unit : {1e-16, 1e-9, 1e9, 1e16}) {
    for (const double rate : {1e-9, 1.0, 1e9}) {
      const auto field = [=](double l) {
        return [=](double t, ConstVectorRef x, VectorRef f) {
          f[0] = rate * unit * (rate * t - l);
          f[1] = -rate * l * x[1];
        };
      };
      FilippovSystem system{.x0 = {0.25 * unit, unit},
                            .switches = {coordinate(0)},
                            .regions = {{.signs = {1}, .f = field(1.0)}, {.signs = {-1}, .f = field(-1.0)}}};
      Elements run(system, {.step = 0.09 / rate});
      ASSERT_TRUE(run.simulation.advance_to(2.0 / rate)) << unit << ' ' << rate;
      EXPECT_NEAR(run.x()[0] / unit, 0.5, 1e-9) << unit << ' ' << rate;
      EXPECT_NEAR(run.x()[1] / unit, std::exp(-1.75), 1e-9) << unit << ' ' << rate;
      EXPECT_EQ(run.switches().size(), 2u);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::finite_elements_test
