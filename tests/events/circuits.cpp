// SPDX-License-Identifier: Apache-2.0
// Circuits with ideal diodes, switches and relays by events, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <nonsmooth/kernel.hpp>
#include <numbers>

#include <support/parameter_name.hpp>

namespace nonsmooth::circuits_test {
namespace {

constexpr double kPi = std::numbers::pi;

struct Circuit {
  FirstOrderLinearSystem system;
  FirstOrderLinearRelation diode;
};

NonSmoothDynamicalSystem model_of(const Circuit& circuit) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(circuit.system);
  model.link(system, circuit.diode, ComplementarityLaw{});
  return model;
}

std::vector<double> times_of(const EventDriven& simulation, EventKind kind) {
  std::vector<double> times;
  for (const Event& event : simulation.events()) {
    if (event.kind == kind) times.push_back(event.t);
  }
  return times;
}

// R, L, C and a diode in four places; x1 the charge, x2 the current, L = 1, 1/(LC) = 4 pi^2, so that w0 = 2 pi.
constexpr double kC = 1.0 / (4.0 * kPi * kPi), kR = 10.0, kSlow = 0.1;

Circuit circuit_a() {
  return {{.A = {{-1 / (kR * kC), 1}, {-1 / kC, 0}}, .x0 = {1, -1}},
          {.C = {{1 / (kR * kC), -1}}, .D = {{1 / kR}}, .B = {{-1 / kR}, {-1}}}};
}
Circuit circuit_b() {
  return {{.A = {{0, -1}, {1 / kC, 0}}, .x0 = {1, 1}}, {.C = {{1 / kC, 0}}, .D = {{kR}}, .B = {{1}, {0}}}};
}
Circuit circuit_c() { return {{.A = {{0, 1}, {-1 / kC, -kSlow}}, .x0 = {1, 0}}, {.C = {{0, -1}}, .B = {{0}, {-1}}}}; }
Circuit circuit_d(double charge, double current) {
  return {{.A = {{-1 / (kR * kC), 1}, {-1 / kC, 0}}, .x0 = {charge, current}}, {.C = {{0, 1}}, .B = {{0}, {1}}}};
}

// Damping s and frequency wd of a mode with 1/(RC) or R/L.
constexpr double kDamping = 1.0 / (2.0 * kR * kC);
const double kFrequency = std::sqrt(4.0 * kPi * kPi - kDamping * kDamping);

TEST(DiodeCircuits, AFreezesItsChargeAtTheFirstExtremum) {
  EventDriven simulation(model_of(circuit_a()));
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  const double s = kDamping, w = kFrequency, slope = -1.0 - 1.0 / (kR * kC);
  // x1 = e^(-st) (cos wt + (x1' + s)/w sin wt) has its extremum at tan(wt) = x1' w / (w0^2 + s x1'), wt < pi.
  const double t = (std::atan(slope * w / (4.0 * kPi * kPi + s * slope)) + kPi) / w;
  const double charge = std::exp(-s * t) * (std::cos(w * t) + (slope + s) / w * std::sin(w * t));
  const auto times = times_of(simulation, EventKind::Switch);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(t, 0.39555783966, 1e-11);
  EXPECT_NEAR(charge, -0.48589555550, 1e-11);
  // Steps are accurate to 1e-10 of the state each; a handful of them.
  EXPECT_NEAR(times[0], t, 1e-10);
  const State& state = simulation.state();
  EXPECT_NEAR(state.unknowns[0], charge, 1e-10);
  const double current = charge / (kR * kC) * std::exp(-kR * (1.0 - t));
  EXPECT_NEAR(current, -4.548243574e-3, 1e-12);
  EXPECT_NEAR(state.unknowns[1], current, 1e-10);
  EXPECT_NEAR(state.multipliers[0], -charge / kC + kR * current, 1e-8);  // 1/C = 39 times the charge's error
}

TEST(DiodeCircuits, BSwitchesSixTimes) {
  EventDriven simulation(model_of(circuit_b()));
  std::vector<double> currents;
  const auto report = simulation.advance_to(3.0, EventDrivenObserver{.instant = [&](const Instant& at) {
                                              currents.push_back(at.after.unknowns[1]);
                                              return true;
                                            }});
  ASSERT_TRUE(report) << report.message();
  const auto times = times_of(simulation, EventKind::Switch);
  ASSERT_EQ(times.size(), 6u);
  double t = std::atan(2.0 * kPi) / (2.0 * kPi), current = std::sqrt(1.0 + 4.0 * kPi * kPi);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(times[k], t, 1e-10) << k;
    EXPECT_NEAR(currents[k], current, 1e-9) << k;  // x2' = x1/C moves by up to 39 a second
    const bool conducts = k % 2 == 0;              // damped half swing, then a free one
    current *= conducts ? -std::exp(-kDamping * kPi / kFrequency) : -1.0;
    t += conducts ? kPi / kFrequency : 0.5;
  }
  EXPECT_NEAR(times[5], 2.8048750505, 1e-10);
}

TEST(DiodeCircuits, CStopsAfterHalfASwing) {
  EventDriven simulation(model_of(circuit_c()));
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  const double t = kPi / std::sqrt(4.0 * kPi * kPi - 0.0025), charge = -std::exp(-0.05 * t);
  const auto times = times_of(simulation, EventKind::Switch);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], t, 1e-10);
  EXPECT_NEAR(t, 0.50001583219, 1e-11);
  EXPECT_NEAR(simulation.state().unknowns[0], charge, 1e-10);
  EXPECT_EQ(simulation.state().unknowns[1], 0.0);
  EXPECT_NEAR(simulation.state().multipliers[0], -charge / kC, 4e-9);
}

TEST(DiodeCircuits, DJumpsFromACurrentThatTheDiodeForbids) {
  EventDriven simulation(model_of(circuit_d(1.0, -1.0)));
  const auto jumps = times_of(simulation, EventKind::Jump);
  ASSERT_EQ(jumps.size(), 1u);
  EXPECT_EQ(jumps[0], 0.0);
  EXPECT_NEAR(simulation.events()[0].value, 1.0, 1e-14);  // L (0 - (-1))
  EXPECT_EQ(simulation.state().unknowns[1], 0.0);
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_TRUE(times_of(simulation, EventKind::Switch).empty());
  EXPECT_NEAR(simulation.state().unknowns[0], std::exp(-1.0 / (kR * kC)), 1e-11);
  EXPECT_EQ(simulation.state().unknowns[1], 0.0);
}

TEST(DiodeCircuits, DBlocksAfterHalfASwing) {
  EventDriven simulation(model_of(circuit_d(-1.0, 0.0)));
  const auto report = simulation.advance_to(1.0);
  ASSERT_TRUE(report) << report.message();
  const double t = kPi / kFrequency, charge = std::exp(-kDamping * t);
  const auto times = times_of(simulation, EventKind::Switch);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], t, 1e-10);
  EXPECT_NEAR(t, 0.52666488821, 1e-11);
  EXPECT_NEAR(charge, 0.35359792384, 1e-11);
  EXPECT_NEAR(simulation.state().unknowns[0], charge * std::exp(-(1.0 - t) / (kR * kC)), 1e-10);
}

// Series RLC with a Zener diode of V, L x2' + R x2 + x1/C = v: v = 0 for x2 > 0, V for x2 < 0, between at rest.
NonSmoothDynamicalSystem zener_circuit(const Law& law, double orientation) {
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(FirstOrderLinearSystem{.A = {{0, 1}, {-1 / kC, -kSlow}}, .x0 = {1, 1}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{0, orientation}}, .B = {{0}, {orientation}}}, law);
  return model;
}

struct ZenerCase {
  const char* name;
  Law law;
  double orientation;
  double stick;

  friend void PrintTo(const ZenerCase& zener, std::ostream* out) { *out << zener.name; }
};

class ZenerCircuit : public testing::TestWithParam<ZenerCase> {};

TEST_P(ZenerCircuit, SticksWhereItsHalfCyclesEnd) {
  const ZenerCase& data = GetParam();
  const double voltage = 20.0;
  EventDriven simulation(zener_circuit(data.law, data.orientation));
  const auto report = simulation.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  // To the first turning about 0 (forwards) or -V C (reversed), then half cycles x1 -> c - d (x1 - c).
  const double w = std::sqrt(4.0 * kPi * kPi - 0.0025), s = 0.05;
  const double lower = data.orientation > 0.0 ? 0.0 : -voltage * kC, upper = lower + voltage * kC;
  const double start = 1.0 - lower, slope = 1.0;
  // x2 = e^(-st) (x2(0) cos wt - (s x2(0) + w0^2 start)/w sin wt).
  double t = std::atan2(slope * w, s * slope + 4.0 * kPi * kPi * start) / w;
  double charge = lower + std::exp(-s * t) * (start * std::cos(w * t) + (slope + s * start) / w * std::sin(w * t));
  while (charge < lower || charge > upper) {
    const double centre = charge > upper ? upper : lower;
    charge = centre - std::exp(-s * kPi / w) * (charge - centre);
    t += kPi / w;
  }
  EXPECT_NEAR(t, data.stick, 1e-10);
  const auto times = times_of(simulation, EventKind::Switch);
  ASSERT_FALSE(times.empty());
  EXPECT_NEAR(times.back(), t, 1e-10);
  EXPECT_NEAR(simulation.state().unknowns[0], charge, 1e-10);
  EXPECT_EQ(simulation.state().unknowns[1], 0.0);
  EXPECT_NEAR(data.orientation * simulation.state().multipliers[0], charge / kC, 4e-9);
}
INSTANTIATE_TEST_SUITE_P(
    Laws, ZenerCircuit,
    testing::Values(ZenerCase{"relay", RelayLaw{.lower = 0.0, .upper = 20.0}, 1.0, 0.5251042093},
                    ZenerCase{"relay_reversed", RelayLaw{.lower = 0.0, .upper = 20.0}, -1.0, 1.0167683986},
                    ZenerCase{"graph",
                              PiecewiseLinearLaw{.points = {{0.0, 0.0}, {20.0, 0.0}},
                                                 .slope_before = std::numeric_limits<double>::infinity(),
                                                 .slope_after = std::numeric_limits<double>::infinity()},
                              1.0, 0.5251042093}),
    test::parameter_name);

TEST(ParallelCircuit, DiodeLoadsItEveryOtherHalfPeriod) {
  // C v' = -i - i_R, L i' = v, the resistor behind a diode: 0 <= i_R ⟂ R i_R - v >= 0.
  const double L = 1e-2, C = 1e-6, R = 1e3, end = 5e-3;
  EventDriven simulation(
      model_of({{.A = {{0, -1 / C}, {1 / L, 0}}, .x0 = {10, 0}}, {.C = {{-1, 0}}, .D = {{R}}, .B = {{-1 / C}, {0}}}}));
  const auto report = simulation.advance_to(end);
  ASSERT_TRUE(report) << report.message();
  // v > 0: damped from v = 0 to v = 0 in pi / w; v < 0: half of 2 pi sqrt(LC) = 6.2832e-4 s.
  const double s = 1.0 / (2.0 * R * C), w = std::sqrt(1.0 / (L * C) - s * s), free = std::sqrt(1.0 / (L * C));
  // v = 10 e^(-st) (cos wt - (s/w) sin wt) starts from 10 V; zero at tan wt = w/s. There i is at its maximum.
  double t = std::atan2(w, s) / w;
  double slope = 10.0 * std::exp(-s * t) * (-2.0 * s * std::cos(w * t) + (s * s / w - w) * std::sin(w * t));
  const auto times = times_of(simulation, EventKind::Switch);
  bool conducts = false;
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(times[k], t, 1e-12) << k;  // 1e-10 of 10 V at 1e5 V/s a step
    const double half = conducts ? kPi / w : kPi / free;
    if (t + half > end) {
      const double rest = end - t;
      const double exact =
          conducts ? slope / w * std::exp(-s * rest) * std::sin(w * rest) : slope / free * std::sin(free * rest);
      EXPECT_NEAR(simulation.state().unknowns[0], exact, 1e-8);
      EXPECT_NEAR(exact, 2.80040334, 1e-8);
      EXPECT_EQ(k + 1, times.size());
      break;
    }
    slope *= conducts ? -std::exp(-s * kPi / w) : -1.0;
    t += half;
    conducts = !conducts;
  }
  EXPECT_EQ(times.size(), 16u);
}

// Buck converter, duty D: L i' = u V + lambda - v, C v' = i - v/R, 0 <= lambda ⟂ i >= 0, u = 1 in the first D T.
struct Buck {
  double duty = 0.5, R = 2.0, C = 1e-3;
  static constexpr double V = 12.0, L = 1e-4, T = 1e-5;
  double mean = 0.0, least_current = 0.0;

  /// Mean voltage over the last of so many periods from near the steady state expected.
  void run(int periods, double start) {
    NonSmoothDynamicalSystem model;
    const auto converter = model.add(FirstOrderLinearSystem{
        .A = {{0, -1 / L, 0}, {1 / C, -1 / (R * C), 0}, {0, 1, 0}},
        .b = [*this](double t, VectorRef b) { b[0] = t / T - std::floor(t / T) < duty ? V / L : 0.0; },
        .x0 = {start * std::max(1.0 / R - (1.0 - duty) * T / (2.0 * L), 0.0), start, 0}});
    model.link(converter, FirstOrderLinearRelation{.C = {{1, 0, 0}}, .B = {{1 / L}, {0}, {0}}}, ComplementarityLaw{});
    EventDriven simulation(model, {.events = {{.first = 0.0, .period = T}, {.first = duty * T, .period = T}}});
    const auto first = simulation.advance_to((periods - 1) * T);
    ASSERT_TRUE(first) << first.message();
    const double before = simulation.state().unknowns[2];
    least_current = simulation.state().unknowns[0];
    const auto last = simulation.advance_to(periods * T);
    ASSERT_TRUE(last) << last.message();
    mean = (simulation.state().unknowns[2] - before) / T;
  }
};

TEST(BuckConverter, GainIsTheDutyWhileTheCurrentFlows) {
  Buck buck{.duty = 0.4};
  buck.run(60, 0.4 * Buck::V);
  EXPECT_GT(buck.least_current, 0.0);
  // In the steady state exactly D V; the start is off it by the capacitor's ripple, V (1-D) D T^2 / (8 L C) = 4e-4.
  EXPECT_NEAR(buck.mean, 0.4 * Buck::V, 4e-4);
}

TEST(BuckConverter, GainIsLargerWhereTheCurrentRests) {
  Buck buck{.duty = 0.4, .R = 100.0, .C = 3e-5};
  const double K = 2.0 * Buck::L / (buck.R * Buck::T);
  ASSERT_LT(K, 1.0 - buck.duty);  // the boundary of continuous conduction
  const double gain = 2.0 / (1.0 + std::sqrt(1.0 + 4.0 * K / (buck.duty * buck.duty)));
  // Deviations decay with R C (1 - G)/(2 - G), about 0.9 ms: by e^-11 in 10 ms.
  buck.run(1000, 0.9 * gain * Buck::V);
  EXPECT_EQ(buck.least_current, 0.0);
  // The formula takes v constant in a period, of which T/(R C) = 3.3e-3 moves.
  EXPECT_NEAR(buck.mean, gain * Buck::V, 3.3e-3 * Buck::V);
}

TEST(BridgeRectifier, MeanIsTwoOverPiOfThePeak) {
  // Two rows of a full-wave rectifier on a resistor: x' = v = R (i1 + i2), w = v -/+ s(t) >= 0.
  const double peak = 10.0, frequency = 50.0, R = 100.0;
  const auto source = [=](double t) { return peak * std::sin(2.0 * kPi * frequency * t); };
  NonSmoothDynamicalSystem model;
  const auto integral = model.add(FirstOrderLinearSystem{.A = {{0.0}}, .x0 = {0}});
  model.link(integral,
             FirstOrderLinearRelation{.C = {{0}, {0}},
                                      .D = {{R, R}, {R, R}},
                                      .B = {{R, R}},
                                      .e = [=](double t, VectorRef e) { e << -source(t), source(t); }},
             ComplementarityLaw{});
  EventDriven simulation(model);
  const auto report = simulation.advance_to(0.1);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(simulation.state().unknowns[0] / 0.1, 2.0 * peak / kPi, 1e-8);
  EXPECT_GE(times_of(simulation, EventKind::Switch).size(), 9u);  // nine zeros of s inside
}

TEST(Relay, WithoutHysteresisHoldsItsStateAtZero) {
  const double C = 1e-6, R = 1e4, I = 1e-4, V = 1.0, Rs = 1e3;
  // x > 0: the switch connects a source of -1 V by Rs (C x' = I + (V - x)/R - (x + 1)/Rs); x < 0: it is open. The
  // current at x = 0, 1/Rs, is the relay's: lambda in [0, 1], with its slope beside it where x > 0.
  NonSmoothDynamicalSystem model;
  const double open = (I + V / R) / C, decay = 1.0 / (R * C);
  const auto node = model.add(FirstOrderLinearSystem{.A = {{-decay - 1.0 / (Rs * C)}}, .b = {open}, .x0 = {1.0}});
  const auto law = model.link(node, FirstOrderLinearRelation{.C = {{-1}}, .B = {{-1.0 / (Rs * C)}}},
                              RelayLaw{.lower = 0.0, .upper = 1.0});
  EventDriven simulation(model);
  const auto report = simulation.advance_to(10e-3);
  ASSERT_TRUE(report) << report.message();
  const double rate = decay + 1.0 / (Rs * C), rest = (open - 1.0 / (Rs * C)) / rate;
  const double t = std::log((1.0 - rest) / -rest) / rate;
  EXPECT_NEAR(t, 0.786361e-3, 1e-9);
  const auto times = times_of(simulation, EventKind::Switch);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0], t, 1e-13);
  EXPECT_EQ(simulation.state().x(node)[0], 0.0);
  EXPECT_NEAR(simulation.state().lambda(law)[0], (I + V / R) * Rs, 1e-12);
}

TEST(ConsistentJumps, CoilOpenedWithoutSnubber) {
  // L i' = E - R i - u; the switch: u = 0 (closed) until t = 5 ms, i = 0 (open) from then on.
  const double E = 12.0, R = 1.0, L = 1e-3, opens = 5e-3;
  NonSmoothDynamicalSystem model;
  const auto coil = model.add(FirstOrderLinearSystem{.A = {{-R / L}}, .b = {E / L}, .x0 = {0.0}});
  const auto gate =
      model.link(coil,
                 FirstOrderLinearRelation{.C = [=](double t, MatrixRef C) { C(0, 0) = t < opens ? 0.0 : -1.0; },
                                          .D = [=](double t, MatrixRef D) { D(0, 0) = t < opens ? 1.0 : 0.0; },
                                          .B = {{-1.0 / L}},
                                          .rows = 1},
                 EqualityLaw{});
  EventDriven simulation(model, {.events = {{.instants = {opens}}}});
  const auto report = simulation.advance_to(10e-3);
  ASSERT_TRUE(report) << report.message();
  const double current = E / R * (1.0 - std::exp(-opens * R / L));
  const auto jumps = times_of(simulation, EventKind::Jump);
  ASSERT_EQ(jumps.size(), 1u);
  EXPECT_EQ(jumps[0], opens);
  for (const Event& event : simulation.events()) {
    if (event.kind != EventKind::Jump) continue;
    EXPECT_NEAR(event.value, L * current, 1e-12);  // flux in V s
  }
  EXPECT_EQ(simulation.state().x(coil)[0], 0.0);
  EXPECT_NEAR(simulation.state().lambda(gate)[0], E, 1e-12);
}

TEST(ConsistentJumps, CapacitorSwitchCapacitor) {
  // Two of 1 uF, one at 10 V, the other loaded by 1 MOhm; the switch closes at 1 ms. Its current: i = 0, then
  // v1 - v2 = 0: charge is shared at once, 5 V each, and decays with 2 uF 1 MOhm.
  const double C = 1e-6, R = 1e6, closes = 1e-3, end = 2e-3;
  NonSmoothDynamicalSystem model;
  const auto pair = model.add(FirstOrderLinearSystem{.A = {{0, 0}, {0, -1 / (R * C)}}, .x0 = {10, 0}});
  model.link(pair,
             FirstOrderLinearRelation{.C =
                                          [=](double t, MatrixRef M) {
                                            if (t >= closes) M << -1, 1;
                                          },
                                      .D = [=](double t, MatrixRef D) { D(0, 0) = t < closes ? 1.0 : 0.0; },
                                      .B = {{-1 / C}, {1 / C}},
                                      .rows = 1},
             EqualityLaw{});
  EventDriven simulation(model, {.events = {{.instants = {closes}}}});
  const auto report = simulation.advance_to(end);
  ASSERT_TRUE(report) << report.message();
  const double exact = 5.0 * std::exp(-(end - closes) / (2.0 * R * C));
  EXPECT_NEAR(simulation.state().unknowns[0], exact, 1e-10);
  EXPECT_NEAR(simulation.state().unknowns[1], exact, 1e-10);
  EXPECT_NEAR(exact, 4.9975, 1e-6);
  for (const Event& event : simulation.events()) {
    if (event.kind != EventKind::Jump) continue;
    EXPECT_NEAR(event.value, 5.0 * C, 1e-15);  // charge in A s
  }
  EXPECT_EQ(times_of(simulation, EventKind::Jump).size(), 1u);
}

TEST(FilippovSpiral, EndsAtRestOrWithAReport) {
  // x1' = -s1 + 2 s2, x2' = -2 s1 - s2: d(|x1| + |x2|)/dt = -2, infinitely many switches before (|x1| + |x2|)/2.
  NonSmoothDynamicalSystem model;
  const auto point = model.add(FirstOrderLinearSystem{.x0 = {1.0, 0.5}});
  model.link(point, FirstOrderLinearRelation{.C = {{1, 0}, {0, 1}}, .B = {{1, -2}, {2, 1}}}, RelayLaw{});
  EventDriven simulation(model);
  const auto report = simulation.advance_to(1.0);
  const double at = report.ok() ? 0.75 : report.t;
  EXPECT_NEAR(at, 0.75, 1e-6) << report.message();
  EXPECT_LT(report.events, 2000);
  EXPECT_LE(simulation.state().unknowns.lpNorm<1>(), 1e-6);
}

}  // namespace
}  // namespace nonsmooth::circuits_test
