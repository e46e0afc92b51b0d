// SPDX-License-Identifier: Apache-2.0
// Second-order cone programs beside CVXOPT's conelp, where it is installed: planted ones with full matrices, and
// grasps, which are sparse. Both are judged by our certificate, residual <= 1e-8, in CPU time, warm, one thread,
// medians where a solve is short; of CVXOPT's dense and sparse matrices the faster counts.

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/optimizers/optimizers.hpp>
#include <benchmarks/optimizers/race.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/numerics/cone_program.hpp>
#include <problems/cone_program.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using cone_program::Problem;

constexpr double kTolerance = 1e-8;
constexpr Index kMostDense = 1000;  // unknowns: dense matrices of more take minutes

struct Case {
  std::string name;
  Problem problem;
};

optimizers::Ratios ratios;

double residual_of(const Problem& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& y,
                   const Eigen::VectorXd& z) {
  if (x.size() != problem.num_unknowns() || !x.allFinite() || !y.allFinite() || !z.allFinite())
    return std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd s(problem.num_rows());
  return cone_program::certify(problem, x, y, z, s).residual;
}

void compare(benchmark::State& bench, const Case& c) {
  for (auto _ : bench) {
    const auto solve_ours = [&] {
      return cone_program::solve(c.problem, cone_program::Automatic{.tolerance = kTolerance});
    };
    const cone_program::Result result = solve_ours();
    optimizers::Row ours{.solver = std::string(result.ok() ? result.solver : to_string(result.status)),
                         .residual = residual_of(c.problem, result.x, result.y, result.z)};
    if (ours.residual <= kTolerance)
      ours.time = optimizers::cpu_time_of([&] { benchmark::DoNotOptimize(solve_ours()); });
    bench.SetIterationTime(std::isfinite(ours.time) ? ours.time : 0.0);
    std::printf("%-18s n %5td m %5td ours:", c.name.c_str(), c.problem.num_unknowns(), c.problem.num_rows());
    ours.print();
    std::printf("  |");
    double best = std::numeric_limits<double>::infinity();
#ifdef NONSMOOTH_HAVE_CVXOPT
    const Index p = c.problem.num_equations(), m = c.problem.num_rows();
    for (const bool dense : {true, false}) {
      if (dense && c.problem.num_unknowns() > kMostDense) continue;
      const std::unique_ptr<optimizers::Optimizer> peer = optimizers::cvxopt(c.problem, dense);
      if (!peer) continue;
      const optimizers::Row row = optimizers::run(*peer, kTolerance, kTolerance, [&](const optimizers::Answer& answer) {
        return answer.y.size() == p + m ? residual_of(c.problem, answer.x, answer.y.head(p), answer.y.tail(m))
                                        : std::numeric_limits<double>::quiet_NaN();
      });
      row.print();
      best = std::min(best, row.time);
    }
#endif
    ratios.add(ours.time, best);
    std::printf("\n");
    std::fflush(stdout);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Index n : {5, 20, 50, 100, 200, 500}) {
    const std::vector<Index> cones(static_cast<std::size_t>(n / 5), 4);
    all.push_back(
        {"planted " + std::to_string(n),
         problems::planted_cone_program({.n = n, .equations = n / 5, .orthant = n, .cones = cones}, 1).problem});
  }
  for (const Index n : {20, 200}) {
    all.push_back({"one cone " + std::to_string(n),
                   problems::planted_cone_program({.n = n, .orthant = n, .cones = {n / 2}}, 2).problem});
  }
  for (const Index fingers : {4, 10, 30, 100, 300, 1000}) {
    all.push_back({"grasp " + std::to_string(fingers), problems::grasp(fingers, 1)});
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  return optimizers::run_race(argc, argv, cases, compare, ratios) ? 0 : 2;
}
