// SPDX-License-Identifier: Apache-2.0
// The time loops of the bouncing ball and the diode bridge beside those of Siconos, in one program: the runs alternate,
// medians are compared, and the final states must agree. Only the loop is timed, on both sides; nothing is recorded.
// Without Siconos, ours alone. Exits nonzero only where the results disagree.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/models.hpp>
#ifdef NONSMOOTH_HAVE_SICONOS
#include <benchmarks/peer/time_loop.hpp>
#endif

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr int kRuns = 31;
constexpr double kAgreement = 1e-9;  // of the final state, relative to its largest entry

bool disagreed = false;

[[maybe_unused]] std::vector<double> final_state(const State& x) {
  std::vector<double> values(x.positions.begin(), x.positions.end());
  values.insert(values.end(), x.unknowns.begin(), x.unknowns.end());
  return values;
}

struct Case {
  const char* name;
  problems::Model (*model)();
  Index steps;
#ifdef NONSMOOTH_HAVE_SICONOS
  std::unique_ptr<peer::TimeLoop> (*peer)(long steps);
#endif
};

void time_loop(benchmark::State& bench, const Case& c) {
  const auto steps = static_cast<double>(c.steps);
  for (auto _ : bench) {
    std::vector<double> ours, theirs;
    double difference = 0.0;
    for (int run = -1; run < kRuns; ++run) {  // run -1 warms both up
      problems::Model m = c.model();
      TimeStepping simulation{std::move(m.system), m.options};
      const auto start = Clock::now();
      bool solved = true;
      for (Index k = 0; k < c.steps; ++k) solved &= simulation.step().ok();
      const double time = seconds(start);
      if (!solved) {
        disagreed = true;
        bench.SkipWithError("a step failed");
        return;
      }
      if (run >= 0) ours.push_back(1e9 * time / steps);
#ifdef NONSMOOTH_HAVE_SICONOS
      const auto other = c.peer(static_cast<long>(c.steps));
      const auto peer_start = Clock::now();
      other->run(static_cast<long>(c.steps));
      const double peer_time = seconds(peer_start);
      if (run >= 0) theirs.push_back(1e9 * peer_time / steps);
      const std::vector<double> a = final_state(simulation.state()), b = other->state();
      double largest = 1.0;
      if (a.size() != b.size()) difference = INFINITY;
      for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        largest = std::max(largest, std::abs(b[i]));
        const double d = std::abs(a[i] - b[i]);
        difference = std::isnan(d) ? INFINITY : std::max(difference, d / largest);
      }
#endif
    }
    bench.SetIterationTime(median(ours) * 1e-9 * steps);
    bench.counters["ns/step"] = median(ours);
    bench.counters["steps/s"] = 1e9 / median(ours);
    std::printf("%-14s ours    %9.1f ns/step  %11.0f steps/s  (min %.1f, max %.1f)\n", c.name, median(ours),
                1e9 / median(ours), *std::min_element(ours.begin(), ours.end()),
                *std::max_element(ours.begin(), ours.end()));
    if (theirs.empty()) continue;
    const double ratio = median(theirs) / median(ours);
    bench.counters["peer_ns/step"] = median(theirs);
    bench.counters["ratio"] = ratio;
    bench.counters["difference"] = difference;
    std::printf("%-14s Siconos %9.1f ns/step  %11.0f steps/s  (min %.1f, max %.1f)\n", c.name, median(theirs),
                1e9 / median(theirs), *std::min_element(theirs.begin(), theirs.end()),
                *std::max_element(theirs.begin(), theirs.end()));
    const double ratio_of_minima =
        *std::min_element(theirs.begin(), theirs.end()) / *std::min_element(ours.begin(), ours.end());
    std::printf(
        "%-14s ratio   %9.1f  (of minima %.1f) over %d alternating runs of %td steps; final states differ by "
        "%.1e\n",
        c.name, ratio, ratio_of_minima, kRuns, c.steps, difference);
    if (!(difference <= kAgreement)) {
      disagreed = true;
      bench.SkipWithError("the results disagree");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
#ifdef NONSMOOTH_HAVE_SICONOS
  static const Case cases[] = {
      {"bouncing_ball", [] { return problems::bouncing_ball(); }, 2000, &peer::bouncing_ball},
      {"diode_bridge", [] { return problems::diode_bridge(); }, 5000, &peer::diode_bridge},
  };
#else
  static const Case cases[] = {
      {"bouncing_ball", [] { return problems::bouncing_ball(); }, 2000},
      {"diode_bridge", [] { return problems::diode_bridge(); }, 5000},
  };
#endif
  for (const Case& c : cases) {
    benchmark::RegisterBenchmark(c.name, [&c](benchmark::State& bench) { time_loop(bench, c); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return disagreed ? 1 : 0;
}
