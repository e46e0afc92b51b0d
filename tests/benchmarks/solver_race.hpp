// SPDX-License-Identifier: Apache-2.0
#pragma once

// `automatic` beside every other algorithm of its registry, each on every problem of a family: who answers, how the
// others end, and the time over the best algorithm's of each problem, which nobody can pick in advance.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/status.hpp>

namespace nonsmooth::benchmarks {

/// How a solver ended on a problem, and the median CPU time of a solve and the longest by the clock in seconds:
/// infinity without an answer (a solution, or a proof that there is none).
struct Timed {
  double time = std::numeric_limits<double>::infinity(), longest = time;
  Status status = Status::NotRun;
};

/// Times `solve`, which returns a Status: one run, repeated where it is short.
template <class Solve>
Timed time_solves(const Solve& solve) {
  Timed timed;
  std::vector<double> times;
  double total = 0.0, longest = 0.0;
  do {
    const auto clock = Clock::now();
    const double start = cpu_seconds();
    timed.status = solve();
    const double time = cpu_seconds() - start;
    longest = std::max(longest, seconds(clock));
    if (timed.status != Status::Solved && timed.status != Status::Infeasible) return timed;
    if (!times.empty() || time > 1e-3) total += time;  // the first short one warms up
    times.push_back(time);
  } while (total < 0.1 && (times.size() < 3 || (times.size() < 31 && total < 2e-3)));
  timed.time = median(times);
  timed.longest = longest;
  return timed;
}

/// The time limit of the others: what takes `patience` times as long as automatic is out of the race; `alone` where
/// automatic has no answer. [s]
inline double race_limit(const Timed& automatic, double patience, double alone) {
  return std::isfinite(automatic.longest) ? patience * std::max(2e-4, automatic.longest) : alone;
}

struct Family {
  std::string name;
  std::vector<std::string> problems{};
  std::map<std::string, std::vector<double>> times{};  ///< all solvers, "automatic" among them
  std::vector<Status> statuses{};                      ///< of automatic
};

/// Prints automatic's failures, how often each status came, and its time over the best algorithm's; with `each` a line
/// a problem, all that answered in microseconds.
inline void report(const Family& family, bool each = false) {
  const auto& automatic = family.times.at("automatic");
  double sum = 0.0, worst = 0.0;
  long compared = 0;
  std::string worst_problem;
  std::map<std::string, long> wins, ends;
  for (std::size_t p = 0; p < family.problems.size(); ++p) {
    double best = std::numeric_limits<double>::infinity();
    std::string winner;
    for (const auto& [solver, times] : family.times) {
      if (solver != "automatic" && times[p] < best) {
        best = times[p];
        winner = solver;
      }
    }
    ++ends[std::string(to_string(family.statuses[p]))];
    if (!std::isfinite(automatic[p])) {
      std::printf("  automatic does not solve %s%s%s\n", family.problems[p].c_str(),
                  std::isfinite(best) ? "; but does " : "", winner.c_str());
      continue;
    }
    if (each) {
      std::printf("  %-40s automatic %.1f;", family.problems[p].c_str(), 1e6 * automatic[p]);
      for (const auto& [solver, times] : family.times) {
        if (solver != "automatic" && std::isfinite(times[p])) std::printf(" %s %.1f;", solver.c_str(), 1e6 * times[p]);
      }
      std::printf("\n");
    }
    if (!std::isfinite(best)) continue;
    const double ratio = automatic[p] / best;
    ++wins[winner];
    ++compared;
    sum += std::log(ratio);
    if (ratio > worst) {
      worst = ratio;
      worst_problem = family.problems[p] + " (" + winner + ")";
    }
  }
  std::printf("%-24s %5zu problems; automatic:", family.name.c_str(), family.problems.size());
  for (const auto& [status, count] : ends) std::printf(" %ld %s", count, status.c_str());
  std::printf("; automatic / best algorithm on %ld: geometric mean %.2f, worst %.1f at %s\n", compared,
              compared > 0 ? std::exp(sum / static_cast<double>(compared)) : 0.0, worst, worst_problem.c_str());
  for (const auto& [solver, count] : wins) std::printf("    %-28s fastest on %ld\n", solver.c_str(), count);
  std::fflush(stdout);
}

}  // namespace nonsmooth::benchmarks
