// SPDX-License-Identifier: Apache-2.0
// Bimatrix games in the form of costs: Lemke-Howson, and the automatic choice of it.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "../../problems/lcp.hpp"
#include "../../problems/lcp_collections.hpp"

namespace nonsmooth::games_test {
namespace {

constexpr double tolerance = 1e-10;

/// The game of costs A and B (m x k) with q = -1.
lcp::Problem game(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const Index m = A.rows(), k = A.cols();
  lcp::Problem problem{Eigen::MatrixXd::Zero(m + k, m + k), -Eigen::VectorXd::Ones(m + k)};
  problem.M.topRightCorner(m, k) = A;
  problem.M.bottomLeftCorner(k, m) = B.transpose();
  return problem;
}

/// Solved, by the certificate and by independent arithmetic.
void expect_solved(const lcp::Problem& problem, const lcp::Result& result) {
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(result.certificate.residual, tolerance);
  // Twice the tolerance: w in double against long double.
  EXPECT_LE(problems::independent_residual(problem.M, problem.q, result.z), 2.0 * tolerance);
}

/// No player can lower the cost by another strategy: an equilibrium by the definition, not by complementarity.
void expect_equilibrium(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::VectorXd& z) {
  Eigen::VectorXd x = z.head(A.rows());
  Eigen::VectorXd y = z.tail(A.cols());
  x /= x.sum();
  y /= y.sum();
  // The residual of z is 1e-10 at most, and sums of x and y of 1 / cost take it to 1e-9 for costs up to 10.
  EXPECT_LE(x.dot(A * y), (A * y).minCoeff() + 1e-9);
  EXPECT_LE(x.dot(B * y), (B.transpose() * x).minCoeff() + 1e-9);
}

TEST(Games, RandomOnesAreSolvedByAutomaticAndFromSeveralLabels) {
  for (Index n = 4; n <= 60; n += n < 20 ? 1 : 8) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", seed " + std::to_string(seed));
      const lcp::Problem problem = problems::bimatrix_game(n, seed);
      const lcp::Result automatic = lcp::solve(problem);
      expect_solved(problem, automatic);
      const Index m = (n + 1) / 2;
      expect_equilibrium(problem.M.topRightCorner(m, n - m), problem.M.bottomLeftCorner(n - m, m).transpose(),
                         automatic.z);
      for (const Index label : {Index{0}, m - 1, m, n - 1}) {
        const lcp::Result result = lcp::solve(problem, lcp::LemkeHowson{.label = label});
        expect_solved(problem, result);
        EXPECT_EQ(result.solver, "lemke-howson");
      }
    }
  }
}

// Prisoner's dilemma: years in prison plus one, both confess (row 1, column 1): x = y = e_1 / 3.
TEST(Games, PrisonersDilemma) {
  const Eigen::MatrixXd A{{2, 11}, {1, 3}};
  for (Index label = 0; label < 4; ++label) {
    const lcp::Result result = lcp::solve(game(A, A.transpose()), lcp::LemkeHowson{.label = label});
    expect_solved(game(A, A.transpose()), result);
    // One pivot by the cost 3 in either block: exact but for its rounding.
    EXPECT_LE((result.z - Eigen::VectorXd{{0, 1.0 / 3.0, 0, 1.0 / 3.0}}).cwiseAbs().maxCoeff(), 1e-15);
  }
}

// Battle of the sexes, costs 4 - gain for the gains (3, 2; 2, 3 where they meet, 1 where not): pure equilibria at
// (1, 1) and (2, 2), the third one mixed. The paths of Lemke and Howson from all labels reach the pure ones.
TEST(Games, BattleOfTheSexes) {
  const Eigen::MatrixXd A{{1, 3}, {3, 2}};
  const Eigen::MatrixXd B{{2, 3}, {3, 1}};
  const Eigen::VectorXd first{{0.5, 0, 1, 0}}, second{{0, 1, 0, 0.5}};
  bool found_first = false, found_second = false;
  for (Index label = 0; label < 4; ++label) {
    const lcp::Result result = lcp::solve(game(A, B), lcp::LemkeHowson{.label = label});
    expect_solved(game(A, B), result);
    found_first = found_first || result.z == first;
    found_second = found_second || result.z == second;
  }
  EXPECT_TRUE(found_first);
  EXPECT_TRUE(found_second);
}

// Matching pennies has no pure equilibrium: x = y = (1/2, 1/2), scaled by the cost 3/2 of either.
TEST(Games, MatchingPennies) {
  const Eigen::MatrixXd A{{1, 2}, {2, 1}};
  const Eigen::MatrixXd B{{2, 1}, {1, 2}};
  const lcp::Result result = lcp::solve(game(A, B));
  expect_solved(game(A, B), result);
  // |M_aa^-1| = 1: a residual of 1e-10 is an error of 1e-10.
  EXPECT_LE((result.z - Eigen::VectorXd::Constant(4, 1.0 / 3.0)).cwiseAbs().maxCoeff(), 1e-10);
}

// Costs 1, 2 and 3 make ties in almost every ratio test.
TEST(Games, DegenerateOnesDoNotCycle) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> cost(1, 3);
    const Index m = 2 + static_cast<Index>(seed % 9), k = 2 + static_cast<Index>(seed % 7);
    const auto draw = [&] { return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(m, k, [&] { return cost(random); })); };
    const Eigen::MatrixXd A = draw();
    const Eigen::MatrixXd B = draw();
    const lcp::Problem problem = game(A, B);
    for (Index label = 0; label < m + k; ++label) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", label " + std::to_string(label));
      const lcp::Result result = lcp::solve(problem, lcp::LemkeHowson{.label = label});
      expect_solved(problem, result);
      expect_equilibrium(A, B, result.z);
    }
  }
  expect_solved(game(Eigen::MatrixXd::Ones(7, 5), Eigen::MatrixXd::Ones(7, 5)),
                lcp::solve(game(Eigen::MatrixXd::Ones(7, 5), Eigen::MatrixXd::Ones(7, 5))));
}

// Any q < 0 and any units: rows and columns scaled by positive numbers are the same game.
TEST(Games, AnyNegativeRightHandSide) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> power(-2.0, 2.0);
    lcp::Problem problem = problems::bimatrix_game(15, seed);
    for (Index i = 0; i < 15; ++i) problem.q[i] *= std::pow(10.0, power(random));
    expect_solved(problem, lcp::solve(problem));
    problem.M *= 1e8;
    problem.q *= 1e-6;
    expect_solved(problem, lcp::solve(problem, lcp::LemkeHowson{}));
  }
}

TEST(Games, OtherProblemsAreReported) {
  const auto reported = [](const lcp::Problem& problem) {
    const lcp::Result result = lcp::solve(problem, lcp::LemkeHowson{});
    EXPECT_EQ(result.status, Status::Stalled) << result.message();
    EXPECT_EQ(result.reason, "M is not that of a bimatrix game, or q is not negative");
    EXPECT_EQ(result.iterations, 0);
    EXPECT_TRUE(result.z.allFinite());
  };
  reported(problems::interior().problem);
  reported({Eigen::MatrixXd{{0}}, Eigen::VectorXd{{-1}}});
  reported({Eigen::MatrixXd::Zero(3, 3), -Eigen::VectorXd::Ones(3)});
  lcp::Problem problem = problems::bimatrix_game(7, 1);
  problem.M(0, 5) = -1.0;
  reported(problem);
  problem = problems::bimatrix_game(7, 1);
  problem.M(2, 1) = 1.0;
  reported(problem);
  problem = problems::bimatrix_game(7, 1);
  problem.q[3] = 1.0;
  reported(problem);
}

TEST(Games, LimitsAndOptions) {
  const lcp::Problem problem = problems::bimatrix_game(40, 3);
  const lcp::Result few = lcp::solve(problem, lcp::LemkeHowson{.max_pivots = 1});
  EXPECT_EQ(few.status, Status::IterationLimit) << few.message();
  EXPECT_EQ(few.iterations, 1);
  EXPECT_EQ(lcp::solve(problem, lcp::LemkeHowson{.time_limit = 1e-9}).status, Status::TimeLimit);
  EXPECT_THROW(static_cast<void>(lcp::solve(problem, lcp::LemkeHowson{.label = 40})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(lcp::solve(problem, lcp::LemkeHowson{.label = -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(lcp::solve(problem, lcp::LemkeHowson{.tolerance = 0.0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(lcp::solve(problem, lcp::LemkeHowson{.max_pivots = -1})), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::games_test
