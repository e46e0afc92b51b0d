// SPDX-License-Identifier: Apache-2.0
// Schatzman-Paoli time-stepping: contacts at the level of positions.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"
#include "kernel/mechanics_orders.hpp"

namespace nonsmooth::mechanics_two_steps_test {
namespace {

using namespace closed_forms;
using namespace mechanics;

TimeSteppingOptions two_steps(double h, double theta = 0.5) {
  return {.integrator = SchatzmanPaoli{.theta = theta}, .step = h};
}

const LagrangianLinearRelation kGap{.H = {{1.0}}};

TEST(SchatzmanPaoli, SmoothMotionIsThatOfItsRecursion) {
  // (M + h C / 2 theta + h^2 theta K) q_{k+1} = ..., computed here entry by entry from the scheme's equation, C and K
  // and a force of time included; v_{k+1} = (q_{k+1} - q_{k-1}) / (2 h).
  const double m = 2.0, c = 0.8, k = 30.0, h = 0.02, theta = 0.6;
  auto system = mass_point(m, 0.0, 0.3, -0.7);
  system.damping = {{c}};
  system.stiffness = {{k}};
  system.force = [](double t, VectorRef f) { f[0] = std::sin(5.0 * t); };
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  TimeStepping run(model, two_steps(h, theta));
  double before = 0.3 + h * 0.7, q = 0.3, v = -0.7;
  for (int n = 0; n < 200; ++n) {
    const double t = n * h;
    const double force = theta * std::sin(5.0 * (t + h)) + (1.0 - theta) * std::sin(5.0 * t);
    // theta g_{k+1} has C (q_{k+1} - q_{k-1}) / (2 h) and K q_{k+1}.
    const double matrix = m + 0.5 * h * theta * c + h * h * theta * k;
    const double right =
        m * (2.0 * q - before) + 0.5 * h * theta * c * before - h * h * (1.0 - theta) * (c * v + k * q) + h * h * force;
    const double next = right / matrix;
    v = (next - before) / (2.0 * h);
    before = q;
    q = next;
    ASSERT_TRUE(run.step());
    ASSERT_NEAR(run.state().q(body)[0], q, 1e-12) << n;
    ASSERT_NEAR(run.state().v(body)[0], v, 1e-11) << n;
  }
}

// A damped oscillator on a stop q >= 0: half a damped period between impacts, e exp(-s pi / wd) from one to the next.
struct Stop {
  double e = 0.7, s = 0.3, w = 4.0, wd = std::sqrt(w * w - s * s), v0 = 1.0;
  /// q at time t after an impact with v0.
  [[nodiscard]] double position(double t) const {
    double v = v0;
    for (; t > kPi / wd; t -= kPi / wd) v *= e * std::exp(-s * kPi / wd);
    return v / wd * std::exp(-s * t) * std::sin(wd * t);
  }
  [[nodiscard]] double velocity(double t) const {
    return v0 * std::exp(-s * t) * (std::cos(wd * t) - s / wd * std::sin(wd * t));  // of the first arc
  }
};

TEST(SchatzmanPaoli, AnOscillatorOnAStopConvergesWithOrderOne) {
  // Impacts fall anywhere in a step, which scatters the error's factor by half of it; the mean over 16 starts by an
  // eighth. Over five points (spread 4 log 2, variance of the slope 0.12^2 / (10 log^2 2)) the slope scatters by 0.06.
  const Stop stop;
  const double T = 2.2;  // over two impacts
  const auto error = [&](double h) {
    double sum = 0.0;
    for (int i = 0; i < 16; ++i) {
      const double start = 0.2 + 0.01 * i;
      auto system = mass_point(2.0, 0.0, stop.position(start), stop.velocity(start));
      system.damping = {{4.0 * stop.s}};
      system.stiffness = {{2.0 * stop.w * stop.w}};
      NonSmoothDynamicalSystem model;
      const auto body = model.add(system);
      const auto contact = model.link(body, kGap, NewtonImpactLaw{stop.e});
      TimeStepping run(model, two_steps(h));
      double lowest = 0.0, worst = 0.0;
      const auto report = run.advance_to(T, [&](const State& state) {
        lowest = std::min(lowest, state.q(body)[0]);
        EXPECT_GE(state.impulse(contact)[0], 0.0);
        worst = std::max(worst, std::abs(state.q(body)[0] - stop.position(start + state.t)));
      });
      EXPECT_TRUE(report) << report.message();
      EXPECT_GE(lowest, -stop.e * stop.v0 * h);  // y_{k+1} >= -e y_{k-1} >= -e h |v|
      sum += worst / 16.0;
    }
    return sum;
  };
  EXPECT_NEAR(fitted_order(4e-3, 4, error), 1.0, 0.2);
}

TEST(SchatzmanPaoli, PlasticContactsNeverPenetrate) {
  // e = 0: 0 <= y_{k+1} at each step, to the solver's 1e-9 of h u. A ball that falls onto the floor stays there.
  const double h = 1e-2;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(2.0, -2.0 * kGravity, 1.0, 0.0));
  const auto floor = model.link(ball, kGap, NewtonImpactLaw{0.0});
  TimeStepping run(model, two_steps(h));
  double percussions = 0.0;
  const double fall = std::sqrt(2.0 / kGravity);
  ASSERT_TRUE(run.advance_to(1.0, [&](const State& state) {
    EXPECT_GE(state.y(floor)[0], -1e-11);
    percussions += state.percussion(floor)[0];
    if (state.t > fall + 4.0 * h) {
      EXPECT_NEAR(state.q(ball)[0], 0.0, 1e-11);
      EXPECT_NEAR(state.v(ball)[0], 0.0, 1e-9);
      EXPECT_NEAR(state.impulse(floor)[0], 2.0 * kGravity * h, 1e-8);
      EXPECT_EQ(state.percussion(floor)[0], 0.0);
      EXPECT_NEAR(state.force(floor)[0], 2.0 * kGravity, 1e-6);
    }
  }));
  // M (z - z_old) = p: the step that touches takes a part of the momentum 2 sqrt(2 g), the next the rest.
  EXPECT_GT(percussions, 0.0);
  EXPECT_LE(percussions, 2.0 * std::sqrt(2.0 * kGravity) + 2.0 * kGravity * 2.0 * h);
}

TEST(SchatzmanPaoli, RestsFromTheStart) {
  NonSmoothDynamicalSystem model;
  auto block = mass_point(2.0, -2.0 * kGravity, 0.0, 0.0);
  const auto body = model.add(block);
  const auto floor = model.link(body, kGap, NewtonImpactLaw{0.5});
  TimeStepping run(model, two_steps(1e-2));
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(run.step());
    EXPECT_NEAR(run.state().q(body)[0], 0.0, 1e-12);
    EXPECT_NEAR(run.state().force(floor)[0], 2.0 * kGravity, 1e-6);
  }
}

TEST(SchatzmanPaoli, KeepsAnEqualityAtItsPosition) {
  // Two masses on one rod: q_1 - q_0 = 1 for ever, no drift at all, and the centre falls by the recursion
  // q_k = g t_k^2 / 2 + h g t_k / 2, as q_{-1} = q_0.
  const double h = 0.02;
  NonSmoothDynamicalSystem model;
  const auto a = model.add(mass_point(1.0, -kGravity, 0.0, 0.0)), b = model.add(mass_point(3.0, -9.0, 1.0, 0.0));
  const auto rod = model.link({a, b}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-1.0}}, EqualityLaw{});
  TimeStepping run(model, two_steps(h));
  const double acceleration = -(kGravity + 9.0) / 4.0;
  ASSERT_TRUE(run.advance_to(2.0, [&](const State& state) {
    EXPECT_NEAR(state.y(rod)[0], 0.0, 1e-11);
    EXPECT_NEAR(state.q(a)[0], 0.5 * acceleration * state.t * (state.t + h), 1e-8);
    EXPECT_NEAR(state.force(rod)[0], 3.0 * acceleration + 9.0, 1e-5);
  }));
}

TEST(SchatzmanPaoli, ANonlinearGapIsClosedByNewton) {
  // A bead in a round bowl, y = R - |q| >= 0: it falls onto the wall off the middle and stays on it, never outside,
  // sliding down. Energy: it may only lose what impacts and the scheme take.
  const double R = 1.0, h = 2e-3;
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(LagrangianLinearSystem{
      .mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(), .force = {0.0, -kGravity}, .q0 = {0.6, 0.0}});
  const auto bowl =
      model.link(bead,
                 ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = 1.0 - q.norm(); },
                                      .H = [](ConstVectorRef q, MatrixRef H) { H = -q.transpose() / q.norm(); }},
                 NewtonImpactLaw{0.0});
  TimeStepping run(model, two_steps(h));
  double lowest = 1.0, highest = -R, touched = 0.0;
  const auto report = run.advance_to(2.0, [&](const State& state) {
    EXPECT_GE(state.y(bowl)[0], -1e-8);  // Newton's tolerance on z, times h
    if (touched == 0.0 && state.impulse(bowl)[0] > 0.0) touched = state.t;
    if (touched > 0.0 && state.t > touched + 2.0 * h) {
      EXPECT_NEAR(state.q(bead).norm(), R, 1e-8) << state.t;
      highest = std::max(highest, state.q(bead)[1]);
    }
    lowest = std::min(lowest, state.q(bead)[1]);
  });
  EXPECT_TRUE(report) << report.message();
  EXPECT_NEAR(touched, std::sqrt(2.0 * 0.8 / kGravity), 2.0 * h);  // at (0.6, -0.8)
  EXPECT_NEAR(lowest, -R, 1e-3);
  // Of the speed at touch, straight down, 0.6 is tangential: it rises again by 0.36 of its fall, but for a loss of
  // order h at the scheme's impact (20 h as measured, 1 % of the fall at this step).
  const double rise = -0.8 + 0.8 * 0.36;
  EXPECT_NEAR(highest, rise, 20.0 * h);
}

TEST(SchatzmanPaoli, StartsFromTheVelocityThatAnotherSchemeLeft) {
  // Free flight under Moreau-Jean for 100 steps, then one step of two-step kind: q moves by h (v + h f) from there.
  const double h = 1e-2, f = -9.81;
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.force = {f}, .q0 = {1.0}, .v0 = {2.0}});
  State state = model.initial_state();
  Workspace workspace;
  TimeSteppingOptions options;
  options.step = h;
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(step(model, options, h, state, workspace));
  const double q = state.positions[0], v = state.unknowns[0];
  options.integrator = SchatzmanPaoli{};
  ASSERT_TRUE(step(model, options, h, state, workspace));
  EXPECT_NEAR(state.positions[0], q + h * (v + h * f), 1e-14);  // |q| and |h v| below 3: a few eps of that
}

}  // namespace
}  // namespace nonsmooth::mechanics_two_steps_test
