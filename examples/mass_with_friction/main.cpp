// SPDX-License-Identifier: Apache-2.0
// A mass on a rough floor, pushed once, and the same mass on a spring (SI units).
//   m dv = -k q dt + dp,   F = dp/dt in [-mu m g, mu m g],   -v in N_[-mu m g, mu m g](F):
//   F = -mu m g where v > 0, mu m g where v < 0, anything between where v = 0.
#include <cmath>
#include <iostream>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

int example(const Arguments& arguments) {
  const double m = 1.0, mu = 0.3, g = 9.81, k = 100.0, v0 = 3.0, q0 = 0.4, h = 1e-3, T = 3.0;
  const double F = mu * m * g;

  // 1. Two masses: one slides freely from q = 0 at v0, one is let go at q0 on its spring.
  NonSmoothDynamicalSystem model;
  const auto slider = model.add(LagrangianLinearSystem{.mass = {{m}}, .q0 = {0.0}, .v0 = {v0}});
  const auto oscillator = model.add(LagrangianLinearSystem{.mass = {{m}}, .stiffness = {{k}}, .q0 = {q0}});

  // 2. Friction of known normal force is a relay between velocity and force; its bounds are forces.
  const RelayLaw friction{.lower = -F, .upper = F};
  const auto below_slider = model.link(slider, LagrangianLinearRelation{.H = {{1.0}}}, friction);
  const auto below_oscillator = model.link(oscillator, LagrangianLinearRelation{.H = {{1.0}}}, friction);

  // 3. Time.
  TimeStepping simulation{model, {.integrator = MoreauJean{.theta = 0.5}, .step = h}};
  Table table{"t", "slider", "oscillator", "F_slider", "F_oscillator"};
  double slider_stops = 0.0, oscillator_stops = 0.0;
  const auto report = simulation.advance_to(T, [&](const State& x) {
    if (std::abs(x.v(slider)[0]) > 1e-12) slider_stops = x.t + h;
    if (std::abs(x.v(oscillator)[0]) > 1e-12) oscillator_stops = x.t + h;
    table.record(
        {x.t, x.q(slider)[0], x.q(oscillator)[0], x.impulse(below_slider)[0] / h, x.impulse(below_oscillator)[0] / h});
  });
  if (!report) return std::cerr << report.message() << '\n', 1;

  // 4. Bounds. Constant deceleration mu g: the scheme is exact but for the step in which the mass stops; there it is
  //    slower than mu g h, so time is off by h and place by mu g h^2.
  Bounds bounds;
  const State& x = simulation.state();
  bounds.near("slider stops at [s]", slider_stops, v0 / (mu * g), h);
  bounds.near("slider stops after [m]", x.q(slider)[0], v0 * v0 / (2 * mu * g), mu * g * h * h);
  bounds.near("slider's last velocity [m/s]", x.v(slider)[0], 0.0, 1e-14);
  // The spring's amplitude falls by 2 F / k a half cycle of pi sqrt(m/k); the mass sticks as soon as k |q| <= F.
  double turning = q0;
  int half_cycles = 0;
  for (; std::abs(turning) > F / k; ++half_cycles) turning = -(turning - std::copysign(2 * F / k, turning));
  // A turning point lies within a step of a grid point, where the force k |q| + F acts at most: each is off by
  // (k q0 + F) h^2 / 2; the time of a turning point by a step.
  bounds.near("oscillator sticks at [s]", oscillator_stops, half_cycles * std::numbers::pi * std::sqrt(m / k),
              half_cycles * h);
  bounds.near("oscillator sticks at [m]", x.q(oscillator)[0], turning, half_cycles * (k * q0 + F) * h * h / 2);
  // At rest friction is what balances the spring, no longer its bound.
  bounds.near("friction on the oscillator at rest [N]", x.impulse(below_oscillator)[0] / h, k * x.q(oscillator)[0],
              1e-9);
  std::cout << bounds.report();

  if (arguments.pictures()) {
    const auto& t = table.column("t");
    const Panel place = time_series(
        t, "position [m]", {{table.column("slider"), "pushed once"}, {table.column("oscillator"), "on a spring"}});
    const Panel force = time_series(t, "friction force [N]",
                                    {{table.column("F_slider"), "pushed once", Series::Style::Steps},
                                     {table.column("F_oscillator"), "on a spring", Series::Style::Steps}});
    std::cout << draw({.title = "Mass with Coulomb friction", .panels = {place, force}, .width = 720, .height = 560},
                      *arguments.pictures() / "mass_with_friction")
                     .message()
              << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
