// SPDX-License-Identifier: Apache-2.0
// A buck converter under sliding-mode control (SI units), beside its averaged model and beside a switch with a clock.
//
//   L i' = u E - v,   C v' = i - v / R,   u = 1 where s > 0, 0 where s < 0,   s = v_r - v - tau v'.
//
// On s = 0, v' = (v_r - v) / tau: the voltage goes to v_r by a law that knows nothing of E, L or the load. What holds
// it there is the duty ratio d = u_eq in (0, 1), s' = 0 with d E in the place of u E: the averaged model of the
// converter.
#include <algorithm>
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

struct Buck {
  double E = 24.0, L = 1e-3, C = 2e-4, R = 10.0, v_r = 12.0, tau = 1e-3;

  void rates(double duty, ConstVectorRef x, VectorRef f) const { f << (duty * E - x[1]) / L, (x[0] - x[1] / R) / C; }
  double surface(ConstVectorRef x) const { return v_r - x[1] - tau / C * (x[0] - x[1] / R); }
  // v'' = -v' / tau: d E = v + L (C v'' + v' / R).
  double duty(ConstVectorRef x) const { return (x[1] + L * (1.0 / R - C / tau) * (x[0] - x[1] / R) / C) / E; }
};

// Currents and voltages over time [ms].
struct Run {
  std::vector<double> t, i, v, u;
  void keep(double time, ConstVectorRef x, double duty) {
    t.push_back(1e3 * time), i.push_back(x[0]), v.push_back(x[1]), u.push_back(duty);
  }
};

// A switch that looks at s once a period and then waits, from x; Runge and Kutta's method in between.
Run clocked(const Buck& buck, Eigen::Vector2d x, double start, double T, double period) {
  Run run;
  Eigen::Vector2d k1, k2, k3, k4;
  for (Index n = 0; start + static_cast<double>(n) * period < T; ++n) {
    const double u = buck.surface(x) > 0.0 ? 1.0 : 0.0;
    run.keep(start + static_cast<double>(n) * period, x, u);
    buck.rates(u, x, k1);
    buck.rates(u, x + 0.5 * period * k1, k2);
    buck.rates(u, x + 0.5 * period * k2, k3);
    buck.rates(u, x + period * k3, k4);
    x += period / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return run;
}

int example(const Arguments& arguments) {
  const Buck buck;
  const double T = 6e-3, v0 = 6.0;

  // 1. The ideal switch: two fields and the surface between them.
  NonSmoothDynamicalSystem model;
  const auto field = [buck](double u) {
    return [buck, u](double, ConstVectorRef x, VectorRef f) { buck.rates(u, x, f); };
  };
  const auto [system, fields] = link_filippov(
      model,
      {.x0 = {0.0, v0},
       .switches = {{.name = "s",
                     .value = [buck](double, ConstVectorRef x) { return buck.surface(x); },
                     .gradient =
                         [buck](double, ConstVectorRef, VectorRef gradient) {
                           gradient << -buck.tau / buck.C, -1.0 + buck.tau / (buck.R * buck.C);
                         }}},
       .regions = {{.name = "on", .signs = {1}, .f = field(1.0)}, {.name = "off", .signs = {-1}, .f = field(0.0)}}});
  EventDriven ideal(model);
  Run sliding;
  const auto keep = [&, system = system, fields = fields](const State& state) {
    sliding.keep(state.t, state.x(system), state.lambda(fields)[1]);
    return true;
  };
  const auto ideal_report = ideal.advance_to(T, EventDrivenObserver{.output = keep, .output_step = 1e-5});
  if (!ideal_report) std::cerr << ideal_report.message() << '\n';
  const double arrival = ideal.events().empty() ? 0.0 : ideal.events().front().t;

  // 2. The averaged model, with the switch on up to that instant and the duty ratio from then on.
  NonSmoothDynamicalSystem averaged_model;
  const auto averaged_system = averaged_model.add(
      FirstOrderSystem{.f = [buck, arrival](double t, ConstVectorRef x,
                                            VectorRef f) { buck.rates(t < arrival ? 1.0 : buck.duty(x), x, f); },
                       .x0 = {0.0, v0}});
  EventDriven averaged(averaged_model, {.events = {{.name = "arrival", .instants = {arrival}}}});
  Eigen::Vector2d start;
  auto averaged_report = averaged.advance_to(arrival);
  start = averaged.state().x(averaged_system);
  if (averaged_report) averaged_report = averaged.advance_to(T);
  if (!averaged_report) std::cerr << averaged_report.message() << '\n';

  // 3. Switches with a clock, from the arrival on: how far are they off the average?
  const auto off_average = [&](const Run& run) {
    double worst = 0.0;
    for (std::size_t k = 0; k < run.t.size(); ++k) {
      const double v = buck.v_r - (buck.v_r - start[1]) * std::exp(-(1e-3 * run.t[k] - arrival) / buck.tau);
      worst = std::fmax(worst, std::abs(run.v[k] - v));
    }
    return worst;
  };
  const double period = 2e-5;
  const Run slow = clocked(buck, start, arrival, T, period), fast = clocked(buck, start, arrival, T, period / 4.0);

  if (arguments.pictures()) {
    const auto curves = [&](std::vector<double> Run::*what) {
      return std::vector<Series>{{.x = slow.t, .y = slow.*what, .label = "switch with a clock of 20 us"},
                                 {.x = sliding.t, .y = sliding.*what, .label = "sliding, and averaged"}};
    };
    const Figure figure{
        .title = "Buck converter under sliding-mode control",
        .panels = {{.x = {.label = "time [ms]"}, .y = {.label = "voltage [V]"}, .series = curves(&Run::v)},
                   {.x = {.label = "time [ms]"}, .y = {.label = "current [A]"}, .series = curves(&Run::i)},
                   {.x = {.label = "time [ms]", .low = 2.0, .high = 2.5},
                    .y = {.label = "switch, duty ratio", .low = -0.1, .high = 1.1},
                    .series = {{.x = slow.t,
                                .y = slow.u,
                                .label = "switch with a clock of 20 us",
                                .style = Series::Style::Steps},
                               {.x = sliding.t, .y = sliding.u, .label = "sliding, and averaged"}}}},
        .width = 760,
        .height = 860};
    std::cout << draw(figure, *arguments.pictures() / "sliding_mode_converter").message() << '\n';
  }

  // 4. Does it hold? v of sliding in closed form. With the clock v' = (v_r - v - s) / tau: v follows the mean of s over
  //    some tau, 50 periods. s falls by (1 - d) and rises by d of tau E / (L C) = 1.2e5 V/s, and runs off by a period
  //    of that: at d = 1/2 to 1.2 V on either side, with a mean of 0.6 V where each two periods are alike. They are
  //    not, as d varies: of clocks that begin somewhere in a period, in 20 places, 0.33 V is the most.
  const auto x = ideal.state().x(system), mean = averaged.state().x(averaged_system);
  const double v_end = buck.v_r - (buck.v_r - start[1]) * std::exp(-(T - arrival) / buck.tau);
  Bounds bounds;
  bounds.near("s at the arrival [V]", buck.surface(start), 0.0, 1e-9);
  bounds.near("switches of the ideal one", static_cast<double>(ideal.events().size()), 1.0, 0.0);
  bounds.near("voltage at the end, sliding [V]", x[1], v_end, 1e-8);
  bounds.near("averaged [V]", mean[1], v_end, 1e-8);
  bounds.near("current, sliding less averaged [A]", x[0] - mean[0], 0.0, 1e-8);
  bounds.near("duty ratio at the end", sliding.u.back(), buck.duty(mean), 1e-8);
  bounds.within("clock of 20 us: off the average [V]", off_average(slow), 0.0, 0.4);
  bounds.within("    times that of 5 us", off_average(slow) / off_average(fast), 2.0, 8.0);
  std::cout << bounds.report();
  return ideal_report && averaged_report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
