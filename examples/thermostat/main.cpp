// SPDX-License-Identifier: Apache-2.0
// A room with a thermostat (C, minutes): hysteresis, as an automaton of two modes.
//
//   heats:  x' = (x_out + rise - x) / tau,   until x = high,        x_out = 5, rise = 30, tau = 60,
//   rests:  x' = (x_out - x) / tau,          until x = low.
//
// Between the thresholds both modes are possible: which one it is depends on the past, so that the mode is a part of
// the state. A period takes tau log((top - low) / (top - high)) + tau log((high - x_out) / (low - x_out)), top = x_out
// + rise. As the thresholds meet it goes to zero: of one threshold the automaton has no motion, but Filippov's
// convention has one, on which the heating is on for a share (x - x_out) / rise of the time.
#include <cmath>
#include <iostream>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>
using namespace nonsmooth;

constexpr double kOut = 5.0, kRise = 30.0, kTau = 60.0, kStart = 15.0, kMiddle = 20.0, kEnd = 240.0;

auto towards(double target) {
  return [target](double, ConstVectorRef x, VectorRef f) { f[0] = (target - x[0]) / kTau; };
}
SwitchingFunction above(double level) {
  return {.value = [level](double, ConstVectorRef x) { return x[0] - level; },
          .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient[0] = 1.0; }};
}
SwitchingFunction below(double level) {
  return {.value = [level](double, ConstVectorRef x) { return level - x[0]; },
          .gradient = [](double, ConstVectorRef, VectorRef gradient) { gradient[0] = -1.0; }};
}

HybridAutomaton room(double low, double high) {
  return {.x0 = {kStart},
          .modes = {{.name = "heats", .f = towards(kOut + kRise)}, {.name = "rests", .f = towards(kOut)}},
          .transitions = {{.name = "warm", .from = "heats", .to = "rests", .guard = above(high)},
                          {.name = "cold", .from = "rests", .to = "heats", .guard = below(low)}},
          .name = "room"};
}

double period(double low, double high) {
  return kTau * (std::log((kOut + kRise - low) / (kOut + kRise - high)) + std::log((high - kOut) / (low - kOut)));
}

// Temperature and heating over time, and the instants of transitions.
struct Run {
  std::vector<double> t{}, x{}, heating{}, instants{};
  std::string message{};
  bool ok = false;
  double first_instant() const { return instants.empty() ? 0.0 : instants.front(); }
  // The last whole period.
  double last_period() const {
    const std::size_t n = instants.size();
    return n < 3 ? 0.0 : instants[n - 1] - instants[n - 3];
  }
};

Run run(double low, double high) {
  NonSmoothDynamicalSystem model;
  const SystemHandle system = model.add(room(low, high));
  EventDriven simulation(model);
  Run result;
  const auto show = [&](const State& state) {
    result.t.push_back(state.t);
    result.x.push_back(state.x(system)[0]);
    result.heating.push_back(mode_of(state, system) == 0 ? 1.0 : 0.0);
    return true;
  };
  const auto report = simulation.advance_to(kEnd, {.output = show, .output_step = 0.25});
  for (const Event& event : simulation.events()) result.instants.push_back(event.t);
  result.message = report.message();
  result.ok = static_cast<bool>(report);
  return result;
}

int example(const Arguments& arguments) {
  Bounds bounds;
  // 1. Two degrees between the thresholds, and narrower.
  const Run wide = run(kMiddle - 1.0, kMiddle + 1.0);
  const double first = kTau * std::log((kOut + kRise - kStart) / (kOut + kRise - kMiddle - 1.0));
  bounds.near("first end of heating", wide.first_instant(), first, 1e-8);
  bounds.near("period of 2 C", wide.last_period(), period(kMiddle - 1.0, kMiddle + 1.0), 1e-8);
  std::vector<double> widths, periods, expected;
  for (double width = 4.0; width > 0.1; width /= 2.0) {
    const Run one = run(kMiddle - 0.5 * width, kMiddle + 0.5 * width);
    widths.push_back(width);
    periods.push_back(one.last_period());
    expected.push_back(period(kMiddle - 0.5 * width, kMiddle + 0.5 * width));
    bounds.near("period of " + std::to_string(width) + " C", periods.back(), expected.back(), 1e-7);
    if (!one.ok) std::cerr << one.message << '\n';
  }

  // 2. One threshold: told with the cycle of modes.
  const Run none = run(kMiddle, kMiddle);
  std::cout << none.message << '\n';
  bounds.near("ended on the threshold", none.first_instant(), kTau * std::log(20.0 / 15.0), 1e-8);

  // 3. What the narrow ones tend to: the same fields on either side of the threshold, x slides along it.
  NonSmoothDynamicalSystem model;
  const auto [system, fields] =
      link_filippov(model, {.x0 = {kStart},
                            .switches = {above(kMiddle)},
                            .regions = {{.name = "rests", .signs = {1}, .f = towards(kOut)},
                                        {.name = "heats", .signs = {-1}, .f = towards(kOut + kRise)}}});
  EventDriven limit(model);
  std::vector<double> t, x, share;
  const auto report = limit.advance_to(kEnd, {.output =
                                                  [&, system = system, fields = fields](const State& state) {
                                                    t.push_back(state.t);
                                                    x.push_back(state.x(system)[0]);
                                                    share.push_back(state.lambda(fields)[0]);
                                                    return true;
                                                  },
                                              .output_step = 0.25});
  bounds.near("x that slides", x.back(), kMiddle, 1e-12);
  bounds.near("share of heating", share.back(), (kMiddle - kOut) / kRise, 1e-12);

  if (arguments.pictures()) {
    const Picture picture = draw(
        {.title = "A thermostat: hysteresis, and what it tends to as the thresholds meet",
         .panels = {time_series(wide.t, "temperature [C]",
                                {{.values = wide.x, .label = "19 and 21 C"},
                                 {.values = x, .label = "20 C, sliding", .style = Series::Style::Dashed}},
                                "time [min]"),
                    time_series(wide.t, "heating",
                                {{.values = wide.heating, .label = "19 and 21 C"},
                                 {.values = share, .label = "20 C, share", .style = Series::Style::Dashed}},
                                "time [min]"),
                    {.x = {.label = "between the thresholds [C]"},
                     .y = {.label = "period [min]"},
                     .series = {{.x = widths, .y = expected, .label = "closed form", .style = Series::Style::Guide},
                                {.x = widths, .y = periods, .label = "events", .style = Series::Style::Markers}}}},
         .width = 1200,
         .height = 380,
         .columns = 3},
        *arguments.pictures() / "thermostat");
    std::cout << picture.message() << '\n';
  }
  std::cout << bounds.report();
  return wide.ok && !none.ok && report && bounds.hold() ? 0 : 1;
}

int main(int argc, char** argv) { return run_example(argc, argv, {}, example); }
