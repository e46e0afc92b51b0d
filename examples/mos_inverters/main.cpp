// SPDX-License-Identifier: Apache-2.0
// A chain of nMOS inverters (SI units): transistors by straight lines, a load resistor and a capacitor each.
//
//   C v_k' = (V - v_k)/R - F(v_{k-1} - Vt) + F(v_{k-1} - v_k - Vt),      k = 1..N, v_0(t) the input,
//
// Sah's model of the transistor: the current of the channel is F(gate - source) - F(gate - drain) beyond the threshold
// Vt, F(s) = K/2 (s+)^2. F is replaced by its interpolant at s = 0, 1, 2, 3, 4 V, a sum of ramps a_j (s - j)+, each an
// ideal diode of its own: zeta = (s - j)+ is 0 <= zeta - (s - j) ⟂ zeta >= 0. N inverters are a linear complementarity
// system of N states and 8 N multipliers: two sums of four ramps a transistor.
#include <cmath>
#include <iostream>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

namespace {

constexpr int kStages = 10, kRamps = 4;
constexpr double kSupply = 5.0, kThreshold = 1.0, kGain = 2e-4, kLoad = 50e3, kCapacitor = 10e-15;

/// Slope that ramp j adds: F's chords have slopes K/2 (2 j + 1), so that the first adds K/2, the others K each.
double slope(int j) { return j == 0 ? 0.5 * kGain : kGain; }
double interpolant(double s) {
  double sum = 0.0;
  for (int j = 0; j < kRamps; ++j) sum += slope(j) * std::fmax(0.0, s - j);
  return sum;
}
double input(double t) { return t > 1e-9 && t < 6e-9 ? kSupply : 0.0; }

}  // namespace

int example(const Arguments& arguments) {
  const double h = 2e-12, T = 20e-9;

  // 1. Capacitors and loads, from the state that rests while the input is low: outputs high, low, high...
  double low = 0.0;  // of an inverter whose gate is high: load and channel carry the same current
  for (int k = 0; k < 200; ++k) {
    const double excess =
        (kSupply - low) / kLoad - interpolant(kSupply - kThreshold) + interpolant(kSupply - low - kThreshold);
    low += excess * 1e3;
  }
  Eigen::VectorXd rest(kStages);
  for (int k = 0; k < kStages; ++k) rest[k] = k % 2 == 0 ? kSupply : low;
  NonSmoothDynamicalSystem model;
  const auto chain =
      model.add(FirstOrderLinearSystem{.A = (-1.0 / (kLoad * kCapacitor) * Eigen::VectorXd::Ones(kStages)).asDiagonal(),
                                       .b = Eigen::VectorXd::Constant(kStages, kSupply / (kLoad * kCapacitor)),
                                       .x0 = rest});

  // 2. Transistors: rows (stage, gate-source or gate-drain, ramp): y = zeta - (s - j), r = -+ slope zeta / C.
  const Index rows = 2 * kRamps * kStages;
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(rows, kStages), B = Eigen::MatrixXd::Zero(kStages, rows);
  const auto row_of = [](int k, int side, int j) { return static_cast<Index>((2 * k + side) * kRamps + j); };
  for (int k = 0; k < kStages; ++k) {
    for (int side = 0; side < 2; ++side) {
      for (int j = 0; j < kRamps; ++j) {
        const Index row = row_of(k, side, j);
        if (k > 0) C(row, k - 1) = -1.0;
        if (side == 1) C(row, k) += 1.0;
        B(k, row) = (side == 0 ? -1.0 : 1.0) * slope(j) / kCapacitor;
      }
    }
  }
  model.link(chain,
             FirstOrderLinearRelation{.C = C,
                                      .D = Eigen::MatrixXd::Identity(rows, rows),
                                      .B = B,
                                      .e =
                                          [&](double t, VectorRef e) {
                                            for (int side = 0; side < 2; ++side)
                                              for (int j = 0; j < kRamps; ++j) e[row_of(0, side, j)] = -input(t);
                                            for (int k = 0; k < kStages; ++k)
                                              for (int side = 0; side < 2; ++side)
                                                for (int j = 0; j < kRamps; ++j)
                                                  e[row_of(k, side, j)] += kThreshold + j;
                                          }},
             ComplementarityLaw{});

  // 3. Backward Euler: every ramp finds its side within the step.
  TimeStepping simulation{model, {.integrator = EulerMoreau{.theta = 1.0}, .step = h}};
  Table table{"t [ns]", "v1 [V]", "v2 [V]", "v4 [V]", "v10 [V]"};
  std::vector<double> rises(kStages, 0.0);  // when each output last crossed half the supply
  Eigen::VectorXd before = rest;
  const auto report = simulation.advance_to(T, [&](const State& state) {
    const auto v = state.x(chain);
    table.record({1e9 * state.t, v[0], v[1], v[3], v[9]});
    for (int k = 0; k < kStages; ++k) {
      const double half = 0.5 * kSupply;
      if ((before[k] < half) != (v[k] < half) && rises[static_cast<std::size_t>(k)] == 0.0)
        rises[static_cast<std::size_t>(k)] = state.t;
    }
    before = v;
  });
  if (!report) std::cerr << report.message() << '\n';

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& t = table.column("t [ns]");
    std::vector<Curve> outputs;
    for (const std::string name : {"v1 [V]", "v2 [V]", "v4 [V]", "v10 [V]"})
      outputs.push_back({table.column(name), name.substr(0, name.find(' '))});
    const Figure figure{.title = "A pulse of 5 ns through ten nMOS inverters",
                        .panels = {time_series(t, "outputs [V]", outputs, "time [ns]")},
                        .width = 720,
                        .height = 420};
    std::cout << draw(figure, *arguments.pictures() / "mos_inverters").message() << '\n';
  }

  // 5. Does it hold? At the end all rest again. The first output falls through the channel alone at first: from V to
  // V/2 in
  //    a time between that of the largest current, F(V - Vt) = K/2 16 A, and that of the smallest on the way, less the
  //    load's. Edges follow each other in the order of the chain.
  const double current = interpolant(kSupply - kThreshold), charge = 0.5 * kSupply * kCapacitor;
  const double slowest = current - interpolant(0.5 * kSupply - kThreshold) - 0.5 * kSupply / kLoad;
  Bounds bounds;
  bounds.near("distance from rest at the end [V]", (simulation.state().x(chain) - rest).lpNorm<Eigen::Infinity>(), 0.0,
              1e-3);
  bounds.within("first output falls in [s]", rises[0] - 1e-9, charge / current, charge / slowest + 2.0 * h);
  int in_order = 1;
  for (std::size_t k = 1; k < rises.size(); ++k) in_order += rises[k] > rises[k - 1];
  bounds.near("outputs that switch after the one before", in_order, kStages, 0.0);
  bounds.near("output 10 while low [V]", table.column("v10 [V]").front(), low, 1e-9);
  std::cout << bounds.report();
  return report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
