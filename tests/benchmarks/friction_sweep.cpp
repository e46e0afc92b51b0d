// SPDX-License-Identifier: Apache-2.0
// What a sweep of friction::GaussSeidel costs a contact on piles of balls (3D, some twelve blocks a row), with one
// thread in the natural order and with one and two by colours, beside the time to read W's values and columns once on
// as many threads: the least any method takes that looks at the whole matrix. All of them take turns in one process.

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/thread_pool.hpp>
#include <problems/piles.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr Index kFew = 20, kMany = 100;  // sweeps without a certificate between; the difference leaves out set-up

/// Sweeps of one choice of options, timed over and over.
struct Sweeper {
  friction::GaussSeidel options;
  friction::GaussSeidelWorkspace workspace;
  friction::Result result;
  std::vector<double> times;  // of a sweep [s]

  explicit Sweeper(bool colored, int threads) {
    options.tolerance = 1e-300;  // no sweep reaches it
    options.relaxation = 1.0;
    options.extrapolate = false;
    options.freeze = false;
    options.check_every = 1000;
    options.colored = colored;
    options.num_threads = threads;
  }

  double solve(const friction::Problem& problem, Index sweeps) {
    result.r.setZero(problem.W.rows());
    options.max_iterations = sweeps;
    const auto start = Clock::now();
    workspace.solve(problem, options, result);
    return seconds(start);
  }
  /// False where something else than the tolerance's absence ended the sweeps.
  bool measure(const friction::Problem& problem) {
    const double few = solve(problem, kFew), many = solve(problem, kMany);
    times.push_back((many - few) / static_cast<double>(kMany - kFew));
    return result.iterations == kMany;
  }
};

void friction_sweep(benchmark::State& bench) {
  const auto balls = static_cast<Index>(static_cast<double>(bench.range(0)) / 2.85);
  const friction::Problem problem = problems::reduced_problem(problems::ball_pile(balls, 1, problems::Rest::Flowing));
  const auto contacts = static_cast<double>(problem.W.num_block_rows());
  // 9 values and 1 column a block, one half a thread.
  const std::vector<double> half(static_cast<std::size_t>(problem.W.num_blocks()) * 5, 1.0);
  const std::array<std::vector<double>, 2> memory = {half, half};
  ThreadPool pool_of_one(1), pool_of_two(2);
  const auto time_to_read = [&](ThreadPool& pool) {
    const auto start = Clock::now();
    for (Index k = 0; k < kMany - kFew; ++k)
      pool.for_each_range(
          2, 1, [&](Index which, Index) { benchmark::DoNotOptimize(stream(memory[static_cast<std::size_t>(which)])); });
    return seconds(start) / static_cast<double>(kMany - kFew);
  };

  Sweeper natural(false, 1), one(true, 1), two(true, 2);
  std::vector<double> read, read_by_two;
  for (auto _ : bench) {
    const Index runs = std::clamp<Index>(1'000'000 / bench.range(0), 3, 25);
    for (Index run = 0; run < runs; ++run) {
      for (Sweeper* sweeper : {&natural, &one, &two})
        if (!sweeper->measure(problem)) return bench.SkipWithError("another number of sweeps");
      read.push_back(time_to_read(pool_of_one));
      read_by_two.push_back(time_to_read(pool_of_two));
    }
    const double streaming = 1e9 * median(read) / contacts, sweep = 1e9 * median(natural.times) / contacts;
    const double colored = 1e9 * median(one.times) / contacts, threaded = 1e9 * median(two.times) / contacts;
    bench.SetIterationTime(median(natural.times));
    bench.counters["contacts"] = contacts;
    bench.counters["blocks/row"] = static_cast<double>(problem.W.num_blocks()) / contacts;
    bench.counters["ns/contact"] = sweep;
    bench.counters["ns_stream"] = streaming;
    bench.counters["ns_stream_2_threads"] = 1e9 * median(read_by_two) / contacts;
    bench.counters["of_roofline"] = sweep / std::max(streaming, 35.0);  // below 35 ns memory is no longer the limit
    bench.counters["ns_colored"] = colored;
    bench.counters["ns_2_threads"] = threaded;
    bench.counters["efficiency"] = colored / (2.0 * threaded);
    bench.counters["stream_efficiency"] = streaming / (2.0 * 1e9 * median(read_by_two) / contacts);
  }
}

}  // namespace

BENCHMARK(friction_sweep)
    ->ArgName("contacts")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
