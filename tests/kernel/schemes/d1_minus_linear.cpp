// SPDX-License-Identifier: Apache-2.0
// D1MinusLinear against closed forms and fine solutions of the smooth equations: orders, reactions, drift, rest.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>
#include <support/parameter_name.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "kernel/fitted_order.hpp"
#include "kernel/scheme_motions.hpp"

namespace nonsmooth::d1_minus_linear_test {
namespace {

using namespace closed_forms;
using bad_input::expect_refused;
using Forces = D1MinusLinear::Forces;

constexpr double kSolved = 1e-9;  ///< of u, in units of it: what the default tolerance leaves of a problem

struct Variant {
  const char* name;
  Forces forces;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class D1MinusLinearForces : public testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] static TimeSteppingOptions by(double h) {
    return {.integrator = D1MinusLinear{GetParam().forces}, .step = h};
  }
};
INSTANTIATE_TEST_SUITE_P(All, D1MinusLinearForces,
                         testing::Values(Variant{"ByVelocities", Forces::ByVelocities},
                                         Variant{"ByAccelerations", Forces::ByAccelerations}),
                         test::parameter_name);

/// A unit mass in the plane under gravity, from q0 with v0.
LagrangianLinearSystem point(const Eigen::Vector2d& q0, const Eigen::Vector2d& v0) {
  return {.mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(), .force = {0.0, -kGravity}, .q0 = q0, .v0 = v0};
}

/// |q| = 1: a pendulum.
ScleronomousRelation on_a_circle() {
  return {.h = [](ConstVectorRef q, VectorRef y) { y[0] = 0.5 * (q.squaredNorm() - 1.0); },
          .H = [](ConstVectorRef q, MatrixRef H) { H.row(0) = q.transpose(); },
          .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = v.squaredNorm(); }};
}

/// Above z = x^2 / 2.
ScleronomousRelation in_a_bowl() {
  return {.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] - 0.5 * q[0] * q[0]; },
          .H = [](ConstVectorRef q, MatrixRef H) { H << -q[0], 1.0; },
          .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = -v[0] * v[0]; }};
}

TEST_P(D1MinusLinearForces, WhatRestsIsCarriedByTheForceOfBothEnds) {
  // l = -f(t) at both ends, whatever e is: p = h (l_k + l_{k+1}) / 2, nothing moves. Forces are of 30 N at most, what
  // the solver leaves of u stays.
  const double h = 1e-3;
  const auto force = [](double t) { return -kGravity * (2.0 + std::sin(40.0 * t)); };
  NonSmoothDynamicalSystem model;
  const auto body = model.add(
      LagrangianLinearSystem{.mass = {{1.0}}, .force = [&](double t, VectorRef f) { f[0] = force(t); }, .q0 = {0.0}});
  const auto floor = model.link(body, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.8});
  TimeStepping run(model, by(h));
  for (int k = 0; k < 500; ++k) {
    const double t = run.state().t;
    ASSERT_TRUE(run.step());
    const double mean = -0.5 * (force(t) + force(run.state().t));
    ASSERT_NEAR(run.state().force(floor)[0], mean, 30.0 * kSolved) << k;
    ASSERT_EQ(run.state().percussion(floor)[0], 0.0);
    ASSERT_NEAR(run.state().v(body)[0], 0.0, 30.0 * kSolved * h);
    ASSERT_NEAR(run.state().q(body)[0], 0.0, 30.0 * kSolved * h * h * (k + 1));
  }
}

TEST_P(D1MinusLinearForces, APendulumIsOfOrderTwo) {
  // From the horizontal: a'' = -g sin a, tension a'^2 + g cos a. The error of q, v and of the tension of both ends, at
  // t = 1 and over all steps, divides by 4 with h; so does the drift of the gap. Slopes over 2e-2 ... 2.5e-3.
  const Eigen::Vector2d a0(0.5 * kPi, 0.0);
  const auto rate = [](double, ConstVectorRef z, VectorRef dz) { dz << z[1], -kGravity * std::sin(z[0]); };
  struct Errors {
    double q, v, tension, gap, speed;
  };
  const auto errors = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(point({1.0, 0.0}, {0.0, 0.0}));
    const auto rod = model.link(mass, on_a_circle(), EqualityLaw{});
    TimeStepping run(model, by(h));
    Eigen::VectorXd a = a0;
    Errors worst{};
    const auto tension = [](const Eigen::VectorXd& z) { return z[1] * z[1] + kGravity * std::cos(z[0]); };
    while (run.state().t < 1.0 - 1e-9) {
      const double before = tension(a);
      EXPECT_TRUE(run.step());
      a = problems::solve_ode(rate, a, run.state().t - h, run.state().t);
      const Eigen::Vector2d q(std::sin(a[0]), -std::cos(a[0])), v = a[1] * Eigen::Vector2d(-q[1], q[0]);
      worst.q = std::max(worst.q, (run.state().q(mass) - q).norm());
      worst.v = std::max(worst.v, (run.state().v(mass) - v).norm());
      worst.tension = std::max(worst.tension, std::abs(-run.state().force(rod)[0] - 0.5 * (before + tension(a))));
      worst.gap = std::max(worst.gap, std::abs(run.state().y(rod)[0]));
      worst.speed = std::max(worst.speed, std::abs(run.state().u(rod)[0]));
    }
    return worst;
  };
  EXPECT_NEAR(fitted_order(2e-2, 3, [&](double h) { return errors(h).q; }), 2.0, 0.15);
  EXPECT_NEAR(fitted_order(2e-2, 3, [&](double h) { return errors(h).v; }), 2.0, 0.15);
  EXPECT_NEAR(fitted_order(2e-2, 3, [&](double h) { return errors(h).tension; }), 2.0, 0.2);
  EXPECT_NEAR(fitted_order(2e-2, 3, [&](double h) { return errors(h).gap; }), 2.0, 0.3);
  EXPECT_LE(errors(1e-2).speed, 10.0 * kSolved);  // speeds of 4.4 m/s
}

TEST_P(D1MinusLinearForces, ABeadThatSlidesInABowlNeitherPartsNorRattles) {
  // z = x^2 / 2: (1 + x^2) x'' = -x (g + x'^2), l = (g + x'^2) / (1 + x^2) > 0 of order two, with e = 0.7 as with 0.
  // The error of l is smooth, c(t) h^2: its second difference c'' h^4 is of order four. One that changed its sign from
  // step to step would have a second difference of four times itself, of order two: by accelerations, u_{k+1}- is off
  // by O(h^3) of either sign, and where it is positive nothing but the force of the next step, O(h^3) / h, takes it
  // back.
  const auto rate = [](double, ConstVectorRef z, VectorRef dz) {
    dz << z[1], -z[0] * (kGravity + z[1] * z[1]) / (1.0 + z[0] * z[0]);
  };
  const auto force_at = [](const Eigen::VectorXd& z) { return (kGravity + z[1] * z[1]) / (1.0 + z[0] * z[0]); };
  double rattle = 0.0, percussion = 0.0;
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto bead = model.add(point({1.0, 0.5}, {0.0, 0.0}));
    const auto bowl = model.link(bead, in_a_bowl(), NewtonImpactLaw{0.7});
    TimeStepping run(model, by(h));
    Eigen::VectorXd z = Eigen::Vector2d(1.0, 0.0);
    double worst = 0.0, last = 0.0, before_last = 0.0;
    rattle = percussion = 0.0;
    for (int k = 0; run.state().t < 2.0 - 1e-9; ++k) {
      const double before = force_at(z);
      EXPECT_TRUE(run.step());
      z = problems::solve_ode(rate, z, run.state().t - h, run.state().t);
      const double off = run.state().force(bowl)[0] - 0.5 * (before + force_at(z));
      worst = std::max(
          {worst, std::abs(run.state().q(bead)[0] - z[0]), std::abs(run.state().v(bead)[0] - z[1]), std::abs(off)});
      if (k > 1) rattle = std::max(rattle, std::abs(off - 2.0 * last + before_last));
      percussion = std::max(percussion, std::abs(run.state().percussion(bowl)[0]));
      before_last = last;
      last = off;
    }
    return worst;
  };
  EXPECT_NEAR(fitted_order(2e-2, 3, error), 2.0, 0.15);
  const double order = fitted_order(1e-2, 2, [&](double h) { return (void)error(h), rattle; });
  if (GetParam().forces == Forces::ByVelocities) {
    EXPECT_NEAR(order, 4.0, 0.3);
  } else {
    EXPECT_GE(order, 2.0);
  }
  EXPECT_EQ(percussion, 0.0);
}

TEST_P(D1MinusLinearForces, ABeadThatRubsInABowlIsOfOrderTwo) {
  // Along z = x^2 / 2 with s = sqrt(1 + x^2) and the speed w > 0 down it: N = g / s + w^2 / s^3, x' = -w / s,
  // w' = g x / s - mu N. The rows (-x, 1) and (-1, -x) are s times unit ones, so that multipliers are N / s
  // and friction / s; before it comes to the turn of its way, at t = 0.5.
  const double mu = 0.2;
  const auto N = [](const Eigen::VectorXd& z) {
    const double s = std::sqrt(1.0 + z[0] * z[0]);
    return kGravity / s + z[1] * z[1] / (s * s * s);
  };
  const auto rate = [&](double, ConstVectorRef z, VectorRef dz) {
    const double s = std::sqrt(1.0 + z[0] * z[0]);
    dz << -z[1] / s, kGravity * z[0] / s - mu * N(z);
  };
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto bead = model.add(point({1.0, 0.5}, {-0.5, -0.5}));
    const auto bowl = model.link(
        bead,
        ScleronomousRelation{
            .rows = 2,
            .h = [](ConstVectorRef q, VectorRef y) { y << q[1] - 0.5 * q[0] * q[0], -q[0]; },
            .H = [](ConstVectorRef q, MatrixRef H) { H << -q[0], 1.0, -1.0, -q[0]; },
            .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c << -v[0] * v[0], -v[0] * v[1]; }},
        NewtonImpactFrictionLaw{.friction = mu});
    TimeStepping run(model, by(h));
    Eigen::VectorXd z = Eigen::Vector2d(1.0, std::sqrt(0.5));
    double worst = 0.0;
    while (run.state().t < 0.5 - 1e-9) {
      const double before = N(z) / std::sqrt(1.0 + z[0] * z[0]);
      EXPECT_TRUE(run.step());
      z = problems::solve_ode(rate, z, run.state().t - h, run.state().t);
      const double mean = 0.5 * (before + N(z) / std::sqrt(1.0 + z[0] * z[0]));
      worst = std::max({worst, std::abs(run.state().q(bead)[0] - z[0]), std::abs(run.state().force(bowl)[0] - mean),
                        std::abs(run.state().force(bowl)[1] + mu * mean)});
    }
    return worst;
  };
  EXPECT_NEAR(fitted_order(2e-2, 3, error), 2.0, 0.15);
}

TEST_P(D1MinusLinearForces, ABallComesToRestAfterItsBounces) {
  // After t_1 (1 + e) / (1 - e), t_1 = sqrt(2 q_0 / g), nothing moves but for what steps of h do to impacts: the last
  // come u = g h apart from rest, so that y is within a few g h^2. Impacts enter by h |u| and give their energy back
  // by e^2: E <= E_0 (1 + O(h)).
  const double e = 0.8, h = 1e-3, t1 = std::sqrt(2.0 / kGravity), rest = t1 * (1.0 + e) / (1.0 - e);
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, -kGravity, 1.0, 0.0));
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e});
  TimeStepping run(model, by(h));
  double energy = 0.0;
  ASSERT_TRUE(run.advance_to(1.2 * rest, [&](const State& x) {
    energy = std::max(energy, 0.5 * x.v(ball)[0] * x.v(ball)[0] + kGravity * x.q(ball)[0]);
    EXPECT_GE(x.q(ball)[0], -h * kGravity * t1);
  }));
  EXPECT_LE(energy, kGravity * (1.0 + 2.0 * h / t1));
  const double gap = run.state().q(ball)[0];
  EXPECT_LE(std::abs(gap), 4.0 * kGravity * h * h);
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(run.step());
    ASSERT_NEAR(run.state().q(ball)[0], gap, 10.0 * kSolved * h);
    ASSERT_NEAR(run.state().force(floor)[0], kGravity, 10.0 * kSolved / h);
  }
}

TEST_P(D1MinusLinearForces, IsOfOrderOneThroughBounces) {
  // Each found up to a step late, at a part of it that is at random: the slope is that of many steps.
  const double order = fitted_order(4e-3, 7, [](double h) { return scheme_motions::error_after_two_bounces(by(h)); });
  EXPECT_NEAR(order, 1.0, 0.3);
}

TEST_P(D1MinusLinearForces, ABoxSlidesAndStops) {
  // Constant deceleration, of which the scheme is exact, up to the step of the stop, where it is at rest at its end:
  // the way then lacks at most mu g h^2 / 2 of v0^2 / (2 mu g).
  const double mu = 0.4, h = 1e-2, v0 = 1.0, a = mu * kGravity, stop = v0 / a;
  NonSmoothDynamicalSystem model;
  const auto box = model.add(point({0.0, 0.0}, {v0, 0.0}));
  const auto floor = model.link(box, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
                                NewtonImpactFrictionLaw{.restitution = 0.5, .friction = mu});
  TimeStepping run(model, by(h));
  for (int k = 1; k * h < 2.0 * stop; ++k) {
    ASSERT_TRUE(run.step());
    const double t = k * h, q = t < stop ? v0 * t - 0.5 * a * t * t : 0.5 * v0 * stop;
    ASSERT_NEAR(run.state().v(box)[0], std::max(v0 - a * t, 0.0), 100.0 * kSolved) << k;
    ASSERT_NEAR(run.state().q(box)[0], q, (t < stop ? 0.0 : a * h * h) + 100.0 * kSolved * t) << k;
    ASSERT_NEAR(run.state().force(floor)[0], kGravity, 100.0 * kSolved / h);
    if (t < stop) {
      ASSERT_NEAR(run.state().force(floor)[1], -a, 100.0 * kSolved / h);
    }
  }
  EXPECT_NEAR(run.state().force(floor)[1], 0.0, 100.0 * kSolved / h);
}

TEST_P(D1MinusLinearForces, APuckThatTurnsWhileItSlidesIsOfOrderTwo) {
  // v' = -mu g v / |v| + f on a floor in space; f turns v from along x, which does not stop before t = 0.4.
  const double mu = 0.3, f = 2.0;
  const auto rate = [&](double, ConstVectorRef v, VectorRef dv) {
    dv = -mu * kGravity * v / v.norm();
    dv[1] += f;
  };
  const Eigen::VectorXd exact = problems::solve_ode(rate, Eigen::Vector2d(2.0, 0.0), 0.0, 0.4);
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto puck = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 1.0).asDiagonal(),
                                                       .force = {0.0, f, -kGravity},
                                                       .q0 = {0.0, 0.0, 0.0},
                                                       .v0 = {2.0, 0.0, 0.0}});
    model.link(puck, LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}},
               NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
    TimeStepping run(model, by(h));
    EXPECT_TRUE(run.advance_to(0.4));
    return (run.state().v(puck).head<2>() - exact).norm();
  };
  EXPECT_NEAR(fitted_order(2e-2, 3, error), 2.0, 0.2);
}

TEST_P(D1MinusLinearForces, APuckInSpaceStopsAndSticks) {
  // Without f it stops at v0 / (mu g), on a straight line; then a push of half of what friction holds does not move it.
  const double mu = 0.3, h = 1e-2, stop = 2.0 / (mu * kGravity);
  NonSmoothDynamicalSystem model;
  const auto puck = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(1.0, 1.0, 1.0).asDiagonal(),
                                                     .force =
                                                         [&](double t, VectorRef f) {
                                                           f[1] = t > 1.0 ? 0.5 * mu * kGravity : 0.0;
                                                           f[2] = -kGravity;
                                                         },
                                                     .q0 = {0.0, 0.0, 0.0},
                                                     .v0 = {2.0, 0.0, 0.0}});
  const auto floor =
      model.link(puck, LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}},
                 NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
  TimeStepping run(model, by(h));
  ASSERT_TRUE(run.advance_to(2.0));
  EXPECT_NEAR(run.state().q(puck)[0], stop, mu * kGravity * h * h + 1e-6);
  EXPECT_NEAR(run.state().q(puck)[1], 0.0, 1e-6);
  EXPECT_NEAR(run.state().v(puck).norm(), 0.0, 10.0 * kSolved);
  EXPECT_NEAR(run.state().force(floor)[2], -0.5 * mu * kGravity, 10.0 * kSolved / h);
}

TEST_P(D1MinusLinearForces, AFirstStepDoesNotSlideBack) {
  // No step before says how much friction there is. From 1 m/s with any mu above v0 / (g h) = 10.2 the puck rests at
  // the end of the first step, of which it goes half: h v0 / 2 for a force that is the same at both ends.
  const double h = 1e-2;
  for (const double mu : {20.0, 1e10}) {
    NonSmoothDynamicalSystem model;
    const auto puck = model.add(LagrangianLinearSystem{.mass = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                                                       .force = {{0.0, 0.0, -kGravity}},
                                                       .q0 = {0.0, 0.0, 0.0},
                                                       .v0 = {1.0, 0.0, 0.0}});
    model.link(puck, LagrangianLinearRelation{.H = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}},
               NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
    TimeStepping run(model, by(h));
    ASSERT_TRUE(run.advance_to(10.0 * h));
    EXPECT_NEAR(run.state().q(puck)[0], 0.5 * h, 10.0 * kSolved * h);
    EXPECT_NEAR(run.state().v(puck).norm(), 0.0, 10.0 * kSolved);
  }
}

TEST_P(D1MinusLinearForces, ATopThatTurnsFreelyIsOfOrderTwo) {
  EXPECT_NEAR(fitted_order(4e-2, 3, [](double h) { return scheme_motions::error_of_free_top(by(h)); }), 2.0, 0.15);
}

TEST_P(D1MinusLinearForces, ReactionsAddUpToWhatTheMotionTakes) {
  // M (v_{k+1} - v_k) = h f + sum H^T p, each p with its own H: to rounding, though H turns by 0.1 rad a step.
  const double h = 2e-2;
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(point({1.0, 0.0}, {0.0, 0.0}));
  const auto rod = model.link(mass, on_a_circle(), EqualityLaw{});
  TimeStepping run(model, by(h));
  for (int k = 0; k < 100; ++k) {
    const Eigen::Vector2d before = run.state().v(mass);
    ASSERT_TRUE(run.step());
    const Eigen::Vector2d gained = run.state().v(mass) - before, impulse = run.reaction(rod, mass).impulse;
    ASSERT_LE((gained - Eigen::Vector2d(0.0, -kGravity * h) - impulse).norm(), 64.0 * kEps * 10.0) << k;
  }
}

TEST_P(D1MinusLinearForces, ARunBeginsWithTheImpactOfWhatApproaches) {
  // u = -1 at y = 0: u+ = e at t_0, then a step of free flight.
  const double h = 1e-3, e = 0.5;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(2.0, -2.0 * kGravity, 0.0, -1.0));
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e});
  TimeStepping run(model, by(h));
  ASSERT_TRUE(run.step());
  EXPECT_NEAR(run.state().v(ball)[0], e - kGravity * h, 10.0 * kSolved);
  EXPECT_NEAR(run.state().q(ball)[0], e * h - 0.5 * kGravity * h * h, 10.0 * kSolved * h);
  EXPECT_NEAR(run.state().percussion(floor)[0], 2.0 * (1.0 + e), 20.0 * kSolved);
}

TEST_P(D1MinusLinearForces, HasTheSameBitsOnAnyNumberOfThreads) {
  // 64 pendulums over a floor each, so that loops are shared among threads.
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    NonSmoothDynamicalSystem model;
    for (int i = 0; i < 64; ++i) {
      const auto mass = model.add(point({1.0, 0.0}, {0.0, -0.01 * i}));
      model.link(mass, on_a_circle(), EqualityLaw{});
      model.link(mass, LagrangianLinearRelation{.H = {{0.0, 1.0}}, .b = {0.5}}, NewtonImpactLaw{0.5});
    }
    TimeSteppingOptions options = by(5e-3);
    options.threads = threads;
    TimeStepping run(model, options);
    ASSERT_TRUE(run.advance_to(1.0));
    hashes.push_back(hash_of(run.state()));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

/// What a simulation says when it is made.
void refused(const NonSmoothDynamicalSystem& model, const std::vector<std::string>& parts, Form form = Form::Reduced) {
  expect_refused([&] { TimeStepping run(model, {.integrator = D1MinusLinear{}, .step = 1e-3, .form = form}); }, parts);
}

TEST(D1MinusLinear, RefusesWhatItsProblemsDoNotKnow) {
  const auto with = [](const auto& law) {
    NonSmoothDynamicalSystem model;
    model.link(model.add(mass_point(1.0, -kGravity, 1.0, 0.0)), LagrangianLinearRelation{.H = {{1.0}}}, law, "floor");
    return model;
  };
  refused(with(PoissonImpactLaw{.restitution = 0.5}), {"D1MinusLinear", "floor", "NewtonImpactLaw", "MoreauJean"});
  refused(with(SpringDashpotLaw{.stiffness = 10.0}), {"D1MinusLinear", "floor", "MoreauJean"});
  refused(with(NewtonImpactLaw{0.5}), {"Form::Global", "Form::Reduced"}, Form::Global);

  NonSmoothDynamicalSystem driven;
  LagrangianLinearSystem cart = mass_point(1.0, 0.0, 0.0, 0.0);
  cart.prescribed = {{.component = 0, .velocity = [](double t) { return t; }}};
  driven.add(cart);
  refused(driven, {"D1MinusLinear", "point", "MoreauJean"});

  NonSmoothDynamicalSystem mixed;
  mixed.add(mass_point(1.0, 0.0, 0.0, 0.0));
  mixed.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}, .name = "filter"});
  refused(mixed, {"D1MinusLinear", "filter", "MoreauJean"});

  NonSmoothDynamicalSystem found;
  const auto disk = found.add(PlanarBody{.name = "disk"});
  found.detect(std::make_shared<DiskContacts>(std::vector{disk}, std::vector{0.1}, NewtonImpactFrictionLaw{}));
  refused(found, {"D1MinusLinear", "link_sources", "MoreauJean"});
}

}  // namespace
}  // namespace nonsmooth::d1_minus_linear_test
