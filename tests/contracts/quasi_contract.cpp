// SPDX-License-Identifier: Apache-2.0
// What the solvers of quasi-variational inequalities promise; a new one joins by its line in the registry.
#include <nonsmooth/numerics/vi/quasi_registry.hpp>

#include "../problems/vi.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::quasi_contract_test {
namespace {

using namespace nonsmooth::contracts;
using Eigen::VectorXd;
using problems::SetOf;

class QuasiContract : public testing::TestWithParam<std::string> {
 protected:
  const vi::QuasiEntry& entry() const { return vi::find_quasi(GetParam()); }

  /// Solves; Solved must be true by independent arithmetic: the variational inequality on K(x).
  vi::Result solve(const vi::QuasiProblem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    vi::Result result = entry().solver.solve(problem, limits);
    expect_honest(
        result, [&] { return problems::independent_residual(problem, result.x); }, [] { return false; });
    EXPECT_EQ(result.x.size(), problem.K.size());
    VectorXd w(result.x.size());
    if (!evaluate(problem.F, result.x, w)) {
      EXPECT_EQ(w, result.w);
    }
    return result;
  }
};

TEST_P(QuasiContract, PlantedOnEverySet) {
  for (const auto& [kind, name] : problems::kinds_of_sets()) {
    for (Index n = 1; n <= 9; n += n < 4 ? 1 : 5) {
      VectorXd x;
      const vi::QuasiProblem problem = problems::planted_quasi(kind, n, 70 + std::uint64_t(n), x);
      const vi::Result result = solve(problem);
      ASSERT_TRUE(result.ok()) << name << ", n = " << n << ": " << result.message();
      // With y = P_K(x)(x - rho F(x)), a contraction by c for rho = 1/2: |x - x*| <= rho |e| / (1 - c); another rho up
      // to 1e3 (|F| varies by 1e-3 of its size or more) costs its quotient. Of sizes near 1: 1e-10 * 1e3 * sqrt(27).
      EXPECT_LE((result.x - x).norm(), 1e-6) << name << n;
    }
  }
}

TEST_P(QuasiContract, HarkersGame) {
  // Two firms whose sum is bounded by 15 beside 0 <= x_i <= 10: the solutions are (5, 9) and (t, 15 - t), 9 <= t <= 10
  // (Harker 1991 [harker1991]).
  const NonlinearMap F = problems::affine_map(Eigen::MatrixXd{{2, 8.0 / 3.0}, {1.25, 2}}, VectorXd{{-34, -24.25}});
  const vi::MovingSet K(2, [](ConstVectorRef x) -> vi::ConvexSet {
    return vi::Box{VectorXd::Zero(2),
                   VectorXd{{std::max(0.0, std::min(10.0, 15.0 - x[1])), std::max(0.0, std::min(10.0, 15.0 - x[0]))}}};
  });
  const vi::Result result = solve({F, K});
  ASSERT_TRUE(result.ok()) << result.message();
  // M's inverse is below 10 in norm: |x - x*| <= 10 (1 + rho L) |e|, |e| <= 1e-10 * 34.
  const double isolated = (result.x - VectorXd{{5, 9}}).norm();
  const double segment = std::abs(result.x.sum() - 15.0) + std::max({0.0, 9.0 - result.x[0], result.x[0] - 10.0});
  EXPECT_LE(std::min(isolated, segment), 1e-6) << result.x.transpose();
}

TEST_P(QuasiContract, WhatHasNoSolutionIsNotSolved) {
  // F = 1 on the line; F = x on K(x) = [x + 1, x + 2], where x is never; an empty K(x).
  const double infinite = std::numeric_limits<double>::infinity();
  const NonlinearMap one = problems::affine_map(Eigen::MatrixXd::Zero(1, 1), VectorXd::Ones(1));
  const NonlinearMap same = problems::affine_map(Eigen::MatrixXd::Ones(1, 1), VectorXd::Zero(1));
  const vi::ConvexSet line = vi::Box{VectorXd{{-infinite}}, VectorXd{{infinite}}};
  const vi::MovingSet runs(1, [](ConstVectorRef x) -> vi::ConvexSet {
    return vi::Box{VectorXd{{x[0] + 1.0}}, VectorXd{{x[0] + 2.0}}};
  });
  const vi::MovingSet empty(1, [](ConstVectorRef) -> vi::ConvexSet {
    return vi::Polyhedron{Eigen::MatrixXd{{1}, {-1}}, VectorXd{{-1, -1}}};
  });
  for (const vi::QuasiProblem& problem :
       {vi::QuasiProblem{one, line}, vi::QuasiProblem{same, runs}, vi::QuasiProblem{same, empty}}) {
    const vi::Result result = solve(problem, {.max_iterations = 2000});
    EXPECT_FALSE(result.ok());
    EXPECT_NE(result.status, Status::Infeasible) << result.message();
  }
}

TEST_P(QuasiContract, TheSameTwice) {
  VectorXd x;
  const vi::QuasiProblem problem = problems::planted_quasi(SetOf::Polyhedron, 5, 5, x);
  const vi::Result one = solve(problem), two = solve(problem);
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.status, two.status);
  EXPECT_EQ(one.iterations, two.iterations);
}

TEST_P(QuasiContract, HonoursItsLimits) {
  VectorXd x;
  const vi::QuasiProblem problem = problems::planted_quasi(SetOf::Polyhedron, 5, 5, x);
  expect_limits_honoured([&](const Limits& limits) { return solve(problem, limits); });
}

TEST_P(QuasiContract, RefusesMalformedInput) {
  VectorXd x;
  const vi::QuasiProblem good = problems::planted_quasi(SetOf::Box, 3, 1, x);
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    vi::QuasiProblem problem = good;
    Limits limits;
    spoil(problem, limits);
    expect_refused([&] { return entry().solver.solve(problem, limits); }, argument);
  };
  using P = vi::QuasiProblem;
  refused([](P& p, Limits&) { p.K = vi::MovingSet(); }, "vi::QuasiProblem::K");
  refused([](P& p, Limits&) { p.K = vi::ConvexSet(vi::Ball{VectorXd::Zero(2)}); }, "vi::QuasiProblem::F: num_unknowns");
  refused([](P& p, Limits&) { p.F.num_values = 2; }, "vi::QuasiProblem::F: num_values");
  refused([](P& p, Limits&) { p.F.value = {}; }, "NonlinearMap::value");
  refused([](P& p, Limits&) { p.F.value = [](ConstVectorRef, VectorRef) {}; }, "vi::Problem::F");
  refused([](P&, Limits& l) { l.tolerance = -1.0; }, "Limits::tolerance");
  refused([](P&, Limits& l) { l.time_limit = 0.0; }, "Limits::time_limit");
}

INSTANTIATE_TEST_SUITE_P(Registry, QuasiContract, testing::ValuesIn(every(vi::quasi_registry())), test_name);

TEST(QuasiRegistry, NamesAndClaims) {
  expect_names_found(vi::quasi_registry(),
                     [](std::string_view name) -> const vi::QuasiEntry& { return vi::find_quasi(name); });
  VectorXd x;
  vi::Result zeros;
  zeros.x.setZero(3);
  expect_claims_checked<vi::QuasiSolver>(problems::planted_quasi(SetOf::Polyhedron, 3, 1, x), zeros, 5);
}

}  // namespace
}  // namespace nonsmooth::quasi_contract_test
