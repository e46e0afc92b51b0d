// SPDX-License-Identifier: Apache-2.0
// GeneralisedAlpha by time-stepping: its order, its damping, what contacts do beside it, and the same by events.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::generalised_alpha_steps_test {
namespace {

using bad_input::expect_refused;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kSpectralRadii[] = {0.0, 0.8, 1.0};

TimeSteppingOptions alpha(double rho, double h) { return {.integrator = GeneralisedAlpha{rho}, .step = h}; }

RigidBody tumbling_body() {
  return {.mass = 1.5,
          .inertia = Eigen::Vector3d(1.0, 2.0, 2.5).asDiagonal(),
          .velocity = {0.3, -0.2, 0.1},
          .angular_velocity = {0.4, 1.5, 0.3},
          .gravity = {0.0, 0.0, -9.81}};
}

/// Positions and velocities.
Eigen::VectorXd all_of(const State& state) {
  return (Eigen::VectorXd(state.positions.size() + state.unknowns.size()) << state.positions, state.unknowns)
      .finished();
}

TEST(GeneralisedAlphaSteps, AFreeBodyMovesAsByEvents) {
  // The same method: what differs is where each iteration ends, 1e-9 of a velocity change here (quadratic, so its
  // square), in 100 steps.
  NonSmoothDynamicalSystem model;
  model.add(tumbling_body());
  for (const double rho : kSpectralRadii) {
    TimeStepping stepped(model, alpha(rho, 0.02));
    EventDriven by_events(model, {.integrator = GeneralisedAlpha{rho}, .step = 0.02});
    ASSERT_TRUE(stepped.advance_to(2.0));
    ASSERT_TRUE(by_events.advance_to(2.0));
    EXPECT_LE((all_of(stepped.state()) - all_of(by_events.state())).norm(), 1e-9) << rho;
    EXPECT_NEAR(stepped.state().positions.tail<4>().norm(), 1.0, 8.0 * kEps);
  }
}

TEST(GeneralisedAlphaSteps, RotationsHaveOrderTwo) {
  // Without moments a body with J = (J1, J1, J3) has Omega_3 constant and (Omega_1, Omega_2) turning at (J3 - J1) / J1
  // Omega_3. Terms of the next order are below a twentieth.
  const double J1 = 1.0, J3 = 1.8, spin = 1.5, T = 2.0, rate = (J3 - J1) / J1 * spin;
  NonSmoothDynamicalSystem model;
  const auto top =
      model.add(RigidBody{.inertia = Eigen::Vector3d(J1, J1, J3).asDiagonal(), .angular_velocity = {0.7, 0.0, spin}});
  for (const double rho : kSpectralRadii) {
    const double order = fitted_order(0.05, 3, [&](double h) {
      TimeStepping simulation(model, alpha(rho, h));
      EXPECT_TRUE(simulation.advance_to(T));
      const Eigen::Vector3d exact(0.7 * std::cos(rate * T), 0.7 * std::sin(rate * T), spin);
      return (simulation.state().v(top).tail<3>() - exact).norm();
    });
    EXPECT_NEAR(order, 2.0, 0.1) << rho;
  }
}

TEST(GeneralisedAlphaSteps, AMassThatVariesHasOrderTwo) {
  // A double pendulum's mass matrix, (1 + 2 cos^2 q2) and its like: M(q) with its own centrifugal forces, against
  // DormandPrince by events.
  NonSmoothDynamicalSystem model;
  model.add(LagrangianSystem{.mass =
                                 [](ConstVectorRef q, MatrixRef M) {
                                   M(0, 0) = 3.0 + 2.0 * std::cos(q[1]);
                                   M(0, 1) = M(1, 0) = 1.0 + std::cos(q[1]);
                                   M(1, 1) = 1.0;
                                 },
                             .force =
                                 [](double, ConstVectorRef q, ConstVectorRef, VectorRef f) {
                                   f[0] = -2.0 * std::sin(q[0]) - std::sin(q[0] + q[1]);
                                   f[1] = -std::sin(q[0] + q[1]);
                                 },
                             .gyroscopic =
                                 [](ConstVectorRef q, ConstVectorRef v, VectorRef f) {
                                   f[0] = -std::sin(q[1]) * v[1] * (2.0 * v[0] + v[1]);
                                   f[1] = std::sin(q[1]) * v[0] * v[0];
                                 },
                             .q0 = {1.0, 0.5},
                             .v0 = {0.0, 0.0}});
  EventDriven exact(model, {.relative_tolerance = 1e-12});
  ASSERT_TRUE(exact.advance_to(2.0));
  for (const double rho : kSpectralRadii) {
    const double order = fitted_order(0.04, 3, [&](double h) {
      TimeStepping simulation(model, alpha(rho, h));
      EXPECT_TRUE(simulation.advance_to(2.0));
      return (all_of(simulation.state()) - all_of(exact.state())).norm();
    });
    EXPECT_NEAR(order, 2.0, 0.1) << rho;
  }
}

TEST(GeneralisedAlphaSteps, StepsOfOtherLengthsKeepOrderTwo) {
  // A damped oscillator, x'' + 0.6 x' + 9 x = 0, x(0) = 1 at rest, by h and 2 h / 3 in turn, each length with a
  // workspace of its own: A_k is of the length that its step has. Terms of the next order are below a twentieth.
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.damping = {{0.6}}, .stiffness = {{9.0}}, .q0 = {1.0}});
  const double T = 2.0, d = 0.3, w = std::sqrt(9.0 - d * d);
  const Eigen::Vector2d exact(std::exp(-d * T) * (std::cos(w * T) + d / w * std::sin(w * T)),
                              -std::exp(-d * T) * 9.0 / w * std::sin(w * T));
  for (const double rho : kSpectralRadii) {
    const double order = fitted_order(0.03, 3, [&](double h) {
      const TimeSteppingOptions options = alpha(rho, h);
      State state = model.initial_state();
      Workspace whole, part;
      for (double t = 0.0; t < T - 0.1 * h; t += 5.0 / 3.0 * h) {
        EXPECT_TRUE(step(model, options, h, state, whole));
        EXPECT_TRUE(step(model, options, 2.0 / 3.0 * h, state, part));
      }
      return (all_of(state) - exact).norm();
    });
    EXPECT_NEAR(order, 2.0, 0.1) << rho;
  }
}

TEST(GeneralisedAlphaSteps, RhoIsWhatIsLeftOfWhatTheStepDoesNotResolve) {
  // w h = 1e5. All three roots of the method are rho at infinite frequency, in one block: |z_k| is rho^k times a
  // quadratic in k, from k = 40 to 80 a factor of 4 and a few parts in 40 of lower terms. With rho = 0 nothing is left
  // after three steps but the 1 / (w h)^2 = 1e-10 by which the frequency is finite. rho = 1 keeps the energy: a step
  // turns by pi but for 4 / (w h), 80 of them by 3.2e-3, of whose cosine 5e-6 is missing, and rounds to eps (w h)^2 =
  // 2e-6.
  const auto run = [](double rho, int steps) {
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{.stiffness = {{1e10}}, .q0 = {1.0}});
    TimeStepping simulation(model, alpha(rho, 1.0));
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(simulation.step());
    return std::abs(simulation.state().positions[0]);
  };
  EXPECT_LE(run(0.0, 5), 1e-8);
  const double left = run(0.6, 80) / run(0.6, 40);
  EXPECT_LE(left, 4.0 * 1.2 * std::pow(0.6, 40));
  EXPECT_GE(left, std::pow(0.6, 40));
  EXPECT_NEAR(run(1.0, 80), std::cos(80.0 * 4e-5), std::sqrt(80.0) * 2e-6);
}

TEST(GeneralisedAlphaSteps, WhatContactHoldsIsNotDamped) {
  // Two masses on a spring, the lower pressed onto the floor by 100 N: the upper swings as on a wall. The floor's mass
  // moves by sum h^2 (gamma / 2 - beta) (A_k - A_{k+1}), which telescopes: h^2 |gamma / 2 - beta| times the change of
  // A, k x / m; the upper mass follows that with w T of it at most, beside roundings.
  const double k = 50.0, h = 0.01, x = 0.3, T = 20.0;
  for (const double rho : kSpectralRadii) {
    NonSmoothDynamicalSystem pair, alone;
    const auto masses = pair.add(LagrangianLinearSystem{
        .mass = {{4.0, 0.0}, {0.0, 1.0}}, .stiffness = {{k, -k}, {-k, k}}, .force = {-100.0, 0.0}, .q0 = {0.0, x}});
    const auto floor = pair.link(masses, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{0.5});
    alone.add(LagrangianLinearSystem{.stiffness = {{k}}, .q0 = {x}});
    TimeStepping held(pair, alpha(rho, h)), free(alone, alpha(rho, h));
    const double gamma = 0.5 + (1.0 - rho) / (1.0 + rho), beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
    const double moves = h * h * std::abs(0.5 * gamma - beta) * 2.0 * k * x / 4.0;
    double least = 100.0;
    while (held.state().t < T - 0.5 * h) {
      ASSERT_TRUE(held.step());
      ASSERT_TRUE(free.step());
      least = std::min(least, held.state().impulse(floor)[0] / h);
      ASSERT_LE(std::abs(held.state().q(masses)[0]), moves + 1e-12) << rho;
      ASSERT_LE(std::abs(held.state().v(masses)[0]), 1e-12);
      ASSERT_NEAR(held.state().q(masses)[1], free.state().positions[0], std::sqrt(k) * T * moves + 1e-11) << rho;
    }
    EXPECT_GE(least, 100.0 - 1.1 * k * x);  // never off the floor
  }
}

TEST(GeneralisedAlphaSteps, ImpactsHaveOrderOne) {
  // A ball from 1 m, e = 0.8, on its parabolas until 1.6 s: four flights. By chance of where impacts fall in steps the
  // slope of seven halvings has a few tenths.
  const double g = 9.81, e = 0.8;
  const auto exact = [&](double t) {
    double start = 0.0, height = 1.0, v = 0.0;
    for (double flight = std::sqrt(2.0 / g); t - start > flight; flight = 2.0 * v / g) {
      v = e * (height > 0.0 ? std::sqrt(2.0 * g) : v);
      start += flight;
      height = 0.0;
    }
    return height + v * (t - start) - 0.5 * g * (t - start) * (t - start);
  };
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.force = {-g}, .q0 = {1.0}});
    model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e});
    TimeStepping simulation(model, alpha(0.8, h));
    double sum = 0.0;
    EXPECT_TRUE(simulation.advance_to(
        1.6, [&](const State& state) { sum += h * std::abs(state.positions[0] - exact(state.t)); }));
    return sum;
  };
  EXPECT_NEAR(fitted_order(0.01, 7, error), 1.0, 0.2);
}

TEST(GeneralisedAlphaSteps, ProjectionTakesTheDriftOfAJointAway) {
  // A body on a ball joint: u = 0 is held, y drifts by steps along the tangent, order h without projection; with kind
  // All y is below its tolerance after every step.
  NonSmoothDynamicalSystem model;
  auto body = tumbling_body();
  body.position = {0.0, 0.0, -0.5};
  body.velocity = Eigen::Vector3d(0.4, 1.5, 0.3).cross(Eigen::Vector3d(0.0, 0.0, -0.5));
  const auto hung = model.add(body);
  const auto joint = model.link(hung, BallJoint{{.first = {.point = {0.0, 0.0, 0.5}}}}, EqualityLaw{});
  const auto drift = [&](double h, const ProjectionOptions& projection) {
    TimeSteppingOptions options = alpha(0.8, h);
    options.projection = projection;
    TimeStepping simulation(model, options);
    double worst = 0.0;
    EXPECT_TRUE(simulation.advance_to(
        2.0, [&](const State& state) { worst = std::max(worst, state.y(joint).cwiseAbs().maxCoeff()); }));
    return worst;
  };
  EXPECT_GE(fitted_order(0.01, 3, [&](double h) { return drift(h, {}); }), 0.9);
  EXPECT_LE(drift(0.01, {.kind = Projection::All, .bilateral_tolerance = 1e-10}), 1e-10);
}

TEST(GeneralisedAlphaSteps, ProjectionKeepsABallOutOfTheFloorAndTheEnergyOfItsImpacts) {
  // Under a constant force q_{k+1} - q_k = h (v_k + v_{k+1}) / 2, also with an impulse: E_{k+1} - E_k is p (u_k +
  // u_{k+1}) / 2 and what the projection lifts, m g times its way, to roundings of 10 J.
  const double m = 1.0, g = 9.81;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{m}}, .force = {-m * g}, .q0 = {1.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.8});
  for (const bool projects : {false, true}) {
    TimeSteppingOptions options = alpha(0.8, 5e-3);
    if (projects) options.projection = {.kind = Projection::All, .unilateral_tolerance = 1e-10};
    TimeStepping simulation(model, options);
    double deepest = 0.0;
    int impacts = 0;
    for (int k = 0; k < 600; ++k) {
      const State before = simulation.state();
      ASSERT_TRUE(simulation.step());
      const State& after = simulation.state();
      const auto energy = [&](const State& s) {
        return 0.5 * m * s.unknowns[0] * s.unknowns[0] + m * g * s.positions[0];
      };
      const double moved = after.positions[0] - before.positions[0] - 2.5e-3 * (after.unknowns[0] + before.unknowns[0]);
      const double p = after.impulse(floor)[0], work = 0.5 * p * (after.u(floor)[0] + before.u(floor)[0]);
      ASSERT_NEAR(energy(after) - energy(before), work + m * g * moved, 64.0 * kEps * 10.0) << k;
      if (!projects) {
        ASSERT_NEAR(moved, 0.0, 16.0 * kEps) << k;
      }
      deepest = std::max(deepest, -after.y(floor)[0]);
      impacts += p > 0.0;
    }
    EXPECT_GT(impacts, 3);
    EXPECT_LE(deepest, projects ? 1e-10 : 5e-3 * std::sqrt(2.0 * g));
    if (!projects) {
      EXPECT_GT(deepest, 1e-4);
    }
  }
}

TEST(GeneralisedAlphaSteps, ABallThatIsFoundOnTheGroundSlidesUntilItRolls) {
  // Friction turns v0 into 5/7 v0 and a roll of it, whatever mu: m v r + J w is kept by forces through the point below,
  // at r from the centre to the O(h^2 g) by which the ball sinks.
  const double r = 0.1, m = 2.0, v0 = 1.0;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.mass = m,
                                        .inertia = 0.4 * m * r * r * Eigen::Matrix3d::Identity(),
                                        .position = {0.0, 0.0, r},
                                        .velocity = {v0, 0.0, 0.0},
                                        .gravity = {0.0, 0.0, -9.81}});
  model.detect(std::make_shared<const BodyContacts>(
      std::vector<BodyShapes>{{.body = ball, .shapes = {{.shape = Sphere{r}}}}},
      std::vector<ShapeOnBody>{{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3}));
  TimeStepping simulation(model, alpha(0.8, 2e-3));
  ASSERT_TRUE(simulation.advance_to(1.0));
  const Eigen::VectorXd v = simulation.state().v(ball);
  EXPECT_NEAR(v[0], 5.0 / 7.0 * v0, 9.81 * 4e-6 / r);
  EXPECT_NEAR(v[2], 0.0, 1e-12);
  const Eigen::VectorXd q = simulation.state().q(ball);
  const Eigen::Vector3d spin = Eigen::Quaterniond(q[3], q[4], q[5], q[6]) * Eigen::Vector3d(v.tail<3>());
  EXPECT_NEAR(spin[1] * r, v[0], 1e-9);
  EXPECT_NEAR(q[2], r, 9.81 * 4e-6);
}

TEST(GeneralisedAlphaSteps, LoadsAndFeedbacksAct) {
  // An impulse of 2 N s on 4 kg at 0.55 s: v = 0.5 from the end of its step on. A feedback -k q held over the step is a
  // force: the ball of 1 kg at q = 1 begins with a = -3.
  NonSmoothDynamicalSystem model;
  const auto hit = model.add(
      LagrangianLinearSystem{.mass = {{4.0}}, .q0 = {0.0}, .impulses = {{.instant = 0.55, .impulse = {2.0}}}});
  const auto fed = model.add(LagrangianLinearSystem{
      .q0 = {1.0}, .feedback = [](const State& state, VectorRef f) { f[0] = -3.0 * state.positions[1]; }});
  TimeStepping simulation(model, alpha(0.8, 0.1));
  ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(simulation.state().v(fed)[0], -0.3, 1e-14);
  ASSERT_TRUE(simulation.advance_to(1.0));
  EXPECT_NEAR(simulation.state().v(hit)[0], 0.5, 1e-14);
  EXPECT_NEAR(simulation.state().q(hit)[0], 0.5 * 0.4 + 0.5 * 0.1 * 0.5, 1e-14);  // half of it over its own step
}

TEST(GeneralisedAlphaSteps, RefusesWhatItCannotDo) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.q0 = {1.0}, .name = "mass"});
  expect_refused([&] { TimeStepping(model, alpha(1.5, 0.1)); }, {"GeneralisedAlpha::rho", "1.5"});
  auto global = alpha(0.8, 0.1);
  global.form = Form::Global;
  expect_refused([&] { TimeStepping(model, global).step(); }, {"TimeSteppingOptions::form", "GeneralisedAlpha"});
  auto asleep = alpha(0.8, 0.1);
  asleep.sleep = {.rest = 0.01};
  expect_refused([&] { TimeStepping(model, asleep).step(); }, {"SleepOptions::rest", "GeneralisedAlpha"});
  auto sprung = model;
  sprung.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, SpringDashpotLaw{.stiffness = 10.0}, "buffer");
  expect_refused([&] { TimeStepping(sprung, alpha(0.8, 0.1)).step(); }, {"GeneralisedAlpha", "buffer", "MoreauJean"});
  NonSmoothDynamicalSystem falls;
  falls.add(LagrangianLinearSystem{.stiffness = {{-1e4}}, .q0 = {1.0}, .name = "falls"});
  expect_refused([&] { TimeStepping(falls, alpha(0.8, 0.1)).step(); },
                 {"TimeSteppingOptions::step", "falls", "shorter"});
  NonSmoothDynamicalSystem led;
  led.add(LagrangianLinearSystem{.q0 = {1.0}, .prescribed = {{.velocity = [](double) { return 0.0; }}}, .name = "led"});
  expect_refused([&] { TimeStepping(led, alpha(0.8, 0.1)).step(); }, {"GeneralisedAlpha for led", "prescribe"});
}

}  // namespace
}  // namespace nonsmooth::generalised_alpha_steps_test
