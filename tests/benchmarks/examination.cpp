// SPDX-License-Identifier: Apache-2.0
// What the examination in the constructor of TimeStepping costs, in steps of the same model: models of tests/problems,
// and chains of balls and of rectifiers of 10^2 to 10^5 systems. The constructor with Examination::Refuse less that
// with Examination::Off, medians, over the median of a step. Prints the ratio and nanoseconds a system.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/models.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

/// Balls above one another, each resting on or falling on the one below.
NonSmoothDynamicalSystem balls(Index count) {
  NonSmoothDynamicalSystem model;
  SystemHandle below{};
  for (Index i = 0; i < count; ++i) {
    const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {0.1 * static_cast<double>(i)}});
    if (i > 0) model.link({below, ball}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .b = {-0.1}}, NewtonImpactLaw{});
    below = ball;
  }
  return model;
}

/// Half-wave rectifiers beside one another: x' = -x + lambda, 0 <= x + lambda ⟂ lambda >= 0.
NonSmoothDynamicalSystem rectifiers(Index count) {
  NonSmoothDynamicalSystem model;
  for (Index i = 0; i < count; ++i) {
    const auto capacitor = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
    model.link(capacitor, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  }
  return model;
}

void examine(benchmark::State& bench, const NonSmoothDynamicalSystem& model, TimeSteppingOptions options) {
  const auto construct = [&](Examination examination) {
    options.examination = examination;
    return time_of([&] { benchmark::DoNotOptimize(TimeStepping(model, options).state().t); });
  };
  TimeStepping simulation(model, options);
  for (int warm = 0; warm < 3; ++warm) (void)simulation.step();
  const double step = time_of([&] { (void)simulation.step(); });
  const double examination = construct(Examination::Refuse) - construct(Examination::Off);
  for (auto _ : bench) bench.SetIterationTime(std::max(examination, 1e-9));
  bench.counters["steps"] = examination / step;
  bench.counters["ns_a_system"] = 1e9 * examination / static_cast<double>(model.num_systems());
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto add = [](const std::string& name, NonSmoothDynamicalSystem model, const TimeSteppingOptions& options) {
    benchmark::RegisterBenchmark(
        name.c_str(), [model = std::move(model), options](benchmark::State& bench) { examine(bench, model, options); })
        ->Iterations(1)
        ->UseManualTime();
  };
  const auto add_named = [&](const std::string& name, problems::Model model) {
    add(name, std::move(model.system), model.options);
  };
  add_named("bouncing_ball", problems::bouncing_ball());
  add_named("bouncing_disk", problems::bouncing_disk());
  add_named("rlc_diode", problems::rlc_diode());
  add_named("diode_bridge", problems::diode_bridge());
  add_named("diode_bridge_filter", problems::diode_bridge_filter());
  add_named("resonant_converter", problems::resonant_converter());
  add_named("relay_oscillator", problems::relay_oscillator());
  for (const Index count : {100, 1'000, 10'000, 100'000}) {
    TimeSteppingOptions options;
    options.step = 1e-3;
    add("balls/" + std::to_string(count), balls(count), options);
    options.integrator = EulerMoreau{.theta = 1.0};
    add("rectifiers/" + std::to_string(count), rectifiers(count), options);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
