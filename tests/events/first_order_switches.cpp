// SPDX-License-Identifier: Apache-2.0
// Rectifiers, converters and switches by their modes: multipliers that are not unique, data that move or jump in time.
#include <algorithm>

#include <problems/reference.hpp>

#include "first_order_modes.hpp"
#include "problems/models.hpp"

namespace nonsmooth::first_order_switches_test {
namespace {

using namespace first_order_modes;

constexpr double kElastance = 4.0 * kPi * kPi;  // 1 / C beside L = 1: a period of 1

TEST(FirstOrderSwitches, DiodeBridge) {
  const problems::Model m = problems::diode_bridge();
  FirstOrderRun run(m.system);
  run.advance_to(5e-3);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  // Events at the zeros of the damped oscillation v_C: i_C R C = -|...|: v_C' = -(i_L + v_C / R) / C.
  using O = problems::Oscillator;
  const double s = 1.0 / (2.0 * O::R * O::C), wd = std::sqrt(1.0 / (O::L * O::C) - s * s);
  const double phase = std::atan2(s, wd);  // v_C = 10 e^(-s t) (cos wd t - s / wd sin wd t)
  ASSERT_EQ(run.instants.size(), 16U);
  for (std::size_t k = 0; k < run.instants.size(); ++k) {
    EXPECT_NEAR(run.instants[k], (kPi / 2.0 - phase + static_cast<double>(k) * kPi) / wd, 1e-12) << k;
  }
  const double v = 10.0 * std::exp(-s * 5e-3) * (std::cos(wd * 5e-3) - s / wd * std::sin(wd * 5e-3));
  EXPECT_NEAR(run.z[0], v, 1e-9);
  EXPECT_NEAR(run.z[0], 0.79032282, 1e-8);
}

TEST(FirstOrderSwitches, DiodeBridgeWithFilterStartsByAJump) {
  const problems::Model m = problems::diode_bridge_filter();
  FirstOrderRun run(m.system);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  // The charge of 1 uF at 10 V spreads over 1.3 uF.
  EXPECT_NEAR(run.z[0], 10.0 / 1.3, 1e-13);
  EXPECT_NEAR(run.z[2], 10.0 / 1.3, 1e-13);
  run.advance_to(5e-3);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  EXPECT_GT(run.events, 4);
}

/// 10 V, 50 Hz behind 1 Ohm, four ideal diodes, 1000 uF beside 100 Ohm. lambda = (v_a, v_b, i_1, i_2): while all four
/// block the source floats, and v_a, v_b are determined up to their difference only.
TEST(FirstOrderSwitches, FullWaveRectifierWithCapacitor) {
  const double Rs = 1.0, C = 1e-3, R = 100.0;
  const auto source = [](double t) { return 10.0 * std::sin(100.0 * kPi * t); };
  const Circuit c = circuit(Eigen::MatrixXd::Constant(1, 1, -1.0 / (R * C)), Eigen::VectorXd::Zero(1),
                            {.C = {{0.0}, {0.0}, {1.0}, {1.0}},
                             .D = {{1.0 / Rs, -1.0 / Rs, 1.0, 0.0},
                                   {-1.0 / Rs, 1.0 / Rs, 0.0, 1.0},
                                   {-1.0, 0.0, 0.0, 0.0},
                                   {0.0, -1.0, 0.0, 0.0}},
                             .B = {{0.0, 0.0, 1.0 / C, 1.0 / C}},
                             .e =
                                 [=](double t, VectorRef e) {
                                   e[0] = -source(t) / Rs;
                                   e[1] = source(t) / Rs;
                                 }},
                            ComplementarityLaw{});
  FirstOrderRun run(c.model);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  // The same by hand: C v' = max(0, (|V| - v) / Rs) - v / R. Runge-Kutta's steps of 1 us err by h^2 / 8 times the jump
  // of v'' where they meet a kink, at most |V'| / (Rs C) = 3.1e6: 4e-7. A diode that switches late by 1 us errs more.
  const auto rate = [&](double t, double v) { return (std::max(0.0, std::abs(source(t)) - v) / Rs - v / R) / C; };
  const double h = 1e-6;
  double v = 0.0;
  for (int k = 0; k < 200000; ++k) {
    const double t = k * h;
    if (k >= 180000 && k % 2000 == 0) {
      run.advance_to(t);
      ASSERT_TRUE(run.ok) << run.resolution.detail << " at t = " << run.t;
      EXPECT_NEAR(run.z[0], v, 4e-7) << t;
    }
    const double a = rate(t, v), b = rate(t + 0.5 * h, v + 0.5 * h * a), c3 = rate(t + 0.5 * h, v + 0.5 * h * b);
    v += h / 6.0 * (a + 2.0 * b + 2.0 * c3 + rate(t + h, v + h * c3));
  }
}

TEST(FirstOrderSwitches, BoostConverterFromRest) {
  // 12 V, 100 uH, 100 uF beside 10 Ohm; the switch conducts in the first half of each 10 us. lambda = (v_x, i_D):
  // v_x = 0 where the switch conducts, i_L = i_D where it does not.
  const double L = 1e-4, C = 1e-4, R = 10.0, V = 12.0, half = 5e-6;
  const auto conducts = [=](double t) { return std::fmod(t, 2.0 * half) < half ? 1.0 : 0.0; };
  const Circuit c = circuit(Eigen::Matrix2d{{0.0, 0.0}, {0.0, -1.0 / (R * C)}}, Eigen::Vector2d::Zero(),
                            {.C =
                                 [=](double t, MatrixRef value) {
                                   value(0, 0) = 1.0 - conducts(t);
                                   value(1, 1) = 1.0;
                                 },
                             .D =
                                 [=](double t, MatrixRef value) {
                                   value(0, 0) = conducts(t);
                                   value(0, 1) = conducts(t) - 1.0;
                                   value(1, 0) = -1.0;
                                 },
                             .B = {{-1.0 / L, 0.0}, {0.0, 1.0 / C}},
                             .e = {},
                             .rows = 2},
                            MixedComplementarityLaw{.equalities = 1, .inequalities = 1}, Eigen::Vector2d{V / L, 0.0});
  FirstOrderRun run(c.model, 0.0, half);
  // By hand: v decays while the switch conducts; a damped oscillation charges while the diode does, until i_L = 0.
  const double s = 0.5 / (R * C), w = std::sqrt(1.0 / (L * C) - s * s);
  double i = 0.0, v = 0.0;
  int stops = 0;
  for (int k = 0; k < 400; ++k) {
    run.advance_to((k + 1) * half);
    ASSERT_TRUE(run.ok) << run.resolution.detail << " at t = " << run.t;
    run.resolve_into((k + 2) * half);
    ASSERT_TRUE(run.ok) << run.resolution.detail << " at t = " << run.t;
    if (k % 2 == 0) {
      i += V / L * half;
      v *= std::exp(-half / (R * C));
    } else {
      // About (V / R, V): (i, v) = rest + e^(-s t) (a cos wt + b sin wt), b from the rates at the start.
      const auto at = [&](double t, double& di, double& dv) {
        const double a = i - V / R, d = v - V;
        const double rate_i = -d / L, rate_v = (a - d / R) / C;
        di = std::exp(-s * t) * (a * std::cos(w * t) + (rate_i + s * a) / w * std::sin(w * t)) + V / R;
        dv = std::exp(-s * t) * (d * std::cos(w * t) + (rate_v + s * d) / w * std::sin(w * t)) + V;
      };
      double end_i = 0.0, end_v = 0.0;
      at(half, end_i, end_v);
      if (end_i < 0.0) {
        const auto current = [&](double t) { return at(t, end_i, end_v), end_i; };
        const double stop = problems::root_between(current, 0.0, half);
        at(stop, end_i, end_v);
        end_i = 0.0;
        end_v *= std::exp(-(half - stop) / (R * C));
        ++stops;
      }
      i = end_i;
      v = end_v;
    }
    ASSERT_NEAR(run.z[0], i, 1e-9) << k;
    ASSERT_NEAR(run.z[1], v, 1e-9) << k;
  }
  EXPECT_GT(stops, 0);  // it does enter discontinuous conduction
}

TEST(FirstOrderSwitches, CapacitorsMeetThroughASwitch) {
  // 10 V on 1 uF, nothing on 1 uF with 1 MOhm across; an ideal switch closes at 1 ms: i = 0, then v_a - v_b = 0.
  const double C = 1e-6, R = 1e6;
  const auto closed = [](double t) { return t > 1e-3 ? 1.0 : 0.0; };
  const Circuit c = circuit(Eigen::Matrix2d{{0.0, 0.0}, {0.0, -1.0 / (R * C)}}, Eigen::Vector2d{10.0, 0.0},
                            {.C =
                                 [=](double t, MatrixRef value) {
                                   value(0, 0) = closed(t);
                                   value(0, 1) = -closed(t);
                                 },
                             .D = [=](double t, MatrixRef value) { value(0, 0) = 1.0 - closed(t); },
                             .B = {{1.0 / C}, {-1.0 / C}},
                             .e = {},
                             .rows = 1},
                            EqualityLaw{});
  FirstOrderRun run(c.model, 0.0, 1e-3);
  run.advance_to(1e-3);
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.z, (Eigen::Vector2d{10.0, 0.0}));
  EXPECT_TRUE(run.log.empty());
  run.resolve_into(5e-3);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  EXPECT_NEAR(run.z[0], 5.0, 4.0 * 5.0 * kEps);
  EXPECT_NEAR(run.z[1], 5.0, 4.0 * 5.0 * kEps);
  ASSERT_EQ(run.log.size(), 1U);
  EXPECT_EQ(run.log[0].kind, EventKind::Jump);
  EXPECT_NEAR(run.log[0].value, -5e-6, 1e-20);  // 5 uC leave the first
  run.advance_to(5e-3);
  EXPECT_NEAR(run.z[0], 5.0 * std::exp(-4e-3 / (2.0 * R * C)), 1e-11);
  EXPECT_NEAR(run.z[1], run.z[0], 8.0 * 5.0 * kEps);
}

TEST(FirstOrderSwitches, InductorOpened) {
  // 12 V, 1 Ohm, 1 mH; the switch opens at 5 ms: v = 0, then i = 0. The flux leaves in an impulse of the voltage.
  const double L = 1e-3;
  const auto open = [](double t) { return t > 5e-3 ? 1.0 : 0.0; };
  const Circuit c = circuit(Eigen::MatrixXd::Constant(1, 1, -1.0 / L), Eigen::VectorXd::Zero(1),
                            {.C = [=](double t, MatrixRef value) { value(0, 0) = open(t); },
                             .D = [=](double t, MatrixRef value) { value(0, 0) = 1.0 - open(t); },
                             .B = {{-1.0 / L}},
                             .e = {},
                             .rows = 1},
                            EqualityLaw{}, Eigen::VectorXd::Constant(1, 12.0 / L));
  FirstOrderRun run(c.model, 0.0, 5e-3);
  run.advance_to(5e-3);
  const double current = 12.0 * (1.0 - std::exp(-5.0));
  EXPECT_NEAR(run.z[0], current, 1e-10);
  run.resolve_into(1e-2);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  EXPECT_EQ(run.z[0], 0.0);
  ASSERT_EQ(run.log.size(), 1U);
  EXPECT_NEAR(run.log[0].value, L * current, 1e-12);
  EXPECT_NEAR(run.lambda(c.link), 12.0, 1e-13);  // the source's voltage stands at the open switch
  run.advance_to(1e-2);
  EXPECT_EQ(run.z[0], 0.0);
}

TEST(FirstOrderSwitches, ConstraintThatMovesInTime) {
  // x' = lambda, x = sin t: lambda = cos t by a difference of fourth order: some 1e-12.
  const Circuit c = circuit(
      Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Zero(1),
      {.C = {{1.0}}, .D = {}, .B = {{1.0}}, .e = [](double t, VectorRef e) { e[0] = -std::sin(t); }}, EqualityLaw{});
  FirstOrderRun run(c.model);
  EXPECT_NEAR(run.lambda(c.link), 1.0, 1e-11);
  run.advance_to(2.0);
  EXPECT_NEAR(run.z[0], std::sin(2.0), 20.0 * 2.0 * kEps);  // e is asked up to 16 eps t inside the window
  EXPECT_NEAR(run.lambda(c.link), std::cos(2.0), 1e-11);
}

TEST(FirstOrderSwitches, MatricesThatMoveInTime) {
  // (2 + cos t) x = 1 + sin t, by C(t); x' = lambda, and beside it (1 + t) mu = x in a row of degree 0.
  const Circuit c = circuit(Eigen::MatrixXd::Zero(1, 1), Eigen::VectorXd::Constant(1, 1.0 / 3.0),
                            {.C =
                                 [](double t, MatrixRef C) {
                                   C(0, 0) = 2.0 + std::cos(t);
                                   C(1, 0) = -1.0;
                                 },
                             .D = [](double t, MatrixRef D) { D(1, 1) = 1.0 + t; },
                             .B = {{1.0, 0.0}},
                             .e = [](double t, VectorRef e) { e[0] = -1.0 - std::sin(t); },
                             .rows = 2},
                            EqualityLaw{});
  FirstOrderRun run(c.model);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  EXPECT_TRUE(run.log.empty());  // (2 + 1) / 3 = 1: consistent
  run.advance_to(2.0);
  const double below = 2.0 + std::cos(2.0), x = (1.0 + std::sin(2.0)) / below;
  EXPECT_NEAR(run.z[0], x, 20.0 * 2.0 * kEps);
  EXPECT_NEAR(run.lambda(c.link, 0), std::cos(2.0) / below + x * std::sin(2.0) / below, 1e-10);
  EXPECT_NEAR(run.lambda(c.link, 1), x / 3.0, 20.0 * 2.0 * kEps);
}

TEST(FirstOrderSwitches, ParallelDiodesShareACurrent) {
  // Two ideal diodes side by side: only the sum of their currents is determined, and one is held.
  const Circuit c = circuit(Eigen::Matrix2d{{0.0, 1.0}, {-kElastance, -0.1}}, Eigen::Vector2d{1.0, 0.0},
                            {.C = {{0.0, -1.0}, {0.0, -1.0}}, .D = {}, .B = {{0.0, 0.0}, {-1.0, -1.0}}, .e = {}},
                            ComplementarityLaw{});
  FirstOrderRun run(c.model);
  run.advance_to(2.0);
  ASSERT_TRUE(run.ok) << run.resolution.detail;
  const double t1 = kPi / std::sqrt(kElastance - 0.0025), x1 = -std::exp(-0.05 * t1);
  ASSERT_EQ(run.instants.size(), 1U);
  EXPECT_NEAR(run.z[0], x1, 1e-9);
  EXPECT_EQ(run.z[1], 0.0);
  EXPECT_NEAR(run.lambda(c.link, 0) + run.lambda(c.link, 1), -x1 * kElastance, 4e-8);
}

}  // namespace
}  // namespace nonsmooth::first_order_switches_test
