// SPDX-License-Identifier: Apache-2.0
// Switched and sliding systems, converters and queues by implicit stepping, against closed forms.
#include <numbers>

#include "first_order.hpp"

namespace nonsmooth::first_order_closed_forms_test {
namespace {

using namespace first_order;
using std::numbers::pi;

TEST(Filippov, SignIsReachedInTimeAndHeldExactly) {
  // x' in -Sgn x: |x_k| = max(|x_0| - k h, 0), to the rounding of k additions; then 0 and a multiplier of 0.
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.x0 = {1.0, -0.7}});
  const auto relay = model.link(
      system, FirstOrderLinearRelation{.C = Eigen::Matrix2d::Identity(), .B = Eigen::Matrix2d::Identity()}, RelayLaw{});
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, 0.03));
  for (int k = 1; k <= 60; ++k) {
    ASSERT_TRUE(run.step());
    const auto x = run.state().x(system);
    EXPECT_NEAR(x[0], std::max(1.0 - 0.03 * k, 0.0), k * kEps);
    EXPECT_NEAR(x[1], std::min(-0.7 + 0.03 * k, 0.0), k * kEps);
    if (k > 35) {
      EXPECT_NEAR(run.state().lambda(relay).norm(), 0.0, k * kEps / 0.03);
    }
  }
}

TEST(Filippov, SpiralEndsAfterInfinitelyManySwitches) {
  // x_1' = -s_1 + 2 s_2, x_2' = -2 s_1 - s_2: V = |x_1| + |x_2| falls at rate 2, by a third of the way each quarter
  // turn. An implicit step takes 2 h of V while signs stay; the step of each quarter's end, of which there are
  // log_3(V_0 / h) + 1 down to V = h, deviates by 2 h at most, and the last one or two by as much.
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    NonSmoothDynamicalSystem model;
    const auto system = model.add(FirstOrderLinearSystem{.x0 = {1.0, 0.6}});
    const auto relay = model.link(
        system, FirstOrderLinearRelation{.C = Eigen::Matrix2d::Identity(), .B = {{1.0, -2.0}, {2.0, 1.0}}}, RelayLaw{});
    TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, h));
    double reached = -1.0;
    const RunReport report = run.advance_to(1.0, [&](const State& s) {
      const double distance = s.x(system).lpNorm<1>();
      if (reached < 0.0 && distance < 1e-12) reached = s.t;
      if (reached >= 0.0) {
        EXPECT_LT(distance, 1e-12) << "does not leave the origin";
        if (s.t > reached + 1.5 * h) {
          EXPECT_LT(s.lambda(relay).norm(), 1e-9);
        }
      }
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(reached, 0.8, (std::log(1.6 / h) / std::log(3.0) + 3.0) * h) << h;
  }
}

TEST(Filippov, OscillatorThatTurnsBackAtTheUnitCircle) {
  // x' = (I + w J) x inside the unit circle, (I - w J) x outside, as x' = x + lambda w J x with lambda in -Sgn(|x|^2 -
  // 1): from (1/e, 0) it turns by w until |x| = 1 at t = 1 and back until t = 2, x = (e, 0). The trapezoidal rule errs
  // by (w h)^2 / 12 of the angle; the step of the switch averages the two directions and misses w h at most. An odd
  // number of steps puts the switch in the middle of one: at its end, |x| - 1 would be of the size of the scheme's own
  // error.
  const double w = 2.0 * pi, h = 2.0 / 2001.0;
  FirstOrderRelation relation;
  relation.h = [](double, ConstVectorRef x, ConstVectorRef, VectorRef y) { y[0] = x.squaredNorm() - 1.0; };
  relation.g = [w](double, ConstVectorRef x, ConstVectorRef l, VectorRef r) {
    r[0] = w * l[0] * x[1];
    r[1] = -w * l[0] * x[0];
  };
  NonSmoothDynamicalSystem model;
  const auto system = model.add(FirstOrderLinearSystem{.A = {{1.0, 0.0}, {0.0, 1.0}}, .x0 = {std::exp(-1.0), 0.0}});
  const auto relay = model.link(system, relation, RelayLaw{});
  TimeStepping run(model, with(EulerMoreau{.theta = 0.5, .multiplier_weight = 0.5}, h));
  run.state().multipliers[0] = 1.0;  // inside, from the start
  std::vector<double> switches;
  double before = 1.0;
  const RunReport report = run.advance_to(2.0, [&](const State& s) {
    if (s.lambda(relay)[0] * before < 0.0) switches.push_back(s.t);
    before = s.lambda(relay)[0];
  });
  ASSERT_TRUE(report) << report.message();
  ASSERT_EQ(switches.size(), 1U);
  EXPECT_NEAR(switches[0], 1.0, 1.5 * h);
  const double e = std::exp(1.0), angle = w * h + 2.0 * w * (w * h) * (w * h) / 12.0;
  EXPECT_NEAR(run.state().x(system)[0], e, e * (0.5 * angle * angle + 2.0 * (w * h) * (w * h)));
  EXPECT_NEAR(run.state().x(system)[1], 0.0, e * angle);
}

TEST(Circuit, OscillatorWithDiodeAndResistor) {
  // C v' = -i - lambda, L i' = v, 0 <= R lambda - v ⟂ lambda >= 0: damped (v'' + v' / (R C) + w^2 v = 0) while v > 0,
  // free while v < 0. From (10, 0): v = e^(-s t) (10 cos wd t + c sin wd t), c = (v'(0) + 10 s) / wd, until its first
  // zero t_1; the free half period pi / w turns the current round.
  const double L = 1e-2, C = 1e-6, R = 1e3, w = 1.0 / std::sqrt(L * C), s = 0.5 / (R * C),
               wd = std::sqrt(w * w - s * s);
  const double c = (-10.0 / (R * C) + 10.0 * s) / wd, t_1 = std::atan2(10.0, -c) / wd, T = t_1 + pi / w;
  const double slope = std::exp(-s * t_1) * wd * (-10.0 * std::sin(wd * t_1) + c * std::cos(wd * t_1));
  const double i_1 = -C * slope;  // at v = 0 no current through the diode
  const int steps = 4000;
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(
      FirstOrderLinearSystem{.A = {{0.0, -1.0 / C}, {1.0 / L, 0.0}}, .x0 = {10.0, 0.0}, .name = "oscillator"});
  model.link(circuit, FirstOrderLinearRelation{.C = {{-1.0, 0.0}}, .D = {{R}}, .B = {{-1.0 / C}, {0.0}}},
             ComplementarityLaw{});
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, T / steps));
  const RunReport report = run.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  // Passive in P = diag(C, L): implicit Euler's error is at most h |x'(0)|_P K T / 2, K = w + 1 / (R C) bounding |x''|
  // / |x'| as |x'|_P does not grow.
  const double K = w + 1.0 / (R * C), speed = std::hypot(std::sqrt(C) * 10.0 / (R * C), std::sqrt(L) * 10.0 / L);
  const double bound = T / steps * speed * K * T / 2.0;
  EXPECT_NEAR(run.state().x(circuit)[0], 0.0, bound / std::sqrt(C));
  EXPECT_NEAR(run.state().x(circuit)[1], -i_1, bound / std::sqrt(L));
  EXPECT_LT(bound / std::sqrt(L), 0.05 * std::abs(i_1));  // the bound says something
}

struct Buck {
  double mean_voltage = 0.0, least_current = 1e300;
};
/// Periods of a buck converter with an ideal switch and diode: L i' = u - v + lambda, C v' = i - v / R, 0 <= i ⟂ lambda
/// >= 0, u = 1 for the first part `duty` of each period of 1 s and 0 after; the last period's mean of v and least i.
Buck buck(double L, double C, double duty, double v0, int periods, int steps_per_period) {
  const double h = 1.0 / steps_per_period;
  NonSmoothDynamicalSystem model;
  const auto converter =
      model.add(FirstOrderLinearSystem{.A = {{0.0, -1.0 / L}, {1.0 / C, -1.0 / C}},
                                       .b =
                                           [=](double t, VectorRef b) {
                                             const double middle = t - 0.5 * h;  // of the step that ends at t
                                             b[0] = middle - std::floor(middle) < duty ? 1.0 / L : 0.0;
                                           },
                                       .x0 = {v0, v0}});
  model.link(converter, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .B = {{1.0 / L}, {0.0}}}, ComplementarityLaw{});
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, h));
  Buck result;
  EXPECT_TRUE(run.advance_to(periods, [&](const State& s) {
    if (s.t < periods - 1 + 0.5 * h) return;
    result.mean_voltage += h * s.x(converter)[1];
    result.least_current = std::min(result.least_current, s.x(converter)[0]);
  }));
  return result;
}

TEST(Circuit, BuckConverterInContinuousConduction) {
  // i > 0 throughout: the mean voltage across L vanishes in the steady state, so v's mean is D V_in, and exactly so for
  // the means of implicit steps. What is left is the way there: e^(-t / (2 R C)) of 0.2 and the current's share, R C
  // = 20.
  const Buck result = buck(5.0, 20.0, 0.4, 0.6, 400, 50);
  EXPECT_NEAR(result.mean_voltage, 0.4, 2.0 * 0.2 * std::exp(-400.0 / 40.0));
  EXPECT_GT(result.least_current, 0.0);
}

TEST(Circuit, BuckConverterInDiscontinuousConduction) {
  // K = 2 L / (R T) = 0.1 < 1 - D: gain 2 / (1 + sqrt(1 + 4 K / D^2)) for a voltage without ripple. The ripple is at
  // most T / (R C) = 1/200 of v, and so is what it changes; the approach e^(-t (2-M) / ((1-M) R C)) is far below by
  // then.
  const double D = 0.5, K = 0.1, gain = 2.0 / (1.0 + std::sqrt(1.0 + 4.0 * K / (D * D)));
  const Buck result = buck(0.05, 200.0, D, 0.7, 250, 100);
  EXPECT_NEAR(result.mean_voltage, gain, gain / 200.0);
  EXPECT_NEAR(result.least_current, 0.0, 1e-12);  // the diode blocks for a part of the period
}

TEST(Circuit, BridgeRectifierHasTheMeanOfTheRectifiedSine) {
  // Four ideal diodes and a resistor: the load has |v|. The sum of |sin| at N points is 2 cot(pi / N), its mean
  // (2 / pi) (1 - pi^2 / (3 N^2) - ...): in closed form, so that round-off alone is left.
  const double R = 1e3, V = 10.0;
  const int N = 200;
  const auto v = [=](double t) { return V * std::sin(2.0 * pi * t); };
  const auto lambda = static_multipliers(
      Eigen::MatrixXd{
          {1.0 / R, 1.0 / R, -1.0, 0.0}, {1.0 / R, 1.0 / R, 0.0, -1.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}},
      [&](double t, VectorRef e) {
        e[2] = -v(t);
        e[3] = v(t);
      },
      ComplementarityLaw{}, 1.0 / N, N);
  double sum = 0.0;
  for (int k = 0; k < N; ++k) {
    const Eigen::VectorXd& l = lambda[static_cast<std::size_t>(k)];
    EXPECT_NEAR(l[0] + l[1], std::abs(v((k + 1.0) / N)), 1e-9);  // the solver's tolerance of 10 V
    sum += l[0] + l[1];
  }
  EXPECT_NEAR(sum / N, V * 2.0 / N / std::tan(pi / N), 1e-9);
  EXPECT_NEAR(sum / N, 2.0 * V / pi, 2.0 * V / pi * pi * pi / (3.0 * N * N) * 1.01);
}

TEST(Queue, FillsAndDrainsAtTheRateOfItsServer) {
  // l' = g - r, 0 <= l ⟂ 1 - r >= 0: arrivals g = 2 until t = 1, then none; l = t, 2 - t, 0 and r = 1, 1, 0, exactly on
  // the grid with g at the start of steps (theta = 0).
  NonSmoothDynamicalSystem model;
  const auto queue = model.add(FirstOrderLinearSystem{
      .b = [](double t, VectorRef b) { b[0] = (t < 1.0 - 1e-9 ? 2.0 : 0.0) - 1.0; }, .x0 = {0.0}, .name = "queue"});
  const auto server =
      model.link(queue, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});  // lambda = 1 - r
  TimeStepping run(model, with(EulerMoreau{.theta = 0.0}, 0.01));
  for (int k = 1; k <= 300; ++k) {
    ASSERT_TRUE(run.step());
    const double t = 0.01 * k, l = t <= 1.0 ? t : std::max(0.0, 2.0 - t);
    EXPECT_NEAR(run.state().x(queue)[0], l, 300.0 * kEps);
    if (k < 200 || k > 201) {
      EXPECT_NEAR(1.0 - run.state().lambda(server)[0], k < 200 ? 1.0 : 0.0, 300.0 * kEps / 0.01);
    }
  }
}

// Catching up.

TEST(SweepingProcess, HalfLineDragsThePoint) {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> points;
  for (const double x0 : {0.35, -1.0, 2.0}) {
    points.push_back(model.add(SweepingProcess{
        .project = [](double t, VectorRef x) { x[0] = std::max(x[0], t); }, .x0 = {x0}, .name = "point"}));
  }
  TimeStepping run(model, with(EulerMoreau{}, 0.1));
  for (int k = 0; k < 15; ++k) {
    ASSERT_TRUE(run.step());
    const double t = run.state().t;
    EXPECT_EQ(run.state().x(points[0])[0], std::max(0.35, t));
    EXPECT_EQ(run.state().x(points[1])[0], t);  // started outside: caught in the first step
    EXPECT_EQ(run.state().x(points[2])[0], 2.0);
  }
}

TEST(SweepingProcess, DiskDragsAPointWithOrderOne) {
  // A disk of radius 1 moves with speed 1 along x; a point of its rim at the angle phi has phi' = sin phi, so that
  // tan(phi / 2) = tan(phi_0 / 2) e^t.
  const double T = 1.0, phi_0 = 2.0;
  const auto error = [&](double h) {
    NonSmoothDynamicalSystem model;
    const auto point = model.add(SweepingProcess{.project =
                                                     [](double t, VectorRef x) {
                                                       const Eigen::Vector2d arm(x[0] - t, x[1]);
                                                       if (arm.norm() <= 1.0) return;
                                                       x[0] = t + arm[0] / arm.norm();
                                                       x[1] = arm[1] / arm.norm();
                                                     },
                                                 .x0 = {std::cos(phi_0), std::sin(phi_0)}});
    TimeStepping run(model, with(MoreauJean{}, h));  // a model of no mechanical system: its scheme is not asked for
    EXPECT_TRUE(run.advance_to(T));
    const double phi = 2.0 * std::atan(std::tan(0.5 * phi_0) * std::exp(T));
    return (run.state().x(point) - Eigen::Vector2d(T + std::cos(phi), std::sin(phi))).norm();
  };
  EXPECT_NEAR(fitted_order(0.02, 5, error), 1.0, kSmooth);
}

TEST(SweepingProcess, PerturbedOneAndAFallingSetBesideOtherSystems) {
  // -x' in N_C(x) - f with f = -x + 1 and C = (-inf, c(t)]: x = min over the free motion and the wall; c jumps down to
  // 0.2 at t = 1, which is caught up with in that step. A relay beside it is not disturbed.
  NonSmoothDynamicalSystem model;
  const auto point =
      model.add(SweepingProcess{.project = [](double t, VectorRef x) { x[0] = std::min(x[0], t < 0.995 ? 0.5 : 0.2); },
                                .f = [](double, ConstVectorRef x, VectorRef f) { f[0] = 1.0 - x[0]; },
                                .x0 = {0.0}});
  const auto other = model.add(FirstOrderSystem{.x0 = {0.5}});
  model.link(other, FirstOrderLinearRelation{.C = {{1.0}}, .B = {{1.0}}}, RelayLaw{});
  const double h = 0.01;
  TimeStepping run(model, with(EulerMoreau{.theta = 1.0}, h));
  for (int k = 1; k <= 150; ++k) {
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    const double free = 1.0 - std::pow(1.0 - h, k);  // the explicit recurrence of f
    EXPECT_NEAR(run.state().x(point)[0], k < 100 ? std::min(0.5, free) : 0.2, 100.0 * kEps);
    EXPECT_NEAR(run.state().x(other)[0], std::max(0.0, 0.5 - k * h), 100.0 * kEps);
  }
}

}  // namespace
}  // namespace nonsmooth::first_order_closed_forms_test
