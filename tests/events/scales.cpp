// SPDX-License-Identifier: Apache-2.0
// Drives that are fast, late or begin quietly: differences of them find their steps in the problem. Jumps at zero.
#include <cmath>
#include <functional>
#include <string>

#include "event_log.hpp"

namespace nonsmooth::scales_test {
namespace {

using namespace event_log;

/// M = [2 1/2; 1/2 1], v_1 dictated: 2 v_0dot + v_1dot / 2 = 0, so that v_0 falls by a quarter of what v_1 gains.
void expect_follows(const std::function<double(double)>& velocity, double t0, double duration, double tolerance,
                    double relative = 1e-10) {
  NonSmoothDynamicalSystem model;
  const Eigen::Matrix2d mass{{2.0, 0.5}, {0.5, 1.0}};
  const auto body = model.add(LagrangianLinearSystem{.mass = mass,
                                                     .q0 = {0.0, 0.0},
                                                     .v0 = {0.0, velocity(t0)},
                                                     .prescribed = {{.component = 1, .velocity = velocity}}});
  for (const SmoothIntegrator& method : {SmoothIntegrator{DormandPrince{}}, SmoothIntegrator{RadauIIA{}}}) {
    EventDriven accepted(model, {.integrator = method}, t0);  // its start is consistent by the default tolerances
    EventDriven simulation(
        model, {.integrator = method, .relative_tolerance = relative, .absolute_tolerance = 1e-2 * relative}, t0);
    run_to(simulation, t0 + duration);
    const double end = simulation.state().t, gained = velocity(end) - velocity(t0);
    EXPECT_NEAR(simulation.state().v(body)[0], -0.25 * gained, tolerance);
  }
}

TEST(Drives, AreFollowedHoweverFast) {
  // Tolerances of 1e-10 in each of a hundred steps; the argument w t is rounded to 1e-15.
  for (const double w : {1e-6, 1.0, 1e3, 1e6}) {
    expect_follows([w](double t) { return std::sin(w * t); }, 0.0, 7.0 / w, 1e-8);
    expect_follows([w](double t) { return std::cos(w * t); }, 0.0, 7.0 / w, 1e-8);
  }
}

TEST(Drives, AreFollowedHoweverLate) {
  // The argument 2 pi t is rounded to 1e-10, which leaves 1e-10^(4/5) = 1e-8 in a difference of fourth order, times 2
  // pi.
  for (const double phase : {0.0, 0.3}) {
    expect_follows([phase](double t) { return std::cos(2.0 * kPi * t + phase); }, 1e5, 0.7, 1e-5, 1e-6);
  }
}

TEST(Drives, AreFollowedFromAQuietStart) {
  // C^4 at t = 1, constant before: there is no slope before that.
  const auto late = [](double t) { return t > 1.0 ? std::pow(std::sin(t - 1.0), 5) : 0.0; };
  expect_follows(late, 0.0, 2.5, 1e-8);
  expect_follows([](double) { return 0.5; }, 0.0, 2.0, 1e-15);
  expect_follows([](double t) { return 3.0 - 2.0 * t; }, 0.0, 2.0, 1e-8);
}

TEST(Jumps, AtZeroAreSeenFromTheRightSide) {
  // m = 1: force 1 until 0, -3 from there: v(1) = 1 - 3.
  for (const bool open : {false, true}) {
    for (const double t0 : {-1.0, 0.0}) {
      const auto force = [open](double t, VectorRef f) { f[0] = (open ? t <= 0.0 : t < 0.0) ? 1.0 : -3.0; };
      NonSmoothDynamicalSystem model;
      const auto body = model.add(LagrangianLinearSystem{.force = force, .q0 = {1.0}, .v0 = {0.0}});
      EventDrivenOptions options{.integrator = RadauIIA{}, .step = 1.0};
      if (t0 < 0.0) options.events = {{.instants = {0.0}}};
      EventDriven simulation(model, options, t0);
      run_to(simulation, 1.0);
      EXPECT_NEAR(simulation.state().v(body)[0], -t0 - 3.0, 1e-12) << open << " from " << t0;
    }
  }
}

TEST(Relations, ByDifferencesAreKeptUnderTightTolerances) {
  // A platform of which only h is given: its accelerations come to 1e-8, more than the tolerances allow a step, which
  // is no loss of the constraint. h = q - s(t) is exact, and so is q once drift is removed.
  const double a = 0.1, w = 9.0;
  NonSmoothDynamicalSystem model;
  const auto body =
      model.add(LagrangianLinearSystem{.mass = {{1.0}}, .force = {-kGravity}, .q0 = {0.0}, .v0 = {a * w}});
  RheonomousRelation platform;
  platform.h = [a, w](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - a * std::sin(w * t); };
  model.link(body, platform, NewtonImpactLaw{});
  EventDriven simulation(model,
                         {.relative_tolerance = 1e-13, .absolute_tolerance = 1e-14, .repair_initial_state = true});
  run_to(simulation, 0.3);
  EXPECT_NEAR(simulation.state().q(body)[0], a * std::sin(w * 0.3), 1e-14);
}

TEST(Relations, ThatTheMotionLosesEndTheRun) {
  // A Jacobian that holds at the start only: past a right angle no motion along it meets the constraint.
  NonSmoothDynamicalSystem model;
  const auto bob = model.add(LagrangianLinearSystem{
      .mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(), .force = {0.0, -kGravity}, .q0 = {1.0, 0.0}, .v0 = {0.0, 0.0}});
  ScleronomousRelation rod;
  rod.rows = 1;
  rod.h = [](ConstVectorRef q, VectorRef y) { y[0] = q.norm() - 1.0; };
  rod.H = [](ConstVectorRef, MatrixRef H) { H << 1.0, 0.0; };
  model.link(bob, rod, EqualityLaw{}, "rod");
  EventDriven simulation(model);
  const auto report = simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::IntegratorFailed);
  EXPECT_NE(report.message().find("rod on system 0 is not kept: y ="), std::string::npos) << report.message();
}

}  // namespace
}  // namespace nonsmooth::scales_test
