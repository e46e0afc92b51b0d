// SPDX-License-Identifier: Apache-2.0
// Reduced frictional contact problems beside Siconos's solvers, in one program: files (--files=FOLDER or FILE, again
// and again; else those of NONSMOOTH_REFERENCE_DATA) and generated piles and walls (--generated). Each of the peer's
// solvers runs in a child process, which a cap ends (--cap=SECONDS); of those whose answer passes, the fastest counts,
// which nobody can pick in advance. Both sides are certified by the field's figure, the natural map with rho = 1 over
// |q|_2, at 1e-4 and at 1e-8; both are warm, one thread, medians where a solve is short. --picture=FILE.png draws
// performance profiles (Dolan, More 2002). Without Siconos, ours alone.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <benchmark/benchmark.h>

#include <nonsmooth/io/figure.hpp>
#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <problems/piles.hpp>
#ifdef NONSMOOTH_HAVE_SICONOS
#include <benchmarks/peer/friction.hpp>
#endif

namespace {

using namespace nonsmooth;
using Clock = std::chrono::steady_clock;

constexpr std::array<double, 2> kTolerances = {1e-4, 1e-8};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kMany = 20;  // contacts from which a problem counts in the geometric mean

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median of runs of about 50 ms in all, one at least and 201 at most, after one that is not counted if it is
/// short.
double time_of(const std::function<void()>& run) {
  std::vector<double> times;
  double total = 0.0;
  while (times.size() < 202 && (times.empty() || total < 0.05)) {
    const auto start = Clock::now();
    run();
    times.push_back(seconds(Clock::now() - start));
    total += times.back();
  }
  if (times.size() > 1) times.erase(times.begin());
  return median(times);
}

struct Case {
  std::string name;
  friction::Problem problem;
};

double natural_map(const friction::Problem& problem, const Eigen::VectorXd& r) {
  Eigen::VectorXd u(r.size());
  (void)mixed::certify(problem, r, u);
  const double figure = mixed::friction_figures(problem, r, u).natural_map;
  return std::isnan(figure) ? kInfinity : figure;
}

friction::Result solve_ours(const friction::Problem& problem, double tolerance) {
  return friction::solve(
      problem,
      friction::Automatic{.tolerance = tolerance, .measure = friction::Measure::NaturalMap, .time_limit = 600});
}

struct Measured {
  double time = kInfinity, residual = kInfinity;
};

#ifdef NONSMOOTH_HAVE_SICONOS

std::unique_ptr<peer::Friction> peer_problem(const friction::Problem& problem) {
  const Index n = problem.W.num_block_rows(), d = problem.W.uniform_size();
  peer::Blocks blocks;
  for (Index i = 0; i <= n; ++i) blocks.row_begin.push_back(static_cast<std::size_t>(problem.W.row_begin(i)));
  for (Index k = 0; k < problem.W.num_blocks(); ++k)
    blocks.column.push_back(static_cast<std::size_t>(problem.W.column(k)));
  blocks.values.assign(problem.W.values(0), problem.W.values(0) + problem.W.num_blocks() * d * d);
  std::vector<double> mu;
  for (Index i = 0; i < n; ++i) mu.push_back(problem.K[i].mu);
  return peer::friction(static_cast<int>(d), blocks, {problem.q.data(), problem.q.data() + problem.q.size()}, mu);
}

/// In a child: solves until the answer passes (its own test is another: where it stops too early it is told less), then
/// again for the warm time; reports what it has after each.
void run_child(const Case& c, peer::Friction& peer, const std::string& solver, double tolerance, int pipe) {
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  double told = tolerance;
  Measured measured;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto start = Clock::now();
    peer.run(solver, told);
    measured.time = seconds(Clock::now() - start);
    const Eigen::VectorXd r = Eigen::Map<const Eigen::VectorXd>(peer.r.data(), static_cast<Index>(peer.r.size()));
    measured.residual = r.allFinite() ? natural_map(c.problem, r) : kInfinity;
    if (measured.residual <= tolerance || !std::isfinite(measured.residual)) break;
    told *= 0.5 * tolerance / measured.residual;
  }
  if (measured.residual <= tolerance) {
    if (write(pipe, &measured, sizeof measured) < 0) std::_Exit(1);
    if (measured.time < 0.05) {
      measured.time = time_of([&] { peer.run(solver, told); });
      if (write(pipe, &measured, sizeof measured) < 0) std::_Exit(1);
    }
  }
  std::_Exit(0);
}

Measured peer_time(const Case& c, const std::string& solver, double tolerance, double cap) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) run_child(c, *peer_problem(c.problem), solver, tolerance, ends[1]);
  close(ends[1]);
  Measured best, read_now;
  const auto start = Clock::now();
  while (true) {
    const double left = cap - seconds(Clock::now() - start);
    pollfd waited{.fd = ends[0], .events = POLLIN, .revents = 0};
    if (left <= 0.0 || poll(&waited, 1, static_cast<int>(1e3 * left) + 1) <= 0) break;
    if (read(ends[0], &read_now, sizeof read_now) != sizeof read_now) break;
    best = read_now;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  return best;
}

#endif

/// Times of every solver on every problem; infinity: not solved within the cap.
struct Record {
  std::vector<std::string> problems;
  std::map<std::string, std::vector<double>> times;
  std::vector<double> many;        // log of best peer / ours, problems of many contacts
  std::vector<double> to_default;  // log of its default / ours, the same problems
  Index slower = 0, unsolved = 0, compared = 0;
};

void compare(benchmark::State& bench, const Case& c, double tolerance, double cap, Record& record) {
  for (auto _ : bench) {
    const Index contacts = c.problem.K.num_blocks();
    record.problems.push_back(c.name);
    const friction::Result result = solve_ours(c.problem, tolerance);
    const double residual = natural_map(c.problem, result.r);
    const bool solved = result.ok() && residual <= tolerance;
    if (!solved) ++record.unsolved;
    const double ours = time_of([&] { benchmark::DoNotOptimize(solve_ours(c.problem, tolerance)); });
    bench.SetIterationTime(ours);
    record.times["ours"].push_back(solved ? ours : kInfinity);
    std::printf("%-44s %6td %.0e ours %11.2f us (%.0e, %s%s)", c.name.c_str(), contacts, tolerance, 1e6 * ours,
                residual, std::string(result.solver).c_str(), solved ? "" : ", NOT SOLVED");
#ifdef NONSMOOTH_HAVE_SICONOS
    const auto names = peer_problem(c.problem)->solvers();
    Measured best;
    std::string fastest = "none";
    double default_time = kInfinity;
    for (const std::string& solver : names) {
      const Measured measured = peer_time(c, solver, tolerance, cap);
      auto& times = record.times[solver];
      times.resize(record.problems.size() - 1, kInfinity);
      times.push_back(measured.time);
      if (solver == names.front()) default_time = measured.time;
      if (measured.time < best.time) {
        best = measured;
        fastest = solver;
      }
    }
    if (std::isfinite(best.time)) {
      const double ratio = best.time / ours;
      bench.counters["ratio"] = ratio;
      ++record.compared;
      if (contacts >= kMany) record.many.push_back(std::log(ratio));
      const bool slower = ours > 1.1 * best.time + 2e-6;
      if (slower) ++record.slower;
      std::printf("   Siconos %11.2f us (%.0e, %s)   ratio %8.2f%s", 1e6 * best.time, best.residual, fastest.c_str(),
                  ratio, slower ? "   SLOWER" : "");
    } else {
      std::printf("   Siconos none");
    }
    if (contacts >= kMany && solved) record.to_default.push_back(std::log(std::min(default_time, cap) / ours));
#endif
    std::printf("\n");
    std::fflush(stdout);
  }
}

Panel profile(Record& record, double tolerance) {
  std::vector<double> best(record.problems.size(), kInfinity);
  for (auto& [name, times] : record.times) {
    times.resize(record.problems.size(), kInfinity);
    for (std::size_t k = 0; k < times.size(); ++k) best[k] = std::min(best[k], times[k]);
  }
  char title[64];
  std::snprintf(title, sizeof title, "share of the problems, %.0e", tolerance);
  Panel panel{.x = {.label = "time / best time", .low = 1.0, .high = 1e4, .logarithmic = true},
              .y = {.label = title, .low = 0.0, .high = 1.05}};
  for (const auto& [name, times] : record.times) {
    std::vector<double> ratios;
    for (std::size_t k = 0; k < times.size(); ++k)
      if (std::isfinite(times[k])) ratios.push_back(times[k] / best[k]);
    std::sort(ratios.begin(), ratios.end());
    Series series{.label = name, .style = Series::Style::Steps};
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      series.x.push_back(std::max(1.0, ratios[k]));
      series.y.push_back(static_cast<double>(k + 1) / static_cast<double>(record.problems.size()));
    }
    if (series.x.empty()) continue;
    series.x.push_back(1e4);
    series.y.push_back(series.y.back());
    panel.series.push_back(std::move(series));
  }
  return panel;
}

double geometric_mean(const std::vector<double>& logarithms) {
  double sum = 0.0;
  for (const double l : logarithms) sum += l;
  return logarithms.empty() ? 0.0 : std::exp(sum / static_cast<double>(logarithms.size()));
}

// Threads of a BLAS only spin at this size and would slow the peer.
void use_one_blas_thread() {
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); symbol != nullptr) {
    reinterpret_cast<void (*)(int)>(symbol)(1);
  }
}

void add_file(const std::filesystem::path& path, std::vector<Case>& cases) {
  const AnyProblem any = read_problem(path, ProblemClass::Friction).problem;
  const auto& problem = std::get<friction::Problem>(any);
  const Index d = problem.W.uniform_size();
  if (d == 2 || d == 3) cases.push_back({path.filename().string(), problem});
}

void add_folder(const std::filesystem::path& folder, std::vector<Case>& cases) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) add_file(path, cases);
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  benchmark::Initialize(&argc, argv);
  std::vector<Case> cases;
  std::string picture;
  double cap = 10.0;
  bool any_files = false, generated = false;
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument(argv[k]);
    const auto value = argument.substr(std::min(argument.size(), argument.find('=') + 1));
    if (argument.starts_with("--files=")) {
      const std::filesystem::path path(value);
      std::filesystem::is_directory(path) ? add_folder(path, cases) : add_file(path, cases);
      any_files = true;
    } else if (argument.starts_with("--cap=")) {
      cap = std::stod(std::string(value));
    } else if (argument.starts_with("--picture=")) {
      picture = value;
    } else if (argument == "--generated") {
      generated = true;
    } else {
      std::fprintf(stderr, "unknown argument %s; there are --files=PATH, --generated, --cap=SECONDS, --picture=FILE\n",
                   argv[k]);
      return 2;
    }
  }
  if (const std::filesystem::path data(NONSMOOTH_REFERENCE_DATA); !any_files && !data.empty()) {
    for (const char* folder : {"friction2d", "friction3d"})
      if (std::filesystem::is_directory(data / "data" / folder)) add_folder(data / "data" / folder, cases);
  }
  if (generated) {
    using problems::Rest;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const std::string tail = " seed " + std::to_string(seed);
      for (const auto& [name, rest] : {std::pair("settled", Rest::Settled), std::pair("flowing", Rest::Flowing),
                                       std::pair("loaded", Rest::Loaded)})
        cases.push_back({std::string("balls 1000 ") + name + tail,
                         problems::reduced_problem(problems::ball_pile(1000, seed, rest))});
      for (const bool pushed : {false, true})
        for (const auto& [rows, length] : {std::pair(12, 10), std::pair(25, 18)})
          cases.push_back(
              {"wall " + std::to_string(rows) + "x" + std::to_string(length) + (pushed ? " pushed" : "") + tail,
               problems::reduced_problem(problems::brick_wall(rows, length, seed, pushed))});
    }
  }
  std::array<Record, kTolerances.size()> records;
  for (std::size_t t = 0; t < kTolerances.size(); ++t) {
    for (const Case& c : cases) {
      char name[32];
      std::snprintf(name, sizeof name, "%.0e/", kTolerances[t]);
      benchmark::RegisterBenchmark(
          (name + c.name).c_str(),
          [&, t](benchmark::State& bench) { compare(bench, c, kTolerances[t], cap, records[t]); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  Figure figure{.title = "Frictional contact: performance profiles", .height = 1200};
  for (std::size_t t = 0; t < kTolerances.size(); ++t) {
    Record& record = records[t];
    if (record.problems.empty()) continue;
    const double least =
        record.many.empty() ? 0.0 : std::exp(*std::min_element(record.many.begin(), record.many.end()));
    std::printf(
        "%.0e: %zu problems, ours unsolved %td; beside the peer's best, %td contacts or more: %zu problems, geometric "
        "mean "
        "%.1f, least %.2f; slower by more than 10 %% + 2 us: %td of %td; beside its default (a failure counts as the "
        "cap): "
        "%.1f\n",
        kTolerances[t], record.problems.size(), record.unsolved, kMany, record.many.size(), geometric_mean(record.many),
        least, record.slower, record.compared, geometric_mean(record.to_default));
    figure.panels.push_back(profile(record, kTolerances[t]));
  }
  if (!picture.empty() && !figure.panels.empty()) std::printf("%s\n", draw(figure, picture).message().c_str());
  return 0;
}
