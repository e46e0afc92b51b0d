// SPDX-License-Identifier: Apache-2.0
// Textbook problems, games and equilibria, against their published answers and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mlcp.hpp>

#include "../../problems/equilibria.hpp"
#include "../../problems/games.hpp"
#include "../../problems/published.hpp"
#include "published_test.hpp"

namespace nonsmooth::published_test {
namespace {

using problems::independent_residual;
using published::distance;
using published::solved;
using published::tolerance;

TEST(Textbook, PrintedSolutionsSolve) {
  for (const problems::Published& p : problems::published()) {
    for (const Eigen::VectorXd& z : p.solutions) {
      // Printed fractions, rounded to double: a few eps of sum |M||z|, itself below 100 |q|.
      EXPECT_LE(independent_residual(p.problem.M, p.problem.q, z), 1e-13) << p.name;
    }
  }
}

TEST(Textbook, AutomaticFindsThem) {
  for (const problems::Published& p : problems::published()) {
    const Eigen::VectorXd z = solved(p.problem, lcp::Automatic{});
    const Eigen::VectorXd by_sparse = solved(problems::sparse(p.problem), lcp::Automatic{});
    if (!p.complete) continue;
    for (const Eigen::VectorXd& found : {z, by_sparse}) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const Eigen::VectorXd& known : p.solutions) nearest = std::min(nearest, distance(found, known));
      // |M^-1| of the basis is below 1e3 in all of them, except Fathi's, whose |M^-1| is |U^-1|^2 < (2 n)^2 = 256.
      EXPECT_LE(nearest, 1e3 * tolerance * p.problem.q.cwiseAbs().maxCoeff()) << p.name;
    }
  }
}

TEST(Textbook, LemkeSolvesTheClassesItIsProvedFor) {
  for (const problems::Published& p :
       {problems::segment_of_solutions(), problems::cycling(), problems::three_activities(1.0),
        problems::three_activities(23.0), problems::three_activities(100.0), problems::murty_lower(8)}) {
    const Eigen::VectorXd z = solved(p.problem, lcp::Lemke{});
    if (p.complete) {
      EXPECT_LE(distance(z, p.solutions[0]), 1e-9 * (1.0 + z.cwiseAbs().maxCoeff())) << p.name;
    }
  }
}

TEST(Textbook, PivotingOnMurtysProblemIsExponential) {
  for (const Index n : {Index{4}, Index{8}, Index{10}}) {
    problems::Published upper = problems::murty_lower(n);
    upper.problem.M.transposeInPlace();  // z = 2^(n+1) - 2^n = 2^n in the last row, as q_n = -2^n, q_1 = -(2^(n+1) - 2)
    const lcp::Result result = lcp::solve(upper.problem, lcp::Lemke{.max_pivots = 100'000, .equilibrate = false});
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE(distance(result.z, Eigen::VectorXd::Unit(n, n - 1) * std::exp2(double(n))), 1e-9 * std::exp2(double(n)));
    RecordProperty("pivots_" + std::to_string(n), static_cast<int>(result.iterations));
    EXPECT_GE(result.iterations, (Index{1} << n) - 1);
  }
}

TEST(Textbook, AnEmptiedFeasibleSetIsNeverSolved) {
  lcp::Problem problem = problems::isolated_point().problem;
  problem.q[0] = -1e-4;  // w_1 = -z_2 - z_3 - 1e-4 < 0
  const lcp::Result result = lcp::solve(problem);
  EXPECT_NE(result.status, Status::Solved) << result.message();
  EXPECT_TRUE(lcp::proves_infeasible(problem, Eigen::VectorXd::Unit(3, 0)));
  EXPECT_FALSE(lcp::proves_infeasible(problems::isolated_point().problem, Eigen::VectorXd::Unit(3, 0)));
}

TEST(Games, KnownEquilibriaSolveTheLcpAndLeaveNoRegret) {
  for (const problems::Bimatrix& game : problems::games()) {
    const lcp::Problem problem = problems::lemke_howson_form(game);
    for (const problems::Strategies& s : game.equilibria) {
      EXPECT_LE(problems::regret(game, s.first, s.second), 1e-14) << game.name;
      EXPECT_LE(independent_residual(problem.M, problem.q, problems::lemke_howson_point(game, s)), 1e-14) << game.name;
    }
    Eigen::VectorXd uniform = Eigen::VectorXd::Constant(game.A.cols(), 1.0 / double(game.A.cols()));
    uniform[0] += 0.25, uniform[1] -= 0.25;
    // The check itself: the row player's gain against an off-balance opponent is seen.
    EXPECT_GT(problems::regret(game, uniform, uniform), 1e-3) << game.name;
  }
}

TEST(Games, AutomaticFindsAKnownEquilibrium) {
  for (const problems::Bimatrix& game : problems::games()) {
    const Eigen::VectorXd z = solved(problems::lemke_howson_form(game), lcp::Automatic{});
    const auto [x, y] = problems::strategies_of(game, z);
    double nearest = std::numeric_limits<double>::infinity();
    for (const problems::Strategies& s : game.equilibria) {
      nearest = std::min(nearest, std::max(distance(x, s.first), distance(y, s.second)));
    }
    EXPECT_LE(nearest, 1e-7) << game.name;  // 1e-10 times the condition of 2 x 2 and 3 x 3 games with costs 1..8
  }
}

TEST(Games, LemkeOnTheSplitFormReachesAnEquilibrium) {
  for (const problems::Bimatrix& game : problems::games()) {
    const Eigen::VectorXd z = solved(problems::split_form(game), lcp::Lemke{});
    const auto [x, y] = problems::strategies_of(game, z);
    EXPECT_LE(problems::regret(game, x, y), 1e-8) << game.name;
  }
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Index m = 2 + static_cast<Index>(seed % 9), n = 2 + static_cast<Index>((seed / 3) % 11);
    const problems::Bimatrix game = problems::random_game(m, n, seed);
    for (const auto& result :
         {lcp::solve(problems::split_form(game), lcp::Lemke{}), lcp::solve(problems::split_form(game))}) {
      ASSERT_TRUE(result.ok()) << seed << ": " << result.message();
      const auto [x, y] = problems::strategies_of(game, result.z);
      // Residual 1e-10 on sums of costs in [1, 2] over m + n <= 22 rows.
      EXPECT_LE(problems::regret(game, x, y), 1e-8) << seed;
    }
  }
}

TEST(Games, MixedFormReachesAnEquilibrium) {
  std::vector<problems::Bimatrix> games = problems::games();
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    games.push_back(problems::random_game(2 + static_cast<Index>(seed % 7), 2 + static_cast<Index>(seed % 5), seed));
  }
  for (const problems::Bimatrix& game : games) {
    const mlcp::Problem problem = problems::mixed_form(game);
    for (const mlcp::Result& result : {mlcp::solve(problem), mlcp::solve(problem, mlcp::Lemke{})}) {
      ASSERT_TRUE(result.ok()) << game.name << ": " << result.message();
      const auto [x, y] = problems::strategies_of(game, result.v);
      EXPECT_LE(problems::regret(game, x, y), 1e-8) << game.name;  // as above
      // The free unknowns are the two expected costs.
      EXPECT_NEAR(result.u[0], x.dot(game.first_cost() * y), 1e-8) << game.name;
      EXPECT_NEAR(result.u[1], x.dot(game.second_cost() * y), 1e-8) << game.name;
    }
  }
}

TEST(Cournot, ClosedForms) {
  // Equal firms: x = (a - c)/(b (n + 1)).
  const problems::Lcp equal = problems::cournot(100.0, 2.0, Eigen::VectorXd::Constant(4, 10.0));
  EXPECT_LE(distance(equal.z, Eigen::VectorXd::Constant(4, 9.0)), 1e-14);
  // The last two firms cost more than the price of the others, 100 - 2 (22.. + ..): they stay out.
  for (const problems::Lcp& lcp : {equal, problems::cournot(100.0, 2.0, Eigen::VectorXd{{10, 20, 70, 5, 90}}),
                                   problems::cournot(50.0, 0.5, Eigen::VectorXd{{49, 1, 2, 25, 60, 17}})}) {
    EXPECT_LE(independent_residual(lcp.problem.M, lcp.problem.q, lcp.z), 1e-14);
    // M^-1 has the norm 1/b below 2.
    const double bound = 8.0 * tolerance * lcp.problem.q.cwiseAbs().maxCoeff();
    EXPECT_LE(distance(solved(lcp.problem, lcp::Automatic{}), lcp.z), bound);
    EXPECT_LE(distance(solved(lcp.problem, lcp::Lemke{}), lcp.z), bound);
    EXPECT_LE(distance(solved(lcp.problem, lcp::BlockPrincipalPivoting{}), lcp.z), bound);
    EXPECT_LE(distance(solved(lcp.problem, lcp::Splitting{}), lcp.z), 10.0 * bound);
  }
}

TEST(Cournot, FiveFirmsByLinearComplementaritySteps) {
  const problems::FiveFirms firms;
  Eigen::VectorXd x = Eigen::VectorXd::Constant(5, 10.0);
  // The Jacobian is the derivative: central differences of step 1e-4 err by 1e-8 |F'''|.
  const Eigen::MatrixXd J = firms.jacobian(x);
  for (Index j = 0; j < 5; ++j) {
    const Eigen::VectorXd step = 1e-4 * Eigen::VectorXd::Unit(5, j);
    EXPECT_LE(distance((firms.F(x + step) - firms.F(x - step)) / 2e-4, J.col(j)), 1e-7);
  }
  for (int k = 0; k < 20; ++k) {
    const Eigen::MatrixXd M = firms.jacobian(x);
    x = solved(lcp::Problem{M, firms.F(x) - M * x}, lcp::Automatic{});
  }
  EXPECT_LE(firms.F(x).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE(distance(x, firms.published), 0.01);  // printed to two decimals
}

TEST(Traffic, BraessAndParallelRoutes) {
  const problems::Traffic pigou{Eigen::MatrixXd::Identity(2, 2),
                                Eigen::MatrixXd::Ones(1, 2),
                                Eigen::VectorXd{{1, 0}}.asDiagonal(),
                                Eigen::VectorXd{{0, 1}},
                                Eigen::VectorXd{{1.5}},
                                Eigen::VectorXd{{1, 0.5}},
                                Eigen::VectorXd{{1}}};
  for (const problems::Traffic& t :
       {problems::braess(false), problems::braess(true), pigou,
        problems::parallel_routes(Eigen::VectorXd{{1, 2, 4}}, Eigen::VectorXd{{10, 12, 40}}, 6.0),
        problems::parallel_routes(Eigen::VectorXd{{0.5, 1, 0.2, 3}}, Eigen::VectorXd{{3, 8, 5, 1}}, 20.0)}) {
    const lcp::Problem problem = t.problem();
    const Index paths = t.links_of_path.cols();
    for (const Eigen::VectorXd& z : {solved(problem, lcp::Automatic{}), solved(problem, lcp::Lemke{}),
                                     solved(problems::sparse(problem), lcp::Lemke{})}) {
      // Slopes are at least 0.2 and costs at most 100: 1e-10 of the costs is 1e-8/0.2 in the flows.
      EXPECT_LE(distance(t.links_of_path * z.head(paths), t.flows), 1e-7);
      EXPECT_LE(distance(z.tail(t.demand.size()), t.costs), 1e-7);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::published_test
