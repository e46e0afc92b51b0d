// SPDX-License-Identifier: Apache-2.0
// Circuits with diodes against closed forms.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/closed_forms.hpp"

namespace nonsmooth::closed_form_circuits_test {
namespace {

using namespace closed_forms;

// L = 1, C = 1/(2 pi)^2; x = (charge, current), P = diag(1/C, L). All four circuits are passive in the norm |x|_P: the
// matrix [A'P + PA, PB - C'; ., -D - D'] is negative semidefinite. They are x' in -F(x), F maximal monotone, and
// Euler-Moreau with theta = 1 is the resolvent J of h F, which does not expand. The solution satisfies
//     x(t_(k+1)) = J(x(t_k) - d_k),   d_k = the integral over the step of x'(s) - x'(t_(k+1)),
// so the error is at most the sum of |d_k|_P: h/2 times the integral of |x''|_P, and h times each jump of x'. As F is
// monotone and autonomous, |x'|_P decreases; x'' = A_mode x', |A_mode|_P <= K = w0 + 1/(RC) (resp. w0 + R/L). Hence
//     |error|_P <= h |x'(0)|_P (K T / 2 + jumps),   |error of x1| <= |error|_P / w0,   |error of x2| <= |error|_P,
// with `jumps` counted in |x'(0)|_P: 1 for one that ends at rest or in a slower mode, 2 for any other.
constexpr double kW0 = 2.0 * kPi, kCapacitance = 1.0 / (kW0 * kW0);

struct Circuit {
  Eigen::Matrix2d A;
  FirstOrderLinearRelation relation;
  Law law;
  Eigen::Vector2d x0;
};

struct CircuitRun {
  Eigen::Vector2d x = Eigen::Vector2d::Zero();
  double lambda = 0.0;
  std::vector<double> switches;  // ends of the steps where the regime changes
};

template <class Regime>
CircuitRun run_circuit(const Circuit& circuit, double h, double T, Regime&& regime) {
  NonSmoothDynamicalSystem model;
  const auto system =
      model.add(FirstOrderLinearSystem{.mass = {}, .A = circuit.A, .b = {}, .x0 = circuit.x0, .name = "circuit"});
  const auto diode = model.link(system, circuit.relation, circuit.law);
  TimeSteppingOptions options;
  options.integrator = EulerMoreau{.theta = 1.0};
  options.step = h;
  TimeStepping run(model, options);
  CircuitRun result;
  int before = 0;
  bool first = true;
  const auto report = run.advance_to(T, [&](const State& state) {
    const int now = regime(state.x(system), state.lambda(diode)[0]);
    if (!first && now != before) result.switches.push_back(state.t);
    before = now;
    first = false;
  });
  EXPECT_TRUE(report) << report.message();
  result.x = run.state().x(system);
  result.lambda = run.state().lambda(diode)[0];
  return result;
}

double norm_P(double x1, double x2) { return std::hypot(kW0 * x1, x2); }
// The regime: does the diode carry lambda? Multipliers of a regime without are zero or round-off.
constexpr auto kConducts = [](const auto&, double lambda) { return lambda > 1e-9 ? 1 : 0; };

Circuit circuit_a(double R) {
  return {.A = Eigen::Matrix2d{{-1.0 / (R * kCapacitance), 1.0}, {-1.0 / kCapacitance, 0.0}},
          .relation = {.C = {{1.0 / (R * kCapacitance), -1.0}}, .D = {{1.0 / R}}, .B = {{-1.0 / R}, {-1.0}}, .e = {}},
          .law = ComplementarityLaw{},
          .x0 = {1.0, -1.0}};
}

Circuit circuit_b(double R) {
  return {.A = Eigen::Matrix2d{{0.0, -1.0}, {1.0 / kCapacitance, 0.0}},
          .relation = {.C = {{1.0 / kCapacitance, 0.0}}, .D = {{R}}, .B = {{1.0}, {0.0}}, .e = {}},
          .law = ComplementarityLaw{},
          .x0 = {1.0, 1.0}};
}

Circuit circuit_c(double R) {
  return {.A = Eigen::Matrix2d{{0.0, 1.0}, {-1.0 / kCapacitance, -R}},
          .relation = {.C = {{0.0, -1.0}}, .D = {}, .B = {{0.0}, {-1.0}}, .e = {}},
          .law = ComplementarityLaw{},
          .x0 = {1.0, 0.0}};
}

Circuit circuit_d(double R, Eigen::Vector2d x0) {
  return {.A = Eigen::Matrix2d{{-1.0 / (R * kCapacitance), 1.0}, {-1.0 / kCapacitance, 0.0}},
          .relation = {.C = {{0.0, 1.0}}, .D = {}, .B = {{0.0}, {1.0}}, .e = {}},
          .law = ComplementarityLaw{},
          .x0 = x0};
}

TEST(Circuit, DiodeAcrossResistor) {  // (a)
  const double R = 10.0, h = 1e-4, K = kW0 + 1.0 / (R * kCapacitance);
  const auto run = run_circuit(circuit_a(R), h, 1.0, kConducts);
  // lambda and x' are continuous: no jump.
  const double bound = h * norm_P(-1.0 - 1.0 / (R * kCapacitance), -kW0 * kW0) * K * 0.5;
  // w = x1/(RC) - x2 errs by |(1/(RC) / w0, 1)| bound and crosses zero with slope w0^2 |x1*| = 19.18: twice for a slope
  // that halves within the bound, and a step for the grid.
  ASSERT_EQ(run.switches.size(), 1U);
  EXPECT_NEAR(run.switches[0], 0.39555783966, 2.0 * std::hypot(kW0 / R, 1.0) * bound / 19.18 + h);
  EXPECT_NEAR(run.x[0], -0.48589555550, bound / kW0);
  EXPECT_NEAR(run.x[1], -4.548243574e-3, bound);
  // lambda = -x1/C + R x2 after the switch: |(-w0, R)| bound.
  EXPECT_NEAR(run.lambda, 0.48589555550 / kCapacitance - 10.0 * 4.548243574e-3, std::hypot(kW0, R) * bound);
}

TEST(Circuit, DiodeInSeriesWithResistor) {  // (b)
  const double R = 10.0, h = 1e-4, K = kW0 + 1.0 / (R * kCapacitance);
  const double rate = h * norm_P(-1.0, kW0 * kW0) * K * 0.5;  // times T; lambda is continuous
  const std::vector<double> times = {0.2248803859, 0.7515452741, 1.2515452741,
                                     1.7782101623, 2.2782101623, 2.8048750505};
  const std::vector<double> slopes = {6.36227, 2.24968, 2.24968, 0.79548, 0.79548, 0.28128};  // |x1'| = |x2|
  const auto run = run_circuit(circuit_b(R), h, 3.0, kConducts);
  ASSERT_EQ(run.switches.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(run.switches[i], times[i], 2.0 * rate * times[i] / kW0 / slopes[i] + h) << i;
  }
  const auto short_run = run_circuit(circuit_b(R), h, 1.0, kConducts);
  EXPECT_NEAR(short_run.x[0], 0.358031411, rate / kW0);
  EXPECT_NEAR(short_run.x[1], -0.021842384, rate);
}

TEST(Circuit, DiodeInSeriesWithInductor) {  // (c)
  const double R = 0.1, h = 1e-4, K = kW0 + R;
  const auto run = run_circuit(circuit_c(R), h, 1.0, kConducts);
  const double bound = h * norm_P(0.0, -kW0 * kW0) * (K * 0.5 + 1.0);  // one jump, to rest
  // x2 errs by the bound and ends with slope w0^2 |x1| = 38.5; as above.
  ASSERT_EQ(run.switches.size(), 1U);
  EXPECT_NEAR(run.switches[0], 0.50001583219, 2.0 * bound / 38.5 + h);
  EXPECT_NEAR(run.x[0], -0.97530913996, bound / kW0);
  EXPECT_NEAR(run.x[1], 0.0, 1e-12);  // the constraint itself holds to round-off and the solver's tolerance
  EXPECT_NEAR(run.lambda, 38.50366152, kW0 * bound);  // lambda = -x1 / C
}

TEST(Circuit, DiodeInParallelWithInductor) {  // (d), with an event
  const double R = 10.0, h = 1e-4, K = kW0 + 1.0 / (R * kCapacitance);
  const auto run = run_circuit(circuit_d(R, {-1.0, 0.0}), h, 1.0, kConducts);
  const double bound = h * norm_P(1.0 / (R * kCapacitance), kW0 * kW0) * (K * 0.5 + 1.0);
  const double t = 0.52666488821, x1 = 0.35359792384;
  ASSERT_EQ(run.switches.size(), 1U);
  EXPECT_NEAR(run.switches[0], t, 2.0 * bound / (kW0 * kW0 * x1) + h);
  EXPECT_NEAR(run.x[0], x1 * std::exp(-(1.0 - t) / (R * kCapacitance)), bound / kW0);
  EXPECT_NEAR(run.x[1], 0.0, 1e-12);
}

TEST(Circuit, InconsistentCurrentJumps) {  // (d), x2(0) = -1 < 0
  const double R = 10.0, h = 1e-3, K = 1.0 / (R * kCapacitance);
  NonSmoothDynamicalSystem model;
  const auto circuit = circuit_d(R, {1.0, -1.0});
  const auto system =
      model.add(FirstOrderLinearSystem{.mass = {}, .A = circuit.A, .b = {}, .x0 = circuit.x0, .name = "circuit"});
  const auto diode = model.link(system, circuit.relation, circuit.law);
  TimeSteppingOptions options;
  options.integrator = EulerMoreau{.theta = 1.0};
  options.step = h;
  TimeStepping run(model, options);
  ASSERT_TRUE(run.step());
  // x2 = 0 after the first step, x1 = 1/(1 + h/(RC)), and h lambda = 1 + h x1/C: closed form, so round-off alone, which
  // the division by h carries into lambda (1e3 eps) beside a solver tolerance of 1e-9 at most.
  const double x1 = 1.0 / (1.0 + h * K);
  EXPECT_NEAR(run.state().x(system)[0], x1, 1e-12);
  EXPECT_NEAR(run.state().x(system)[1], 0.0, 1e-12);
  EXPECT_NEAR(h * run.state().lambda(diode)[0], 1.0 + h * x1 / kCapacitance, 1e-9);
  EXPECT_NEAR(h * run.state().lambda(diode)[0], 1.03932318, 5e-9);  // the measure of the first interval, as printed
  ASSERT_TRUE(run.step());
  EXPECT_NEAR(run.state().lambda(diode)[0], 39.169, 5e-4);  // a function from the second on
  ASSERT_TRUE(run.advance_to(1.0));
  // From (1, 0) the run is the same. x1'' <= K^2 and x1 contracts: |error| <= h K^2 / 2 times the integral of e^-Kt.
  EXPECT_NEAR(run.state().x(system)[0], 0.01929630291, 0.5 * h * K);
  EXPECT_NEAR(run.state().lambda(diode)[0], run.state().x(system)[0] / kCapacitance, 1e-9);
}

TEST(Circuit, ZenerDiodeSticksWhereTheTableSays) {
  struct Row {
    double Vz;
    int half_cycles;
    double t_stick, x1;
    double arrival;  // |X - c| w0^2, the slope of x2 where it sticks
  };
  const double R = 0.1, h = 1e-4, K = kW0 + R, T = 2.0, w2 = kW0 * kW0;
  const std::vector<Row> rows = {{10.0, 3, 1.5251358737, 0.0369017861, 10.0 - w2 * 0.0369017861},
                                 {20.0, 1, 0.5251042093, 0.0131394321, 20.0 - w2 * 0.0131394321},
                                 {30.0, 1, 0.5251042093, 0.5134910824, 30.0 - w2 * 0.5134910824}};
  for (const Row& row : rows) {
    Circuit circuit = circuit_c(R);
    circuit.relation = {.C = {{0.0, 1.0}}, .D = {}, .B = {{0.0}, {1.0}}, .e = {}};
    circuit.law = RelayLaw{.lower = 0.0, .upper = row.Vz};
    circuit.x0 = {1.0, 1.0};
    // Sticks: x2 = 0 to round-off, for ever after the last switch. At a turning point a step may end with x2 = 0 too
    // (where the v that does it lies within the bounds); the next one leaves it.
    const auto run = run_circuit(circuit, h, T, [](const auto& x, double) { return std::abs(x[1]) < 1e-10 ? 1 : 0; });
    // half_cycles turning points, each a jump of at most 2 |x'(0)|, and the stop with one.
    const double bound = h * norm_P(1.0, -R - w2) * (K * T / 2.0 + 2.0 * row.half_cycles + 1.0);
    ASSERT_FALSE(run.switches.empty()) << row.Vz;
    EXPECT_NEAR(run.switches.back(), row.t_stick, 2.0 * bound / row.arrival + h) << row.Vz;
    EXPECT_NEAR(run.x[0], row.x1, bound / kW0) << row.Vz;
    EXPECT_NEAR(run.lambda, run.x[0] / kCapacitance, 1e-9) << row.Vz;  // v = x1 / C once x2 = 0 (solver tolerance)
  }
}

TEST(Circuit, ErrorsFallWithTheStep) {  // (a), (b)
  // lambda is continuous: a switching step errs by O(h^2) only, of which a handful scatter beside the smooth c h. At h
  // = 4e-4 h K = 0.004: five steps from there leave the slope within the smooth runs' 0.02, doubled for the switches.
  const auto slope = [](const Circuit& circuit, const Eigen::Vector2d& exact) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, h = 4e-4;
    for (int i = 0; i < 5; ++i, h *= 0.5) {
      const auto run = run_circuit(circuit, h, 1.0, kConducts);
      const double x = std::log(h), y = std::log(norm_P(run.x[0] - exact[0], run.x[1] - exact[1]));
      sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (5.0 * sxy - sx * sy) / (5.0 * sxx - sx * sx);
  };
  EXPECT_NEAR(slope(circuit_a(10.0), {-0.48589555550, -4.548243574e-3}), 1.0, 0.04);
  EXPECT_NEAR(slope(circuit_b(10.0), {0.358031411, -0.021842384}), 1.0, 0.04);
}

TEST(Circuit, IteratesOfTheDiodeInSeriesWithAnInductor) {  // (c), by hand
  // a = 1 + h R / L + h^2 / (L C), z = x2 - h x1 / (L C): x2+ = min(z, 0) / a, h lambda = L max(z, 0), x1+ = x1 + h
  // x2+.
  const double R = 0.1, h = 1e-3, w2 = kW0 * kW0, a = 1.0 + h * R + h * h * w2;
  double x1 = 1.0, x2 = 0.0, stop = 0.0, lambda = 0.0;
  for (int k = 1; k <= 1000; ++k) {
    const double z = x2 - h * x1 * w2;
    if (z >= 0.0 && stop == 0.0) stop = h * k;
    x2 = std::min(z, 0.0) / a;
    lambda = std::max(z, 0.0) / h;
    x1 += h * x2;
  }
  const auto run = run_circuit(circuit_c(R), h, 1.0, kConducts);
  // 1000 steps of a motion that does not grow, a few roundings of |x| <= 7 each; lambda divides by h.
  EXPECT_NEAR(run.x[0], x1, 1e-12);
  EXPECT_NEAR(run.x[1], x2, 1e-12);
  EXPECT_NEAR(run.lambda, lambda, 1e-9);
  ASSERT_EQ(run.switches.size(), 1U);
  EXPECT_NEAR(run.switches[0], stop, 0.5 * h);
  EXPECT_NEAR(stop, 0.501, 0.5 * h);
  EXPECT_NEAR(x1, -0.965731, 5e-7);  // as printed, six digits
}

TEST(Circuit, ZenerDiodeHasOrderOneAndTheIteratesOfTheFormula) {
  // Where it sticks with V_z = 20 V, by the printed final values of implicit Euler, and the exact one.
  Circuit circuit = circuit_c(0.1);
  circuit.relation = {.C = {{0.0, 1.0}}, .D = {}, .B = {{0.0}, {1.0}}, .e = {}};
  circuit.law = RelayLaw{.lower = 0.0, .upper = 20.0};
  circuit.x0 = {1.0, 1.0};
  const auto regime = [](const auto&, double) { return 0; };
  const std::vector<std::pair<double, double>> printed = {
      {5e-3, 0.039198}, {2.5e-3, 0.026351}, {1.25e-3, 0.019791}, {1e-4, 0.013675}};
  const double exact = 0.0131394321;
  std::vector<double> rate;
  for (const auto& [h, x1] : printed) {
    const auto run = run_circuit(circuit, h, 1.0, regime);
    EXPECT_NEAR(run.x[0], x1, 5e-7) << h;
    EXPECT_NEAR(run.x[1], 0.0, 1e-12) << h;
    rate.push_back((run.x[0] - exact) / h);
  }
  // error / h is a constant to O(h): it varies by the share of h in the time scale 1 / w0, 3 % at the coarsest.
  for (const double r : rate) EXPECT_NEAR(r / rate.back(), 1.0, 5e-3 * kW0);
}

}  // namespace
}  // namespace nonsmooth::closed_form_circuits_test
