// SPDX-License-Identifier: Apache-2.0
// What the solvers of nonlinear complementarity problems promise; a new one joins by its line in the registry.
#include <nonsmooth/numerics/mcp.hpp>

#include "../problems/mcp.hpp"
#include "registry_contract.hpp"

namespace nonsmooth::mcp_contract_test {
namespace {

using namespace nonsmooth::contracts;
using problems::Bounds;
using problems::infinite;
using problems::Mcp;

class McpContract : public testing::TestWithParam<std::string> {
 protected:
  const mcp::Entry& entry() const { return mcp::find(GetParam()); }

  /// Solves; Solved must be true by independent arithmetic, x within its bounds and w = F(x).
  mcp::Result solve(const mcp::Problem& problem, const Limits& limits = {.tolerance = tolerance}) const {
    mcp::Result result = entry().solver.solve(problem, limits);
    expect_honest(
        result, [&] { return result.at_round_off ? 0.0 : problems::independent_residual(problem, result.x); },
        [] { return false; });
    EXPECT_TRUE((result.x.array() >= problem.lower.array()).all() && (result.x.array() <= problem.upper.array()).all());
    Eigen::VectorXd w(problem.size());
    if (!evaluate(problem.F, result.x, w)) {
      EXPECT_EQ(w, result.w);
    }
    return result;
  }
};

class McpClassics : public McpContract {};  // F not monotone

TEST_P(McpContract, StronglyMonotoneOnAnyBoxDegenerateToo) {
  for (Index n = 1; n <= 12; ++n) {
    for (const Bounds kinds : {Bounds::Finite, Bounds::Mixed}) {
      for (const double degenerate : {0.0, 0.5}) {
        const Mcp mcp = problems::random_monotone_mcp(n, 300 + static_cast<std::uint64_t>(n), kinds, degenerate);
        const mcp::Result result = solve(mcp.problem);
        ASSERT_TRUE(result.ok()) << "n = " << n << ": " << result.message();
        // Strongly monotone with 1/2, s below 30: |x - x*| <= (1 + s) |e| / (1/2) sqrt(n) < 300 residual scale.
        EXPECT_LE((result.x - mcp.solutions[0]).cwiseAbs().maxCoeff(), 300.0 * tolerance * result.certificate.scale);
      }
    }
  }
}

TEST_P(McpContract, IllScaled) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Mcp mcp = problems::rescaled(problems::random_monotone_mcp(6, seed, Bounds::Mixed), seed, 4.0);
    const mcp::Result result = solve(mcp.problem);
    EXPECT_TRUE(result.ok()) << "seed " << seed << ": " << result.message();
  }
}

TEST_P(McpContract, EquationsAlone) {
  // x_0^3 + x_1 = 9, x_1 - x_0 = -1: (2, 1), which monotone F has to itself.
  const mcp::Problem problem = mcp::equations(
      {.num_unknowns = 2,
       .num_values = 2,
       .value = [](ConstVectorRef x, VectorRef f) { f << x[0] * x[0] * x[0] + x[1] - 9.0, x[1] - x[0] + 1.0; },
       .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J << 3.0 * x[0] * x[0], 1.0, -1.0, 1.0; }});
  const mcp::Result result = solve(problem);
  ASSERT_TRUE(result.ok()) << result.message();
  // |J^-1| < 1 at the solution, |F| of 9 at 0.
  EXPECT_LE((result.x - Eigen::VectorXd{{2.0, 1.0}}).cwiseAbs().maxCoeff(), 9e-10);
}

TEST_P(McpContract, NashCournot) {
  for (const Mcp& mcp : {problems::nash_cournot_5(), problems::nash_cournot_10()}) {
    const mcp::Result result = solve(mcp.problem);
    ASSERT_TRUE(result.ok()) << mcp.name << ": " << result.message();
    EXPECT_LE((result.x - mcp.solutions[0]).cwiseAbs().maxCoeff(), mcp.digits + 1e-7) << mcp.name;
  }
}

TEST_P(McpClassics, KojimaShindoAndJosephy) {
  for (const Mcp& mcp : {problems::kojima_shindo(), problems::josephy()}) {
    const mcp::Result result = solve(mcp.problem);
    ASSERT_TRUE(result.ok()) << mcp.name << ": " << result.message();
    double nearest = infinite;
    for (const Eigen::VectorXd& x : mcp.solutions) nearest = std::min(nearest, (result.x - x).cwiseAbs().maxCoeff());
    EXPECT_LE(nearest, 1e-7) << mcp.name;
  }
}

TEST_P(McpClassics, Mathiesen) {
  for (const double b : {0.5, 2.0}) {
    const Mcp mcp = problems::mathiesen(b);
    const mcp::Result result = solve(mcp.problem);
    ASSERT_TRUE(result.ok()) << "b = " << b << ": " << result.message();
    EXPECT_LE(problems::distance_to_mathiesen(b, result.x), 1e-7);
  }
}

TEST_P(McpContract, SparseJacobians) {
  const Mcp chain = problems::sparse_chain(200, 3);
  const mcp::Result result = solve(chain.problem);
  ASSERT_TRUE(result.ok()) << result.message();
  // Strongly monotone with 1/2, s below 15: 2 (1 + s) |e| sqrt(n).
  EXPECT_LE((result.x - chain.solutions[0]).cwiseAbs().maxCoeff(), 500.0 * tolerance * result.certificate.scale);
}

TEST_P(McpContract, WithoutAJacobian) {
  Mcp mcp = problems::random_monotone_mcp(5, 11, Bounds::Mixed);
  mcp.problem.F.dense_jacobian = nullptr;
  const mcp::Result result = solve(mcp.problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE((result.x - mcp.solutions[0]).cwiseAbs().maxCoeff(), 300.0 * tolerance * result.certificate.scale);
}

TEST_P(McpContract, AsksFWithinTheBoundsAlone) {
  const Mcp mcp = problems::logarithms();
  mcp::Problem problem = mcp.problem;
  problem.F.dense_jacobian = nullptr;  // differences too
  problem.F.value = [F = mcp.problem.F, l = problem.lower, h = problem.upper](ConstVectorRef x, VectorRef f) {
    EXPECT_TRUE((x.array() >= l.array()).all() && (x.array() <= h.array()).all());
    F.value(x, f);
  };
  const mcp::Result result = entry().solver.solve(problem, {.tolerance = tolerance});
  ASSERT_TRUE(result.ok()) << result.message();
  // |F| of log 20 at the start, J_ii = 1/20.
  EXPECT_LE((result.x - mcp.solutions[0]).cwiseAbs().maxCoeff(), 20.0 * tolerance * 3.0);
}

TEST_P(McpContract, FixedUnknownsStay) {
  Mcp mcp = problems::random_monotone_mcp(6, 5, Bounds::Finite);
  mcp.problem.lower[2] = mcp.problem.upper[2] = mcp.solutions[0][2];
  const mcp::Result result = solve(mcp.problem);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.x[2], mcp.solutions[0][2]);
  EXPECT_LE((result.x - mcp.solutions[0]).cwiseAbs().maxCoeff(), 300.0 * tolerance * result.certificate.scale);
}

TEST_P(McpContract, HonestOutsideItsClass) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 6);
    solve(problems::random_any_mcp(n, seed, Bounds::Finite).problem);
    solve(problems::random_any_mcp(n, seed, Bounds::Mixed).problem);
  }
  // exp x = 0: the residual falls for ever; x^2 = -1: it cannot.
  const auto no_solution = [](double constant) {
    return mcp::equations({.num_unknowns = 1,
                           .num_values = 1,
                           .value = [=](ConstVectorRef x, VectorRef f) { f[0] = x[0] * x[0] + constant; },
                           .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J(0, 0) = 2.0 * x[0]; }},
                          Eigen::VectorXd{{1.0}});
  };
  EXPECT_FALSE(solve(no_solution(1.0)).ok());
}

TEST_P(McpContract, ASlopeThatVanishesHidesNoDistance) {
  // F = 1 + (x - 5)^3, x >= 0, from beside 5, where s by the Jacobian alone would be 3e-12: F = 0 at x = 4.
  const mcp::Problem problem = mcp::complementarity(
      {.num_unknowns = 1,
       .num_values = 1,
       .value = [](ConstVectorRef x, VectorRef f) { f[0] = 1.0 + std::pow(x[0] - 5.0, 3.0); },
       .dense_jacobian = [](ConstVectorRef x, MatrixRef J) { J(0, 0) = 3.0 * (x[0] - 5.0) * (x[0] - 5.0); }},
      Eigen::VectorXd{{5.0 + 1e-6}});
  const mcp::Result result = solve(problem);
  if (result.ok()) {
    EXPECT_NEAR(result.x[0], 4.0, 1e-9);
  }
}

TEST_P(McpContract, TellsWhereFIsNotFinite) {
  // F_1 = -1 pushes x_1 up to where it ends: there is no solution below.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  mcp::Problem problem =
      mcp::complementarity({.num_unknowns = 2,
                            .num_values = 2,
                            .value = [nan](ConstVectorRef x, VectorRef f) { f << x[0] - 1.0, x[1] < 0.5 ? -1.0 : nan; },
                            .value_names = {"steel", "corn"}});
  const mcp::Result result = entry().solver.solve(problem, {});
  EXPECT_FALSE(result.ok());
  if (result.status == Status::NumericalFailure) {
    EXPECT_NE(result.message().find("nan in component 1 (corn) of F at x = ("), std::string::npos) << result.message();
  } else {
    EXPECT_TRUE(result.not_finite.empty());
  }
  // At the start it is the caller's mistake.
  problem.start = Eigen::VectorXd{{1.0, 0.7}};
  expect_refused([&] { return entry().solver.solve(problem, {}); }, "mcp::Problem::F");
}

TEST_P(McpContract, TheSameTwice) {
  const Mcp mcp = problems::random_any_mcp(6, 5, Bounds::Mixed);
  const mcp::Result one = solve(mcp.problem);
  const mcp::Result two = solve(mcp.problem);
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.iterations, two.iterations);
  EXPECT_EQ(one.status, two.status);
}

TEST_P(McpContract, HonoursItsLimits) {
  const Mcp mcp = problems::nash_cournot_5();
  expect_limits_honoured([&](const Limits& limits) { return solve(mcp.problem, limits); });
}

TEST_P(McpContract, RefusesMalformedInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const mcp::Problem good = problems::josephy().problem;
  const auto refused = [&](auto&& spoil, std::string_view argument) {
    mcp::Problem problem = good;
    Limits limits;
    spoil(problem, limits);
    expect_refused([&] { return entry().solver.solve(problem, limits); }, argument);
  };
  using P = mcp::Problem;
  refused([](P& p, Limits&) { p = P(); }, "NonlinearMap::num_unknowns");
  refused([](P& p, Limits&) { p.F.num_values = 3; }, "mcp::Problem::F");
  refused([](P& p, Limits&) { p.F.value = nullptr; }, "NonlinearMap::value");
  refused([](P& p, Limits&) { p.lower.setZero(3); }, "mcp::Problem::lower");
  refused([](P& p, Limits&) { p.upper.setOnes(5); }, "mcp::Problem::upper");
  refused([&](P& p, Limits&) { p.lower[1] = nan; }, "mcp::Problem::lower");
  refused([](P& p, Limits&) { p.lower[1] = infinite; }, "mcp::Problem::lower");
  refused([](P& p, Limits&) { p.upper[1] = -infinite; }, "mcp::Problem::upper");
  refused([](P& p, Limits&) { p.upper[1] = -1.0; }, "mcp::Problem::lower");
  refused([](P& p, Limits&) { p.start.setZero(3); }, "mcp::Problem::start");
  refused([&](P& p, Limits&) { p.start = Eigen::VectorXd::Constant(4, nan); }, "mcp::Problem::start");
  refused([](P& p, Limits&) { p.scale = -1.0; }, "mcp::Problem::scale");
  refused([](P& p, Limits&) { p.affine_rows = {4}; }, "mcp::Problem::affine_rows: an entry");
  refused(
      [](P& p, Limits&) {
        p.affine_rows = {0};
        p.F.dense_jacobian = nullptr;
      },
      "mcp::Problem::affine_rows");
  refused([](P&, Limits& l) { l.tolerance = 0.0; }, "Limits::tolerance");
  refused([&](P&, Limits& l) { l.time_limit = nan; }, "Limits::time_limit");
}

INSTANTIATE_TEST_SUITE_P(Registry, McpContract, testing::ValuesIn(every(mcp::registry())), test_name);
// From 0 the minimum map stalls on Josephy's problem, the interior point on Kojima's and Shindo's.
INSTANTIATE_TEST_SUITE_P(Registry, McpClassics,
                         testing::ValuesIn(every(mcp::registry(), {"semismooth newton on min", "interior point"})),
                         test_name);

TEST(McpResult, IsBornNotRun) { expect_born_not_run<mcp::Result>(); }

TEST(McpRegistry, NamesAreFound) {
  expect_names_found(mcp::registry(), [](std::string_view name) -> const mcp::Entry& { return mcp::find(name); });
}

TEST(McpRegistry, NeverTrustsACallable) {
  mcp::Result zeros;
  zeros.x.setZero(4);
  expect_claims_checked<mcp::Solver>(problems::josephy().problem, zeros, 4);
}

}  // namespace
}  // namespace nonsmooth::mcp_contract_test
