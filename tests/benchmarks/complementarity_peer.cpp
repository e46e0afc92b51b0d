// SPDX-License-Identifier: Apache-2.0
// LCP, MLCP and relay problems beside Siconos's solvers, in one program: every file of a collection (argument
// --files=FOLDER, or NONSMOOTH_REFERENCE_DATA) and generated problems. Of the peer's solvers the best of each problem
// counts, which nobody can pick in advance. Both sides are warm, run in turn on one thread, and are certified alike by
// |z - P(z - w)| / |q| <= 1e-8; medians are compared. Without Siconos, ours alone.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/relay.hpp>
#include <problems/lcp.hpp>
#include <problems/lcp_collections.hpp>
#ifdef NONSMOOTH_HAVE_SICONOS
#include <benchmarks/peer/complementarity.hpp>
#endif

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr double kTolerance = 1e-8;

/// Runs of about 50 ms in all, 3 at least and 201 at most, of each callable in turn; the median of each.
std::vector<double> alternate(const std::vector<std::function<void()>>& callables) {
  std::vector<std::vector<double>> times(callables.size());
  double total = 0.0;
  for (int run = -1; run < 3 || (run < 201 && total < 0.05); ++run) {  // run -1 warms up
    for (std::size_t k = 0; k < callables.size(); ++k) {
      const auto start = Clock::now();
      callables[k]();
      const double time = seconds(start);
      if (run < 0) continue;
      times[k].push_back(time);
      total += time;
    }
  }
  std::vector<double> medians;
  for (auto& t : times) medians.push_back(median(t));
  return medians;
}

/// One problem as both sides see it.
struct Case {
  std::string name;
  AnyProblem problem;
};

/// z of ours, in the order of the peer's unknowns.
Eigen::VectorXd solve_ours(const AnyProblem& any) {
  return std::visit(
      [](const auto& problem) -> Eigen::VectorXd {
        using P = std::decay_t<decltype(problem)>;
        if constexpr (std::is_same_v<P, lcp::Problem> || std::is_same_v<P, lcp::SparseProblem>) {
          return lcp::solve(problem, lcp::Automatic{.tolerance = kTolerance}).z;
        } else if constexpr (std::is_same_v<P, relay::Problem>) {
          return relay::solve(problem, relay::Automatic{.tolerance = kTolerance}).z;
        } else if constexpr (std::is_same_v<P, mlcp::Problem>) {
          const mlcp::Result result = mlcp::solve(problem, mlcp::Automatic{.tolerance = kTolerance});
          Eigen::VectorXd z(result.u.size() + result.v.size());
          z << result.u, result.v;
          return z;
        } else {
          return {};
        }
      },
      any);
}

/// |z - P(z - w)| / |q|, Euclidean norms, rho = 1; |w_i| on equality rows.
double natural_map(const AnyProblem& any, const Eigen::VectorXd& z) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Eigen::VectorXd w, q, error;
  const auto complementarity = [](double zi, double wi) { return zi - std::max(0.0, zi - wi); };
  if (const auto* dense = std::get_if<lcp::Problem>(&any)) {
    q = dense->q;
    w = dense->M * z + q;
    error = z.binaryExpr(w, complementarity);
  } else if (const auto* sparse = std::get_if<lcp::SparseProblem>(&any)) {
    q = sparse->q;
    w = sparse->M * z + q;
    error = z.binaryExpr(w, complementarity);
  } else if (const auto* relay = std::get_if<relay::Problem>(&any)) {
    q = relay->q;
    w = relay->M * z + q;
    error = z - (z - w).cwiseMax(relay->lower).cwiseMin(relay->upper);
  } else if (const auto* mlcp = std::get_if<mlcp::Problem>(&any)) {
    const auto u = z.head(mlcp->num_free()), v = z.segment(mlcp->num_free(), mlcp->num_constrained());
    q.resize(mlcp->a.size() + mlcp->b.size());
    q << mlcp->a, mlcp->b;
    error.resize(q.size());
    w = mlcp->D * u + mlcp->B * v + mlcp->b;
    error << mlcp->A * u + mlcp->C * v + mlcp->a, v.binaryExpr(w, complementarity);
  } else {
    return infinity;
  }
  const double residual = error.norm() / (q.norm() > 0.0 ? q.norm() : 1.0);
  return std::isnan(residual) ? infinity : residual;
}

#ifdef NONSMOOTH_HAVE_SICONOS

std::vector<double> entries(const Eigen::MatrixXd& M) { return {M.data(), M.data() + M.size()}; }
std::vector<double> entries(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }

double num_nonzeros(const AnyProblem& any) {
  if (const auto* sparse = std::get_if<lcp::SparseProblem>(&any)) return static_cast<double>(sparse->M.nonZeros());
  const auto n = static_cast<double>(num_rows_of(any));
  return n * n;
}

struct PeerCase {
  std::vector<std::unique_ptr<peer::Complementarity>> problems;  // one a storage
};

PeerCase peer_case(const AnyProblem& any) {
  PeerCase result;
  if (const auto* dense = std::get_if<lcp::Problem>(&any)) {
    result.problems.push_back(peer::lcp(entries(dense->M), entries(dense->q)));
  } else if (const auto* sparse = std::get_if<lcp::SparseProblem>(&any)) {
    std::vector<long> row, column;
    std::vector<double> value;
    for (Index j = 0; j < sparse->M.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(sparse->M, j); it; ++it) {
        row.push_back(it.row());
        column.push_back(j);
        value.push_back(it.value());
      }
    }
    result.problems.push_back(peer::sparse_lcp(row, column, value, entries(sparse->q)));
    if (sparse->q.size() <= 300) {  // its dense Newton methods take minutes above
      result.problems.push_back(peer::lcp(entries(Eigen::MatrixXd(sparse->M)), entries(sparse->q)));
    }
  } else if (const auto* relay = std::get_if<relay::Problem>(&any)) {
    result.problems.push_back(
        peer::relay(entries(relay->M), entries(relay->q), entries(relay->lower), entries(relay->upper)));
  } else if (const auto* mlcp = std::get_if<mlcp::Problem>(&any)) {
    const Index p = mlcp->num_equalities(), n = mlcp->num_free(), m = mlcp->num_constrained();
    Eigen::MatrixXd M(p + m, n + m);
    M << mlcp->A, mlcp->C, mlcp->D, mlcp->B;
    Eigen::VectorXd q(p + m);
    q << mlcp->a, mlcp->b;
    result.problems.push_back(peer::mlcp(n, m, entries(M), entries(q)));
  }
  return result;
}

/// The peer's fastest solver of this problem whose answer passes; empty where none does.
struct Best {
  peer::Complementarity* problem = nullptr;
  std::string solver;
  double tolerance = kTolerance, residual = 0.0;
  int max_iterations = 0;
};

Best best_of(const AnyProblem& any, const PeerCase& peers, double nonzeros) {
  Best best;
  double fastest = std::numeric_limits<double>::infinity();
  const int limit = static_cast<int>(std::clamp(1e9 / nonzeros, 1e3, 2e5));
  for (const auto& problem : peers.problems) {
    for (const std::string& solver : problem->solvers()) {
      double tolerance = kTolerance;
      for (int attempt = 0; attempt < 3; ++attempt) {  // its test is its own: where it stops too early, it is told less
        const auto start = Clock::now();
        problem->run(solver, tolerance, limit);
        const double once = seconds(start);
        const Eigen::VectorXd z =
            Eigen::Map<const Eigen::VectorXd>(problem->z.data(), static_cast<Index>(problem->z.size()));
        const double residual = natural_map(any, z);
        if (residual <= kTolerance) {
          const double time = once > 0.2 ? once : alternate({[&] { problem->run(solver, tolerance, limit); }}).front();
          if (time < fastest) {
            fastest = time;
            best = {problem.get(), solver, tolerance, residual, limit};
          }
          break;
        }
        if (!std::isfinite(residual) || once > 1.0) break;
        tolerance *= 0.5 * kTolerance / residual;
        if (tolerance < 1e-15) break;
      }
    }
  }
  return best;
}

#endif

/// Ratios of the problems that took the peer 20 us or more, by collection.
struct Summary {
  std::vector<double> logarithms;
  long slow = 0, small = 0, compared = 0, ours_failed = 0;
} summary;

void compare(benchmark::State& bench, const Case& c) {
  for (auto _ : bench) {
    const double residual = natural_map(c.problem, solve_ours(c.problem));
    std::printf("%-34s %7td ", c.name.c_str(), num_rows_of(c.problem));
    if (!(residual <= kTolerance)) ++summary.ours_failed;
#ifdef NONSMOOTH_HAVE_SICONOS
    const PeerCase peers = peer_case(c.problem);
    const Best best = best_of(c.problem, peers, num_nonzeros(c.problem));
    if (best.problem != nullptr) {
      const std::vector<double> times =
          alternate({[&] { benchmark::DoNotOptimize(solve_ours(c.problem)); },
                     [&] { best.problem->run(best.solver, best.tolerance, best.max_iterations); }});
      const double ratio = times[1] / times[0];
      bench.SetIterationTime(times[0]);
      bench.counters["ratio"] = ratio;
      ++summary.compared;
      if (times[1] >= 20e-6) {
        summary.logarithms.push_back(std::log(ratio));
      } else {
        ++summary.small;
        if (times[0] > 1.1 * times[1] + 2e-6) ++summary.slow;
      }
      std::printf("ours %11.2f us (%.0e)   Siconos %11.2f us (%.0e, %s)   ratio %7.2f%s\n", 1e6 * times[0], residual,
                  1e6 * times[1], best.residual, best.solver.c_str(), ratio,
                  times[1] < 20e-6 ? (times[0] > 1.1 * times[1] + 2e-6 ? "  small, SLOWER" : "  small") : "");
      continue;
    }
#endif
    const double ours = alternate({[&] { benchmark::DoNotOptimize(solve_ours(c.problem)); }}).front();
    bench.SetIterationTime(ours);
    std::printf("ours %11.2f us (%.0e)   Siconos none\n", 1e6 * ours, residual);
  }
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  benchmark::Initialize(&argc, argv);
  std::filesystem::path folder(NONSMOOTH_REFERENCE_DATA);
  if (!folder.empty()) folder /= "data";
  for (int k = 1; k < argc; ++k) {
    if (constexpr std::string_view flag = "--files="; std::string_view(argv[k]).starts_with(flag)) {
      folder = std::string_view(argv[k]).substr(flag.size());
    } else {
      std::fprintf(stderr, "unknown argument %s; there is --files=FOLDER (with lcp/, mlcp/, relay/)\n", argv[k]);
      return 2;
    }
  }
  std::vector<Case> cases;
  for (const char* family : {"lcp", "mlcp", "relay"}) {
    if (folder.empty() || !std::filesystem::is_directory(folder / family)) continue;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder / family)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) cases.push_back({path.filename().string(), read_problem(path).problem});
  }
  for (const Index n : {100, 300, 500, 1000}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      cases.push_back(
          {"P " + std::to_string(n) + " seed " + std::to_string(seed), problems::harker_pang(n, seed, false)});
    }
    cases.push_back({"PD " + std::to_string(n) + " seed 1", problems::harker_pang(n, 1, true)});
  }
  for (const Index n : {20, 100}) {
    cases.push_back({"Murty " + std::to_string(n), problems::murty(n).problem});
    cases.push_back({"Fathi " + std::to_string(n), problems::fathi(n).problem});
  }
  cases.push_back({"obstacle 1D 10000", problems::obstacle_1d(10000)});
  for (const Index n : {32, 100, 316, 1000}) {
    cases.push_back({"obstacle 2D " + std::to_string(n) + "x" + std::to_string(n), problems::obstacle_2d(n)});
  }
  for (const Case& c : cases) {
    benchmark::RegisterBenchmark(c.name.c_str(), [&c](benchmark::State& bench) { compare(bench, c); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  if (summary.compared > 0) {
    double mean = 0.0;
    for (const double l : summary.logarithms) mean += l / static_cast<double>(summary.logarithms.size());
    std::printf(
        "peer >= 20 us: %zu problems, geometric mean of the ratios %.1f, least %.2f; below: %ld, of which %ld "
        "slower by more than 10 %% + 2 us; ours unsolved: %ld\n",
        summary.logarithms.size(), std::exp(mean),
        summary.logarithms.empty() ? 0.0
                                   : std::exp(*std::min_element(summary.logarithms.begin(), summary.logarithms.end())),
        summary.small, summary.slow, summary.ours_failed);
  }
  return 0;
}
