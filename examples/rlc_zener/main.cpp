// SPDX-License-Identifier: Apache-2.0
// A resistor R, a coil L, a capacitor C and a Zener diode in series (SI units).
//   x1' = x2,   L x2' + R x2 + x1/C = v,   -x2 in N_[0,Vz](v):
//   v = 0 where x2 > 0, Vz where x2 < 0, anything between where x2 = 0.
// x1 is the capacitor's charge, x2 the current, v the voltage across the diode.
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double kEnd = 3.0;  // [s]

struct Run {
  std::vector<double> t{0.0}, v{0.0}, current{1.0};
  int changes = 0;  // steps of the last second in which v is another than it was
  void record(double time, double x2, double voltage) {
    if (time > kEnd - 1.0 && std::abs(voltage - v.back()) > 1e-9) ++changes;
    t.push_back(time), current.push_back(x2), v.push_back(voltage);
  }
};

int example(const Arguments& arguments) {
  const double R = 0.1, L = 1.0, C = 1.0 / std::pow(2 * std::numbers::pi, 2), h = 5e-4;
  struct Exact {
    double Vz, half_cycles, sticks_at, charge;  // [V], [-], [s], [C]
  };
  Bounds bounds;
  for (const auto& [Vz, n, exact_time, exact_charge] :
       {Exact{10.0, 3, 1.5251358737, 0.0369017861}, Exact{20.0, 1, 0.5251042093, 0.0131394321},
        Exact{30.0, 1, 0.5251042093, 0.5134910824}}) {
    // 1. Implicit: the diode is a relay between current and voltage, solved for within the step.
    NonSmoothDynamicalSystem model;
    const auto circuit = model.add(FirstOrderLinearSystem{.A = {{0, 1}, {-1 / (L * C), -R / L}}, .x0 = {1, 1}});
    const auto zener = model.link(circuit, FirstOrderLinearRelation{.C = {{0, 1}}, .B = {{0}, {1 / L}}},
                                  RelayLaw{.lower = 0.0, .upper = Vz});
    TimeStepping simulation{model, {.integrator = EulerMoreau{.theta = 1.0}, .step = h}};
    Run implicit;
    double sticks_at = 0.0;
    const auto report = simulation.advance_to(kEnd, [&](const State& x) {
      implicit.record(x.t, x.x(circuit)[1], x.lambda(zener)[0]);
      if (std::abs(x.x(circuit)[1]) > 1e-12) sticks_at = x.t + h;
    });
    if (!report) return std::cerr << report.message() << '\n', 1;

    // 2. Explicit, for comparison: forward Euler on the circuit switched by the sign of the current.
    Run explicit_euler;
    double x1 = 1.0, x2 = 1.0;
    for (int k = 1; k <= static_cast<int>(kEnd / h + 0.5); ++k) {
      const double v = x2 > 0.0 ? 0.0 : Vz, rate = (v - R * x2 - x1 / C) / L;
      x1 += h * x2, x2 += h * rate;
      explicit_euler.record(k * h, x2, v);
    }

    // 3. Bounds. Backward Euler shrinks a swing by 1/sqrt(1 + (2 pi h)^2) a step, e^(-pi^2 h) a half cycle, from an
    //    amplitude of 1 C; n half cycles and the rise to the first turning point. Each turning point is a step late at
    //    most. At rest v balances the capacitor.
    const double charge = simulation.state().x(circuit)[0], pi = std::numbers::pi;
    const std::string at = " at Vz = " + std::to_string(static_cast<int>(Vz)) + " V";
    bounds.near("charge at rest [C]" + at, charge, exact_charge, (n + 1) * pi * pi * h);
    bounds.near("sticks at [s]" + at, sticks_at, exact_time, (n + 1) * h);
    bounds.near("voltage at rest [V]" + at, implicit.v.back(), charge / C, 1e-9);
    bounds.near("changes of v in the last second, implicit" + at, implicit.changes, 0, 0);
    // The explicit voltage is right on average only, a share x1/(C Vz) of the steps at Vz; the rarer of its two values
    // lasts one step: 2 min(share, 1 - share)/h changes a second, more than 100 for all three, at most 1/h.
    bounds.within("changes of v in the last second, explicit" + at, explicit_euler.changes, 100, 1 / h);

    if (arguments.pictures() && Vz == 30.0) {
      const Axis time{.label = "time [s]", .low = 0.5, .high = 0.56},
          explicit_v{.label = "v, explicit [V]", .low = -3, .high = 33},
          implicit_v{.label = "v, implicit [V]", .low = -3, .high = 33};
      const auto steps = [](const Run& run) {
        return std::vector<Series>{{.x = run.t, .y = run.v, .style = Series::Style::Steps}};
      };
      const Panel current{.x = {.label = "time [s]", .low = 0.0, .high = 1.0},
                          .y = {.label = "current [A]", .low = -3, .high = 3},
                          .series = {{.x = implicit.t, .y = implicit.current, .label = "implicit"},
                                     {.x = explicit_euler.t,
                                      .y = explicit_euler.current,
                                      .label = "explicit",
                                      .style = Series::Style::Dashed}}};
      const Figure figure{.title = "RLC circuit with a Zener diode, V_z = 30 V, h = 0.5 ms",
                          .panels = {current,
                                     {.x = time, .y = explicit_v, .series = steps(explicit_euler)},
                                     {.x = time, .y = implicit_v, .series = steps(implicit)}},
                          .width = 720,
                          .height = 700};
      std::cout << draw(figure, *arguments.pictures() / "rlc_zener").message() << '\n';
    }
  }
  std::cout << bounds.report();
  return bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
