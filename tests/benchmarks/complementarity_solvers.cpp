// SPDX-License-Identifier: Apache-2.0
// `automatic` beside every other algorithm of its family, each on every problem of the collections: generated LCPs of
// the seeds 6 to 20 (those it was tuned on are 1 to 5: --seeds=1-5), relays and mixed problems made from them, and the
// files of NONSMOOTH_REFERENCE_DATA. Prints the geometric mean of automatic's time over the best algorithm's of each
// problem, and draws the performance profiles (Dolan, More 2002), of two families each: --picture=PATH.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/solver_race.hpp>
#include <nonsmooth/io/panels.hpp>
#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/relay.hpp>
#include <problems/lcp.hpp>
#include <problems/lcp_collections.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr double kTolerance = 1e-8;

template <class Registry, class Problem>
void run(const Registry& registry, const std::string& name, const Problem& problem, Family& family) {
  Timed automatic;
  family.problems.push_back(name);
  for (const auto& entry : registry) {
    const std::string solver(entry.name);
    Timed timed;
    bool takes = entry.max_rows == 0 || num_rows_of(AnyProblem(problem)) <= entry.max_rows;
    if constexpr (std::is_same_v<Problem, lcp::Problem>) takes = takes && entry.solver.dense();
    if constexpr (std::is_same_v<Problem, lcp::SparseProblem>) takes = takes && entry.solver.sparse();
    const Limits limits{.tolerance = kTolerance, .time_limit = race_limit(automatic, 50.0, 5.0)};
    if (takes) timed = time_solves([&] { return entry.solver.solve(problem, limits).status; });
    if (solver == "automatic") {
      automatic = timed;
      family.statuses.push_back(timed.status);
    }
    family.times[solver].push_back(timed.time);
  }
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
      std::fprintf(stderr, "unknown argument %s; there are --seeds=6-20 and --picture=PATH\n", argv[k]);
      return 2;
    }
  }
  benchmark::RegisterBenchmark(
      "profiles",
      [&](benchmark::State& bench) {
        for (auto _ : bench) {
          Family lcps{"lcp"}, sparse{"sparse"}, relays{"relay"}, mixed{"mlcp"};
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
          // Of two families each, which have no more solvers than there are colours.
          const std::vector<std::pair<std::string, std::vector<const Family*>>> figures = {
              {"", {&lcps, &sparse}}, {"_with_bounds", {&relays, &mixed}}};
          for (const auto& [suffix, families] : figures) {
            Figure figure{.title = "Performance profiles, residual 1e-8", .height = 900};
            for (const Family* family : families) {
              report(*family);
              figure.panels.push_back(
                  profiles(family->times, {.first = "automatic", .label = family->name + ": share solved"}));
            }
            if (!picture.empty()) std::printf("%s\n", draw(figure, picture + suffix).message().c_str());
          }
        }
      })
      ->Iterations(1)
      ->Unit(benchmark::kSecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
