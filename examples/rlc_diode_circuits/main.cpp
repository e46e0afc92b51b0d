// SPDX-License-Identifier: Apache-2.0
// Four circuits of a resistor R, a coil L, a capacitor C and an ideal diode (SI units).
// x1 is the capacitor's charge, x2 the coil's current, 0 <= lambda ⟂ w >= 0 the diode.
//   (a) x1' = x2 - x1/(RC) - lambda/R,  x2' = -x1/(LC) - lambda/L,             w = lambda/R + x1/(RC) - x2
//   (b) x1' = -x2 + lambda,             x2' = x1/(LC),                         w = x1/C + R lambda
//   (c) x1' = x2,                       x2' = -R x2/L - x1/(LC) - lambda/L,    w = -x2
//   (d) x1' = x2 - x1/(RC),             x2' = -x1/(LC) + lambda/L,             w = x2
#include <cstdio>
#include <cmath>
#include <iostream>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
#include <nonsmooth/kernel/equilibria.hpp>
using namespace nonsmooth;

// What a run leaves: every state, the times at which the diode begins or ends to conduct, the first multiplier.
struct Run {
  std::vector<double> t, charge, current, switches;
  double x1 = 0.0, x2 = 0.0, lambda = 0.0, first_lambda = 0.0;
};

Run simulate(const FirstOrderLinearSystem& circuit, const FirstOrderLinearRelation& diode, double theta, double h, double T) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(circuit);
  const auto law = model.link(system, diode, ComplementarityLaw{});
  TimeStepping simulation{model, {.integrator = EulerMoreau{.theta = theta}, .step = h}};
  Run run{.t = {0.0}, .charge = {circuit.x0.value()[0]}, .current = {circuit.x0.value()[1]}};
  const auto report = simulation.advance_to(T, [&](const State& x) {
    const bool conducted = run.lambda > 1e-9;
    run.x1 = x.x(system)[0], run.x2 = x.x(system)[1], run.lambda = x.lambda(law)[0];
    if (x.k == 1) run.first_lambda = run.lambda;
    else if (conducted != (run.lambda > 1e-9)) run.switches.push_back(x.t);
    run.t.push_back(x.t), run.charge.push_back(run.x1), run.current.push_back(run.x2);
  });
  if (!report) std::cerr << report.message() << '\n';
  return run;
}

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
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

  for (auto* r : {&in_a, &in_b, &in_c, &in_d}) { printf("%zu:", r->switches.size()); for (double s : r->switches) printf(" %.4f", s);
    printf("  x %.9f %.9g lam %.6f first %.6f\n", r->x1, r->x2, r->lambda, r->first_lambda); }
  (void)arguments;
}
