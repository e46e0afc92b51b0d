// SPDX-License-Identifier: Apache-2.0
// Laws between velocities and forces that bring rows of their own: polyhedra, staircase graphs, mixed complementarity.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::mechanics_graphs_test {
namespace {

using namespace closed_forms;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMass = 2.0, kDry = 3.0;

/// Drives a mass by a force that changes sign and compares its motion under two laws, step by step.
void expect_the_same(const Law& one, const Law& other, double tolerance) {
  auto system = mass_point(kMass, 0.0, 0.0, 0.5);
  system.force = [](double t, VectorRef f) { f[0] = 8.0 * std::sin(2.0 * t) + std::cos(7.0 * t); };
  NonSmoothDynamicalSystem first_model, second_model;
  const auto a = first_model.add(system), b = second_model.add(system);
  const LagrangianLinearRelation slip{.H = {{1.0}}};
  const auto c = first_model.link(a, slip, one), d = second_model.link(b, slip, other);
  TimeStepping first(first_model, moreau_jean(0.01)), second(second_model, moreau_jean(0.01));
  bool rested = false, moved = false;
  for (int k = 0; k < 600; ++k) {
    ASSERT_TRUE(first.step());
    const auto report = second.step();
    ASSERT_TRUE(report) << report.message();
    const double v = first.state().v(a)[0];
    rested = rested || std::abs(v) < 1e-9;
    moved = moved || std::abs(v) > 0.1;
    ASSERT_NEAR(v, second.state().v(b)[0], tolerance) << k;
    ASSERT_NEAR(first.state().force(c)[0], second.state().force(d)[0], 1e3 * tolerance) << k;
  }
  EXPECT_TRUE(rested && moved);
}

// Each of 600 steps leaves the solver's 1e-9 of u <= 2; the motion with friction does not amplify it.
constexpr double kSolver = 600 * 2e-9;

TEST(PiecewiseLinear, TwoPointsWithVerticalEndsAreARelay) {
  expect_the_same(
      RelayLaw{.lower = -kDry, .upper = kDry},
      PiecewiseLinearLaw{.points = {{-kDry, 0.0}, {kDry, 0.0}}, .slope_before = kInfinity, .slope_after = kInfinity},
      kSolver);
}

TEST(NormalCone, AnIntervalIsARelay) {
  expect_the_same(RelayLaw{.lower = -kDry, .upper = kDry},
                  NormalConeLaw{.A = Eigen::Vector2d(1.0, -1.0), .b = Eigen::Vector2d(kDry, kDry)}, kSolver);
}

TEST(PiecewiseLinear, DryAndViscousDragDecaysAsItShould) {
  // F = -(3 + 4 |v|) sgn v: lambda = -3 - 4 v for v > 0, so z = -v runs through (-3, 0), (3, 0) with dz/dlambda = 1/4
  // beyond. m v' = -3 - 4 v: v = (v0 + 3/4) e^(-2 t) - 3/4, which is 0 at t = log(1 + 4 v0 / 3) / 2. The drag acts at
  // the end of the step: v+ (m + 4 h) = m v - 3 h, to the solver, and of order one to the closed form.
  const PiecewiseLinearLaw law{.points = {{-kDry, 0.0}, {kDry, 0.0}}, .slope_before = 0.25, .slope_after = 0.25};
  const double v0 = 2.0, h = 1e-3, stop = 0.5 * std::log(1.0 + 4.0 * v0 / 3.0);
  for (const double sign : {1.0, -1.0}) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(kMass, 0.0, 0.0, sign * v0));
    const auto drag = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, law);
    TimeStepping run(model, moreau_jean(h));
    double v = v0;
    ASSERT_TRUE(run.advance_to(1.2 * stop, [&](const State& state) {
      v = std::max((kMass * v - kDry * state.last_step) / (kMass + 4.0 * state.last_step), 0.0);
      EXPECT_NEAR(sign * state.v(mass)[0], v, 1e-8);
      // Backward Euler on rate 2: h 2^2 t e^(-2 t) (v0 + 3/4) / 2 <= 2 h.
      const double exact = std::max((v0 + 0.75) * std::exp(-2.0 * state.t) - 0.75, 0.0);
      EXPECT_NEAR(sign * state.v(mass)[0], exact, 2.0 * h);
      if (v > 0.0) {
        EXPECT_NEAR(sign * state.force(drag)[0], -kDry - 4.0 * v, 1e-4);
      }
    }));
    EXPECT_NEAR(run.state().v(mass)[0], 0.0, 1e-9);
  }
}

TEST(PiecewiseLinear, AGraphWithAnOffsetDrivesToItsVelocity) {
  // A belt of speed V with dry friction F, as a graph about z = -V: -v = F(lambda), vertical at -V.
  const double V = 0.7;
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(mass_point(kMass, 0.0, 0.0, 0.0));
  const auto belt = model.link(
      mass, LagrangianLinearRelation{.H = {{1.0}}},
      PiecewiseLinearLaw{.points = {{-kDry, -V}, {kDry, -V}}, .slope_before = kInfinity, .slope_after = kInfinity});
  TimeStepping run(model, moreau_jean(0.01));
  ASSERT_TRUE(run.advance_to(1.0, [&](const State& state) {
    EXPECT_NEAR(state.v(mass)[0], std::min(kDry / kMass * state.t, V), 1e-7);
    if (kDry / kMass * state.t < V) {
      EXPECT_NEAR(state.force(belt)[0], kDry, 1e-5);
    }
  }));
}

TEST(PiecewiseLinear, AStaircaseOfForcesIsSteppedThrough) {
  // Force 1 for speeds below 0.5, 4 above, against the motion; the jump at 0.5 holds any load between. With a push
  // f(t) = t on m = 2: at rest until 1, accelerates by (t - 1) / 2 up to 0.5, at t = 1 + sqrt 2; holds 0.5 until
  // f = 4; then on with (t - 4) / 2.
  const PiecewiseLinearLaw staircase{
      .points = {{-4.0, -0.5}, {-1.0, -0.5}, {-1.0, 0.0}, {1.0, 0.0}, {1.0, 0.5}, {4.0, 0.5}},
      .slope_before = kInfinity,
      .slope_after = kInfinity};
  NonSmoothDynamicalSystem model;
  auto pushed = mass_point(kMass, 0.0, 0.0, 0.0);
  pushed.force = [](double t, VectorRef f) { f[0] = t; };
  const auto mass = model.add(pushed);
  const auto drag = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, staircase);
  TimeStepping run(model, moreau_jean(0.01));
  ASSERT_TRUE(run.advance_to(5.0, [&](const State& state) {
    const double t = state.t, reached = 1.0 + std::sqrt(2.0);
    double v = 0.0;
    if (t > 1.0) v = std::min(0.25 * (t - 1.0) * (t - 1.0), 0.5);
    if (t > 4.0) v = 0.5 + 0.25 * (t - 4.0) * (t - 4.0);
    EXPECT_NEAR(state.v(mass)[0], v, 2e-4) << t;  // h^2 / 2 in each step with a corner
    if (t > reached + 0.02 && t < 4.0) {
      EXPECT_NEAR(state.force(drag)[0], -(t - 0.005), 1e-5);
    }
  }));
}

TEST(NormalCone, ASquareOfForcesIsTwoRelays) {
  // Friction along two axes apart, as faces |lambda_i| <= F_i: four faces, one block, rows coupled through the mass.
  const Eigen::Matrix2d M{{2.0, 0.6}, {0.6, 1.0}};
  NormalConeLaw square;
  square.A = Eigen::MatrixXd::Zero(4, 2);
  square.A << 1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0;
  square.b = Eigen::Vector4d(kDry, kDry, 1.0, 1.0);
  const LagrangianLinearSystem system{
      .mass = M,
      .force = [](double t, VectorRef f) { f << 5.0 * std::sin(2.0 * t), 3.0 * std::cos(3.0 * t); },
      .q0 = {0.0, 0.0},
      .v0 = {1.0, -0.4}};
  NonSmoothDynamicalSystem cone, relays;
  const auto a = cone.add(system), b = relays.add(system);
  cone.link(a, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}}, square);
  relays.link(b, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, RelayLaw{.lower = -kDry, .upper = kDry});
  relays.link(b, LagrangianLinearRelation{.H = {{0.0, 1.0}}}, RelayLaw{.lower = -1.0, .upper = 1.0});
  TimeStepping first(cone, moreau_jean(0.01)), second(relays, moreau_jean(0.01));
  for (int k = 0; k < 400; ++k) {
    const auto report = first.step();
    ASSERT_TRUE(report) << report.message();
    ASSERT_TRUE(second.step());
    ASSERT_NEAR((first.state().v(a) - second.state().v(b)).norm(), 0.0, kSolver) << k;
  }
}

TEST(NormalCone, AFaceLetsSlipAlongItsNormalOnly) {
  // Forces in the half plane lambda . n <= F, free otherwise: -u = s n with s >= 0. A mass that is
  // pulled against n slips that way with what exceeds F; across n it is held whatever pulls.
  const Eigen::Vector2d n{0.6, 0.8};
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(1.0, 1.0).asDiagonal(),
                                                     .force = -5.0 * n + 20.0 * Eigen::Vector2d(-0.8, 0.6),
                                                     .q0 = {0.0, 0.0}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}},
             NormalConeLaw{.A = n.transpose(), .b = Eigen::VectorXd::Constant(1, kDry)});
  TimeStepping run(model, moreau_jean(0.01));
  ASSERT_TRUE(run.advance_to(1.0));
  EXPECT_NEAR((run.state().v(mass) + (5.0 - kDry) * n).norm(), 0.0, 1e-6);
}

TEST(MixedComplementarity, HoldsSomeRowsAndStopsOthers) {
  // Row 0 an equality, row 1 a stop that is always active: 0 <= u+ ⟂ p >= 0 at the level of velocities.
  NonSmoothDynamicalSystem model;
  const auto mass =
      model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(1.0, 2.0).asDiagonal(),
                                       .force = [](double t, VectorRef f) { f << 3.0, t < 0.5 ? -4.0 : 4.0; },
                                       .q0 = {0.0, 0.0},
                                       .v0 = {0.2, -1.0}});
  const auto joint = model.link(mass, LagrangianLinearRelation{.H = {{1.0, 0.0}, {0.0, 1.0}}},
                                MixedComplementarityLaw{.equalities = 1, .inequalities = 1});
  TimeStepping run(model, moreau_jean(0.01));
  ASSERT_TRUE(run.advance_to(1.0, [&](const State& state) {
    EXPECT_NEAR(state.v(mass)[0], 0.0, 1e-9);
    EXPECT_NEAR(state.v(mass)[1], std::max(2.0 * (state.t - 0.5), 0.0), 1e-7);
    if (state.t > 0.02) {
      EXPECT_NEAR(state.force(joint)[0], -3.0, 1e-6);
    }
  }));
}

}  // namespace
}  // namespace nonsmooth::mechanics_graphs_test
