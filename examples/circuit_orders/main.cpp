// SPDX-License-Identifier: Apache-2.0
// Two circuits of a resistor R, a coil L and a capacitor C under schemes of several stages (SI units); x1 is the
// capacitor's charge, x2 the coil's current.
//   An ideal diode, whose lambda follows from x:
//     x1' = x2 - x1/(RC) - lambda/R,  x2' = -x1/(LC) - lambda/L,  0 <= lambda ⟂ lambda/R + x1/(RC) - x2 >= 0
//   A Zener diode, whose voltage v does not where the current rests:
//     x1' = x2,  L x2' = -R x2 - x1/C + v,  -x2 in N_[0,V](v): v = 0 for x2 > 0, V for x2 < 0, between them at 0
// The right side of the first has a kink where the diode opens, that of the second jumps. Each scheme runs twice: over
// fixed steps, and with `locate`, by which a step is divided at the instant where the mode changes.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;
using Eigen::Vector2d;

constexpr double kL = 1.0, kC = 1.0 / (4.0 * std::numbers::pi * std::numbers::pi);
constexpr double kV = 20.0;                        // of the Zener diode
constexpr double kBand = 2e-2, kSmoothing = 2e-2;  // of the two models beside it, currents

/// x1'' + 2 s x1' + (x1 - centre)/(LC) = 0: x1 and x1' a time t after (x1, x1').
Vector2d swing(double s, double centre, const Vector2d& x, double t) {
  const double w = std::sqrt(1.0 / (kL * kC) - s * s), d = x[0] - centre, a = (x[1] + s * d) / w;
  const double decay = std::exp(-s * t), c = std::cos(w * t), n = std::sin(w * t);
  return {centre + decay * (d * c + a * n), decay * ((a * w - s * d) * c - (d * w + a * s) * n)};
}

/// When x1' of that motion is 0 first.
double turn(double s, double centre, const Vector2d& x) {
  const double w = std::sqrt(1.0 / (kL * kC) - s * s), d = x[0] - centre, a = (x[1] + s * d) / w;
  const double angle = std::atan2(a * w - s * d, d * w + a * s);
  return (angle > 0.0 ? angle : angle + std::numbers::pi) / w;
}

/// The diode blocks from (1, -1) until the charge is least; then the charge stands and the current decays.
struct DiodeCircuit {
  static constexpr double R = 10.0, T = 1.0;
  const double s = 1.0 / (2.0 * R * kC), opens = turn(s, 0.0, {1.0, -1.0 - 1.0 / (R * kC)});

  [[nodiscard]] Vector2d exact(double t) const {
    const Vector2d x = swing(s, 0.0, {1.0, -1.0 - 1.0 / (R * kC)}, std::min(t, opens));
    const double current = x[1] + x[0] / (R * kC);
    return {x[0], t <= opens ? current : current * std::exp(-R / kL * (t - opens))};
  }
  static NonSmoothDynamicalSystem model() {
    NonSmoothDynamicalSystem model;
    const auto circuit =
        model.add(FirstOrderLinearSystem{.A = {{-1 / (R * kC), 1}, {-1 / (kL * kC), 0}}, .x0 = {1, -1}});
    model.link(circuit, FirstOrderLinearRelation{.C = {{1 / (R * kC), -1}}, .D = {{1 / R}}, .B = {{-1 / R}, {-1 / kL}}},
               ComplementarityLaw{});
    return model;
  }
};

/// From (1, 1) the current turns once, runs back for half a swing under v = V, and rests.
struct ZenerCircuit {
  static constexpr double R = 0.1, T = 0.8;
  const double s = R / (2.0 * kL), turns = turn(s, 0.0, {1.0, 1.0});
  const Vector2d turned = swing(s, 0.0, {1.0, 1.0}, turns);
  const double rests = turns + turn(s, kC* kV, {turned[0], 0.0});

  [[nodiscard]] Vector2d exact(double t) const {
    if (t <= turns) return swing(s, 0.0, {1.0, 1.0}, t);
    const Vector2d x = swing(s, kC * kV, {turned[0], 0.0}, std::min(t, rests) - turns);
    return {x[0], t <= rests ? x[1] : 0.0};
  }
  static FirstOrderLinearSystem circuit() { return {.A = {{0, 1}, {-1 / (kL * kC), -R / kL}}, .x0 = {1, 1}}; }
  static NonSmoothDynamicalSystem model() {
    NonSmoothDynamicalSystem model;
    model.link(model.add(circuit()), FirstOrderLinearRelation{.C = {{0, 1}}, .B = {{0}, {1 / kL}}},
               RelayLaw{.lower = 0.0, .upper = kV});
    return model;
  }
  /// v as a function of x, in place of the law: for comparison only.
  static NonSmoothDynamicalSystem replaced(const std::function<double(const Vector2d&)>& voltage) {
    NonSmoothDynamicalSystem model;
    model.add(FirstOrderSystem{.f =
                                   [voltage](double, ConstVectorRef x, VectorRef f) {
                                     f[0] = x[1];
                                     f[1] = (-R * x[1] - x[0] / kC + voltage(x)) / kL;
                                   },
                               .x0 = {1, 1}});
    return model;
  }
};

/// The error at the end of a run, |x - exact|.
template <class Circuit>
double error(const NonSmoothDynamicalSystem& model, const Integrator& integrator, double h) {
  TimeStepping simulation{model, {.integrator = integrator, .step = h, .examination = Examination::Off}};
  const auto report = simulation.advance_to(Circuit::T);
  if (!report) std::cerr << report.message() << '\n';
  return (Vector2d(simulation.state().unknowns) - Circuit().exact(Circuit::T)).norm();
}

struct Scheme {
  std::string name;
  Integrator integrator;
};

int example(const Arguments& arguments) {
  // 1. The steps: T / 24, T / 48, ... for both circuits.
  std::vector<double> parts;
  for (double n = 24; n < 2000; n *= 2) parts.push_back(1.0 / n);

  // 2. The diode under schemes over fixed steps and with the instant located.
  const std::vector<Scheme> on_diode{{"explicit Euler", ExplicitEuler{}},
                                     {"Runge-Kutta 4", RungeKutta4{}},
                                     {"Radau, 3 stages", ImplicitRadau{3}},
                                     {"theta = w = 1/2", EulerMoreau{.theta = 0.5, .multiplier_weight = 0.5}},
                                     {"BDF 2, located", Bdf2{.locate = true}},
                                     {"Adams-Bashforth 2, located", AdamsBashforth2{.locate = true}},
                                     {"Radau, 2 stages, located", ImplicitRadau{2, true}},
                                     {"Runge-Kutta 4, located", RungeKutta4{.locate = true}},
                                     {"Radau, 3 stages, located", ImplicitRadau{3, true}}};
  const auto over_steps = [&](const auto& error_of) {
    std::vector<double> errors;
    for (const double part : parts) errors.push_back(error_of(part));
    return errors;
  };
  std::vector<Curve> diode;
  for (const Scheme& scheme : on_diode) {
    diode.push_back({over_steps([&](double part) {
                       return error<DiodeCircuit>(DiodeCircuit::model(), scheme.integrator, part * DiodeCircuit::T);
                     }),
                     scheme.name});
  }

  // 3. The Zener diode; beside it the switched model, one with a band, in which the current is held, and a smooth one.
  const std::vector<Scheme> on_zener{{"explicit Euler, by selection", ExplicitEuler{}},
                                     {"Runge-Kutta 4, by selection", RungeKutta4{}},
                                     {"implicit Euler", EulerMoreau{.theta = 1.0}},
                                     {"Radau, 3 stages", ImplicitRadau{3}},
                                     {"BDF 2, located", Bdf2{.locate = true}},
                                     {"Radau, 2 stages, located", ImplicitRadau{2, true}},
                                     {"Radau, 3 stages, located", ImplicitRadau{3, true}}};
  std::vector<Curve> zener;
  for (const Scheme& scheme : on_zener) {
    zener.push_back({over_steps([&](double part) {
                       return error<ZenerCircuit>(ZenerCircuit::model(), scheme.integrator, part * ZenerCircuit::T);
                     }),
                     scheme.name});
  }
  const auto banded = ZenerCircuit::replaced([](const Vector2d& x) {
    if (std::abs(x[1]) > kBand) return x[1] > 0.0 ? 0.0 : kV;
    return std::clamp(x[0] / kC + ZenerCircuit::R * x[1], 0.0, kV);
  });
  const auto smooth =
      ZenerCircuit::replaced([](const Vector2d& x) { return 0.5 * kV * (1.0 - std::tanh(x[1] / kSmoothing)); });
  for (const auto& [model, name] :
       {std::pair{banded, "a band, Runge-Kutta 4"}, std::pair{smooth, "smoothed, Runge-Kutta 4"}}) {
    zener.push_back({over_steps([&, &of = model](double part) {
                       return error<ZenerCircuit>(of, RungeKutta4{}, part * ZenerCircuit::T);
                     }),
                     name});
  }

  if (arguments.pictures()) {
    const Figure figure{.title = "Schemes of several stages where modes change",
                        .panels = {convergence(parts, "ideal diode: error at T", diode, 1e-13, "h / T"),
                                   convergence(parts, "Zener diode: error at T", zener, 1e-13, "h / T")},
                        .width = 1200,
                        .height = 560,
                        .columns = 2};
    std::cout << draw(figure, *arguments.pictures() / "circuit_orders").message() << '\n';
  }

  // 4. Does it hold? Orders by least squares over all steps of h / T = 1/24 ... 1/1536, above rounding. Schemes of two
  //    steps start anew behind each instant, with a step of order 1. Without location errors go up and down with where
  //    the instant falls in its step.
  const auto curve = [](const std::vector<Curve>& of, const std::string& label) -> const std::vector<double>& {
    return std::find_if(of.begin(), of.end(), [&](const Curve& one) { return one.label == label; })->values;
  };
  const auto order = [&](const std::vector<Curve>& of, const std::string& label) {
    return fit_order(parts, curve(of, label), 1e-13).order;
  };
  Bounds bounds;
  bounds.near("diode: order of explicit Euler", order(diode, "explicit Euler"), 1.0, 0.1);
  for (const char* label : {"Runge-Kutta 4", "Radau, 3 stages", "theta = w = 1/2"})
    bounds.within("diode: order of " + std::string(label) + " over the kink", order(diode, label), 1.5, 2.4);
  bounds.near("diode: order of BDF 2, located", order(diode, "BDF 2, located"), 2.0, 0.2);
  bounds.near("diode: order of Adams-Bashforth 2, located", order(diode, "Adams-Bashforth 2, located"), 2.0, 0.4);
  bounds.near("diode: order of Radau, 2 stages, located", order(diode, "Radau, 2 stages, located"), 3.0, 0.1);
  bounds.near("diode: order of Runge-Kutta 4, located", order(diode, "Runge-Kutta 4, located"), 4.0, 0.1);
  bounds.near("diode: order of Radau, 3 stages, located", order(diode, "Radau, 3 stages, located"), 5.0, 0.15);
  bounds.within("diode: times more exact, Runge-Kutta 4 located at T / 1536",
                curve(diode, "Runge-Kutta 4").back() / curve(diode, "Runge-Kutta 4, located").back(), 1e4, 1e6);
  bounds.within("Zener: order of Runge-Kutta 4 by selection", order(zener, "Runge-Kutta 4, by selection"), 0.5, 1.5);
  bounds.near("Zener: order of implicit Euler", order(zener, "implicit Euler"), 1.0, 0.1);
  bounds.near("Zener: order of BDF 2, located", order(zener, "BDF 2, located"), 2.0, 0.3);
  bounds.near("Zener: order of Radau, 2 stages, located", order(zener, "Radau, 2 stages, located"), 3.0, 0.1);
  bounds.near("Zener: order of Radau, 3 stages, located", order(zener, "Radau, 3 stages, located"), 5.0, 0.2);
  // What is held in a band, or smoothed, is another motion: the charge goes on by currents of the band's size.
  bounds.within("Zener: what a band leaves at T / 1536", curve(zener, "a band, Runge-Kutta 4").back(), 0.5 * kBand,
                2.0 * kBand);
  bounds.within("Zener: what smoothing leaves at T / 1536", curve(zener, "smoothed, Runge-Kutta 4").back(),
                0.5 * kSmoothing, 2.0 * kSmoothing);
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
