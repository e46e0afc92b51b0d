// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include <benchmark/benchmark.h>

namespace nonsmooth::benchmarks {

/// Rows on the console with counters as plain numbers: those of Google Benchmark's end in n, u, m, k or M, which reads
/// as a unit. --benchmark_out has them with all digits.
class PlainCounters final : public benchmark::ConsoleReporter {
 public:
  PlainCounters() : ConsoleReporter(OO_None) {}

 private:
  void PrintRunData(const Run& run) override {
    if (run.counters.empty()) return ConsoleReporter::PrintRunData(run);  // an error
    std::printf("%-45s %10.4g %s", run.benchmark_name().c_str(), run.GetAdjustedRealTime(),
                benchmark::GetTimeUnitString(run.time_unit));
    for (const auto& [name, counter] : run.counters) std::printf("  %s=%.4g", name.c_str(), counter.value);
    std::printf("\n");
    std::fflush(stdout);
  }
};

}  // namespace nonsmooth::benchmarks
