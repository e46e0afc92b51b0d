// SPDX-License-Identifier: Apache-2.0

// Runs against closed forms. Every tolerance is derived where it stands; eps is the double's 2.2e-16.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/LU>
#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;
constexpr double kGravity = 9.81;

TimeSteppingOptions moreau_jean(double h, double theta = 0.5) {
  TimeSteppingOptions options;
  options.integrator = MoreauJean{.theta = theta, .forecast = 0.5};
  options.step = h;
  return options;
}

LagrangianLinearSystem mass_point(double mass, double force, double q0, double v0) {
  return {.mass = {{mass}},
          .damping = {},
          .stiffness = {},
          .force = {force},
          .q0 = {q0},
          .v0 = {v0},
          .prescribed = {},
          .name = "point"};
}

// ---------------------------------------------------------------------------------------------- bouncing ball ---

struct Ball {
  std::vector<double> impacts, speeds;  // ends of the steps with an impulse, |v| before them
  double settled = 0.0;                 // end of the last step without the impulse m g h
};

Ball bounce(double restitution, double h, double T) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, -kGravity, 1.0, 0.0));
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}, .b = {}}, NewtonImpactLaw{restitution});
  TimeStepping run(model, moreau_jean(h));
  Ball result;
  double before = 0.0;
  const auto report = run.advance_to(T, [&](const State& state) {
    const double p = state.impulse(floor)[0];
    if (p > 0.0) {
      result.impacts.push_back(state.t);
      result.speeds.push_back(-before);
    }
    // A resting step solves v+ = v- - g h + p with v- of the size of round-off in q and v, so p = g h to some eps.
    if (std::abs(p - kGravity * h) > 1e-12) result.settled = state.t;
    before = state.v(ball)[0];
  });
  EXPECT_TRUE(report) << report.message();
  return result;
}

// With theta = 1/2 the flight is exact at the grid. A step is an impact where q + h v / 2 <= 0; the step before was
// none, so |q| <= h |v| / 2. It takes v to -e v and q to q + h (1 - e) v / 2. With V = sqrt(v^2 + 2 g q), the speed the
// flight has at the floor, that is V+^2 = e^2 V^2 + c g h |v| (1 - e), -(2 + e) <= c <= e; hence
//     |V_n - e^(n-1) V_1| <= s g h,  s = (2 + e) / (2 e),   and   ||v_n| - V_n| <= g h / 2 (first order in h).
// A flight from e |v_n| to |v_(n+1)| lasts (e |v_n| + |v_(n+1)|) / g, an impact h. So the n-th impact is late or early
// by at most n h (1 + (1 + e) (s + 1/2)). First order in g h / v: the factor 1.1 covers the rest while v > 10 g h.
double impact_time_bound(double e, double h, double n) {
  return 1.1 * n * h * (1.0 + (1.0 + e) * ((2.0 + e) / (2.0 * e) + 0.5));
}

TEST(BouncingBall, TimesAndSpeedsOfTheFirstImpacts) {
  const double e = 0.9, h = 1e-4, t1 = std::sqrt(2.0 / kGravity);
  const Ball ball = bounce(e, h, 5.0);
  ASSERT_GE(ball.impacts.size(), 6U);
  double exact = t1, flight = 2.0 * t1 * e, speed = kGravity * t1;
  for (std::size_t n = 0; n < 6; ++n) {
    EXPECT_NEAR(ball.impacts[n], exact, impact_time_bound(e, h, static_cast<double>(n + 1)));
    EXPECT_NEAR(ball.speeds[n], speed, 1.1 * kGravity * h * ((2.0 + e) / (2.0 * e) + 0.5));
    exact += flight;
    flight *= e;
    speed *= e;
  }
}

TEST(BouncingBall, AccumulatesAndRestsAfterwards) {
  // N bounces bring V_1 e^N down to g h; what is left of them in the limit lasts 2 V / (g (1 - e)) = 2 h / (1 - e) if
  // V = g h, and V is known to s g h only: (1 + s) times that. The scheme needs no longer to come to rest.
  for (const double e : {0.5, 0.9}) {
    for (const double h : {5e-3, 1e-3, 1e-4}) {
      const double t1 = std::sqrt(2.0 / kGravity), accumulation = t1 * (1.0 + e) / (1.0 - e);
      if (e == 0.9) {
        EXPECT_NEAR(accumulation, 8.5789491787, 1e-10);
      }
      const double bounces = std::ceil(std::log(h / t1) / std::log(e));
      const double bound = impact_time_bound(e, h, bounces) + (1.0 + (2.0 + e) / (2.0 * e)) * 2.0 * h / (1.0 - e);
      // The run goes on for half a second, so that `settled` proves p = m g h in 0.5 / h steps at least.
      // It ends on the grid: a shorter last step would carry a smaller impulse.
      const Ball ball = bounce(e, h, h * std::ceil((accumulation + bound + 0.5) / h));
      EXPECT_NEAR(ball.settled, accumulation, bound) << "e = " << e << ", h = " << h;
    }
  }
}

TEST(FreeFlight, KeepsTheEnergyForThetaOneHalf) {
  // dv = -g h and dq = h (v + v+)/2 give v+^2 - v^2 + 2 g dq = 0 identically. Each step rounds v and q: at most
  // 3 eps (v^2 + g |q|) with |v| <= 20, |q| <= 30, 3 eps 700 a step.
  const double h = 5e-3;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, -kGravity, 1.0, 12.0));
  TimeStepping run(model, moreau_jean(h));
  const auto energy = [&](const State& s) { return 0.5 * s.v(ball)[0] * s.v(ball)[0] + kGravity * s.q(ball)[0]; };
  const double start = energy(run.state());
  int steps = 0;
  ASSERT_TRUE(run.advance_to(3.0, [&](const State& state) {
    ++steps;
    ASSERT_NEAR(energy(state), start, steps * 3.0 * kEps * 700.0);
  }));
  EXPECT_EQ(steps, 600);
}

TEST(FreeFlight, LosesHalfTheSquareOfTheSpeedGainForThetaOne) {
  // dq = h v+ instead: the energy changes by -(g h)^2 / 2 a step; round-off as above.
  const double h = 5e-3, loss = 0.5 * kGravity * kGravity * h * h;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(mass_point(1.0, -kGravity, 1.0, 12.0));
  TimeStepping run(model, moreau_jean(h, 1.0));
  const double start = 0.5 * 144.0 + kGravity;
  ASSERT_TRUE(run.advance_to(3.0));
  const State& s = run.state();
  EXPECT_NEAR(0.5 * s.v(ball)[0] * s.v(ball)[0] + kGravity * s.q(ball)[0], start - 600.0 * loss, 1800.0 * kEps * 700.0);
}

// --------------------------------------------------------------------------------------------------- circuits ---

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

// --------------------------------------------------------------------------------------------------- friction ---

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

// ---------------------------------------------------------------------------------------- prescribed velocity ---

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

// ---------------------------------------------------------------------------------------------------- impacts ---

TEST(MultipleImpact, ThreeEqualBallsInContact) {
  // W = [2 -1; -1 2], (1 + e) u- = (-2, 0): p = (4/3, 2/3), both positive. A 2 x 2 problem: 1e-9 at most by tolerance.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> balls;
  for (int i = 0; i < 3; ++i) balls.push_back(model.add(mass_point(1.0, 0.0, i, i == 0 ? 1.0 : 0.0)));
  std::vector<InteractionHandle> contacts;
  for (std::size_t i = 0; i < 2; ++i) {
    contacts.push_back(model.link({balls[i], balls[i + 1]}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-1.0}},
                                  NewtonImpactLaw{1.0}));
  }
  TimeStepping run(model, moreau_jean(1e-3));
  ASSERT_TRUE(run.step());
  const State& state = run.state();
  EXPECT_NEAR(state.v(balls[0])[0], -1.0 / 3.0, 1e-9);
  EXPECT_NEAR(state.v(balls[1])[0], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(state.v(balls[2])[0], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(state.impulse(contacts[0])[0], 4.0 / 3.0, 1e-9);
  EXPECT_NEAR(state.impulse(contacts[1])[0], 2.0 / 3.0, 1e-9);
}

TEST(Oscillator, OnAStopBouncesEachHalfPeriod) {
  // theta = 1/2 keeps V^2 = v^2 + w^2 q^2 in flight and turns by 2 atan(w h / 2) a step, w h to (w h)^2 / 12. At an
  // impact |q| <= h |v| / 2 (as for the ball, to w^2 h^2), then v+ = -e v + O(h^2 w^2 v), |q+| <= h |v|. So
  //   each impact changes V / (e V) by a relative (1 + 1/4 + e) w^2 h^2 / e^2 at most,
  //   each flight is longer or shorter than pi / w by h for the impact, h / 2 for its end, h / e for its start, and
  //   (w h)^2 / 12 relatively for the phase: less than h / 10 here.
  const double w = 3.0, e = 0.8, h = 1e-4, v0 = 1.5;
  NonSmoothDynamicalSystem model;
  auto oscillator = mass_point(1.0, 0.0, 0.0, v0);
  oscillator.stiffness = {{w * w}};
  const auto mass = model.add(oscillator);
  const auto stop = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {}}, NewtonImpactLaw{e});
  TimeStepping run(model, moreau_jean(h));
  int n = 0;
  double before = v0;
  ASSERT_TRUE(run.advance_to(10.5 * kPi / w, [&](const State& state) {
    const double v = state.v(mass)[0];
    if (state.impulse(stop)[0] > 0.0) {
      ++n;
      EXPECT_NEAR(state.t, n * kPi / w, n * h * (1.6 + 1.0 / e)) << n;
      EXPECT_NEAR(v / (std::pow(e, n) * v0), 1.0, n * (1.25 + e) * w * w * h * h / (e * e)) << n;
      EXPECT_NEAR(v, -e * before, 1e-9 * v0);  // Newton's law itself, to the solver's tolerance
    }
    before = v;
  }));
  EXPECT_EQ(n, 10);
}

}  // namespace
}  // namespace nonsmooth
