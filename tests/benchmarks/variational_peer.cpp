// SPDX-License-Identifier: Apache-2.0
// Variational inequalities on boxes, balls and cones, and linear complementarity on second-order cones, beside
// Siconos's solvers of these, where it is installed. On both sides the projection on K is ours. All answers are judged
// by the same natural map with rho = 1, |x - P_K(x - F(x))|_inf <= 1e-8 |F(P_K(0))|_inf; a peer that stops too early is
// told a smaller tolerance, and so is ours. Of the peer's solvers the fastest that passes counts, which nobody can pick
// in advance; ours is `automatic`. CPU time, warm, one thread, medians where a solve is short. Each inequality once as
// planted, with eigenvalues of F' between 0.5 and 3, and once stiff, up to 1e3.

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <Eigen/QR>

#include <benchmarks/optimizers/optimizers.hpp>
#include <benchmarks/optimizers/race.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/vi.hpp>
#include <problems/lcp.hpp>
#include <problems/vi.hpp>
#ifdef NONSMOOTH_HAVE_SICONOS
#include <benchmarks/peer/optimizer.hpp>
#include <benchmarks/peer/variational.hpp>
#endif

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using Eigen::MatrixXd, Eigen::VectorXd;
using optimizers::Answer, optimizers::Optimizer, optimizers::Row;

constexpr double kTolerance = 1e-8;
constexpr Index kRows = 3;  // of a cone

optimizers::Ratios ratios;

struct Judge {
  vi::Problem problem;
  double scale = 1.0;

  explicit Judge(vi::Problem given) : problem(std::move(given)) {
    VectorXd x(problem.K.size()), w(x.size());
    static_cast<void>(problem.K.project(VectorXd::Zero(x.size()), x));
    problem.F.value(x, w);
    scale = w.lpNorm<Eigen::Infinity>();
  }
  [[nodiscard]] double residual(const VectorXd& x) const {
    if (x.size() != problem.K.size() || !x.allFinite()) return std::numeric_limits<double>::quiet_NaN();
    VectorXd w(x.size()), p(x.size());
    problem.F.value(x, w);
    static_cast<void>(problem.K.project(x - w, p));
    return (x - p).lpNorm<Eigen::Infinity>() / scale;
  }
};

#ifdef NONSMOOTH_HAVE_SICONOS

std::shared_ptr<peer::Complementarity> as_peer(const vi::Problem& problem) {
  const Index n = problem.K.size();
  return peer::variational({static_cast<int>(n),
                            [&problem, n](const double* x, double* F) {
                              problem.F.value(Eigen::Map<const VectorXd>(x, n), Eigen::Map<VectorXd>(F, n));
                            },
                            [&problem, n](const double* y, double* x) {
                              static_cast<void>(
                                  problem.K.project(Eigen::Map<const VectorXd>(y, n), Eigen::Map<VectorXd>(x, n)));
                            }});
}

#endif

using Peers = std::vector<std::unique_ptr<Optimizer>>;

/// What our certificate, which has a rho of its own, is to be asked for so that the judge is satisfied.
template <class SolveTo>  // the answer to a tolerance
double tolerance_for(const Judge& judge, const SolveTo& solve_to) {
  double tolerance = kTolerance;
  while (tolerance > 1e-12 && !(judge.residual(solve_to(tolerance)) <= kTolerance)) tolerance *= 0.5;
  return tolerance;
}

template <class SolveOurs>  // a result with status, solver and message
void race(const std::string& name, const Judge& judge, const VectorXd& x, std::string_view solver,
          const SolveOurs& solve_ours, const Peers& peers) {
  Row ours{.solver = std::string(solver), .residual = judge.residual(x)};
  if (ours.residual <= kTolerance) ours.time = optimizers::cpu_time_of(solve_ours);
  std::printf("%-28s n %4td ours:", name.c_str(), x.size());
  ours.print();
  std::printf("  |");
  double best = std::numeric_limits<double>::infinity();
  for (const auto& peer : peers) {
    const Row row =
        optimizers::run(*peer, kTolerance, kTolerance, [&](const Answer& answer) { return judge.residual(answer.x); });
    row.print();
    best = std::min(best, row.time);
  }
  ratios.add(ours.time, best);
  std::printf("\n");
  std::fflush(stdout);
}

void inequality(const std::string& name, const vi::Problem& problem) {
  const Judge judge(problem);
  const auto solve_to = [&](double tolerance) {
    return vi::solve(judge.problem, vi::Automatic{.tolerance = tolerance});
  };
  const double tolerance = tolerance_for(judge, [&](double given) { return VectorXd(solve_to(given).x); });
  const auto solve_ours = [&] { return solve_to(tolerance); };
  const vi::Result result = solve_ours();
  Peers peers;
#ifdef NONSMOOTH_HAVE_SICONOS
  const auto shared = as_peer(judge.problem);
  for (const std::string& solver : shared->solvers())
    peers.push_back(std::make_unique<optimizers::OfSiconos>(shared, solver, 20'000));
#endif
  race(
      name, judge, result.x, result.solver, [&] { benchmark::DoNotOptimize(solve_ours()); }, peers);
}

/// F + S (x - x*), S symmetric with eigenvalues 1 to 1e3, each as much larger than the last: x* stays the solution.
vi::Problem stiffened(const problems::Vi& planted, std::uint64_t seed) {
  const Index n = planted.x.size();
  std::mt19937_64 random(seed);
  const MatrixXd V = problems::normal_matrix(random, n, n).householderQr().householderQ();
  const VectorXd exponents = VectorXd::LinSpaced(n, 0.0, 3.0);
  const VectorXd values = exponents.unaryExpr([](double e) { return std::pow(10.0, e); });
  const MatrixXd S = V * values.asDiagonal() * V.transpose();
  vi::Problem problem = planted.problem;
  problem.F.value = [F = problem.F.value, S, x = planted.x](ConstVectorRef y, VectorRef f) {
    F(y, f);
    f.noalias() += S * (y - x);
  };
  problem.F.dense_jacobian = [J_of = problem.F.dense_jacobian, S](ConstVectorRef y, MatrixRef J) {
    J_of(y, J);
    J += S;
  };
  return problem;
}

/// r in K, M r + q in K*, r·(M r + q) = 0, M = B B^T / n + I / 10 and B, q normal, on cones of 3 rows.
void cones(Index count, std::uint64_t seed) {
  const Index n = kRows * count;
  std::mt19937_64 random(seed);
  const MatrixXd B = problems::normal_matrix(random, n, n);
  const MatrixXd M = B * B.transpose() / static_cast<double>(n) + 0.1 * MatrixXd::Identity(n, n);
  const VectorXd q = problems::normal_matrix(random, n, 1);
  mixed::Problem problem;
  problem.W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(count), kRows));
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j) problem.W.insert(j);
    problem.W.next_row();
    problem.K.push_back({.kind = SetKind::SecondOrderCone, .mu = 1.0}, kRows);
  }
  problem.W.end_pattern();
  for (Index i = 0; i < count; ++i) {
    for (Index k = problem.W.row_begin(i); k < problem.W.row_begin(i + 1); ++k)
      problem.W.block(i, k) = M.block(kRows * i, kRows * problem.W.column(k), kRows, kRows);
  }
  problem.q = q;
  const Judge judge(vi::Problem{problems::affine_map(M, q), problem.K});
  const auto& automatic = mixed::find("automatic").solver;
  const auto solve_to = [&](double tolerance) { return automatic.solve(problem, {.tolerance = tolerance}); };
  const double tolerance = tolerance_for(judge, [&](double given) { return VectorXd(solve_to(given).r); });
  const auto solve_ours = [&] { return solve_to(tolerance); };
  const mixed::Result result = solve_ours();
  Peers peers;
#ifdef NONSMOOTH_HAVE_SICONOS
  const std::shared_ptr<peer::Complementarity> shared =
      peer::second_order_cones({M.data(), M.data() + M.size()}, {q.data(), q.data() + n},
                               std::vector<int>(static_cast<std::size_t>(count), int{kRows}));
  for (const std::string& solver : shared->solvers())
    peers.push_back(std::make_unique<optimizers::OfSiconos>(shared, solver, 20'000));
#endif
  race(
      "second-order cones", judge, result.r, result.solver, [&] { benchmark::DoNotOptimize(solve_ours()); }, peers);
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  benchmark::Initialize(&argc, argv);
  if (argc > 1) {
    std::fprintf(stderr, "unknown argument %s\n", argv[1]);
    return 2;
  }
  for (const auto& [kind, name] : problems::kinds_of_sets()) {
    if (kind != problems::SetOf::Box && kind != problems::SetOf::Ball && kind != problems::SetOf::Cones) continue;
    for (const Index n : {10, 40, 160}) {
      for (const bool symmetric : {true, false}) {
        const problems::Vi planted = problems::planted_vi(kind, n, 1, symmetric);
        const std::string whole = name + (symmetric ? ", symmetric F'" : "");
        inequality(whole, planted.problem);
        inequality(whole + ", stiff", stiffened(planted, 1));
      }
    }
  }
  for (const Index count : {4, 16, 64}) cones(count, 1);
  ratios.print();
  return 0;
}
