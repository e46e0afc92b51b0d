// SPDX-License-Identifier: Apache-2.0
// The field of disks of examples/disk_field at 10^2 to 10^5 bodies (same density, three layers) on 1 and 2 threads:
// what a body and a step cost, and the hash of the state, which must not depend on the threads: exits nonzero where it
// does.

#include <cinttypes>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/disk_field.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

// Medians are taken over two spans of steps: the collapse, 0.3 s to 0.6 s, in which disks strike the floor and each
// other everywhere, and the settling to near rest at 1 s, in which most contacts stay and are coupled.
constexpr Index kCollapse = 150, kSettling = 300, kLast = 500;

bool failed = false;
std::map<Index, std::uint64_t> hashes;  // of the first run of each size

void disk_field(benchmark::State& bench) {
  const int threads = static_cast<int>(bench.range(0));
  const Index count = bench.range(1);
  for (auto _ : bench) {
    TimeStepping simulation{problems::disk_field(count),
                            {.integrator = MoreauJean{},
                             .step = problems::kDiskFieldStep,
                             .solver = mixed::Automatic{.tolerance = 1e-3},
                             .newton = {},
                             .on_failure = OnFailure::Stop,
                             .threads = threads}};
    struct Span {
      std::vector<double> seconds, rows;
    } collapse, settling;
    for (Index k = 0; k < kLast; ++k) {
      const auto start = Clock::now();
      const StepReport report = simulation.step();
      const double time = seconds(start);
      if (!report) {
        failed = true;
        bench.SkipWithError(report.message().c_str());
        return;
      }
      if (k < kCollapse) continue;
      Span& span = k < kSettling ? collapse : settling;
      span.seconds.push_back(time);
      span.rows.push_back(static_cast<double>(report.rows));
    }
    const std::uint64_t bits = hash_of(simulation.state());
    const bool same = hashes.emplace(count, bits).first->second == bits;
    char text[32];
    std::snprintf(text, sizeof text, "%016" PRIx64, bits);
    bench.SetLabel(std::string("hash ") + text);
    bench.SetIterationTime(median(collapse.seconds));
    const auto bodies = static_cast<double>(count);
    for (const auto& [name, span] : {std::pair{"collapse", &collapse}, std::pair{"settling", &settling}}) {
      bench.counters[std::string(name) + "_us/(body*step)"] = 1e6 * median(span->seconds) / bodies;
      bench.counters[std::string(name) + "_contacts"] = 0.5 * median(span->rows);
    }
    if (!same) {
      failed = true;
      bench.SkipWithError("the state depends on the number of threads");
    }
  }
}

}  // namespace

BENCHMARK(disk_field)
    ->ArgNames({"threads", "bodies"})
    ->ArgsProduct({{1, 2}, {100, 1'000, 10'000, 100'000}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return failed ? 1 : 0;
}
