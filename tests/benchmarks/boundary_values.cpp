// SPDX-License-Identifier: Apache-2.0
// Boundary value problems from nothing to their certificate: a cable on flat ground (relative degree 2, two states) and
// Bryson and Denham's mass before a wall (the conditions of optimal control, relative degree 4, four states), from 10^3
// to 10^6 intervals. Beside them one banded LU of as many unknowns with the same band by LAPACK, in the same run: what
// one linear system with the places of all rows given costs at least. Exits nonzero where a problem fails or misses its
// closed form.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>
#include <lapacke.h>

#include <benchmarks/plain_counters.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/boundary_value.hpp>
#include <nonsmooth/kernel/optimal_control.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

bool failed = false;

/// q'' = 2 - lambda over the ground q >= 0 from q = 1 to 1: (1 - s)^2 until it touches at 1, then the same backwards.
boundary_value::Problem cable() {
  return {.A = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}},
          .a = [](double, VectorRef value) { value[1] = 2.0; },
          .B = Eigen::MatrixXd{{0.0}, {-1.0}},
          .C = Eigen::MatrixXd{{1.0, 0.0}},
          .M = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 0.0}},
          .N = Eigen::MatrixXd{{0.0, 0.0}, {1.0, 0.0}},
          .b = Eigen::VectorXd{{1.0, 1.0}},
          .T = 4.0,
          .atoms_at_end = false};
}

/// 1/2 int u^2 least, x'' = u, turned round within 1 before x = 1/9: cost 4.
optimal_control::Problem wall() {
  return {.A = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}},
          .B = Eigen::MatrixXd{{0.0}, {1.0}},
          .R = Eigen::MatrixXd{{1.0}},
          .C = Eigen::MatrixXd{{-1.0, 0.0}},
          .d = Eigen::VectorXd{{1.0 / 9.0}},
          .M = Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}},
          .N = Eigen::MatrixXd{{0.0, 0.0}, {0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}},
          .b = Eigen::VectorXd{{0.0, 1.0, 0.0, -1.0}}};
}

/// Processor time of one LU and one solve with `states` + 1 unknowns an interval. Rows of an interval: its states,
/// which see the interval before, and w.
double banded_lu(Index intervals, Index states) {
  const auto each = static_cast<lapack_int>(states + 1), n = static_cast<lapack_int>(intervals) * each;
  const lapack_int below = 2 * each - 2, above = each - 1, rows = 2 * below + above + 1;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  std::vector<double> band(static_cast<std::size_t>(rows) * static_cast<std::size_t>(n)),
      right(static_cast<std::size_t>(n), 1.0);
  for (double& x : band) x = entry(random);
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
    band[j * static_cast<std::size_t>(rows) + static_cast<std::size_t>(below + above)] += 4.0;
  std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
  const double before = cpu_seconds();
  lapack_int info = LAPACKE_dgbtrf(LAPACK_COL_MAJOR, n, n, below, above, band.data(), rows, pivots.data());
  if (info == 0)
    info = LAPACKE_dgbtrs(LAPACK_COL_MAJOR, 'N', n, below, above, 1, band.data(), rows, pivots.data(), right.data(), n);
  failed = failed || info != 0;
  return cpu_seconds() - before;
}

void report(benchmark::State& bench, Index states, double time, Index meshes, Index factorizations) {
  const Index intervals = bench.range(0);
  const double roofline = banded_lu(intervals, states);
  bench.SetIterationTime(time);
  bench.counters["us/interval"] = 1e6 * time / static_cast<double>(intervals);
  bench.counters["unknowns"] = static_cast<double>(intervals * (states + 1));
  bench.counters["meshes"] = static_cast<double>(meshes);
  bench.counters["factorizations"] = static_cast<double>(factorizations);
  bench.counters["banded_lu_us/interval"] = 1e6 * roofline / static_cast<double>(intervals);
  bench.counters["ratio"] = time / roofline;
}

void cable_on_ground(benchmark::State& bench) {
  const boundary_value::Problem problem = cable();
  for (auto _ : bench) {
    const double before = cpu_seconds();
    const boundary_value::Solution solution = boundary_value::solve(problem, {.steps = bench.range(0)});
    const double time = cpu_seconds() - before;
    double error = solution ? 0.0 : 1.0;
    for (Index k = 0; k < solution.t.size(); ++k) {
      const double from_end = std::min(solution.t[k], 4.0 - solution.t[k]);
      error = std::max(error, std::abs(solution.x(0, k) - (from_end < 1.0 ? std::pow(1.0 - from_end, 2) : 0.0)));
    }
    report(bench, 2, time, solution.meshes, solution.iterations);
    bench.counters["error"] = error;
    if (!(error < 1e-8)) {
      failed = true;
      return bench.SkipWithError(solution ? "not the parabola" : solution.message().c_str());
    }
  }
}

void mass_before_a_wall(benchmark::State& bench) {
  const optimal_control::Problem problem = wall();
  for (auto _ : bench) {
    const double before = cpu_seconds();
    const optimal_control::Solution solution = optimal_control::solve_by_conditions(problem, {.steps = bench.range(0)});
    const double time = cpu_seconds() - before;
    report(bench, 4, time, 0, solution.iterations);
    bench.counters["error"] = std::abs(solution.cost - 4.0);
    if (!solution || !(std::abs(solution.cost - 4.0) < 1e-6)) {
      failed = true;
      return bench.SkipWithError("no solution, or not of cost 4");
    }
  }
}

}  // namespace

BENCHMARK(cable_on_ground)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(mass_before_a_wall)
    ->Arg(300)
    ->Arg(3000)
    ->Arg(30'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  use_one_blas_thread();
  PlainCounters table;
  benchmark::RunSpecifiedBenchmarks(&table);
  return failed ? 1 : 0;
}
