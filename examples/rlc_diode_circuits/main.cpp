// SPDX-License-Identifier: Apache-2.0
// Four circuits of a resistor R, a coil L, a capacitor C and an ideal diode (SI units).
// x1 is the capacitor's charge, x2 the coil's current, 0 <= lambda ⟂ w >= 0 the diode.
//   (a) x1' = x2 - x1/(RC) - lambda/R,  x2' = -x1/(LC) - lambda/L,             w = lambda/R + x1/(RC) - x2
//   (b) x1' = -x2 + lambda,             x2' = x1/(LC),                         w = x1/C + R lambda
//   (c) x1' = x2,                       x2' = -R x2/L - x1/(LC) - lambda/L,    w = -x2
//   (d) x1' = x2 - x1/(RC),             x2' = -x1/(LC) + lambda/L,             w = x2
#include <cmath>
#include <iostream>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/kernel/equilibria.hpp>
using namespace nonsmooth;

// What a run leaves: every state, the times at which the diode begins or ends to conduct, the first multiplier.
struct Run {
  std::vector<double> t{}, charge{}, current{}, switches{};
  double x1 = 0.0, x2 = 0.0, lambda = 0.0, first_lambda = 0.0;
};

Run simulate(const FirstOrderLinearSystem& circuit, const FirstOrderLinearRelation& diode, double theta, double h,
             double T) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(circuit);
  const auto law = model.link(system, diode, ComplementarityLaw{});
  TimeStepping simulation{model, {.integrator = EulerMoreau{.theta = theta}, .step = h}};
  Run run{.t = {0.0}, .charge = {circuit.x0.value()[0]}, .current = {circuit.x0.value()[1]}};
  const auto report = simulation.advance_to(T, [&](const State& x) {
    const bool conducted = run.lambda > 1e-9;
    run.x1 = x.x(system)[0], run.x2 = x.x(system)[1], run.lambda = x.lambda(law)[0];
    if (x.k == 1)
      run.first_lambda = run.lambda;
    else if (conducted != (run.lambda > 1e-9))
      run.switches.push_back(x.t);
    run.t.push_back(x.t), run.charge.push_back(run.x1), run.current.push_back(run.x2);
  });
  if (!report) std::cerr << report.message() << '\n';
  return run;
}

int example(const Arguments& arguments) {
  const double L = 1.0, C = 1.0 / std::pow(2 * std::numbers::pi, 2), R = 10.0, Rc = 0.1, h = 1e-3;

  // 1. The circuits. Each matrix is read off the equations above.
  const FirstOrderLinearSystem a{.A = {{-1 / (R * C), 1}, {-1 / (L * C), 0}}, .x0 = {1, -1}};
  const FirstOrderLinearRelation diode_a{.C = {{1 / (R * C), -1}}, .D = {{1 / R}}, .B = {{-1 / R}, {-1 / L}}};
  const FirstOrderLinearSystem b{.A = {{0, -1}, {1 / (L * C), 0}}, .x0 = {1, 1}};
  const FirstOrderLinearRelation diode_b{.C = {{1 / C, 0}}, .D = {{R}}, .B = {{1}, {0}}};
  const FirstOrderLinearSystem c{.A = {{0, 1}, {-1 / (L * C), -Rc / L}}, .x0 = {1, 0}};
  const FirstOrderLinearRelation diode_c{.C = {{0, -1}}, .B = {{0}, {-1 / L}}};
  const FirstOrderLinearSystem d{.A = {{-1 / (R * C), 1}, {-1 / (L * C), 0}}, .x0 = {1, -1}};
  const FirstOrderLinearRelation diode_d{.C = {{0, 1}}, .B = {{0}, {1 / L}}};

  // 2. theta = 1/2 where the state is continuous and its rate bounded (D > 0: (a), (b)); theta = 1 where the diode
  //    holds or makes the state jump (D = 0: (c), (d)), as an average with the value before a jump would be wrong.
  const Run in_a = simulate(a, diode_a, 0.5, h, 1.0), in_b = simulate(b, diode_b, 0.5, h, 3.0);
  const Run in_c = simulate(c, diode_c, 1.0, h, 1.0), in_d = simulate(d, diode_d, 1.0, h, 1.0);

  // 3. Bounds from the exact solutions; the diode is seen to switch at a grid point, h late at most.
  Bounds bounds;
  const auto last_switch = [](const Run& run) { return run.switches.empty() ? 0.0 : run.switches.back(); };
  // (a) conducts from t* on: charge frozen at x1*, current x2* e^(-R(t-t*)/L). The multiplier is implicit, the rest
  //     averaged: the charge moves on by (h/2) x2*; the current decays as in backward Euler, (R/L)^2 (h/2) (1 - t*)
  //     slower = 3 %, and h R/L = 1 % later.
  bounds.near("(a) switches at [s]", last_switch(in_a), 0.39555783966, h);
  bounds.near("(a) charge at 1 s [C]", in_a.x1, -0.48589555550, 1.1 * h / 2 * 1.91823876521);
  bounds.near("(a) current at 1 s [A]", in_a.x2, -4.548243574e-3, 0.04 * 4.548243574e-3);
  // (b) six switches; the implicit multiplier lengthens each of the three conducting half periods by
  //     h/(4 R C) = 0.1 %, 0.53 h; hence the phase at 3 s, where x2' = 1.66 A/s.
  bounds.near("(b) switches", static_cast<double>(in_b.switches.size()), 6, 0);
  bounds.near("(b) switches last at [s]", last_switch(in_b), 2.8048750505, h + 3 * 0.53 * h);
  bounds.near("(b) current at 3 s [A]", in_b.x2, -0.0950702, 1.66 * 2.6 * h);
  // (c) half a swing of backward Euler, which shrinks by 1/sqrt(1 + (2 pi h)^2) a step, e^(-pi^2 h) in all; then rest.
  bounds.near("(c) stops at [s]", last_switch(in_c), 0.50001583219, h);
  bounds.near("(c) charge at rest [C]", in_c.x1, -0.97530913996, std::pow(std::numbers::pi, 2) * h);
  bounds.near("(c) current at rest [A]", in_c.x2, 0.0, 1e-14);
  // (d) jumps at t = 0: the first h lambda is the impulse L (0 - x2(0)) = 1 and h x1/C; x1 decays at the rate
  //     1/(RC) = 3.95 1/s, in backward Euler (h/2)/(RC)^2 = 0.8 % slower by t = 1.
  bounds.near("(d) impulse of the first step [V s]", h * in_d.first_lambda, 1 + h / C, h * h / C / (R * C));
  bounds.near("(d) charge at 1 s [C]", in_d.x1, 0.01929630291, 0.008 * 0.01929630291);
  // Equilibria: a half line {x1 <= 0, x2 = 0} for (a) and (c), on which they end; the origin alone for (b) and (d).
  const auto half_lines = [](const auto& system, const auto& diode) {
    return static_cast<double>(find_equilibria(system, diode).half_lines.size());
  };
  bounds.near("(a) half lines of equilibria", half_lines(a, diode_a), 1, 0);
  bounds.near("(b) half lines of equilibria", half_lines(b, diode_b), 0, 0);
  bounds.near("(c) half lines of equilibria", half_lines(c, diode_c), 1, 0);
  bounds.near("(d) half lines of equilibria", half_lines(d, diode_d), 0, 0);
  std::cout << bounds.report();

  if (arguments.pictures()) {
    Panel charge{.x = {.label = "time [s]"}, .y = {.label = "charge x_1 [C]"}};
    Panel current{.x = {.label = "time [s]"}, .y = {.label = "current x_2 [A]"}};
    const char* names[] = {"(a)", "(b)", "(c)", "(d)"};
    const Run* runs[] = {&in_a, &in_b, &in_c, &in_d};
    for (std::size_t i = 0; i < 4; ++i) {
      charge.series.push_back({.x = runs[i]->t, .y = runs[i]->charge, .label = names[i]});
      current.series.push_back({.x = runs[i]->t, .y = runs[i]->current, .label = names[i]});
    }
    const Figure figure{
        .title = "Four RLC circuits with an ideal diode", .panels = {charge, current}, .width = 720, .height = 600};
    std::cout << draw(figure, *arguments.pictures() / "rlc_diode_circuits").message() << '\n';
  }
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
