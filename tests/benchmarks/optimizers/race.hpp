// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ours beside the fastest optimizer whose answer passes the same certificate.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/optimizers/optimizers.hpp>
#include <benchmarks/timing.hpp>

namespace nonsmooth::optimizers {

/// A solve's median CPU time [s], infinity where the answer does not pass, and the certificate's residual.
struct Row {
  std::string solver{};
  double time = std::numeric_limits<double>::infinity();
  double residual = std::numeric_limits<double>::quiet_NaN();

  void print() const {
    if (std::isfinite(time)) {
      std::printf("  %s %.4g us (%.0e)", solver.c_str(), 1e6 * time, residual);
    } else {
      std::printf("  %s - (%.0e)", solver.c_str(), residual);
    }
  }
};

/// Median CPU time of runs of about 50 ms in all, one at least and 201 at most, after one that is not counted if it is
/// short [s].
template <class Run>
double cpu_time_of(const Run& run) {
  std::vector<double> times;
  double total = 0.0;
  while (times.size() < 202 && (times.empty() || total < 0.05)) {
    const double start = benchmarks::cpu_seconds();
    run();
    times.push_back(benchmarks::cpu_seconds() - start);
    total += times.back();
  }
  if (times.size() > 1) times.erase(times.begin());
  return benchmarks::median(times);
}

/// Times `peer`, whose own test is told less, up to three times, where it stops before `residual_of(answer)` is at most
/// `accepted`. `tolerance`: what its test begins with.
template <class ResidualOf>
Row run(Optimizer& peer, double accepted, double tolerance, const ResidualOf& residual_of) {
  Row row{peer.name()};
  const double least = 1e-7 * tolerance;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Answer answer = peer.solve(tolerance);
    row.residual = residual_of(answer);
    if (row.residual <= accepted) {
      std::vector<double> times{answer.time};
      double total = answer.time;
      while (!peer.repeats() && total < 0.05 && times.size() < 201) {
        times.push_back(peer.solve(tolerance).time);
        total += times.back();
      }
      if (times.size() > 1) times.erase(times.begin());
      row.time = benchmarks::median(times);
      return row;
    }
    if (!(std::isfinite(row.residual) && answer.time < 5.0)) return row;
    tolerance *= 0.5 * accepted / row.residual;
    if (tolerance < least) return row;
  }
  return row;
}

/// Ratios, the peer's time over ours, of the problems that take the fastest peer 20 us or more.
class Ratios {
 public:
  /// Prints the ratio too.
  void add(double ours, double best) {
    if (!std::isfinite(ours)) ++unsolved_;
    if (!std::isfinite(ours) || !std::isfinite(best)) return;
    std::printf("  | ratio %.2f", best / ours);
    if (best >= 20e-6) {
      logarithms_.push_back(std::log(best / ours));
      if (best < ours) ++slower_;
    } else {
      std::printf(" small");
      ++small_;
      if (ours > 1.1 * best + 2e-6) ++small_slower_;
    }
  }

  void print() const {
    if (!logarithms_.empty()) {
      double mean = 0.0;
      for (const double l : logarithms_) mean += l / static_cast<double>(logarithms_.size());
      std::printf(
          "fastest peer >= 20 us: %zu problems, geometric mean of the ratios %.2f, least %.2f, slower: %ld; %ld "
          "below, of which slower by more than 10 %% + 2 us: %ld\n",
          logarithms_.size(), std::exp(mean), std::exp(*std::min_element(logarithms_.begin(), logarithms_.end())),
          slower_, small_, small_slower_);
    }
    std::printf("ours unsolved: %ld\n", unsolved_);
  }

 private:
  std::vector<double> logarithms_;
  long slower_ = 0, small_ = 0, small_slower_ = 0, unsolved_ = 0;
};

/// Runs compare(bench, case) once for each case that the arguments pick, on one thread, and prints the ratios. `cases`
/// is called with the arguments understood. False where one is not.
template <class Cases, class Compare>
bool run_race(int argc, char** argv, const Cases& cases, const Compare& compare, const Ratios& ratios) {
  benchmark::Initialize(&argc, argv);
  if (argc > 1) {
    std::fprintf(stderr, "unknown argument %s\n", argv[1]);
    return false;
  }
  const auto all = cases();
  for (const auto& one : all) {
    benchmark::RegisterBenchmark(one.name.c_str(), [&](benchmark::State& bench) { compare(bench, one); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  ratios.print();
  return true;
}

}  // namespace nonsmooth::optimizers
