// SPDX-License-Identifier: Apache-2.0
// Coulomb friction and prescribed velocities against closed forms.
#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/LU>

#include <gtest/gtest.h>

#include "closed_forms.hpp"

namespace nonsmooth {
namespace {

using namespace closed_forms;

TEST(CoulombFriction, StopsInTimeAndRests) {
  // v = v0 - mu g t on the grid, to round-off, until the step in which it would change sign: the stop is seen at most
  // one step late. The position is exact but in that step: h v / 2 instead of v^2 / (2 mu g), v <= mu g h, so it is
  // late by at most mu g h^2 / 2.
  const double m = 2.0, mu = 0.3, v0 = 2.0, h = 1.3e-3, a = mu * kGravity;
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(mass_point(m, 0.0, 0.0, v0));
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {}}, RelayLaw{.lower = -m * a, .upper = m * a});
  TimeStepping run(model, moreau_jean(h));
  double stop = 0.0, rest = 0.0;
  ASSERT_TRUE(run.advance_to(2.0, [&](const State& state) {
    const double v = state.v(mass)[0];
    if (stop == 0.0 && std::abs(v) < 1e-12) stop = state.t, rest = state.q(mass)[0];
    if (stop > 0.0) {
      EXPECT_NEAR(v, 0.0, 4.0 * kEps * v0);  // the impulse that stops cancels v to its round-off
      EXPECT_NEAR(state.q(mass)[0], rest, 1e-12);
    } else {
      EXPECT_NEAR(v, v0 - a * state.t, 2000.0 * kEps * v0);  // one rounding a step
    }
  }));
  EXPECT_GE(stop, v0 / a - 1e-12);
  EXPECT_LE(stop, v0 / a + h + 1e-12);
  EXPECT_NEAR(rest, v0 * v0 / (2.0 * a), 0.5 * a * h * h + 1e-12);
}

TEST(CoulombFriction, BlockOnInclineSticksIffMuReachesTheTangent) {
  // All forces are constant, so the scheme is exact: v = g max(sin a - mu cos a, 0) t, q = v t / 2. Tolerance: the
  // one-step problem's 1e-9 relative at most for each of n impulses of g h, 1e-9 g T; nothing else but round-off.
  const double h = 1e-3, T = 0.5;
  for (const double angle : {0.1, 0.5, 1.2}) {
    for (const double factor : {0.0, 0.5, 0.999, 1.0, 1.001, 2.0}) {
      const double mu = factor * std::tan(angle), m = 3.0;
      NonSmoothDynamicalSystem model;
      const auto block =
          model.add(LagrangianLinearSystem{.mass = {{m, 0.0}, {0.0, m}},
                                           .damping = {},
                                           .stiffness = {},
                                           .force = {m * kGravity * std::sin(angle), -m * kGravity * std::cos(angle)},
                                           .q0 = {0.0, 0.0},
                                           .v0 = {},
                                           .prescribed = {},
                                           .name = "block"});
      const auto contact =
          model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}, .b = {}},
                     NewtonImpactFrictionLaw{.restitution = 0.0, .friction = mu, .tangential_restitution = 0.0});
      TimeStepping run(model, moreau_jean(h));
      const auto report = run.advance_to(T);
      ASSERT_TRUE(report) << report.message();
      const double a = kGravity * std::max(std::sin(angle) - mu * std::cos(angle), 0.0), tolerance = 1e-9 * kGravity;
      EXPECT_NEAR(run.state().v(block)[0], a * T, tolerance * T) << angle << ' ' << factor;
      EXPECT_NEAR(run.state().q(block)[0], 0.5 * a * T * T, tolerance * T * T) << angle << ' ' << factor;
      EXPECT_NEAR(run.state().v(block)[1], 0.0, tolerance * T);
      EXPECT_NEAR(run.state().impulse(contact)[0], m * kGravity * std::cos(angle) * h, 1e-9 * m * kGravity * h);
      EXPECT_NEAR(run.state().impulse(contact)[1], -m * h * (kGravity * std::sin(angle) - a), 1e-9 * m * kGravity * h);
    }
  }
}

// Free components 0 and 1, prescribed component 2. Without forces M_ff dv_f = -M_fp dv_p, so that
// v_f(t) = v_f(0) - M_ff^-1 M_fp (v_p(t) - v_p(0)), in the scheme as in continuous time; v_p(t) itself is a call.
void run_prescribed(const Eigen::Matrix3d& M, MatrixData mass) {
  const auto velocity = [](double t) { return std::cos(3.0 * t) - 0.25 * t; };
  const double h = 1e-2;
  const Eigen::Vector2d vf0{0.5, -0.3};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.mass = std::move(mass),
                                                     .damping = {},
                                                     .stiffness = {},
                                                     .force = {},
                                                     .q0 = {0.0, 0.0, 0.0},
                                                     .v0 = {vf0[0], vf0[1], velocity(0.0)},
                                                     .prescribed = {{.component = 2, .velocity = velocity}},
                                                     .name = "body"});
  const Eigen::Matrix2d Mff = M.topLeftCorner<2, 2>();
  const Eigen::Vector2d Mfp = M.topRightCorner<2, 1>();
  const Eigen::Vector2d gain = Mff.inverse() * Mfp;
  {
    TimeStepping run(model, moreau_jean(h));
    Eigen::Vector3d q = Eigen::Vector3d::Zero(), before{vf0[0], vf0[1], velocity(0.0)};
    ASSERT_TRUE(run.advance_to(2.0, [&](const State& state) {
      const Eigen::Vector3d v = state.v(body);
      const Eigen::Vector2d exact = vf0 - gain * (velocity(state.t) - velocity(0.0));
      // 200 steps of a few roundings each, of a well conditioned 2 x 2 matrix: 200 * 50 eps.
      EXPECT_NEAR(v[2], velocity(state.t), 4.0 * kEps);
      EXPECT_NEAR((v.head<2>() - exact).norm(), 0.0, 1e4 * kEps);
      q += 0.5 * h * (before + v);  // dq = v dt by the theta rule, prescribed component included
      EXPECT_NEAR((state.q(body) - q).norm(), 0.0, 1e4 * kEps);
      before = v;
    }));
  }
  // The same with a stop between component 0 and the prescribed one. Impulses act on v_f alone:
  // M_ff dv_f + M_fp dv_p = H_f^T p, v_p as before, and u+ = -e u- in each step with an impulse.
  const double e = 0.6;
  const auto stop =
      model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0, -1.0}}, .b = {0.05}}, NewtonImpactLaw{e});
  TimeStepping run(model, moreau_jean(h));
  Eigen::Vector3d before{vf0[0], vf0[1], velocity(0.0)};
  int impacts = 0;
  ASSERT_TRUE(run.advance_to(2.0, [&](const State& state) {
    const Eigen::Vector3d v = state.v(body);
    const double p = state.impulse(stop)[0];
    EXPECT_NEAR(v[2], velocity(state.t), 4.0 * kEps) << "t = " << state.t << ", p = " << p;
    const Eigen::Vector2d balance = Mff * (v - before).head<2>() + Mfp * (v - before)[2] - Eigen::Vector2d{p, 0.0};
    EXPECT_NEAR(balance.norm(), 0.0, 100.0 * kEps * M.norm()) << "t = " << state.t;  // a solve with M_ff
    if (p > 0.0) {
      ++impacts;
      EXPECT_NEAR((v[0] - v[2]) + e * (before[0] - before[2]), 0.0, 1e-9);  // the solver's tolerance at most
    }
    before = v;
  }));
  EXPECT_GE(impacts, 1);
}

TEST(PrescribedVelocity, MovesTheOthersThroughADenseMass) {
  const Eigen::Matrix3d M{{2.0, 0.3, 0.8}, {0.3, 1.5, -0.4}, {0.8, -0.4, 3.0}};
  run_prescribed(M, M);
}

TEST(PrescribedVelocity, LeavesTheOthersAloneWithADiagonalMass) {
  const Eigen::Vector3d d{2.0, 1.5, 3.0};
  run_prescribed(d.asDiagonal(), d.asDiagonal());
  run_prescribed(d.asDiagonal(), Eigen::Matrix3d(d.asDiagonal()));
}

}  // namespace
}  // namespace nonsmooth
