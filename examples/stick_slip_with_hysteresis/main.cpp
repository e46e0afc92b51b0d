// SPDX-License-Identifier: Apache-2.0
// A block on a spring, dragged by a belt (dimensionless), whose friction depends on the past:
//
//   q' = v,   v' = F - q,   slip s = 1 - v,   the belt runs with 1,
//   sticks:   v = 1, v' = 0,   until q = 2, the most that holds it,
//   dry:      F = 2,           until s = 0.5 (a film builds up: lubricated), or s = 0 (sticks),
//   lubricated: F = 1,         until s = 0.1 (the film breaks: dry).
//
// For slips between 0.1 and 0.5 both F are possible. Where it slides, (q - F, v) goes along a circle around 0 with
// angular velocity 1, so that the period is a sum of angles and 2 - q, the way that it sticks, in closed form.
#include <cmath>
#include <iostream>
#include <numbers>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double kDry = 2.0, kLubricated = 1.0, kBuildsUp = 0.5, kBreaks = 0.1;

// A mode is the force F of the friction on the block.
AutomatonMode slides(const std::string& name, double friction) {
  return {.name = name, .f = [friction](double, ConstVectorRef, VectorRef F) { F[0] = friction; }};
}
// sign (x_k - level)
SwitchingFunction passes(Index k, double sign, double level) {
  return {.value = [=](double, ConstVectorRef x) { return sign * (x[k] - level); },
          .gradient = [=](double, ConstVectorRef, VectorRef gradient) { gradient[k] = sign; }};
}

// x = (q; v) of the block.
HybridAutomaton film() {
  const auto balance = [](double, ConstVectorRef x, VectorRef F) { F[0] = x[0]; };
  const auto held = [](double, VectorRef x) { x[1] = 1.0; };
  return {
      .modes = {{.name = "sticks", .f = balance}, slides("dry", kDry), slides("lubricated", kLubricated)},
      .transitions = {{.name = "breaks loose", .from = "sticks", .to = "dry", .guard = passes(0, 1.0, kDry)},
                      {.name = "is caught", .from = "dry", .to = "sticks", .guard = passes(1, 1.0, 1.0), .reset = held},
                      {.name = "film", .from = "dry", .to = "lubricated", .guard = passes(1, -1.0, 1.0 - kBuildsUp)},
                      {.name = "no film", .from = "lubricated", .to = "dry", .guard = passes(1, 1.0, 1.0 - kBreaks)}},
      .name = "film"};
}

// Instants of a period from breaking loose on: film, no film, caught, loose again.
std::vector<double> instants_of_period() {
  const auto angle = [](double u, double v) {  // of (u, v) = r (sin, cos), from 0 to 2 pi
    const double a = std::atan2(u, v);
    return a < 0.0 ? a + 2.0 * std::numbers::pi : a;
  };
  std::vector<double> t;
  double u = 0.0, v = 1.0, now = 0.0;  // u = q - F
  const auto slide = [&](double until, bool rises) {
    const double r = std::hypot(u, v), next = std::sqrt(r * r - until * until) * (rises ? -1.0 : 1.0);
    now += angle(next, until) - angle(u, v);
    u = next, v = until;
    t.push_back(now);
  };
  slide(1.0 - kBuildsUp, false);
  u += kDry - kLubricated;
  slide(1.0 - kBreaks, true);
  u += kLubricated - kDry;
  slide(1.0, true);
  t.push_back(now - u);  // sticks from q = 2 + u to q = 2, with velocity 1
  return t;
}

int example(const Arguments& arguments) {
  const JoinedSystems block({make_system(LagrangianLinearSystem{.stiffness = {{1.0}}, .q0 = {0.0}, .v0 = {1.0}})});
  NonSmoothDynamicalSystem model;
  const SystemHandle system = model.add(block.join(film()));
  EventDriven simulation(model);
  std::vector<double> t, q, v, slip, force;
  const auto show = [&](const State& state) {
    const auto x = state.x(system);
    const Index mode = mode_of(state, system);
    t.push_back(state.t);
    q.push_back(x[0]);
    v.push_back(x[1]);
    slip.push_back(1.0 - x[1]);
    force.push_back(mode == 0 ? x[0] : mode == 1 ? kDry : kLubricated);  // what holds it against the spring
    return true;
  };
  const auto report = simulation.advance_to(40.0, {.output = show, .output_step = 0.01});
  if (!report) std::cerr << report.message() << '\n';

  // From 0 it sticks until t = 2; from then on periods follow one another.
  const std::vector<double> expected = instants_of_period();
  double off = 0.0, last = 2.0;
  std::size_t count = 0;
  for (const Event& event : simulation.events()) {
    const std::size_t in_period = (count + 3) % 4;
    const double own = count == 0 ? 2.0 : last + expected[in_period];
    off = std::fmax(off, std::abs(event.t - own));
    if (in_period == 3) last = own;
    ++count;
  }
  Bounds bounds;
  bounds.near("largest error of an instant", off, 0.0, 1e-8);
  bounds.within("transitions", static_cast<double>(count), 4.0 * std::floor(38.0 / expected[3]) + 1.0,
                4.0 * std::ceil(38.0 / expected[3]) + 1.0);

  if (arguments.pictures()) {
    const Picture picture =
        draw({.title = "Stick-slip with hysteresis in the friction",
              .panels = {phase_portrait("q", "v", {{.q = q, .v = v}}),
                         {.x = {.label = "slip"},
                          .y = {.label = "friction", .low = -1.0, .high = 2.3},
                          .series = {{.x = slip, .y = force}}},
                         time_series(t, "q, v", {{.values = q, .label = "q"}, {.values = v, .label = "v"}}, "time")},
              .width = 1200,
              .height = 380,
              .columns = 3},
             *arguments.pictures() / "stick_slip_with_hysteresis");
    std::cout << picture.message() << '\n';
  }
  std::cout << "period " << expected[3] << '\n' << bounds.report();
  return report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
