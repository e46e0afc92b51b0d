// SPDX-License-Identifier: Apache-2.0
// A rectifier written by nodes, shared by the tests of systems with a singular mass.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::descriptor_circuits {

constexpr double kTau = 2.0 * std::numbers::pi;

inline std::vector<double> instants_of(const EventDriven& simulation, EventKind kind) {
  std::vector<double> instants;
  for (const Event& event : simulation.events()) {
    if (event.kind == kind) instants.push_back(event.t);
  }
  return instants;
}

/// A source sin(wt) from ground to node 1, an ideal diode from node 1 to node 2, C and R from node 2 to ground.
/// Unknowns (v1, v2, i), i from the source into node 1; lambda the diode's current, y the voltage that it blocks.
///
///     0 = i - lambda,    C v2' = lambda - v2 / R,    0 = v1 - sin(wt).
struct HalfWave {
  static constexpr double C = 0.5, R = 2.0, w = kTau;

  static NonSmoothDynamicalSystem model(Eigen::VectorXd x0) {
    NonSmoothDynamicalSystem model;
    const auto circuit = model.add(FirstOrderLinearSystem{.mass = Eigen::Vector3d(0.0, C, 0.0).asDiagonal(),
                                                          .A = {{0, 0, 1}, {0, -1 / R, 0}, {-1, 0, 0}},
                                                          .b = [](double t, VectorRef b) { b[2] = std::sin(w * t); },
                                                          .x0 = std::move(x0),
                                                          .name = "rectifier"});
    model.link(circuit, FirstOrderLinearRelation{.C = {{-1, 1, 0}}, .B = {{-1}, {1}, {0}}}, ComplementarityLaw{});
    return model;
  }
  static double source(double t) { return std::sin(w * t); }
  static double current(double t) { return C * w * std::cos(w * t) + source(t) / R; }
  /// The current vanishes at tan(wt) = -w R C, first in the second quarter.
  static double blocks() { return (std::numbers::pi - std::atan(w * R * C)) / w; }
  static double held(double t) { return source(blocks()) * std::exp(-(t - blocks()) / (R * C)); }
  static double conducts() {
    double t = 1.2;  // on the rising flank: Newton's iteration
    for (int k = 0; k < 40; ++k) t -= (source(t) - held(t)) / (w * std::cos(w * t) + held(t) / (R * C));
    return t;
  }
};

}  // namespace nonsmooth::descriptor_circuits
