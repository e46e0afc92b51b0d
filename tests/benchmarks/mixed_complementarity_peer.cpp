// SPDX-License-Identifier: Apache-2.0
// Nonlinear complementarity problems beside PETSc's SNESVI and Siconos's Newton methods, each where it is installed:
// published problems, chains of cubes, obstacles and Bratu's problem under a ceiling up to 10^5 unknowns. All answers
// are judged by our certificates, residual <= 1e-8; a peer whose own test stops too early is told a smaller tolerance.
// Of the peers the fastest that passes counts, which nobody can pick in advance; ours is `automatic`. CPU time, warm,
// one thread, medians where a solve is short. A peer's method that took more than 5 s is not asked for larger problems.

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include <benchmarks/optimizers/optimizers.hpp>
#include <benchmarks/optimizers/race.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/mcp.hpp>
#include <problems/lcp.hpp>
#include <problems/mcp.hpp>
#ifdef NONSMOOTH_HAVE_SICONOS
#include <benchmarks/peer/nonlinear.hpp>
#include <benchmarks/peer/optimizer.hpp>
#endif

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using optimizers::Answer, optimizers::Optimizer, optimizers::Row;

constexpr double kTolerance = 1e-8;
constexpr double kLong = 5.0;      // [s]
constexpr Index kMostDense = 400;  // unknowns of which the peer's dense Newton methods take less than that

optimizers::Ratios ratios;
std::set<std::string> slow;

double residual_of(const mcp::Problem& problem, const Eigen::VectorXd& x) {
  if (x.size() != problem.size() || !x.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd w(x.size());
  return mcp::certify(problem, x.cwiseMax(problem.lower).cwiseMin(problem.upper), w).residual;
}

/// Nothing is printed meanwhile: some peers tell of each singular matrix.
class Quiet {
 public:
  Quiet() {
    std::fflush(nullptr);
    const int nowhere = open("/dev/null", O_WRONLY);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      kept_[stream - STDOUT_FILENO] = dup(stream);
      dup2(nowhere, stream);
    }
    close(nowhere);
  }
  ~Quiet() {
    std::fflush(nullptr);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      dup2(kept_[stream - STDOUT_FILENO], stream);
      close(kept_[stream - STDOUT_FILENO]);
    }
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int kept_[2] = {};
};

#ifdef NONSMOOTH_HAVE_SICONOS

peer::NonlinearMap map_of(const NonlinearMap& F) {
  const Index n = F.num_unknowns;
  Eigen::SparseMatrix<double> J(n, n);
  if (F.is_sparse()) {
    F.jacobian(Eigen::VectorXd::Zero(n), J);
  } else {
    J = Eigen::MatrixXd::Ones(n, n).sparseView();
  }
  J.makeCompressed();
  peer::NonlinearMap map;
  map.first.assign(J.outerIndexPtr(), J.outerIndexPtr() + n + 1);
  map.row.assign(J.innerIndexPtr(), J.innerIndexPtr() + J.nonZeros());
  const auto vector = [n](const double* x) { return Eigen::Map<const Eigen::VectorXd>(x, n); };
  map.value = [=, &F](const double* x, double* f) { F.value(vector(x), Eigen::Map<Eigen::VectorXd>(f, n)); };
  if (F.is_sparse()) {
    map.jacobian = [=, &F](const double* x, double* entries) mutable {
      F.jacobian(vector(x), J);
      std::copy(J.valuePtr(), J.valuePtr() + J.nonZeros(), entries);
    };
  } else {
    map.jacobian = [=, &F](const double* x, double* entries) {
      Eigen::Map<Eigen::MatrixXd> dense(entries, n, n);
      dense.setZero();
      F.dense_jacobian(vector(x), dense);
    };
  }
  return map;
}

#endif

std::vector<std::unique_ptr<Optimizer>> peers_of([[maybe_unused]] const mcp::Problem& problem) {
  std::vector<std::unique_ptr<Optimizer>> peers;
#ifdef NONSMOOTH_HAVE_PETSC
  if (problem.F.is_sparse()) {
    for (const char* method : {"vinewtonrsls", "vinewtonssls"}) {
      for (const char* linear : {"lu", "gmres ilu", "gmres multigrid"})  // mumps is never the fastest here
        peers.push_back(optimizers::petsc(problem, method, linear));
    }
  }
#endif
#ifdef NONSMOOTH_HAVE_SICONOS
  const bool from_zero = problem.start.size() == 0 || problem.start.isZero(0.0);
  if (problem.lower.isZero(0.0) && (problem.upper.array() > 1e300).all() && from_zero && problem.F.has_jacobian() &&
      problem.size() <= kMostDense) {
    const std::shared_ptr<peer::Complementarity> shared = peer::nonlinear(map_of(problem.F));
    for (const std::string& solver : shared->solvers())
      peers.push_back(std::make_unique<optimizers::OfSiconos>(shared, solver, 1000));
  }
#endif
  return peers;
}

/// `tolerance`: what the peers' tests begin with.
void compare(benchmark::State& bench, const std::string& name, const mcp::Problem& problem, double tolerance) {
  for (auto _ : bench) {
    const auto solve_ours = [&] { return mcp::solve(problem, mcp::Automatic{.tolerance = kTolerance}); };
    const auto result = solve_ours();
    Row ours{.solver = std::string(result.ok() ? result.solver : to_string(result.status)),
             .residual = residual_of(problem, result.x)};
    if (ours.residual <= kTolerance)
      ours.time = optimizers::cpu_time_of([&] { benchmark::DoNotOptimize(solve_ours()); });
    bench.SetIterationTime(std::isfinite(ours.time) ? ours.time : 0.0);
    std::printf("%-26s n %6td ours:", name.c_str(), result.x.size());
    ours.print();
    std::printf("  |");
    double best = std::numeric_limits<double>::infinity();
    for (const auto& peer : peers_of(problem)) {
      if (slow.contains(peer->name())) continue;
      const auto start = Clock::now();
      const Row row = [&] {
        const Quiet quiet;
        return optimizers::run(*peer, kTolerance, tolerance,
                               [&](const Answer& answer) { return residual_of(problem, answer.x); });
      }();
      if (seconds(start) > kLong) slow.insert(peer->name());
      row.print();
      best = std::min(best, row.time);
    }
    ratios.add(ours.time, best);
    std::printf("\n");
    std::fflush(stdout);
  }
}

/// Under an upper bound alone, as 0 <= z ⟂ -F(c - z) >= 0, which every peer takes. F has a sparse Jacobian.
mcp::Problem from_above(const mcp::Problem& problem, double ceiling) {
  return mcp::complementarity({.num_unknowns = problem.size(),
                               .num_values = problem.size(),
                               .value =
                                   [F = problem.F, ceiling](ConstVectorRef z, VectorRef f) {
                                     F.value(Eigen::VectorXd(ceiling - z.array()), f);
                                     f = -f;
                                   },
                               .jacobian =
                                   [F = problem.F, ceiling](ConstVectorRef z, Eigen::SparseMatrix<double>& J) {
                                     F.jacobian(Eigen::VectorXd(ceiling - z.array()), J);
                                   }});
}

std::vector<problems::Mcp> cases() {
  std::vector<problems::Mcp> all;
  all = {problems::kojima_shindo(), problems::josephy(), problems::nash_cournot_5(), problems::nash_cournot_10()};
  for (const Index n : {10, 100, 1000, 10'000, 100'000}) {
    all.push_back(problems::sparse_chain(n, 1));
    all.back().name = "chain " + std::to_string(n);
  }
  for (const Index m : {10, 32, 100, 178, 316}) {
    const auto obstacle = problems::obstacle_2d(m);
    const std::string size = " " + std::to_string(m) + "x" + std::to_string(m);
    all.push_back({"obstacle" + size, problems::as_mcp(obstacle.M, obstacle.q), {}, 0.0});
    all.push_back({"Bratu" + size, from_above(problems::bratu_2d(m, 6.0, 0.4).problem, 0.4), {}, 0.0});
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  benchmark::Initialize(&argc, argv);
  if (argc > 1) {
    std::fprintf(stderr, "unknown argument %s\n", argv[1]);
    return 2;
  }
  const std::vector<problems::Mcp> all = cases();
  const auto add = [](const std::string& name, const auto& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
  };
  for (const problems::Mcp& c : all) {
    add(c.name, [&c](benchmark::State& bench) {
      const Eigen::VectorXd start =
          c.problem.start.size() > 0 ? c.problem.start : Eigen::VectorXd::Zero(c.problem.size());
      Eigen::VectorXd w(start.size());
      const double scale = mcp::certify(c.problem, start, w).scale;
      compare(bench, c.name, c.problem, kTolerance * scale);
    });
  }
  benchmark::RunSpecifiedBenchmarks();
  ratios.print();
  return 0;
}
