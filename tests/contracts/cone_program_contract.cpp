// SPDX-License-Identifier: Apache-2.0
// What the solvers of cone programs promise; a new one joins by its line in the registry.
#include <nonsmooth/numerics/cone_program.hpp>

#include "../problems/cone_program.hpp"
#include "../problems/program_judge.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::cone_program_contract_test {
namespace {

using namespace nonsmooth::contracts;
using problems::ConeProgram;
using problems::ConeShape;

/// What is asked here: splitting is a method of moderate accuracy.
double asked(const std::string& name) { return name == "admm" ? 1e-6 : 1e-8; }

class ConeProgramContract : public testing::TestWithParam<std::string> {
 protected:
  const cone_program::Entry& entry() const { return cone_program::find(GetParam()); }
  double tolerance() const { return asked(GetParam()); }

  /// Solves; Solved and Infeasible must be true by independent arithmetic.
  cone_program::Result solve(const cone_program::Problem& problem, Limits limits = {}) const {
    limits.tolerance = tolerance();
    const cone_program::Result result = entry().solver.solve(problem, limits);
    if (result.ok() && !result.at_round_off) {
      EXPECT_LE(problems::independent_residual(problem, result.x, result.y, result.z), 2.0 * tolerance());
    }
    expect_honest(
        result, [] { return 0.0; },
        [&] {
          return result.unbounded() ? problems::ray_holds(problem, result.direction)
                                    : problems::farkas_holds(problem, result.proof);
        });
    EXPECT_EQ(result.x.size(), problem.num_unknowns());
    EXPECT_EQ(result.y.size(), problem.num_equations());
    EXPECT_EQ(result.z.size(), problem.num_rows());
    return result;
  }
};

ConeShape shape_of(std::uint64_t seed, double degenerate = 0.0) {
  return {.n = 4 + Index(seed % 7),
          .equations = Index(seed % 3),
          .orthant = 3,
          .cones = {3, 4, 1 + Index(seed % 5), 5},
          .degenerate = degenerate};
}

TEST_P(ConeProgramContract, Planted) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ConeProgram one = problems::planted_cone_program(shape_of(seed), seed);
    const cone_program::Result result = solve(one.problem);
    ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
    // Values differ by the gap and by the residuals times the multipliers and x: some 20 terms of size 10.
    const double value = one.problem.c.dot(one.x);
    EXPECT_NEAR(result.figures.value, value, 1e3 * tolerance() * std::max(1.0, std::abs(value))) << seed;
  }
}

TEST_P(ConeProgramContract, Degenerate) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const ConeProgram one = problems::planted_cone_program(shape_of(seed, 0.5), seed);
    const cone_program::Result result = solve(one.problem);
    EXPECT_TRUE(result.ok()) << seed << ": " << result.message();
  }
}

TEST_P(ConeProgramContract, LinearPrograms) {
  // max x + 2 y under x + y <= 4, x + 3 y <= 6, x, y >= 0: 5 at (3, 1), both multipliers 1/2.
  const cone_program::Problem problem{.c = Eigen::Vector2d(-1, -2),
                                      .G = Eigen::MatrixXd{{1, 1}, {1, 3}, {-1, 0}, {0, -1}}.sparseView(),
                                      .h = Eigen::Vector4d(4, 6, 0, 0),
                                      .orthant = 4};
  const cone_program::Result result = solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - Eigen::Vector2d(3, 1)).norm(), 1e2 * tolerance());
  EXPECT_LE((result.z.head(2) - Eigen::Vector2d(0.5, 0.5)).norm(), 1e2 * tolerance());
}

TEST_P(ConeProgramContract, WithoutCones) {
  // Equations alone: x = (1, 2), c in the range of A^T; without one the program is unbounded.
  cone_program::Problem problem{
      .c = Eigen::Vector2d(1, 1), .A = Eigen::MatrixXd{{1, 1}, {1, -1}}.sparseView(), .b = Eigen::Vector2d(3, -1)};
  const cone_program::Result result = solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - Eigen::Vector2d(1, 2)).norm(), 1e2 * tolerance());
  problem.A = Eigen::MatrixXd{{1, -1}}.sparseView();
  problem.b = Eigen::VectorXd::Constant(1, -1.0);
  const cone_program::Result open = solve(problem);
  EXPECT_TRUE(open.unbounded()) << open.message();
}

TEST_P(ConeProgramContract, InfeasibleIsProven) {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const ConeProgram none = problems::infeasible_cone_program(shape_of(seed), seed);
    ASSERT_TRUE(cone_program::proves_infeasible(none.problem, none.proof)) << seed;
    ASSERT_TRUE(problems::farkas_holds(none.problem, none.proof)) << seed;
    EXPECT_FALSE(problems::farkas_holds(none.problem, -none.proof)) << seed;
    const cone_program::Result result = solve(none.problem);
    EXPECT_EQ(result.status, Status::Infeasible) << seed << ": " << result.message();
    EXPECT_FALSE(result.unbounded()) << seed;
  }
}

TEST_P(ConeProgramContract, UnboundedIsProven) {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const ConeProgram open = problems::unbounded_cone_program(shape_of(seed), seed);
    ASSERT_TRUE(cone_program::proves_unbounded(open.problem, open.proof)) << seed;
    ASSERT_TRUE(problems::ray_holds(open.problem, open.proof)) << seed;
    EXPECT_FALSE(problems::ray_holds(open.problem, -open.proof)) << seed;
    const cone_program::Result result = solve(open.problem);
    EXPECT_TRUE(result.unbounded()) << seed << ": " << result.message();
  }
}

TEST_P(ConeProgramContract, TheSameTwice) {
  const ConeProgram one = problems::planted_cone_program(shape_of(5), 5);
  const cone_program::Result first = solve(one.problem), second = solve(one.problem);
  EXPECT_EQ(first.x, second.x);
  EXPECT_EQ(first.y, second.y);
  EXPECT_EQ(first.z, second.z);
  EXPECT_EQ(first.status, second.status);
}

TEST_P(ConeProgramContract, HonoursItsLimits) {
  const ConeProgram one = problems::planted_cone_program(shape_of(5), 5);
  expect_limits_honoured([&](const Limits& limits) { return solve(one.problem, limits); });
}

TEST_P(ConeProgramContract, RefusesMalformedInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const cone_program::Problem good =
      problems::planted_cone_program({.n = 4, .equations = 1, .orthant = 2, .cones = {3}}, 1).problem;
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    cone_program::Problem problem = good;
    Limits limits;
    spoil(problem, limits);
    expect_refused([&] { return entry().solver.solve(problem, limits); }, argument);
  };
  using P = cone_program::Problem;
  refused([](P& p, Limits&) { p = P(); }, "cone_program::Problem::c");
  refused([&](P& p, Limits&) { p.c[0] = nan; }, "cone_program::Problem::c");
  refused([](P& p, Limits&) { p.A.resize(2, 4); }, "cone_program::Problem::A");
  refused([&](P& p, Limits&) { p.b[0] = nan; }, "cone_program::Problem::b");
  refused([](P& p, Limits&) { p.G.resize(5, 3); }, "cone_program::Problem::G");
  refused([&](P& p, Limits&) { p.h[1] = nan; }, "cone_program::Problem::h");
  refused([](P& p, Limits&) { p.cones = {2}; }, "cone_program::Problem::cones");
  refused([](P&, Limits& l) { l.tolerance = -1.0; }, "Limits::tolerance");
  refused([](P&, Limits& l) { l.time_limit = 0.0; }, "Limits::time_limit");
}

INSTANTIATE_TEST_SUITE_P(Registry, ConeProgramContract, testing::ValuesIn(every(cone_program::registry())), test_name);

TEST(ConeProgramResult, IsBornNotRun) { expect_born_not_run<cone_program::Result>(); }

TEST(ConeProgramRegistry, NamesAreFound) {
  expect_names_found(cone_program::registry(),
                     [](std::string_view name) -> const cone_program::Entry& { return cone_program::find(name); });
}

TEST(ConeProgramRegistry, NeverTrustsACallable) {
  const cone_program::Problem problem = problems::planted_cone_program(shape_of(1), 3).problem;
  cone_program::Result zeros;
  zeros.x.setZero(problem.num_unknowns());
  zeros.y.setZero(problem.num_equations());
  zeros.z.setZero(problem.num_rows());
  expect_claims_checked<cone_program::Solver>(problem, zeros, problem.num_equations() + problem.num_rows());
}

}  // namespace
}  // namespace nonsmooth::cone_program_contract_test
