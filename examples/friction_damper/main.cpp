// SPDX-License-Identifier: Apache-2.0
// A cantilever whose tip rubs on a friction damper, driven at its middle (SI units): its frequency response.
//
//   rho S y_tt + E I y_xxxx + damping = P cos(W t) delta(x - L/2) + F delta(x - L),   y = y_x = 0 at x = 0;
//   F = -mu N sign(y_t(L)) while the tip slips, |F| <= mu N while it sticks:   -y_t(L) in N_[-mu N, mu N](F);
//   by its modes, y = sum_j q_j phi_j(x):   m (q_j'' + 2 zeta w_j q_j' + w_j^2 q_j) = P cos(W t) phi_j(L/2) + F
//   phi_j(L), w_j = b_j^2 sqrt(E I / rho S) / L^2,   cos b_j cosh b_j = -1,   m = rho S L.
//
// Linear at both ends of N. With the receptances G_xy = sum_j phi_j(x) phi_j(y) / (m (w_j^2 - W^2 + 2 i zeta w_j W)):
//   N = 0         the middle swings by P |G_mm|;
//   N -> infinity the tip is held: P |G_mm - G_mt^2 / G_tt|, and mu N >= P |G_mt / G_tt| is enough for that.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

using Modes = Eigen::Array<double, 6, 1>;
using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi, L = 1.0, kRadius = 0.01, E = 210e9, kDensity = 7800.0;  // a round steel bar
constexpr double zeta = 0.02, mu = 0.3, P = 10.0;                                               // [-], [-], [N]
const double S = pi * kRadius * kRadius, I = S * kRadius * kRadius / 4, m = kDensity * S * L;
const double unit = std::sqrt(E * I / (kDensity * S)) / (L * L);  // w_j = b_j^2 unit
const Modes b{1.8751040687119611, 4.6940911329741746, 7.8547574382376126,
              10.995540734875467, 14.137168391046471, 17.278759532088237};
const Modes w = b.square() * unit;

Modes shapes(double s) {  // phi_j(s L), of mean square 1
  const Modes r = (b.cos() + b.cosh()) / (b.sin() + b.sinh());
  return (b * s).cosh() - (b * s).cos() - r * ((b * s).sinh() - (b * s).sin());
}
const Modes middle = shapes(0.5), tip = shapes(1.0);

Complex receptance(const Modes& one, const Modes& other, double W) {
  return ((one * other).cast<Complex>() / (m * (w.square() - W * W + Complex(0.0, 2 * zeta * W) * w.cast<Complex>())))
      .sum();
}
double free_response(double W) { return P * std::abs(receptance(middle, middle, W)); }
double held_response(double W) {
  const Complex G_mt = receptance(middle, tip, W);
  return P * std::abs(receptance(middle, middle, W) - G_mt * G_mt / receptance(tip, tip, W));
}

Index steps_of(double W) {  // a period of the force; w h <= 1/2 of every mode
  return std::max<Index>(256, static_cast<Index>(std::ceil(4 * pi / W * w[5])));
}
/// Relative errors. A span of five periods of the first mode leaves rho = exp(-10 pi zeta) of what has to decay, so
/// that rho / (1 - rho) of 1e-4 is left; cos(W t) is linear over a step: 1 - (W h)^2 / 12 of it.
double free_error(double W) {
  const double rho = std::exp(-10 * pi * zeta), x = 2 * pi / static_cast<double>(steps_of(W));
  return 1e-4 * rho / (1 - rho) + x * x / 12;
}
/// A force at the tip is impulses at the ends of steps, of which half act within each: their overtones at 2 pi k / h
/// make the tip's receptance h^2 / 6 sum phi_j(L)^2 / m smaller and leave h^2 / 12 of the middle's. A fourth for h^4.
double held_error(double W) {
  const double h = 2 * pi / W / static_cast<double>(steps_of(W));
  const double share = std::abs(receptance(middle, tip, W) / receptance(tip, tip, W));
  const double off = P * share * h * h / m * (share * tip.square().sum() / 6 + std::abs((middle * tip).sum()) / 12);
  return free_error(W) + 1.25 * off / held_response(W);
}

struct Swing {
  double amplitude = 0.0;                // of the middle, first harmonic [m]
  std::vector<double> place{}, force{};  // of the tip over the last period [m], [N]
};

/// From rest until two spans of five periods of the first mode have the same first harmonic.
Swing drive(double W, double N) {
  // 1. The beam by its modes, M, C and K diagonal.
  const Index steps = steps_of(W);
  const double h = 2 * pi / W / static_cast<double>(steps);
  NonSmoothDynamicalSystem model;
  const auto beam = model.add(
      LagrangianLinearSystem{.mass = Modes::Constant(m).matrix().asDiagonal(),
                             .damping = (2 * zeta * m * w).matrix().asDiagonal(),
                             .stiffness = (m * w.square()).matrix().asDiagonal(),
                             .force = [=](double t, VectorRef f) { f = P * std::cos(W * t) * middle.matrix(); },
                             .q0 = Eigen::VectorXd::Zero(6)});

  // 2. Friction of known normal force at its tip is a relay between velocity and force.
  InteractionHandle damper{};
  if (N > 0.0)
    damper = model.link(beam, LagrangianLinearRelation{.H = tip.matrix().transpose()},
                        RelayLaw{.lower = -mu * N, .upper = mu * N});

  // 3. Time, span by span.
  TimeStepping simulation{model, {.integrator = ExactLinear{}, .step = h}};
  const Index span = steps * static_cast<Index>(std::ceil(5 * W / w[0]));
  Complex last = 0.0;
  for (Index done = 0; done < 60 * span; done += span) {
    Complex harmonic = 0.0;
    Swing swing;
    for (Index i = 0; i < span; ++i) {
      const auto report = simulation.step();
      if (!report) throw std::runtime_error(report.message());
      const State& s = simulation.state();
      harmonic += middle.matrix().dot(s.q(beam)) * std::polar(2.0 / static_cast<double>(span), -W * s.t);
      if (i < span - steps - 1) continue;
      swing.place.push_back(tip.matrix().dot(s.q(beam)));
      swing.force.push_back(N > 0.0 ? s.impulse(damper)[0] / h : 0.0);
    }
    swing.amplitude = std::abs(harmonic);
    if (std::abs(harmonic - last) < 1e-4 * std::abs(harmonic)) return swing;
    last = harmonic;
  }
  throw std::runtime_error("no steady swing at W = " + std::to_string(W));
}

int example(const Arguments& arguments) {
  // 4. Frequency responses between both limits.
  const double low = 2 * pi * 10, high = 2 * pi * 70;
  constexpr Index kPoints = 61;
  const std::array<double, 4> normal{5.0, 12.0, 50.0, 200.0};  // [N]
  const double ratio = std::pow(high / low, 1.0 / (kPoints - 1));
  std::vector<double> hertz;
  std::array<std::vector<double>, 4> response;
  std::array<double, 4> peak{}, at{};
  double off_free = 0.0, off_held = 0.0;
  for (Index i = 0; i < kPoints; ++i) {
    const double W = low * std::pow(ratio, static_cast<double>(i));
    hertz.push_back(W / (2 * pi));
    for (std::size_t k = 0; k < normal.size(); ++k) {
      const double amplitude = drive(W, normal[k]).amplitude;
      response[k].push_back(1e3 * amplitude);
      if (amplitude > peak[k]) peak[k] = amplitude, at[k] = W;
    }
    if (i % 6 != 0) continue;
    off_free = std::max(off_free, std::abs(drive(W, 0.0).amplitude / free_response(W) - 1) / free_error(W));
    off_held = std::max(off_held, std::abs(drive(W, 1e4).amplitude / held_response(W) - 1) / held_error(W));
  }

  // 5. Where both limits are equally large a viscous damper at the tip would change nothing, whatever its constant.
  double crossing = w[0] * ratio, above = 2 * w[0];
  while (above - crossing > 1e-9 * above) {
    const double W = (crossing + above) / 2;
    (free_response(W) > held_response(W) ? crossing : above) = W;
  }
  const double W_held = std::pow(3.9266023120479192, 2) * unit;  // clamped and pinned: tan b = tanh b

  if (arguments.pictures()) {
    Panel responses{.x = {.label = "frequency [Hz]", .low = 10, .high = 70},
                    .y = {.label = "amplitude of the middle [mm]", .low = 0.01, .high = 10, .logarithmic = true}};
    Panel loops{.x = {.label = "tip [mm]"}, .y = {.label = "friction [N], at 63.7 Hz", .low = -70, .high = 70}};
    std::vector<double> f, free, held;
    for (f = {10.0}; f.back() < 70; f.push_back(f.back() + 0.1)) {
      free.push_back(1e3 * free_response(2 * pi * f.back())), held.push_back(1e3 * held_response(2 * pi * f.back()));
    }
    f.pop_back();
    for (const auto& limit : {free, held})
      responses.series.push_back({.x = f, .y = limit, .style = Series::Style::Guide});
    for (std::size_t k = 0; k < normal.size(); ++k) {
      const std::string label = "N = " + std::to_string(std::lround(normal[k])) + " N";
      Swing loop = drive(W_held, normal[k]);
      for (double& x : loop.place) x *= 1e3;
      responses.series.push_back({.x = hertz, .y = response[k], .label = label});
      loops.series.push_back({.x = loop.place, .y = loop.force, .label = label});
    }
    std::cout << draw({.title = "A cantilever and a friction damper at its tip",
                       .panels = {responses, loops},
                       .width = 1100,
                       .height = 480,
                       .columns = 2},
                      *arguments.pictures() / "friction_damper")
                     .message()
              << '\n';
  }

  // 6. Bounds. Of the limits: what free_error and held_error say. Peaks: between two frequencies of the grid; friction
  //    has no stiffness, and moves the first peak no further than damping does. At the crossing the first harmonic of
  //    friction is such a damper: what is above it is the work of the others, of which the third is a third of it.
  Bounds bounds;
  bounds.within("N = 0: largest error over its bound [-]", off_free, 0.0, 1.0);
  bounds.within("tip held: largest error over its bound [-]", off_held, 0.0, 1.0);
  bounds.near("N = 5 N: peak at [w_1]", at[0] / w[0], 1.0, ratio - 1);
  bounds.near("N = 200 N: peak at [frequency, clamped and pinned]", at[3] / W_held, 1.0, ratio - 1);
  bounds.within("N = 12 N: peak [height of the crossing]", peak[1] / free_response(crossing), 1.0, 4.0 / 3);
  bounds.near("N = 12 N: peak at [crossing]", at[1] / crossing, 1.0, 2 * (ratio - 1));
  bounds.within("N = 12 N: peak [peak with the tip held]", peak[1] / held_response(W_held), 0.0, 0.1);
  bounds.within("N = 12 N: peak [peak without friction]", peak[1] / free_response(w[0]), 0.0, 0.02);
  bounds.within("peaks: N = 12 N [N = 5 N]", peak[1] / peak[0], 0.0, 0.99);
  bounds.within("peaks: N = 12 N [N = 50 N]", peak[1] / peak[2], 0.0, 0.99);
  bounds.within("peaks: N = 50 N [N = 200 N]", peak[2] / peak[3], 0.0, 0.99);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
