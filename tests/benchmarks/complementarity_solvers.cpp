// SPDX-License-Identifier: Apache-2.0
// `automatic` beside every other algorithm of its family, each on every problem of the collections: generated LCPs of
// the seeds 6 to 20 (those it was tuned on are 1 to 5: --seeds=1-5), relays and mixed problems made from them, and the
// files of NONSMOOTH_REFERENCE_DATA. Prints the geometric mean of automatic's time over the best algorithm's of each
// problem, and draws the performance profiles (Dolan, More 2002): --picture=FILE.png.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include <nonsmooth/io/figure.hpp>
#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/relay.hpp>
#include <problems/lcp_collections.hpp>

namespace {

using namespace nonsmooth;
using Clock = std::chrono::steady_clock;

constexpr double kTolerance = 1e-8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Median time of a solve in seconds, infinity without an answer (a solution, or a proof that there is none): one run,
/// repeated where that is short.
template <class Solver, class Problem>
double time_of(const Solver& solver, const Problem& problem, double time_limit) {
  const Limits limits{.tolerance = kTolerance, .time_limit = time_limit};
  std::vector<double> times;
  double total = 0.0;
  do {
    const auto start = Clock::now();
    const auto result = solver.solve(problem, limits);
    const double time = std::chrono::duration<double>(Clock::now() - start).count();
    if (result.status != Status::Solved && result.status != Status::Infeasible)
      return kInfinity;                                // either is an answer
    if (!times.empty() || time > 1e-3) total += time;  // the first short one warms up
    times.push_back(time);
  } while (times.size() < 3 || (times.size() < 31 && total < 2e-3));
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// times[solver][problem]
struct Family {
  std::string name;
  std::vector<std::string> problems;
  std::map<std::string, std::vector<double>> times;
};

template <class Registry, class Problem>
void run(const Registry& registry, const std::string& name, const Problem& problem, Family& family) {
  double automatic = kInfinity;
  family.problems.push_back(name);
  for (const auto& entry : registry) {
    const std::string solver(entry.name);
    double time = kInfinity;
    bool takes = entry.max_rows == 0 || num_rows(AnyProblem(problem)) <= entry.max_rows;
    if constexpr (std::is_same_v<Problem, lcp::Problem>) takes = takes && entry.solver.dense();
    if constexpr (std::is_same_v<Problem, lcp::SparseProblem>) takes = takes && entry.solver.sparse();
    // What takes fifty times as long as automatic is out of the race.
    if (takes) time = time_of(entry.solver, problem, std::isfinite(automatic) ? std::max(1e-2, 50.0 * automatic) : 5.0);
    if (solver == "automatic") automatic = time;
    family.times[solver].push_back(time);
  }
}

void report(const Family& family) {
  const auto& automatic = family.times.at("automatic");
  double sum = 0.0, worst = 0.0;
  long compared = 0, unsolved = 0;
  std::string worst_problem;
  std::map<std::string, long> wins;
  for (std::size_t p = 0; p < family.problems.size(); ++p) {
    double best = kInfinity;
    std::string winner;
    for (const auto& [solver, times] : family.times) {
      if (solver != "automatic" && times[p] < best) {
        best = times[p];
        winner = solver;
      }
    }
    if (!std::isfinite(automatic[p])) {
      ++unsolved;
      std::printf("  automatic does not solve %s%s%s\n", family.problems[p].c_str(),
                  std::isfinite(best) ? "; but does " : "", winner.c_str());
      continue;
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
  std::printf(
      "%-8s %5zu problems, %ld unsolved by automatic; automatic / best algorithm: geometric mean %.2f, worst %.1f at "
      "%s\n",
      family.name.c_str(), family.problems.size(), unsolved,
      compared > 0 ? std::exp(sum / static_cast<double>(compared)) : 0.0, worst, worst_problem.c_str());
  for (const auto& [solver, count] : wins) std::printf("    %-28s fastest on %ld\n", solver.c_str(), count);
}

/// The share of problems each of the best eight solvers solves within tau times the best time.
Panel profile(const Family& family) {
  // The right decade is for the legend.
  Panel panel{.x = {.label = "time / best time", .low = 1.0, .high = 1000.0, .logarithmic = true},
              .y = {.label = family.name + ": share solved", .low = 0.0, .high = 1.02}};
  const auto count = static_cast<double>(family.problems.size());
  std::vector<double> best(family.problems.size(), kInfinity);
  for (const auto& [solver, times] : family.times) {
    for (std::size_t p = 0; p < best.size(); ++p) best[p] = std::min(best[p], times[p]);
  }
  for (const auto& [solver, times] : family.times) {
    std::vector<double> ratios;
    for (std::size_t p = 0; p < best.size(); ++p) {
      if (std::isfinite(times[p])) ratios.push_back(times[p] / best[p]);
    }
    std::sort(ratios.begin(), ratios.end());
    Series series{.x = {1.0}, .y = {0.0}, .label = solver, .style = Series::Style::Steps};
    for (std::size_t k = 0; k < ratios.size() && ratios[k] <= 100.0; ++k) {
      series.x.push_back(ratios[k]);
      series.y.push_back(static_cast<double>(k + 1) / count);
    }
    series.x.push_back(100.0);
    series.y.push_back(series.y.back());
    if (solver == "automatic") series.style = Series::Style::Line;
    panel.series.push_back(std::move(series));
  }
  // As many as there are colours: automatic and those with the largest area below.
  std::stable_sort(panel.series.begin(), panel.series.end(), [](const Series& a, const Series& b) {
    const auto area = [](const Series& series) {
      double sum = series.label == "automatic" ? 1e3 : 0.0;
      for (std::size_t k = 1; k < series.x.size(); ++k)
        sum += series.y[k - 1] * std::log(series.x[k] / series.x[k - 1]);
      return sum;
    };
    return area(a) > area(b);
  });
  if (panel.series.size() > 8) panel.series.resize(8);
  return panel;
}

std::vector<std::filesystem::path> files(const char* family) {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path root(NONSMOOTH_REFERENCE_DATA);
  if (root.empty() || !std::filesystem::is_directory(root / "data" / family)) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(root / "data" / family)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);  // for --benchmark_list_tests, which every benchmark program understands
  std::string picture;
  std::uint64_t first = 6, last = 20;
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument(argv[k]);
    if (argument.starts_with("--picture=")) {
      picture = argument.substr(10);
    } else if (argument.starts_with("--seeds=")) {
      char* end = nullptr;
      first = std::strtoull(argv[k] + 8, &end, 10);
      last = *end == '-' ? std::strtoull(end + 1, nullptr, 10) : first;
    } else {
      std::fprintf(stderr, "unknown argument %s; there are --seeds=6-20 and --picture=FILE.png\n", argv[k]);
      return 2;
    }
  }
  benchmark::RegisterBenchmark(
      "profiles",
      [&](benchmark::State& bench) {
        for (auto _ : bench) {
          Family lcps{"lcp", {}, {}}, sparse{"sparse", {}, {}}, relays{"relay", {}, {}}, mixed{"mlcp", {}, {}};
          for (std::uint64_t seed = first; seed <= last; ++seed) {
            for (const auto& [name, problem] : problems::lcp_collection(seed)) {
              const std::string full = name + " seed " + std::to_string(seed);
              run(lcp::registry(), full, problem, lcps);
              if (problem.q.size() > 100 || name.starts_with("game")) continue;
              const Index n = problem.q.size();
              run(relay::registry(), full,
                  relay::Problem{problem.M, problem.q, -Eigen::VectorXd::Ones(n), Eigen::VectorXd::Ones(n)}, relays);
              const Index free = n / 3, rest = n - free;  // a third of the rows are equalities
              run(mlcp::registry(), full,
                  mlcp::Problem{problem.M.topLeftCorner(free, free), problem.M.bottomRightCorner(rest, rest),
                                problem.M.topRightCorner(free, rest), problem.M.bottomLeftCorner(rest, free),
                                problem.q.head(free), problem.q.tail(rest)},
                  mixed);
            }
          }
          for (const Index n : {10, 20, 40, 80, 160}) {
            run(lcp::registry(), "obstacle 2D " + std::to_string(n), problems::obstacle_2d(n), sparse);
            run(lcp::registry(), "obstacle 1D " + std::to_string(20 * n), problems::obstacle_1d(20 * n), sparse);
          }
          for (const char* family : {"lcp", "relay", "mlcp"}) {
            for (const auto& path : files(family)) {
              const std::string name = path.filename().string();
              const ProblemFile file = read_problem(path);
              if (const auto* p = std::get_if<lcp::Problem>(&file.problem)) run(lcp::registry(), name, *p, lcps);
              if (const auto* p = std::get_if<lcp::SparseProblem>(&file.problem))
                run(lcp::registry(), name, *p, sparse);
              if (const auto* p = std::get_if<relay::Problem>(&file.problem)) run(relay::registry(), name, *p, relays);
              if (const auto* p = std::get_if<mlcp::Problem>(&file.problem)) run(mlcp::registry(), name, *p, mixed);
            }
          }
          Figure figure{.title = "Performance profiles, residual 1e-8", .height = 1800};
          for (const Family* family : {&lcps, &sparse, &relays, &mixed}) {
            report(*family);
            figure.panels.push_back(profile(*family));
          }
          if (!picture.empty()) std::printf("%s\n", draw(figure, picture).message().c_str());
        }
      })
      ->Iterations(1)
      ->Unit(benchmark::kSecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
