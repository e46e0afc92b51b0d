// SPDX-License-Identifier: Apache-2.0
// Convolution complementarity: a viscoelastic rod without end that is driven against a wall again and again, by every
// way to sum the past: the sum as it stands, blocks by Fourier transforms, a compressed kernel; and a relaxation of
// three exponentials by its recursion. Exits nonzero where a run fails or its impulses are not those of Fourier's.
#include <cmath>
#include <complex>
#include <map>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/plain_counters.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/convolution.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

bool failed = false;

Eigen::VectorXd drive(double t) { return Eigen::VectorXd::Constant(1, 0.3 * std::cos(5.0 * t) - 0.05 * t + 0.05); }

convolution::Problem rod() {
  return {.kernel = convolution::LaplaceKernel{.transform = [](std::complex<double> s) -> Eigen::MatrixXcd {
            return Eigen::MatrixXcd::Constant(1, 1, 1.0 / (s * std::sqrt(1.0 + 0.1 * s)));
          }},
          .q = drive,
          .horizon = 20.0};
}

convolution::Problem relaxation() {
  return {.kernel = convolution::ExponentialKernel{.rates = Eigen::VectorXcd{{-0.1, -3.0, -50.0}},
                                                   .coefficients = Eigen::MatrixXcd{{1.0, 0.5, 0.5}}},
          .q = drive,
          .horizon = 20.0};
}

void steps(benchmark::State& bench, const convolution::Problem& problem, convolution::History history) {
  const Index N = bench.range(0);
  static std::map<Index, Eigen::MatrixXd> fourier;  // of the rod, by N
  for (auto _ : bench) {
    const double before = cpu_seconds();
    const convolution::Result result = convolution::solve(problem, {.steps = N, .history = history, .tolerance = 1e-9});
    const double time = cpu_seconds() - before;
    bench.SetIterationTime(time);
    bench.counters["us/step"] = 1e6 * time / static_cast<double>(N);
    bench.counters["residual"] = result.certificate.residual;
    bench.counters["history_bound"] = result.history;
    bool same = result.ok();
    if (history == convolution::History::Fourier) {
      fourier[N] = result.p;
    } else if (fourier.contains(N) && history != convolution::History::Recursion) {
      same = same && (result.p - fourier[N]).cwiseAbs().sum() < 1e-5;  // sums of w to 1e-10, over W_0 ~ h^(1/2)
    }
    if (!same) {
      failed = true;
      return bench.SkipWithError(result.ok() ? "other impulses than by Fourier transforms" : result.message().c_str());
    }
  }
}

using convolution::History;

void fourier(benchmark::State& bench) { steps(bench, rod(), History::Fourier); }
void direct(benchmark::State& bench) { steps(bench, rod(), History::Direct); }
void compressed(benchmark::State& bench) { steps(bench, rod(), History::Compressed); }
void exponentials(benchmark::State& bench) { steps(bench, relaxation(), History::Recursion); }

}  // namespace

BENCHMARK(fourier)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(direct)
    ->RangeMultiplier(10)
    ->Range(1000, 100'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(compressed)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(exponentials)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  PlainCounters table;
  benchmark::RunSpecifiedBenchmarks(&table);
  return failed ? 1 : 0;
}
