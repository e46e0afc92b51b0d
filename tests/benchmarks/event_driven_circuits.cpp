// SPDX-License-Identifier: Apache-2.0
// Switched circuits by events beside ngspice, both against the ideal circuit's exact solution. Ours: model, simulation
// and run, CPU time. Theirs: the whole process on a deck with near-ideal diodes (emission coefficient 0.001) and
// switches (1 uOhm), less the start of an empty one, CPU time of the process; where ngspice is not installed, our half
// alone. Errors are those of one number: a mean voltage over a stretch, a voltage at the end, or an instant. A deck
// that ngspice gives up, "Timestep too small", is counted as ngspice_failed; its time is then that of the part that it
// did.

#include <unistd.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numbers>
#include <string>

#include <sys/resource.h>

#include <benchmark/benchmark.h>

#include <benchmarks/piecewise_exact.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using Real = PiecewiseExact::Real;

constexpr double kPi = std::numbers::pi;

struct Circuit {
  double (*ours)();   ///< NaN where the run failed
  double (*exact)();  ///< by phases written out by hand
  const char* deck;   ///< without title and end; measures `answer`
};

PiecewiseExact::Matrix matrix(Index n, std::initializer_list<Real> entries) {
  PiecewiseExact::Matrix result(n, n);
  Index k = 0;
  for (const Real entry : entries) result(k / n, k % n) = entry, ++k;
  return result;
}
PiecewiseExact::Vector vector(std::initializer_list<Real> entries) {
  PiecewiseExact::Vector result(static_cast<Index>(entries.size()));
  Index k = 0;
  for (const Real entry : entries) result[k++] = entry;
  return result;
}

// Rectifiers: 10 V at 50 Hz behind 1 Ohm, 1 mF parallel 100 Ohm, from rest; mean of the tenth cycle. v, its integral.
constexpr double kSource = 10.0, kOmega = 2.0 * kPi * 50.0, kRs = 1.0, kRl = 100.0, kCl = 1e-3;

double last_cycle(EventDriven& simulation) {
  if (!simulation.advance_to(0.18)) return std::nan("");
  const double before = simulation.state().unknowns[1];
  if (!simulation.advance_to(0.2)) return std::nan("");
  return (simulation.state().unknowns[1] - before) / 0.02;
}

/// The source is an oscillator, sdot = w c, cdot = -w s, so that nothing depends on time (e(t) = 10 sin(w t) as a
/// function costs the full-wave rectifier a quarter more). States: v, its integral, s, c.
double rectifier(bool full_wave) {
  constexpr double w = kOmega, V = kSource;
  NonSmoothDynamicalSystem model;
  const auto load = model.add(FirstOrderLinearSystem{
      .A = {{-1 / (kRl * kCl), 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, w}, {0, 0, -w, 0}}, .x0 = {0, 0, 0, 1}});
  // i the current of a path: 0 <= i ⟂ v + Rs i -/+ V s >= 0.
  FirstOrderLinearRelation path{.C = {{1, 0, -V, 0}}, .D = {{kRs}}, .B = {{1 / kCl}, {0}, {0}, {0}}};
  if (full_wave) {
    path = {.C = {{1, 0, -V, 0}, {1, 0, V, 0}},
            .D = {{kRs, -kRs}, {-kRs, kRs}},
            .B = {{1 / kCl, 1 / kCl}, {0, 0}, {0, 0}, {0, 0}}};
  }
  model.link(load, path, ComplementarityLaw{});
  EventDriven simulation(std::move(model));
  return last_cycle(simulation);
}

double exact_rectifier(bool full_wave) {
  const Real w = 100 * std::numbers::pi_v<Real>, off = -1 / (Real(kRl) * Real(0.001L)), on = 1 / Real(0.001L);
  const auto phase = [&](Real loss, Real drive) {
    return matrix(4, {off - loss, 0, drive, 0, 1, 0, 0, 0, 0, 0, 0, w, 0, 0, -w, 0});
  };
  PiecewiseExact exact;  // v, integral, sin, cos
  exact.phases = {{phase(0, 0), {{vector({1, 0, -10, 0}), 1}}}, {phase(on, 10 * on), {{vector({-1, 0, 10, 0}), 0}}}};
  if (full_wave) {
    exact.phases[0].guards.push_back({vector({1, 0, 10, 0}), 2});
    exact.phases.push_back({phase(on, -10 * on), {{vector({-1, 0, -10, 0}), 0}}});
  }
  exact.z = vector({0, 0, 0, 1});
  exact.phase = 1;
  exact.advance(0.18L, 2e-4L);
  const Real before = exact.z[1];
  exact.advance(0.2L, 2e-4L);
  return static_cast<double>((exact.z[1] - before) / 0.02L);
}

// 1 uF, 10 mH in parallel, 10 V at first, and 1 kOhm behind four diodes or one; the voltage after 5 ms. (v, i).
constexpr double kCp = 1e-6, kLp = 1e-2, kRp = 1e3;

double oscillator(const FirstOrderLinearRelation& relation) {
  NonSmoothDynamicalSystem model;
  const auto tank = model.add(FirstOrderLinearSystem{.A = {{0, -1 / kCp}, {1 / kLp, 0}}, .x0 = {10, 0}});
  model.link(tank, relation, ComplementarityLaw{});
  EventDriven simulation(std::move(model));
  return simulation.advance_to(5e-3) ? simulation.state().unknowns[0] : std::nan("");
}
double bridge() {
  // Unknowns: currents of the two diodes at the load's minus side, voltages of the two at its plus side.
  return oscillator({.C = {{0, 0}, {0, 0}, {-1, 0}, {1, 0}},
                     .D = {{1 / kRp, 1 / kRp, -1, 0}, {1 / kRp, 1 / kRp, 0, -1}, {1, 0, 0, 0}, {0, 1, 0, 0}},
                     .B = {{0, 0, -1 / kCp, 1 / kCp}, {0, 0, 0, 0}}});
}
double one_diode() { return oscillator({.C = {{-1, 0}}, .D = {{kRp}}, .B = {{-1 / kCp}, {0}}}); }

double exact_oscillator(bool loaded_always) {
  const Real C = 1e-6L, L = 1e-2L, R = 1e3L;
  PiecewiseExact exact;
  exact.phases = {{matrix(2, {-1 / (R * C), -1 / C, 1 / L, 0}), {{vector({1, 0}), 1}}},
                  {matrix(2, {0, -1 / C, 1 / L, 0}), {{vector({-1, 0}), 0}}}};
  if (loaded_always) exact.phases[0].guards.clear();
  exact.z = vector({10, 0});
  exact.advance(5e-3L, 5e-6L);
  return static_cast<double>(exact.z[0]);
}

// Series RLC and a Zener diode of 20 V, from charge and current 1; the capacitor's voltage at rest.
double zener() {
  const double C = 1.0 / (4.0 * kPi * kPi);
  NonSmoothDynamicalSystem model;
  const auto circuit = model.add(FirstOrderLinearSystem{.A = {{0, 1}, {-1 / C, -0.1}}, .x0 = {1, 1}});
  model.link(circuit, FirstOrderLinearRelation{.C = {{0, 1}}, .B = {{0}, {1}}}, RelayLaw{.lower = 0.0, .upper = 20.0});
  EventDriven simulation(std::move(model));
  return simulation.advance_to(2.0) ? simulation.state().unknowns[0] / C : std::nan("");
}
double exact_zener() {
  // x2 falls to zero, turns about 20 V C for half a swing, and stays.
  const Real stiffness = 4 * std::numbers::pi_v<Real> * std::numbers::pi_v<Real>, s = 0.05L;
  const Real w = std::sqrt(stiffness - s * s), t = std::atan2(w, s + stiffness) / w, centre = 20 / stiffness;
  const Real turning = std::exp(-s * t) * (std::cos(w * t) + (1 + s) / w * std::sin(w * t));
  return static_cast<double>(stiffness * (centre - std::exp(-s * std::numbers::pi_v<Real> / w) * (turning - centre)));
}

// Converters: 12 V, 100 uH, 100 uF, 100 kHz, half the period on, 200 periods; mean of the last ten. (i, v, integral).
constexpr double kV = 12.0, kL = 1e-4, kC = 1e-4, kT = 1e-5;
bool is_on(double t) { return t / kT - std::floor(t / kT) < 0.5; }

double last_periods(NonSmoothDynamicalSystem model) {
  EventDriven simulation(std::move(model), {.events = {{.first = 0.0, .period = kT}, {.first = kT / 2, .period = kT}}});
  if (!simulation.advance_to(190 * kT)) return std::nan("");
  const double before = simulation.state().unknowns[2];
  if (!simulation.advance_to(200 * kT)) return std::nan("");
  return (simulation.state().unknowns[2] - before) / (10 * kT);
}
double buck() {
  constexpr double R = 2.0;
  NonSmoothDynamicalSystem model;
  const auto converter =
      model.add(FirstOrderLinearSystem{.A = {{0, -1 / kL, 0}, {1 / kC, -1 / (R * kC), 0}, {0, 1, 0}},
                                       .b = [](double t, VectorRef b) { b[0] = is_on(t) ? kV / kL : 0.0; },
                                       .x0 = {2.85, 6, 0}});
  model.link(converter, FirstOrderLinearRelation{.C = {{1, 0, 0}}, .B = {{1 / kL}, {0}, {0}}}, ComplementarityLaw{});
  return last_periods(std::move(model));
}
double boost(double current, double voltage) {
  constexpr double R = 10.0;
  NonSmoothDynamicalSystem model;
  const auto converter = model.add(FirstOrderLinearSystem{.A =
                                                              [](double t, MatrixRef A) {
                                                                A(1, 1) = -1 / (R * kC);
                                                                A(2, 1) = 1;
                                                                if (is_on(t)) return;
                                                                A(0, 1) = -1 / kL;
                                                                A(1, 0) = 1 / kC;
                                                              },
                                                          .b = {kV / kL, 0, 0},
                                                          .x0 = {current, voltage, 0}});
  // The diode's blocking voltage, which nothing asks for while the switch is closed and the current grows.
  model.link(converter, FirstOrderLinearRelation{.C = {{1, 0, 0}}, .B = {{1 / kL}, {0}, {0}}}, ComplementarityLaw{});
  return last_periods(std::move(model));
}

double exact_converter(bool buck, Real current, Real voltage) {
  const Real L = 1e-4L, C = 1e-4L, T = 1e-5L, g = -1 / ((buck ? 2 : 10) * C), V = 12;
  PiecewiseExact exact;  // i, v, integral, 1
  const auto phase = [&](Real coupling, Real drive) {
    return matrix(4, {0, -coupling / L, 0, drive / L, coupling / C, g, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0});
  };
  const PiecewiseExact::Guard current_ends{vector({1, 0, 0, 0}), 2}, diode_opens{vector({0, 1, 0, -V}), 1};
  exact.phases = {{phase(buck ? 1 : 0, V)}, {phase(1, buck ? 0 : V), {current_ends}}, {phase(0, 0), {}, {0}}};
  if (!buck) exact.phases[2].guards.push_back(diode_opens);
  exact.z = vector({current, voltage, 0, 1});
  Real before = 0;
  for (int k = 0; k < 200; ++k) {
    if (k == 190) before = exact.z[2];
    exact.enter(0);
    exact.advance(k * T + T / 2, T / 4);
    exact.enter(1);
    exact.advance((k + 1) * T, T / 8);
  }
  return static_cast<double>((exact.z[2] - before) / (10 * T));
}

// 1 uF at 1 V, 0.1 mA into it and 1 V behind 10 kOhm; while it is above zero, a switch connects -1 V behind 1 kOhm. The
// instant at which it comes to zero [ms]; it stays there, and so holds between open and closed.
constexpr double kRelayOpen = 1e-4 + 1.0 / 1e4, kRelayLoss = 1.0 / 1e4 + 1.0 / 1e3;  // [A], [S]

double relay() {
  NonSmoothDynamicalSystem model;
  const auto node = model.add(FirstOrderLinearSystem{.A = {{-kRelayLoss / kCp}}, .b = {kRelayOpen / kCp}, .x0 = {1.0}});
  model.link(node, FirstOrderLinearRelation{.C = {{-1}}, .B = {{-1.0 / (1e3 * kCp)}}},
             RelayLaw{.lower = 0.0, .upper = 1.0});
  EventDriven simulation(std::move(model));
  if (!simulation.advance_to(10e-3) || simulation.state().unknowns[0] != 0.0) return std::nan("");
  double at = std::nan("");
  for (const Event& event : simulation.events()) {
    if (event.kind == EventKind::Switch) at = 1e3 * event.t;
  }
  return at;
}
double exact_relay() {
  // v decays with (R || R_s) C towards v_end < 0.
  const Real loss = 1 / Real(1e4L) + 1 / Real(1e3L), end = (Real(2e-4L) - Real(1e-3L)) / loss;
  return static_cast<double>(1000 * (Real(1e-6L) / loss) * std::log((1 - end) / -end));
}

// 12 V, 1 Ohm and 1 mH; a switch opens at 5 ms. Its voltage from there to 6 ms, as a mean: the impulse in which the
// coil loses its flux, and 12 V.
double coil() {
  constexpr double E = 12.0, R = 1.0, L = 1e-3, opens = 5e-3, stretch = 1e-3;
  NonSmoothDynamicalSystem model;
  const auto current = model.add(FirstOrderLinearSystem{.A = {{-R / L}}, .b = {E / L}, .x0 = {0.0}});
  const auto gate =
      model.link(current,
                 FirstOrderLinearRelation{.C = [](double t, MatrixRef C) { C(0, 0) = t < opens ? 0.0 : -1.0; },
                                          .D = [](double t, MatrixRef D) { D(0, 0) = t < opens ? 1.0 : 0.0; },
                                          .B = {{-1.0 / L}},
                                          .rows = 1},
                 EqualityLaw{});
  EventDriven simulation(std::move(model), {.events = {{.instants = {opens}}}});
  if (!simulation.advance_to(opens + stretch) || simulation.state().unknowns[0] != 0.0) return std::nan("");
  double flux = std::nan("");
  for (const Event& event : simulation.events()) {
    if (event.kind == EventKind::Jump) flux = event.value;
  }
  return flux / stretch + simulation.state().lambda(gate)[0];
}
double exact_coil() { return static_cast<double>(12 * (1 - std::exp(Real(-5))) + 12); }

// Two of 1 uF, one at 10 V, the other with 1 MOhm across; a switch joins them at 1 ms. The voltage at 2 ms.
double capacitors() {
  constexpr double R = 1e6, closes = 1e-3;
  NonSmoothDynamicalSystem model;
  const auto pair = model.add(FirstOrderLinearSystem{.A = {{0, 0}, {0, -1 / (R * kCp)}}, .x0 = {10, 0}});
  model.link(pair,
             FirstOrderLinearRelation{.C =
                                          [](double t, MatrixRef C) {
                                            if (t >= closes) C << -1, 1;
                                          },
                                      .D = [](double t, MatrixRef D) { D(0, 0) = t < closes ? 1.0 : 0.0; },
                                      .B = {{-1 / kCp}, {1 / kCp}},
                                      .rows = 1},
             EqualityLaw{});
  EventDriven simulation(std::move(model), {.events = {{.instants = {closes}}}});
  return simulation.advance_to(2e-3) ? simulation.state().unknowns[1] : std::nan("");
}
double exact_capacitors() { return static_cast<double>(5 * std::exp(Real(-5e-4L))); }

#define DIODE ".model ideal D(is=1e-14 n=0.001)\n"
#define GATE "Vgate g 0 PULSE(0 1 0 1n 1n 4.999u 10u)\n.model gate SW(vt=0.5 vh=0 ron=1u roff=1e9)\n"
#define CONVERTER ".tran 0.2u 2m uic\n.measure tran answer AVG v(o) from=1.9m to=2m\n"

constexpr Circuit kHalfWave{[] { return rectifier(false); }, [] { return exact_rectifier(false); },
                            "Vs s 0 SIN(0 10 50)\nRs s a 1\nD1 a o ideal\nCl o 0 1m ic=0\nRl o 0 100\n" DIODE
                            ".tran 100u 0.2 uic\n.measure tran answer AVG v(o) from=0.18 to=0.2\n"};
constexpr Circuit kFullWave{[] { return rectifier(true); }, [] { return exact_rectifier(true); },
                            "Vs s b SIN(0 10 50)\nRs s a 1\nD1 a o ideal\nD2 b o ideal\nD3 0 a ideal\nD4 0 b ideal\n"
                            "Cl o 0 1m ic=0\nRl o 0 100\n" DIODE
                            ".tran 100u 0.2 uic\n.measure tran answer AVG v(o) from=0.18 to=0.2\n"};
constexpr Circuit kBridge{bridge, [] { return exact_oscillator(true); },
                          "C a 0 1u ic=10\nL a 0 10m ic=0\nD1 a p ideal\nD2 0 p ideal\nD3 m a ideal\nD4 m 0 ideal\n"
                          "R p m 1k\n" DIODE ".tran 1u 5m uic\n.measure tran answer FIND v(a) AT=4.99999m\n"};
constexpr Circuit kOneDiode{one_diode, [] { return exact_oscillator(false); },
                            "C a 0 1u ic=10\nL a 0 10m ic=0\nD1 a b ideal\nR b 0 1k\n" DIODE
                            ".tran 1u 5m uic\n.measure tran answer FIND v(a) AT=4.99999m\n"};
constexpr Circuit kZener{zener, exact_zener,
                         "L 0 a 1 ic=1\nR a b 0.1\nD1 b c zener\nC c 0 0.025330295910584443 ic=39.47841760435743\n"
                         ".model zener D(is=1e-14 n=0.001 bv=20 ibv=1m nbv=0.001)\n"
                         ".tran 1m 2 uic\n.measure tran answer FIND v(c) AT=1.999\n"};
constexpr Circuit kBuck{
    buck, [] { return exact_converter(true, 2.85L, 6); },
    "Vin in 0 12\nS1 in x g 0 gate\nD1 0 x ideal\nL x o 100u ic=2.85\nC o 0 100u ic=6\nR o 0 2\n" GATE DIODE CONVERTER};
constexpr Circuit kBoost{[] { return boost(4.5, 24.0); }, [] { return exact_converter(false, 4.5L, 24); },
                         "Vin in 0 12\nL in x 100u ic=4.5\nS1 x 0 g 0 gate\nD1 x o ideal\nC o 0 100u ic=24\n"
                         "R o 0 10\n" GATE DIODE CONVERTER};
constexpr Circuit kBoostFromRest{[] { return boost(0.0, 0.0); }, [] { return exact_converter(false, 0, 0); },
                                 "Vin in 0 12\nL in x 100u ic=0\nS1 x 0 g 0 gate\nD1 x o ideal\nC o 0 100u ic=0\n"
                                 "R o 0 10\n" GATE DIODE CONVERTER};
constexpr Circuit kRelay{relay, exact_relay,
                         "V1 in 0 1\nC1 x 0 1u ic=1\nI1 0 x 0.1m\nS1 x y x 0 gate\nV2 y 0 -1\nR1 x in 10k\n"
                         ".model gate SW(vt=0 vh=0 ron=1k roff=1e9)\n"
                         ".tran 10u 10m uic\n.measure tran answer AVG v(x) from=9m to=10m\n"};
// The mean is that of a capacitor fed by the switch's voltage: AVG takes the two points of the spike for a triangle.
constexpr Circuit kCoilOpened{coil, exact_coil,
                              "V1 in 0 12\nR1 in a 1\nL1 a x 1m ic=0\nS1 x 0 g 0 gate\nGf 0 f x 0 1\nCf f 0 1m ic=0\n"
                              "Vg g 0 PWL(0 1 5m 1 5.001m 0 10m 0)\n.model gate SW(vt=0.5 vh=0 ron=1u roff=1e12)\n"
                              ".tran 10u 10m uic\n.measure tran answer FIND v(f) AT=6m\n"};
// 1 pOhm: with 1 uOhm ngspice finds the voltage.
constexpr Circuit kCapacitorLoop{
    capacitors, exact_capacitors,
    "C1 a 0 1u ic=10\nC2 b 0 1u ic=0\nR1 b 0 1meg\nS1 a b g 0 gate\nVg g 0 PWL(0 0 1m 0 1.001m 1 5m 1)\n"
    ".model gate SW(vt=0.5 vh=0 ron=1e-12 roff=1e12)\n.tran 10u 5m uic\n.measure tran answer FIND v(b) AT=2m\n"};

bool have_ngspice() {
  static const bool have = std::system("command -v ngspice > /dev/null 2>&1") == 0;
  return have;
}

/// CPU time of all processes that were started and have ended [s].
double children_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct Theirs {
  double answer = std::nan("");  ///< NaN where the deck measures none
  bool failed = false;           ///< "Timestep too small"
  double time = 0.0;             ///< less that of an empty deck, median [s]
};

void run_deck(const std::string& file, Theirs& result) {
  std::FILE* output = popen(("exec ngspice -b " + file + " 2>&1").c_str(), "r");
  if (output == nullptr) return;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr) {
    (void)std::sscanf(line.data(), "answer = %lf", &result.answer);
    if (std::strstr(line.data(), "Timestep too small") != nullptr) result.failed = true;
  }
  pclose(output);
}

Theirs run_ngspice(const std::string& deck) {
  char folder[] = "/tmp/circuits_XXXXXX";
  if (mkdtemp(folder) == nullptr) return {};
  const std::string file = std::string(folder) + "/deck.cir", empty = std::string(folder) + "/empty.cir";
  std::ofstream(file) << "* circuit\n" << deck << ".end\n";
  std::ofstream(empty) << "* empty\nR1 1 0 1\nV1 1 0 1\n.op\n.end\n";
  Theirs result, nothing;
  std::vector<double> times;
  for (int k = 0; k < 15; ++k) {  // in turn, as the machine's other work changes
    const double before = children_seconds();
    run_deck(file, result);
    const double between = children_seconds();
    run_deck(empty, nothing);
    times.push_back((between - before) - (children_seconds() - between));
  }
  result.time = median(times);
  std::remove(file.c_str());
  std::remove(empty.c_str());
  rmdir(folder);
  return result;
}

void beside_ngspice(benchmark::State& bench, const Circuit& circuit) {
  const double exact = circuit.exact();
  for (auto _ : bench) {
    double value = circuit.ours();
    std::vector<double> times;
    for (int k = 0; k < 21; ++k) {
      const double start = cpu_seconds();
      value = circuit.ours();
      times.push_back(cpu_seconds() - start);
    }
    const double ours = median(times);
    bench.SetIterationTime(ours);
    if (!(std::abs(value - exact) < 1e-6)) {
      bench.SkipWithError(("not the exact solution: off by " + std::to_string(value - exact)).c_str());
      return;
    }
    bench.counters["exact"] = exact;
    bench.counters["error"] = value - exact;
    if (!have_ngspice()) {
      bench.SetLabel("ngspice is not installed");
      continue;
    }
    const Theirs theirs = run_ngspice(circuit.deck);
    if (theirs.failed) bench.counters["ngspice_failed"] = 1;
    if (!theirs.failed) bench.counters["ngspice_error"] = theirs.answer - exact;
    bench.counters["ngspice_ms"] = 1e3 * theirs.time;
    bench.counters["ngspice/ours"] = theirs.time / ours;
  }
}

#define CIRCUIT(name) \
  BENCHMARK_CAPTURE(beside_ngspice, name, k##name)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond)

CIRCUIT(HalfWave);
CIRCUIT(FullWave);
CIRCUIT(Bridge);
CIRCUIT(OneDiode);
CIRCUIT(Zener);
CIRCUIT(Buck);
CIRCUIT(Boost);
CIRCUIT(BoostFromRest);
CIRCUIT(Relay);
CIRCUIT(CoilOpened);
CIRCUIT(CapacitorLoop);

}  // namespace

BENCHMARK_MAIN();
