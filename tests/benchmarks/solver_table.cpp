// SPDX-License-Identifier: Apache-2.0
// The largest problem each algorithm of the registries was run at, its processor time and its memory: sizes double
// until a solve takes more than 1 s, asks for more than 4 GB, or fails; what it was is in the row. Each run is a
// process of its own, so that its peak memory is its own. `bench_solver_table --write=docs/solvers.md` renews the table
// of that page, between its two markers.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mcp.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/mpcc.hpp>
#include <nonsmooth/numerics/qp.hpp>
#include <nonsmooth/numerics/relay.hpp>
#include <nonsmooth/numerics/vi.hpp>
#include <problems/lcp.hpp>
#include <problems/lcp_collections.hpp>
#include <problems/mcp.hpp>
#include <problems/mpcc.hpp>
#include <problems/qp.hpp>
#include <problems/vi.hpp>
#include <support/document_table.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr double kTolerance = 1e-8;
constexpr double kLongest = 1.0;             // [s]
constexpr double kBusy = 30.0;               // times as long by the clock, on a machine with other jobs
constexpr rlim_t kMemory = rlim_t{4} << 30;  // [bytes]

/// What a child process sends back; `memory` is filled by the parent.
struct Measure {
  Status status = Status::NotRun;  // where the process did not come to its end
  bool out_of_memory = false;
  double time = 0.0;  // [s], the solve alone, of the processor
  long baseline = 0;  // [kB], peak before the solve: the problem itself
  long memory = 0;    // [kB], of the solve
};

long peak_of_self() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// Runs `measure` in a child process.
Measure in_child(const std::function<Measure()>& measure) {
  int channel[2];
  if (pipe(channel) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    close(channel[0]);
    const rlimit limit{kMemory, kMemory};
    setrlimit(RLIMIT_AS, &limit);
    alarm(static_cast<unsigned>(10.0 * kBusy));  // making the problem included
    Measure result;
    try {
      result = measure();
      result.memory = peak_of_self() - result.baseline;
    } catch (const std::bad_alloc&) {
      result.out_of_memory = true;
    } catch (...) {
    }
    const auto written = write(channel[1], &result, sizeof result);
    _exit(written == static_cast<ssize_t>(sizeof result) ? 0 : 1);
  }
  close(channel[1]);
  Measure result;
  if (read(channel[0], &result, sizeof result) != static_cast<ssize_t>(sizeof result)) result = {};
  close(channel[0]);
  waitpid(child, nullptr, 0);
  return result;
}

template <class Solver, class Problem>
Measure measure(const Solver& solver, const Problem& problem) {
  Measure result;
  result.baseline = peak_of_self();
  const double start = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const auto answer = solver.solve(problem, Limits{.tolerance = kTolerance, .time_limit = kBusy * kLongest});
  result.time = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
  result.status = answer.status;
  return result;
}

relay::Problem relay_of(const lcp::Problem& p) {
  const Index n = p.q.size();
  return {p.M, p.q, -Eigen::VectorXd::Ones(n), Eigen::VectorXd::Ones(n)};
}

mlcp::Problem mlcp_of(const lcp::Problem& p) {
  const Index n = p.q.size(), free = n / 3, rest = n - free;
  return {p.M.topLeftCorner(free, free),
          p.M.bottomRightCorner(rest, rest),
          p.M.topRightCorner(free, rest),
          p.M.bottomLeftCorner(rest, free),
          p.q.head(free),
          p.q.tail(rest)};
}

lcp::SparseProblem square_obstacle(Index n) {
  return problems::obstacle_2d(static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n)))));
}

/// The membrane of an obstacle problem in a tube: it may lie on either wall.
relay::SparseProblem tube_of(const lcp::SparseProblem& p) {
  const Index n = p.q.size();
  return {p.M, p.q, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, 0.01)};
}

/// Loads v on a membrane z over an obstacle that bring it near 1 where it is free, 0 <= z ⟂ M z + q - v >= 0: the least
/// of |z - 1|^2 / 2 + |v|^2 / 20, n unknowns (z, v).
mpcc::SparseProblem controlled_obstacle(Index n) {
  const lcp::SparseProblem obstacle = square_obstacle(n / 2);
  const Index k = obstacle.q.size();
  std::vector<Eigen::Triplet<double>> Q, G, H;
  for (Index i = 0; i < k; ++i) {
    const int z = static_cast<int>(i), v = static_cast<int>(k + i);
    Q.emplace_back(z, z, 1.0);
    Q.emplace_back(v, v, 0.1);
    G.emplace_back(z, z, 1.0);
    H.emplace_back(z, v, -1.0);
    for (Eigen::SparseMatrix<double>::InnerIterator entry(obstacle.M, i); entry; ++entry)
      H.emplace_back(static_cast<int>(entry.row()), z, entry.value());
  }
  mpcc::SparseProblem problem{.Q = Eigen::SparseMatrix<double>(2 * k, 2 * k),
                              .c = Eigen::VectorXd::Zero(2 * k),
                              .G = Eigen::SparseMatrix<double>(k, 2 * k),
                              .g = Eigen::VectorXd::Zero(k),
                              .H = Eigen::SparseMatrix<double>(k, 2 * k),
                              .h = obstacle.q};
  problem.c.head(k).setConstant(-1.0);
  problem.Q.setFromTriplets(Q.begin(), Q.end());
  problem.G.setFromTriplets(G.begin(), G.end());
  problem.H.setFromTriplets(H.begin(), H.end());
  return problem;
}

/// 0 <= M x + q ⟂ x >= 0 by way of y = M x + q: x and y, of which y is free.
mlcp::SparseProblem by_way_of_w(const lcp::SparseProblem& p) {
  const Index n = p.q.size();
  Eigen::SparseMatrix<double> one(n, n);
  one.setIdentity();
  return {one, Eigen::SparseMatrix<double>(n, n), -p.M, one, -p.q, Eigen::VectorXd::Zero(n)};
}

/// A pile's likeness: m blocks of `size` rows in a chain, W symmetric positive definite, block tridiagonal.
mixed::Problem chain(Index m, const BlockSet& set, Index size) {
  mixed::Problem problem;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  problem.W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(m), size));
  for (Index i = 0; i < m; ++i) {
    for (Index j = std::max<Index>(0, i - 1); j <= std::min(m - 1, i + 1); ++j) problem.W.insert(j);
    problem.W.next_row();
  }
  problem.W.end_pattern();
  for (Index i = 0; i < m; ++i) {
    problem.K.push_back(set, size);
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k) {
      problem.W.block(i, k) = (problem.W.column(k) == i ? 2.5 : -1.0) * Eigen::MatrixXd::Identity(size, size);
    }
  }
  problem.q.resize(m * size);
  for (Index i = 0; i < m * size; ++i) problem.q[i] = normal(random);
  return problem;
}

struct Line {
  std::string family, solver, problem;
  Index rows = 0;
  Measure measure;
  std::string end;
};

/// What ended a row before n.
std::string reason(const Measure& last, Index n) {
  const std::string at = " at n = " + std::to_string(n);
  if (last.status == Status::Solved) return "1 s; no larger n was tried";
  if (last.out_of_memory) return "memory" + at;
  if (last.status == Status::TimeLimit) return "30 s were not enough" + at;
  if (last.status == Status::NotRun) return "broke off" + at;
  return std::string(to_string(last.status)) + at;
}

/// Doubles n from 10 until it no longer goes; the last that went.
Line largest(std::string family, std::string solver, std::string problem, Index most,
             const std::function<Measure(Index)>& at) {
  Line line{std::move(family), std::move(solver), std::move(problem), 0, {}, "no larger n is in the table"};
  for (Index n = 10; n <= most; n *= 2) {
    const Measure m = in_child([&] { return at(n); });
    const bool solved = m.status == Status::Solved;
    if (solved) {
      line.rows = n;
      line.measure = m;
    }
    if (solved && !(m.time > kLongest)) continue;
    line.end = reason(m, n);
    break;
  }
  return line;
}

std::string row(const Line& line) {
  char text[320];
  std::snprintf(text, sizeof text, "| %s | %s | %s | %td | %.3g | %.3g | %s |\n", line.family.c_str(),
                line.solver.c_str(), line.problem.c_str(), line.rows, line.measure.time,
                static_cast<double>(line.measure.memory) / 1024.0, line.end.c_str());
  return text;
}

/// Rows of qp, mpcc and vi.
template <class Add>
void add_programs_and_inequalities(const Add& add, Index dense_most, Index sparse_most) {
  for (const auto& entry : qp::registry()) {
    const std::string name(entry.name);
    if (entry.solver.dense()) {
      add(largest("qp", name, "dense, planted, half as many rows", dense_most, [&](Index n) {
        return measure(entry.solver, problems::planted_qp({.n = n, .m = n / 2}, 6).problem);
      }));
    }
    if (entry.solver.sparse()) {
      add(largest("qp", name, "sparse, Wathen's matrix in a box", sparse_most, [&](Index n) {
        const auto side = std::max<Index>(1, static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n) / 3.0))));
        return measure(entry.solver, problems::wathen(side, side, 6));
      }));
    }
  }
  for (const auto& entry : mpcc::registry()) {
    const std::string name(entry.name);
    add(largest("mpcc", name, "dense, planted, a quarter as many pairs", dense_most, [&](Index n) {
      return measure(entry.solver,
                     problems::planted_mpcc({.n = n, .m = n / 4, .pairs = std::max<Index>(1, n / 4)}, 6).problem);
    }));
    if (entry.solver.sparse()) {
      add(largest("mpcc", name, "sparse, loads on a membrane over an obstacle", sparse_most,
                  [&](Index n) { return measure(entry.solver, controlled_obstacle(n)); }));
    }
  }
  for (const auto& entry : vi::registry()) {
    const bool affine = entry.takes == vi::Takes::AffineOnPolyhedra;
    add(largest(
        "vi", std::string(entry.name),
        affine ? "dense, affine, planted on a polyhedron" : "dense, planted on a polyhedron", dense_most, [&](Index n) {
          return measure(entry.solver, problems::planted_vi(problems::SetOf::Polyhedron, n, 6, false, affine).problem);
        }));
    if (affine || entry.takes == vi::Takes::Polyhedra) continue;
    add(largest("vi", std::string(entry.name), "dense, planted on cones of 3 rows", dense_most, [&](Index n) {
      return measure(entry.solver, problems::planted_vi(problems::SetOf::Cones, n, 6, false).problem);
    }));
  }
}

std::string table() {
  std::string text =
      "| family | solver | problem | largest n | time [s] | memory of the solve [MB] | ended by |\n"
      "| --- | --- | --- | ---: | ---: | ---: | --- |\n";
  const auto add = [&](const Line& line) {
    text += row(line);
    std::printf("%s", row(line).c_str());
    std::fflush(stdout);
  };
  constexpr Index dense_most = 1280, sparse_most = 1310720;  // what takes no longer to make than to solve
  for (const auto& entry : lcp::registry()) {
    const std::string name(entry.name);
    if (entry.solver.dense()) {
      const Index most = entry.max_rows > 0 ? entry.max_rows : dense_most;
      const bool games = name == "lemke-howson";
      add(largest("lcp", name, games ? "bimatrix game" : "dense, positive definite", most, [&](Index n) {
        return measure(entry.solver, games ? problems::bimatrix_game(n, 6) : problems::harker_pang(n, 6, true));
      }));
    }
    if (entry.solver.sparse()) {
      add(largest("lcp", name, "sparse, obstacle 2D", sparse_most,
                  [&](Index n) { return measure(entry.solver, square_obstacle(n)); }));
    }
  }
  for (const auto& entry : relay::registry()) {
    const Index most = entry.max_rows > 0 ? entry.max_rows : dense_most;
    add(largest("relay", std::string(entry.name), "dense, bounds -1 and 1", most,
                [&](Index n) { return measure(entry.solver, relay_of(problems::harker_pang(n, 6, false))); }));
    if (!entry.solver.sparse()) continue;
    add(largest("relay", std::string(entry.name), "sparse, membrane in a tube", sparse_most,
                [&](Index n) { return measure(entry.solver, tube_of(square_obstacle(n))); }));
  }
  for (const auto& entry : mlcp::registry()) {
    const Index most = entry.max_rows > 0 ? entry.max_rows : dense_most;
    add(largest("mlcp", std::string(entry.name), "dense, a third of the rows equalities", most,
                [&](Index n) { return measure(entry.solver, mlcp_of(problems::harker_pang(n, 6, false))); }));
    if (!entry.solver.sparse()) continue;
    add(largest(
        "mlcp", std::string(entry.name), "sparse, obstacle 2D, half of the rows equalities", sparse_most,
        [&](Index n) { return measure(entry.solver, by_way_of_w(square_obstacle(std::max<Index>(4, n / 2)))); }));
  }
  for (const auto& entry : mcp::registry()) {
    add(largest("mcp", std::string(entry.name), "sparse, Bratu 2D under a ceiling", sparse_most, [&](Index n) {
      const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n))));
      return measure(entry.solver, problems::bratu_2d(side, 6.0, 0.4).problem);
    }));
  }
  add_programs_and_inequalities(add, dense_most, sparse_most);
  const struct {
    const char* family;
    const char* problem;
    BlockSet set;
    Index size;
  } chains[] = {
      {"soclcp", "chain of cones of 3 rows", {.kind = SetKind::SecondOrderCone, .mu = 0.7}, 3},
      {"mixed", "chain of 3D contacts", {.kind = SetKind::Coulomb3D, .mu = 0.7}, 3},
      {"plasticity", "chain of Drucker-Prager points", {.kind = SetKind::DruckerPrager, .mu = 0.6, .lift = 0.2}, 3},
  };
  for (const auto& c : chains) {
    for (const auto& entry : mixed::registry()) {
      ProductSet one;
      one.push_back(c.set, c.size);
      if (!entry.supports(one)) continue;
      add(largest(c.family, std::string(entry.name), c.problem, sparse_most, [&](Index n) {
        return measure(entry.solver, chain(std::max<Index>(1, n / c.size), c.set, c.size));
      }));
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::string page;
  for (int k = 1; k < argc; ++k) {
    if (std::string_view(argv[k]).starts_with("--write=")) {
      page = argv[k] + 8;
    } else {
      std::fprintf(stderr, "unknown argument %s; there is --write=PAGE.md\n", argv[k]);
      return 2;
    }
  }
  int failed = 0;
  benchmark::RegisterBenchmark("largest",
                               [&](benchmark::State& bench) {
                                 for (auto _ : bench) {
                                   const std::string text = table();
                                   if (!page.empty() && !test::replace_table(page, "\n" + text + "\n")) failed = 2;
                                 }
                               })
      ->Iterations(1)
      ->Unit(benchmark::kSecond);
  benchmark::RunSpecifiedBenchmarks();
  return failed;
}
