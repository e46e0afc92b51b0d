// SPDX-License-Identifier: Apache-2.0
// Coulomb friction and prescribed velocities against closed forms.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/LU>

#include <gtest/gtest.h>

#include "closed_forms.hpp"

namespace nonsmooth::closed_form_motions_test {
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

TEST(CoulombFriction, ASpringBlockLosesTheSameAmplitudeEachHalfCycle) {
  // m q'' + k q in -F sgn(q'): half cycles of pi / w about +-F / k, each 2 F / k less, until |q| <= F / k. The scheme
  // with theta = 1/2 keeps each half cycle's amplitude exactly but in the step where v changes sign, in which the
  // friction differs for a part of it: by F h |v| <= F h^2 (k q + F) / m of energy, q by that over k q.
  const double m = 2.0, k = 50.0, F = 3.0, q0 = 1.0, h = 1e-3, w = std::sqrt(k / m);
  auto block = mass_point(m, 0.0, q0, 0.0);
  block.stiffness = {{k}};
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(block);
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{.lower = -F, .upper = F});
  TimeStepping run(model, moreau_jean(h));
  double before = 0.0, position = q0, expected = q0, rest = 0.0;
  int turns = 0;
  ASSERT_TRUE(run.advance_to(8.0, [&](const State& state) {
    const double v = state.v(mass)[0], q = state.q(mass)[0];
    const bool turned = (before != 0.0 && v * before <= 0.0) || (std::abs(v) < 1e-12 && rest == 0.0);
    if (turned && rest == 0.0) {
      ++turns;
      expected = -(expected > 0.0 ? expected - 2.0 * F / k : expected + 2.0 * F / k);
      EXPECT_NEAR(0.5 * (q + position), expected, turns * h * h * w * w * q0) << turns;
      EXPECT_NEAR(state.t, turns * kPi / w, turns * 1.5 * h) << turns;
      if (std::abs(v) < 1e-12 && std::abs(q) <= F / k) rest = q;
    } else if (rest != 0.0) {
      EXPECT_NEAR(q, rest, 1e-11);
    }
    before = std::abs(v) < 1e-12 ? 0.0 : v;
    position = q;
  }));
  // 1 - 0.12 n: below 0.06 in size for n = 8 (0.04).
  EXPECT_EQ(turns, 8);
  EXPECT_NEAR(rest, 0.04, 8.0 * h * h * w * w * q0);
}

TEST(CoulombFriction, DenHartogsForcedOscillator) {
  // m q'' + k q + F sgn q' = P cos(w t): where the motion never stops, the steady amplitude is
  //   A = P/k sqrt(V^2 - (F U / P)^2),  V = 1 / (1 - b^2),  U = sin(pi/b) / (b (1 + cos(pi/b))),  b = w sqrt(m/k)
  // (Den Hartog 1930). Started at rest at a turning point, a transient of frequency sqrt(k/m) beats with it; friction
  // takes F 4 A a period from the steady motion and as much as it can from the transient, which is gone after 100
  // periods. The relay sees each reversal up to a step late, an impulse F h of a phase error: order h^2 of A for theta
  // = 1/2 but for that, so c h with c of F w / k: 10 h allowed.
  const double m = 1.0, k = 1.0, P = 1.0, F = 0.3, b = 1.5, w = b, pi = std::numbers::pi, h = 2.0 * pi / w / 4000.0;
  const double V = 1.0 / (1.0 - b * b), U = std::sin(pi / b) / (b * (1.0 + std::cos(pi / b)));
  const double amplitude = P / k * std::sqrt(V * V - F * U / P * (F * U / P));
  NonSmoothDynamicalSystem model;
  const auto mass =
      model.add(LagrangianLinearSystem{.mass = {{m}},
                                       .stiffness = {{k}},
                                       .force = [=](double t, VectorRef f) { f[0] = P * std::cos(w * t); },
                                       .q0 = {-amplitude}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, RelayLaw{.lower = -F, .upper = F});
  TimeStepping run(model, moreau_jean(h));
  ASSERT_TRUE(run.advance_to(100.0 * 2.0 * pi / w));
  double highest = -1.0, lowest = 1.0;
  int at_rest = 0;
  ASSERT_TRUE(run.advance_to(105.0 * 2.0 * pi / w, [&](const State& state) {
    highest = std::max(highest, state.q(mass)[0]);
    lowest = std::min(lowest, state.q(mass)[0]);
    at_rest += std::abs(state.v(mass)[0]) < 1e-12;
  }));
  EXPECT_NEAR(highest, amplitude, 10.0 * h);
  EXPECT_NEAR(lowest, -amplitude, 10.0 * h);
  EXPECT_LE(at_rest, 10);  // a step at each of ten reversals at most: the formula asks for a motion without stops
}

TEST(Stack, AHeavyBlockOnALightOne) {
  // Forces are m_2 g and (m_1 + m_2) g whatever the ratio; the solver's tolerance is relative to the velocity g h.
  for (const double ratio : {1.0, 1e3, 1e6}) {
    NonSmoothDynamicalSystem model;
    const auto light = model.add(mass_point(1.0, -kGravity, -1e-6, 0.0));
    const auto heavy = model.add(mass_point(ratio, -ratio * kGravity, -2e-6, 0.0));
    const auto lower = model.link(light, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
    const auto upper = model.link({light, heavy}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{});
    TimeStepping run(model, moreau_jean(1e-2));
    for (int i = 0; i < 100; ++i) {
      const auto report = run.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_NEAR(run.state().force(upper)[0] / (ratio * kGravity), 1.0, 1e-6);
      EXPECT_NEAR(run.state().force(lower)[0] / ((1.0 + ratio) * kGravity), 1.0, 1e-6);
    }
  }
}

TEST(Stack, FourFeetCarryABlockHoweverTheyAreNumbered) {
  // One reaction too many: any solution carries m g without a moment, so that the feet of a diagonal carry the same and
  // two neighbours half of it all; the motion is the same in every order of the feet.
  const double m = 8.0;
  const int orders[][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}};
  for (const auto& order : orders) {
    NonSmoothDynamicalSystem model;
    // Coordinates z and the tilts about x and y.
    const auto block = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, 0.5, 0.7).asDiagonal(),
                                                        .force = {-m * kGravity, 0.0, 0.0},
                                                        .q0 = {-1e-6, 0.0, 0.0}});
    InteractionHandle feet[4];
    for (const int i : order) {
      const double x = i < 2 ? 0.3 : -0.3, y = i % 2 ? 0.2 : -0.2;
      feet[i] = model.link(block, LagrangianLinearRelation{.H = {{1.0, y, -x}}}, NewtonImpactLaw{0.3});
    }
    TimeStepping run(model, moreau_jean(1e-2));
    for (int k = 0; k < 50; ++k) {
      const auto report = run.step();
      ASSERT_TRUE(report) << report.message();
      double force[4];
      for (int i = 0; i < 4; ++i) force[i] = run.state().force(feet[i])[0];
      for (int i = 0; i < 4; ++i) EXPECT_GE(force[i], 0.0);
      EXPECT_NEAR(force[0] - force[3], 0.0, 1e-5);
      EXPECT_NEAR(force[1] - force[2], 0.0, 1e-5);
      EXPECT_NEAR(force[0] + force[1], 0.5 * m * kGravity, 1e-5);
      EXPECT_NEAR(run.state().v(block).norm(), 0.0, 1e-8);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::closed_form_motions_test
