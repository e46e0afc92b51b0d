// SPDX-License-Identifier: Apache-2.0
// Whole event-driven runs beside Siconos's EventDriven, in one program: the runs alternate, medians of CPU time are
// compared, and states must agree. Only the loop is timed, on both sides; both have the state at every output time.
// Without Siconos, ours alone. Exits nonzero only where the results disagree.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <problems/event_driven.hpp>
#ifdef NONSMOOTH_HAVE_SICONOS
#include <exception>

#include <benchmarks/peer/event_driven.hpp>
#endif

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr std::size_t kRuns = 11, kRunsAtLeast = 3;
constexpr double kBudget = 10.0;  // s of the peer in a case

bool disagreed = false;

struct Case {
  const char* name;
  problems::Model (*model)();
  EventDrivenOptions options;
  double positions, velocities;  ///< tolerances of agreement [m, rad], [m/s, rad/s]
  Index compared = 0;            ///< states are, after that many output times; 0: at the end
#ifdef NONSMOOTH_HAVE_SICONOS
  std::unique_ptr<peer::EventRun> (*peer)(double step, long steps) = nullptr;
#endif
};

struct Run {
  double time = 0.0;  ///< CPU time of the loop [s]
  long events = 0;    ///< output times and instants
  std::vector<double> state;
  std::string failure;
};

Run run_ours(const Case& c, Index steps) {
  const problems::Model model = c.model();
  const double h = model.options.step;
  EventDriven simulation(model.system, c.options);
  State shown = simulation.state();
  Index next = 1, instants = 0;
  Run run;
  const double start = cpu_seconds();
  const RunReport report = simulation.advance_to(static_cast<double>(steps) * h,
                                                 {.segment =
                                                      [&](const SmoothSegment& segment) {
                                                        for (; static_cast<double>(next) * h <= segment.end(); ++next)
                                                          segment.evaluate(static_cast<double>(next) * h, shown);
                                                        return true;
                                                      },
                                                  .instant =
                                                      [&](const Instant&) {
                                                        ++instants;
                                                        return true;
                                                      }});
  run.time = cpu_seconds() - start;
  if (!report) run.failure = report.message();
  run.events = static_cast<long>(next - 1 + instants);
  const State& end = simulation.state();
  for (const SystemHandle body : model.bodies)
    run.state.insert(run.state.end(), end.q(body).begin(), end.q(body).end());
  for (const SystemHandle body : model.bodies)
    run.state.insert(run.state.end(), end.v(body).begin(), end.v(body).end());
  return run;
}

#ifdef NONSMOOTH_HAVE_SICONOS
Run run_theirs(const Case& c, Index steps) {
  Run run;
  try {
    const auto other = c.peer(c.model().options.step, static_cast<long>(steps));
    const double start = cpu_seconds();
    run.events = other->run();
    run.time = cpu_seconds() - start;
    run.state = other->state();
  } catch (const std::exception& failure) {
    run.failure = std::string("Siconos: ") + failure.what();
  }
  return run;
}

/// Largest difference in the tolerances' units.
double difference(const Case& c, const Run& a, const Run& b) {
  if (a.state.size() != b.state.size() || a.state.empty()) return INFINITY;
  double worst = 0.0;
  for (std::size_t i = 0; i < a.state.size(); ++i) {
    const double d = std::abs(a.state[i] - b.state[i]) / (i < a.state.size() / 2 ? c.positions : c.velocities);
    worst = std::isnan(d) ? INFINITY : std::max(worst, d);
  }
  return worst;
}
#endif

void event_driven(benchmark::State& bench, const Case& c) {
  const auto fail = [&](const std::string& what) {
    disagreed = true;
    bench.SkipWithError(what.c_str());
  };
  const Index steps = c.model().steps;
  for (auto _ : bench) {
    std::vector<double> ours, theirs;
    Run our = run_ours(c, steps);  // warms up
    double spent = 0.0;
    for (std::size_t k = 0; k < kRuns && (k < kRunsAtLeast || spent < kBudget); ++k) {
      our = run_ours(c, steps);
      if (!our.failure.empty()) return fail(our.failure);
      ours.push_back(our.time);
#ifdef NONSMOOTH_HAVE_SICONOS
      const Run their = run_theirs(c, steps);
      if (!their.failure.empty()) return fail(their.failure);
      theirs.push_back(their.time);
      spent += their.time;
      bench.counters["peer_events"] = static_cast<double>(their.events);
      if (k > 0) continue;
      const Index at = c.compared == 0 ? steps : c.compared;
      const double d = difference(c, run_ours(c, at), run_theirs(c, at));
      bench.counters["difference/tolerance"] = d;
      if (!(d <= 1.0)) return fail("the states disagree: " + std::to_string(d) + " tolerances");
#endif
    }
    bench.SetIterationTime(median(ours));
    bench.counters["events"] = static_cast<double>(our.events);
    if (theirs.empty()) continue;
    bench.counters["peer_ms"] = 1e3 * median(theirs);
    bench.counters["ratio"] = median(theirs) / median(ours);
  }
}

std::vector<Case> all_cases() {
  const EventDrivenOptions automatic;
  std::vector<Case> cases = {
      {"bouncing_ball", [] { return problems::falling_ball(0.9); }, automatic, 1e-8, 1e-8},
      // Impulse steps as the peer's, on which second impacts depend; converged ones part from it by 0.1 mm.
      {"bead_column", problems::column_of_steel_balls, {.impulse_step = 1e-6}, 1e-6, 1e-4},
      // The peer leaves the impact, at 0.30168 s, with 1360 times the velocity at which it came: compared before it.
      {"rocking_block",
       problems::block_on_two_corners,
       {.integrator = GeneralisedAlpha{.rho = 0.99}, .step = 1e-3},
       1e-6,
       1e-6,
       300},
      {"resting_ball", [] { return problems::falling_ball(0.0); }, automatic, 1e-9, 1e-9},
  };
#ifdef NONSMOOTH_HAVE_SICONOS
  cases[0].peer = [](double h, long n) { return peer::falling_ball(0.9, h, n); };
  cases[1].peer = peer::column_of_steel_balls;
  cases[2].peer = peer::block_on_two_corners;
  cases[3].peer = [](double h, long n) { return peer::falling_ball(0.0, h, n); };
#endif
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  static const std::vector<Case> cases = all_cases();
  for (const Case& c : cases) {
    benchmark::RegisterBenchmark(c.name, [&c](benchmark::State& bench) { event_driven(bench, c); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return disagreed ? 1 : 0;
}
