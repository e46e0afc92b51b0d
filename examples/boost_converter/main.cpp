// SPDX-License-Identifier: Apache-2.0
// Boost converter under sliding-mode control (SI units): a source E, a coil L, a capacitor C, a load R, an ideal
// switch.
//
//   L i' = E - (1 - u) v,    C v' = (1 - u) i - v/R,    u = 1: the coil charges, u = 0: it feeds the load.
//   Control: u = 1 while i < i*, 0 while i > i*, i* = Vd^2 / (R E): a relay, -(i - i*) in N_[0,1](u).
//
// The multiplier u multiplies the state: r = g(x, u) = u (v/L, -i/C), solved by Newton. Once i = i* the converter
// slides: E = (1 - u) v makes C v' = E i*/v - v/R, so that v^2 runs to Vd^2 as v^2 = Vd^2 + (v_0^2 - Vd^2) e^(-2 (t -
// t_0) / (R C)).
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double E = 10.0, L = 1e-3, C = 100e-6, R = 20.0, Vd = 20.0, start = 12.0, h = 1e-6, T = 5e-3;
  const double target = Vd * Vd / (R * E);  // i* = 2 A

  // 1. The circuit with the switch open; the capacitor above E, or no u could hold the current.
  NonSmoothDynamicalSystem model;
  const auto converter = model.add(
      FirstOrderLinearSystem{.A = {{0.0, -1.0 / L}, {1.0 / C, -1.0 / (R * C)}}, .b = {E / L, 0.0}, .x0 = {0.0, start}});

  // 2. The switch, and the relay that works it.
  const auto control = model.link(
      converter,
      FirstOrderRelation{
          .rows = 1,
          .h = [=](double, ConstVectorRef x, ConstVectorRef, VectorRef y) { y[0] = x[0] - target; },
          .h_dx = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 1.0; },
          .h_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
          .g = [=](double, ConstVectorRef x, ConstVectorRef u, VectorRef r) { r << u[0] * x[1] / L, -u[0] * x[0] / C; },
          .g_dx =
              [=](double, ConstVectorRef, ConstVectorRef u, MatrixRef J) {
                J(0, 1) = u[0] / L;
                J(1, 0) = -u[0] / C;
              },
          .g_dlambda =
              [=](double, ConstVectorRef x, ConstVectorRef, MatrixRef J) {
                J(0, 0) = x[1] / L;
                J(1, 0) = -x[0] / C;
              }},
      RelayLaw{.lower = 0.0, .upper = 1.0});

  // 3. Implicit: u is what keeps i = i* at the end of the step. For comparison the switch of a digital controller,
  // which
  //    looks at the current at the beginning of each step.
  TimeStepping simulation{model, {.integrator = EulerMoreau{.theta = 1.0}, .step = h}};
  Table table{"t [ms]", "i [A]", "v [V]", "u", "i explicit [A]", "u explicit"};
  double ripple = 0.0, explicit_ripple = 0.0, slides_from = 0.0, current = 0.0, voltage = start;
  const auto report = simulation.advance_to(T, [&](const State& state) {
    const double i = state.x(converter)[0], v = state.x(converter)[1];
    const double u = current < target ? 1.0 : 0.0, rate = (E - (1.0 - u) * voltage) / L;
    voltage += h * ((1.0 - u) * current - voltage / R) / C;
    current += h * rate;
    table.record({1e3 * state.t, i, v, state.lambda(control)[0], current, u});
    if (std::abs(i - target) > 1e-9) slides_from = state.t;
    if (state.t > 0.5 * T) {
      ripple = std::fmax(ripple, std::abs(i - target));
      explicit_ripple = std::fmax(explicit_ripple, std::abs(current - target));
    }
  });
  if (!report) std::cerr << report.message() << '\n';

  // 4. A picture, where one is wanted.
  if (arguments.pictures()) {
    const auto& t = table.column("t [ms]");
    const Axis closely{.label = "time [ms]", .low = 4.9, .high = 4.95};
    const Figure figure{.title = "Boost converter: implicit sliding mode, and a sampled switch",
                        .panels = {time_series(t, "voltage [V]", {{table.column("v [V]")}}, "time [ms]"),
                                   {.x = closely,
                                    .y = {.label = "current [A]"},
                                    .series = {{.x = t, .y = table.column("i [A]"), .label = "implicit"},
                                               {.x = t, .y = table.column("i explicit [A]"), .label = "sampled"}}},
                                   {.x = closely,
                                    .y = {.label = "switch u", .low = -0.1, .high = 1.1},
                                    .series = {{.x = t, .y = table.column("u"), .label = "implicit"},
                                               {.x = t,
                                                .y = table.column("u explicit"),
                                                .label = "sampled",
                                                .style = Series::Style::Steps}}}},
                        .width = 720,
                        .height = 700};
    std::cout << draw(figure, *arguments.pictures() / "boost_converter").message() << '\n';
  }

  // 5. Does it hold? While i < i*, i = E t / L and v decays by e^(-t / (R C)). Backward Euler errs by h/2 times
  //    second derivatives over the time constant R C = 2 ms: 1e-3 of the voltage at most. A sampled switch lets the
  //    current overshoot by one step of its rate, E/L or (v - E)/L = 1e4 A/s: at least a third of that shows, and at
  //    most two.
  const double starts = L * target / E, v0 = start * std::exp(-starts / (R * C));
  const double exact = std::sqrt(Vd * Vd + (v0 * v0 - Vd * Vd) * std::exp(-2.0 * (T - starts) / (R * C)));
  Bounds bounds;
  bounds.near("slides from [s]", slides_from, starts, 2.0 * h);
  bounds.near("voltage at the end [V]", simulation.state().x(converter)[1], exact, 1e-3 * Vd);
  bounds.near("u at the end", simulation.state().lambda(control)[0], 1.0 - E / exact, 1e-3);
  bounds.near("ripple of the current, implicit [A]", ripple, 0.0, 1e-8);
  bounds.within("ripple of the current, sampled [A]", explicit_ripple, h * 1e4 / 3.0, 2.0 * h * 1e4);
  std::cout << bounds.report();
  return report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
