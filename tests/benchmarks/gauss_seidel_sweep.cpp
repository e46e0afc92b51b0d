// SPDX-License-Identifier: Apache-2.0
// What a sweep of block Gauss-Seidel costs a contact, beside the time to read W's values and columns once: the least
// any method takes that looks at the whole matrix. Piles of disks, Coulomb blocks of two rows, about ten a row.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <problems/mixed.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr Index kFew = 5, kMany = 25;  // sweeps; their difference leaves out set-up and certificates
constexpr int kRuns = 15;

void gauss_seidel_sweep(benchmark::State& bench) {
  constexpr Index layers = 10;
  const Index wanted = bench.range(0), width = std::max<Index>(2, wanted / (3 * layers));
  const mixed::Problem problem = problems::disk_pile(width, layers, 0.5);
  const auto contacts = static_cast<double>(problem.W.num_block_rows());
  const std::vector<double> memory(static_cast<std::size_t>(problem.W.num_blocks()) * 5, 1.0);  // 4 values, 1 column

  mixed::GaussSeidelWorkspace workspace;
  mixed::Result result;
  // From r = 0, a number of sweeps that no tolerance ends; the start and the end are certified, nothing between.
  const auto solve = [&](Index sweeps) {
    result.r.setZero(problem.W.rows());
    const auto start = Clock::now();
    workspace.solve(problem, {.tolerance = 1e-300, .max_sweeps = sweeps, .relaxation = 1.0, .check_every = 1'000},
                    result);
    return seconds(start);
  };
  for (auto _ : bench) {
    std::vector<double> sweep, read;
    for (Index warm = 0; warm < 1 + 200'000 / bench.range(0); ++warm) solve(kMany);
    for (int run = 0; run < kRuns; ++run) {
      const double few = solve(kFew);
      if (result.iterations != kFew) return bench.SkipWithError("another number of sweeps");
      const double many = solve(kMany);
      if (result.iterations != kMany) return bench.SkipWithError("another number of sweeps");
      sweep.push_back((many - few) / static_cast<double>(kMany - kFew));
      const auto start = Clock::now();
      for (Index k = kFew; k < kMany; ++k) benchmark::DoNotOptimize(stream(memory));
      read.push_back(seconds(start) / static_cast<double>(kMany - kFew));
    }
    bench.SetIterationTime(median(sweep));
    bench.counters["contacts"] = contacts;
    bench.counters["blocks/row"] = static_cast<double>(problem.W.num_blocks()) / contacts;
    bench.counters["ns/(contact*sweep)"] = 1e9 * median(sweep) / contacts;
    bench.counters["ns/contact_stream"] = 1e9 * median(read) / contacts;
    bench.counters["sweep/stream"] = median(sweep) / median(read);
  }
}

}  // namespace

BENCHMARK(gauss_seidel_sweep)
    ->ArgName("contacts")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
