// SPDX-License-Identifier: Apache-2.0
// Frictional contact problems, reduced and global, sliding and rolling, beside Siconos's solvers, in one program: files
// (--files=FOLDER or FILE, again and again; else those of NONSMOOTH_REFERENCE_DATA) and generated piles and walls
// (--generated). Each of the peer's solvers runs in a child process, which a cap ends (--cap=SECONDS); of those whose
// answer passes, the fastest counts, which nobody can pick in advance. Both sides are certified by the field's figure
// of the reduced form, the natural map with rho = 1 over |q|_2, at 1e-4 and at 1e-8; both are warm, one thread, medians
// where a solve is short. The peer has no planar global form: it is given the reduced one, made beforehand.
// --picture=PATH draws performance profiles. Without Siconos, ours alone.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/io/panels.hpp>
#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <problems/piles.hpp>
#ifdef NONSMOOTH_HAVE_SICONOS
#include <benchmarks/peer/friction.hpp>
#endif

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr std::array<double, 2> kTolerances = {1e-4, 1e-8};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kMany = 20;  // contacts from which a problem counts in the geometric mean

struct Case {
  std::string name;
  friction::Problem reduced{};       // no blocks where nothing touches
  friction::GlobalProblem global{};  // where `in_global_form`: what ours is given
  bool in_global_form = false;
};

/// The natural map of the reduced form; 0 where nothing touches.
double natural_map(const Case& c, const Eigen::VectorXd& r) {
  if (c.reduced.K.num_blocks() == 0) return 0.0;
  if (!r.allFinite()) return kInfinity;
  Eigen::VectorXd u(r.size());
  (void)mixed::certify(c.reduced, r, u);
  const double figure = mixed::friction_figures(c.reduced, r, u).natural_map;
  return std::isnan(figure) ? kInfinity : figure;
}

struct Ours {
  Eigen::VectorXd r;
  Status status;
  std::string solver;
};

Ours solve_ours(const Case& c, double tolerance) {
  constexpr double limit = 600.0;  // [s]
  if (c.in_global_form) {
    const auto result = friction::solve(
        c.global, friction::GlobalAutomatic{
                      .tolerance = tolerance, .measure = friction::Measure::NaturalMap, .time_limit = limit});
    return {result.r, result.status, std::string(result.solver)};
  }
  const auto result = friction::solve(
      c.reduced,
      friction::Automatic{.tolerance = tolerance, .measure = friction::Measure::NaturalMap, .time_limit = limit});
  return {result.r, result.status, std::string(result.solver)};
}

/// Solves by `solve(told)` until residual(), of its answer, passes: its own test may be another, so that it is told
/// less where it stops too early. Returns the last residual.
template <class Solve, class Residual>
double solve_until_passed(double tolerance, double& told, const Solve& solve, const Residual& residual) {
  told = tolerance;
  double found = kInfinity;
  for (int attempt = 0; attempt < 3; ++attempt) {
    solve(told);
    found = residual();
    if (found <= tolerance || !std::isfinite(found)) break;
    told *= 0.5 * tolerance / found;
  }
  return found;
}

struct Measured {
  double time = kInfinity, residual = kInfinity;
};

#ifdef NONSMOOTH_HAVE_SICONOS

peer::Triplets triplets(const Eigen::SparseMatrix<double>& matrix) {
  peer::Triplets result;
  result.rows = static_cast<int>(matrix.rows());
  result.columns = static_cast<int>(matrix.cols());
  for (Index j = 0; j < matrix.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it) {
      result.row.push_back(static_cast<int>(it.row()));
      result.column.push_back(static_cast<int>(j));
      result.value.push_back(it.value());
    }
  }
  return result;
}

std::vector<double> entries(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

std::unique_ptr<peer::Friction> peer_problem(const Case& c) {
  const friction::Problem& problem = c.reduced;
  const Index n = problem.W.num_block_rows(), d = problem.W.uniform_size();
  peer::Coefficients coefficients;
  for (Index i = 0; i < n; ++i) {
    coefficients.mu.push_back(problem.K[i].mu);
    if (problem.K[i].kind == SetKind::Rolling) coefficients.rolling.push_back(problem.K[i].rolling);
  }
  const auto dimension = static_cast<int>(d);
  if (c.in_global_form && (d == 5 || (d == 3 && coefficients.rolling.empty()))) {
    return peer::global_friction(dimension, triplets(c.global.A), triplets(c.global.H), entries(c.global.f),
                                 entries(c.global.w), coefficients);
  }
  peer::Blocks blocks;
  for (Index i = 0; i <= n; ++i) blocks.row_begin.push_back(static_cast<std::size_t>(problem.W.row_begin(i)));
  for (Index k = 0; k < problem.W.num_blocks(); ++k)
    blocks.column.push_back(static_cast<std::size_t>(problem.W.column(k)));
  blocks.values.assign(problem.W.values(0), problem.W.values(0) + problem.W.num_blocks() * d * d);
  return peer::friction(dimension, blocks, {problem.q.data(), problem.q.data() + problem.q.size()}, coefficients);
}

/// In a child: solves until the answer passes, then again for the warm time; reports what it has after each.
void run_child(const Case& c, peer::Friction& peer, const std::string& solver, double tolerance, int pipe) {
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  double told = 0.0;
  Measured measured;
  measured.residual = solve_until_passed(
      tolerance, told,
      [&](double stop) {
        const auto start = Clock::now();
        peer.run(solver, stop);
        measured.time = seconds(start);
      },
      [&] { return natural_map(c, Eigen::Map<const Eigen::VectorXd>(peer.r.data(), c.reduced.q.size())); });
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
  if (child == 0) run_child(c, *peer_problem(c), solver, tolerance, ends[1]);
  close(ends[1]);
  Measured best, read_now;
  const auto start = Clock::now();
  while (true) {
    const double left = cap - seconds(start);
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

void compare(benchmark::State& bench, const Case& c, double tolerance, [[maybe_unused]] double cap, Record& record) {
  for (auto _ : bench) {
    const Index contacts = c.reduced.K.num_blocks();
    record.problems.push_back(c.name);
    Ours answer;
    double told = tolerance;
    const double residual = solve_until_passed(
        tolerance, told, [&](double stop) { answer = solve_ours(c, stop); }, [&] { return natural_map(c, answer.r); });
    const bool solved = answer.status == Status::Solved && residual <= tolerance;
    if (!solved) ++record.unsolved;
    const double ours = time_of([&] { benchmark::DoNotOptimize(solve_ours(c, told)); });
    bench.SetIterationTime(ours);
    record.times["ours"].push_back(solved ? ours : kInfinity);
    std::printf("%-44s %6td %.0e ours %11.2f us (%.0e, %s%s%s)", c.name.c_str(), contacts, tolerance, 1e6 * ours,
                residual, answer.solver.c_str(),
                solved ? "" : ", NOT SOLVED: ", solved ? "" : std::string(to_string(answer.status)).c_str());
#ifdef NONSMOOTH_HAVE_SICONOS
    const auto names = contacts > 0 ? peer_problem(c)->solvers() : std::vector<std::string>{};
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
      if (contacts >= kMany && solved) record.many.push_back(std::log(ratio));
      const bool slower = !solved || ours > 1.1 * best.time + 2e-6;
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

double geometric_mean(const std::vector<double>& logarithms) {
  double sum = 0.0;
  for (const double l : logarithms) sum += l;
  return logarithms.empty() ? 0.0 : std::exp(sum / static_cast<double>(logarithms.size()));
}

/// False, and nothing added, where the file holds something else or contacts of several kinds.
bool add_file(const std::filesystem::path& path, std::vector<Case>& cases) {
  const AnyProblem any = read_problem(path).problem;
  Case c{.name = path.filename().string()};
  if (const auto* global = std::get_if<friction::GlobalProblem>(&any)) {
    c.global = *global;
    c.in_global_form = true;
    if (global->K.num_blocks() > 0) c.reduced = friction::to_reduced(*global);
  } else if (const auto* reduced = std::get_if<friction::Problem>(&any)) {
    c.reduced = *reduced;
  } else {
    return false;
  }
  const ProductSet& K = c.reduced.K;
  if (K.num_blocks() > 0 && K.count(K[0].kind) != K.num_blocks()) return false;
  cases.push_back(std::move(c));
  return true;
}

void add_folder(const std::filesystem::path& folder, std::vector<Case>& cases) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    if (!add_file(path, cases)) std::fprintf(stderr, "left out: %s\n", path.string().c_str());
  }
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
      if (std::filesystem::is_directory(path)) {
        add_folder(path, cases);
      } else if (!add_file(path, cases)) {
        std::fprintf(stderr, "%s is no problem of frictional contact of one kind\n", path.string().c_str());
        return 2;
      }
      any_files = true;
    } else if (argument.starts_with("--cap=")) {
      cap = std::stod(std::string(value));
    } else if (argument.starts_with("--picture=")) {
      picture = value;
    } else if (argument == "--generated") {
      generated = true;
    } else {
      std::fprintf(stderr, "unknown argument %s; there are --files=PATH, --generated, --cap=SECONDS, --picture=PATH\n",
                   argv[k]);
      return 2;
    }
  }
  if (const std::filesystem::path data(NONSMOOTH_REFERENCE_DATA); !any_files && !data.empty()) {
    for (const char* folder : {"friction2d", "friction3d", "friction_global", "rolling"})
      if (std::filesystem::is_directory(data / "data" / folder)) add_folder(data / "data" / folder, cases);
  }
  if (generated) {
    using problems::Rest;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
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
    for (auto& [solver, times] : record.times) times.resize(record.problems.size(), kInfinity);
    char label[64];
    std::snprintf(label, sizeof label, "share of the problems, %.0e", kTolerances[t]);
    figure.panels.push_back(profiles(record.times, {.most = 1e3, .first = "ours", .label = label}));
  }
  if (!picture.empty() && !figure.panels.empty()) std::printf("%s\n", draw(figure, picture).message().c_str());
  return 0;
}
