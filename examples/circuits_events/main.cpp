// SPDX-License-Identifier: Apache-2.0
// Four circuits of a resistor R, a coil L, a capacitor C and an ideal diode (SI units), event by event and by
// time-stepping. x1 is the capacitor's charge, x2 the coil's current, 0 <= lambda ⟂ w >= 0 the diode.
//   (a) x1' = x2 - x1/(RC) - lambda/R,  x2' = -x1/(LC) - lambda/L,             w = lambda/R + x1/(RC) - x2
//   (b) x1' = -x2 + lambda,             x2' = x1/(LC),                         w = x1/C + R lambda
//   (c) x1' = x2,                       x2' = -R x2/L - x1/(LC) - lambda/L,    w = -x2
//   (d) x1' = x2 - x1/(RC),             x2' = -x1/(LC) + lambda/L,             w = x2
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include "picture.hpp"

using namespace nonsmooth;

struct Circuit {
  FirstOrderLinearSystem system;
  FirstOrderLinearRelation diode;
};

Run by_events(const Circuit& circuit, double T, double picture_step) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(circuit.system);
  model.link(system, circuit.diode, ComplementarityLaw{});
  EventDriven simulation{model};
  Run run;
  for (const Event& event : simulation.events())  // a state that the diode forbids jumps before the run
    if (event.kind == EventKind::Jump) run.impulse = event.value;
  State inside = simulation.state();
  const auto report = simulation.advance_to(
      T, {.segment =
              [&](const SmoothSegment& segment) {
                // Each step carries its own polynomial: any instant may be asked for.
                while (static_cast<double>(run.t.size()) * picture_step <= segment.end()) {
                  const double t = static_cast<double>(run.t.size()) * picture_step;
                  segment.evaluate(t, inside);
                  run.t.push_back(t), run.charge.push_back(inside.x(system)[0]),
                      run.current.push_back(inside.x(system)[1]);
                }
                return true;
              },
          .instant =
              [&](const Instant& instant) {
                run.switches.push_back(instant.after.t), run.switch_current.push_back(instant.after.x(system)[1]);
                return true;
              }});
  if (!report) std::cerr << report.message() << '\n';
  run.x1 = simulation.state().x(system)[0], run.x2 = simulation.state().x(system)[1];
  return run;
}

Run by_time_stepping(const Circuit& circuit, double theta, double h, double T) {
  NonSmoothDynamicalSystem model;
  const auto system = model.add(circuit.system);
  const auto law = model.link(system, circuit.diode, ComplementarityLaw{});
  TimeStepping simulation{model, {.integrator = EulerMoreau{.theta = theta}, .step = h}};
  Run run{.t = {0.0}, .charge = {circuit.system.x0.value()[0]}, .current = {circuit.system.x0.value()[1]}};
  bool conducted = false;
  const auto report = simulation.advance_to(T, [&](const State& x) {
    const bool conducts = x.lambda(law)[0] > 1e-9;
    if (x.k > 1 && conducts != conducted) run.switches.push_back(x.t);
    conducted = conducts;
    run.t.push_back(x.t), run.charge.push_back(x.x(system)[0]), run.current.push_back(x.x(system)[1]);
  });
  if (!report) std::cerr << report.message() << '\n';
  run.x1 = simulation.state().x(system)[0], run.x2 = simulation.state().x(system)[1];
  return run;
}

int example(const Arguments& arguments) {
  const double pi = std::numbers::pi, L = 1.0, C = 1.0 / (4 * pi * pi), R = 10.0, Rc = 0.1, h = 1e-3;

  // 1. The circuits. Each matrix is read off the equations above. (d) from two states: the diode forbids the first.
  const FirstOrderLinearRelation diode_d{.C = {{0, 1}}, .B = {{0}, {1 / L}}};
  const Circuit a{{.A = {{-1 / (R * C), 1}, {-1 / (L * C), 0}}, .x0 = {1, -1}},
                  {.C = {{1 / (R * C), -1}}, .D = {{1 / R}}, .B = {{-1 / R}, {-1 / L}}}};
  const Circuit b{{.A = {{0, -1}, {1 / (L * C), 0}}, .x0 = {1, 1}}, {.C = {{1 / C, 0}}, .D = {{R}}, .B = {{1}, {0}}}};
  const Circuit c{{.A = {{0, 1}, {-1 / (L * C), -Rc / L}}, .x0 = {1, 0}}, {.C = {{0, -1}}, .B = {{0}, {-1 / L}}}};
  const Circuit d{{.A = {{-1 / (R * C), 1}, {-1 / (L * C), 0}}, .x0 = {1, -1}}, diode_d};
  const Circuit d_swing{{.A = {{-1 / (R * C), 1}, {-1 / (L * C), 0}}, .x0 = {-1, 0}}, diode_d};

  // 2. Both ways. Nothing has to be chosen for events: neither theta nor a step.
  const Run ea = by_events(a, 1, h), eb = by_events(b, 3, h), ec = by_events(c, 1, h), ed = by_events(d, 1, h);
  const Run es = by_events(d_swing, 1, h);
  const Run ta = by_time_stepping(a, 0.5, h, 1), tb = by_time_stepping(b, 0.5, h, 3);
  const Run tc = by_time_stepping(c, 1, h, 1), ts = by_time_stepping(d_swing, 1, h, 1);

  // 3. Where the diode switches: exactly, event by event, by time-stepping at its grid.
  const double s = 1 / (2 * R * C), w = std::sqrt(1 / (L * C) - s * s), slope = -1 - 1 / (R * C);
  const double wc = std::sqrt(1 / (L * C) - 0.25 * Rc * Rc);
  const double t_a = (std::atan(slope * w / (1 / (L * C) + s * slope)) + pi) / w, t_c = pi / wc, t_s = pi / w;
  std::vector<double> t_b{std::atan(2 * pi) / (2 * pi)};
  for (int k = 0; k < 5; ++k) t_b.push_back(t_b.back() + (k % 2 == 0 ? pi / w : 0.5));

  // 4. Bounds. By events: tolerances of 1e-10 a step, some ten steps. By time-stepping: a step late at most, and (b)
  //    drifts by 0.53 h in each of three conducting half periods (h/(4 R C) of it).
  Bounds bounds;
  const auto compare = [&](const std::string& name, const Run& events, const Run& stepping,
                           const std::vector<double>& exact, double drift) {
    bounds.near(name + " switches", static_cast<double>(events.switches.size()), static_cast<double>(exact.size()), 0);
    if (events.switches.size() != exact.size() || stepping.switches.empty()) return;
    double error = 0.0;
    for (std::size_t k = 0; k < exact.size(); ++k) error = std::fmax(error, std::abs(events.switches[k] - exact[k]));
    bounds.within(name + " switching times by events, error [s]", error, 0.0, 1e-10);
    bounds.within(name + " last one by time-stepping, error [s]", std::abs(stepping.switches.back() - exact.back()),
                  0.0, h + drift);
  };
  compare("(a)", ea, ta, {t_a}, 0.0);
  compare("(b)", eb, tb, t_b, 3 * 0.53 * h);
  compare("(c)", ec, tc, {t_c}, 0.0);
  compare("(d) from (-1, 0)", es, ts, {t_s}, h);
  bounds.near("(d) from (1, -1): impulse at t = 0 [V s]", ed.impulse, L * 1.0, 1e-14);
  bounds.near("(d) charge at 1 s [C]", ed.x1, std::exp(-1 / (R * C)), 1e-11);
  bounds.near("(a) current at 1 s [A]", ea.x2, -4.548243574e-3, 1e-10);
  bounds.near("(c) charge at rest [C]", ec.x1, -std::exp(-Rc / (2 * L) * t_c), 1e-10);
  bounds.near("(c) current at rest [A]", ec.x2, 0.0, 0.0);
  bounds.near("(b) current at the last switch [A]", eb.switch_current.empty() ? 0.0 : eb.switch_current.back(),
              -std::sqrt(1 + 4 * pi * pi) * std::exp(-3 * s * pi / w), 1e-9);
  std::cout << bounds.report();
  if (arguments.pictures())
    std::cout << picture(ea, eb, ec, es, tb, *arguments.pictures() / "circuits_events").message() << '\n';
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
