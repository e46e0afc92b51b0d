// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>

#include "../../problems/lcp.hpp"

namespace nonsmooth::lcp_test {
namespace {

// ---- certificate

TEST(LcpCertificate, IsTheFormulaOfTheDocumentation) {
  // Row 0: s = 2, z = 1, w = 2 - 1 = 1 -> min(2, 1) = 1. Row 1: s = largest entry 3 (M_11 = 0), w = 3 + 5 -> min(0, 8).
  const lcp::Problem problem{Eigen::MatrixXd{{2, 0}, {3, 0}}, Eigen::VectorXd{{-1, 5}}};
  Eigen::VectorXd w(2);
  const Certificate c = lcp::certify(problem, Eigen::VectorXd{{1, 0}}, w);
  EXPECT_EQ(w, (Eigen::VectorXd{{1, 8}}));
  EXPECT_EQ(c.error, 1.0);
  EXPECT_EQ(c.scale, 5.0);
  EXPECT_EQ(c.residual, 0.2);
  EXPECT_EQ(c.worst_row, 0);
  EXPECT_EQ(c.round_off, 64.0 * 0x1p-52 * 8.0);
  const Certificate sparse = lcp::certify(problems::sparse(problem), Eigen::VectorXd{{1, 0}}, w);
  EXPECT_EQ(sparse.residual, c.residual);
  EXPECT_EQ(sparse.round_off, c.round_off);
  EXPECT_EQ(lcp::certify(problem, Eigen::VectorXd{{1, 0}}, w, 10.0).residual, 0.1);
}

TEST(LcpCertificate, LetsNoNanThrough) {
  const lcp::Problem problem = problems::interior().problem;
  Eigen::VectorXd w(2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lcp::certify(problem, Eigen::VectorXd{{nan, 1}}, w).residual <= 1e300);
  EXPECT_FALSE(lcp::certify(problem, Eigen::VectorXd{{1, nan}}, w).residual <= 1e300);
}

TEST(LcpCertificate, ANegativeZIsAnError) {
  const lcp::Problem problem{Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Ones(1)};
  Eigen::VectorXd w(1);
  EXPECT_EQ(lcp::certify(problem, Eigen::VectorXd{{-1}}, w).error, 1.0);
}

TEST(LcpProof, ASmallEntryIsNoZero) {
  // z = (0, 1e12) solves it; y = e_2 has M^T y = (0, 1e-12), positive.
  const lcp::Problem problem{Eigen::MatrixXd{{1, 0}, {0, 1e-12}}, Eigen::VectorXd{{0, -1}}};
  EXPECT_FALSE(lcp::proves_infeasible(problem, Eigen::VectorXd{{0, 1}}));
  EXPECT_TRUE(lcp::solve(problem).ok());
}

// ---- Lemke

// With q = -1, d = 1 and no scaling, Fathi's problem and Murty's transposed visit every complementary basis: exactly
// 2^n pivots [fathi1979, murty1978]; Murty's upper triangular form takes two. A change of the pivot rule shows here.
TEST(Lemke, PivotCountsOfTheWorstCases) {
  lcp::Lemke textbook;
  textbook.equilibrate = false;
  textbook.max_pivots = 100'000;
  for (Index n = 2; n <= 12; ++n) {
    const problems::Lcp murty = problems::murty(n);
    const lcp::Result easy = lcp::solve(murty.problem, textbook);
    ASSERT_TRUE(easy.ok()) << easy.message();
    EXPECT_EQ(easy.iterations, 2);
    EXPECT_EQ(easy.z, murty.z);  // one division of -1 by 1
    const lcp::Result lower = lcp::solve({murty.problem.M.transpose(), murty.problem.q}, textbook);
    ASSERT_TRUE(lower.ok()) << lower.message();
    EXPECT_EQ(lower.iterations, Index{1} << n);
    const problems::Lcp fathi = problems::fathi(n);
    const lcp::Result hard = lcp::solve(fathi.problem, textbook);
    ASSERT_TRUE(hard.ok()) << hard.message();
    EXPECT_EQ(hard.iterations, Index{1} << n);
    EXPECT_LE((hard.z - fathi.z).cwiseAbs().maxCoeff(), 1e-12);  // the final basis has one row: M_11 = 1
  }
}

TEST(Lemke, ProvesInfeasibilityOfSemidefiniteProblems) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 20);
    const lcp::Problem problem = problems::random_infeasible(n, seed).problem;
    for (const lcp::Result& result :
         {lcp::solve(problem, lcp::Lemke{}), lcp::solve(problems::sparse(problem), lcp::Lemke{})}) {
      EXPECT_EQ(result.status, Status::Infeasible) << "n = " << n << ", seed " << seed << ": " << result.message();
      EXPECT_TRUE(lcp::proves_infeasible(problem, result.proof));
    }
  }
}

TEST(Lemke, SolvesRankDeficientProblems) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 20);
    const lcp::Problem problem = problems::random_psd(n, seed).problem;
    EXPECT_TRUE(lcp::solve(problem, lcp::Lemke{}).ok()) << "seed " << seed;
    EXPECT_TRUE(lcp::solve(problems::sparse(problem), lcp::Lemke{}).ok()) << "seed " << seed;
  }
}

TEST(Lemke, SparseGoesThePathOfTheTextbookAlongACoveringVector) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Index n = 2 + static_cast<Index>(seed);
    const lcp::Problem problem = problems::random_p(n, seed).problem;
    const Eigen::VectorXd d = Eigen::VectorXd::LinSpaced(n, 0.5, 2.0);
    const lcp::Lemke textbook{.equilibrate = false, .covering = d};
    const lcp::Result dense = lcp::solve(problem, textbook), sparse = lcp::solve(problems::sparse(problem), textbook);
    ASSERT_TRUE(dense.ok() && sparse.ok()) << "seed " << seed;
    EXPECT_EQ(sparse.iterations, dense.iterations) << "seed " << seed;  // one path, as nothing is degenerate
  }
}

TEST(Lemke, SparseStartsWhereNewtonsStepsLead) {
  const lcp::SparseProblem problem = problems::obstacle_2d(20);
  lcp::Lemke from_infinity;
  from_infinity.covering = Eigen::VectorXd::Ones(problem.q.size());
  const lcp::Result near = lcp::solve(problem, lcp::Lemke{}), far = lcp::solve(problem, from_infinity);
  ASSERT_TRUE(near.ok() && far.ok());
  // Both are exact to rounding, of M's condition of some (2 * 21 / pi)^2.
  EXPECT_LE((near.z - far.z).cwiseAbs().maxCoeff(), 1e-11 * far.z.cwiseAbs().maxCoeff());
  EXPECT_LT(10 * near.iterations, far.iterations);
}

TEST(Lemke, SkewProblemsOfLinearPrograms) {
  // min x1 + x2, x1 + 2 x2 >= 4, 3 x1 + x2 >= 6: x = (8/5, 6/5), dual (2/5, 1/5). M = (0 -A^T; A 0) is monotone.
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(4, 4);
  const Eigen::MatrixXd A{{1, 2}, {3, 1}};
  M.topRightCorner(2, 2) = -A.transpose();
  M.bottomLeftCorner(2, 2) = A;
  const lcp::Problem problem{M, Eigen::VectorXd{{1, 1, -4, -6}}};
  for (const lcp::Result& result :
       {lcp::solve(problem), lcp::solve(problem, lcp::Lemke{}), lcp::solve(problems::sparse(problem))}) {
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_LE((result.z - Eigen::VectorXd{{1.6, 1.2, 0.4, 0.2}}).cwiseAbs().maxCoeff(), 1e-14);  // a few roundings of 2
  }
}

TEST(Lemke, RefusesBadOptions) {
  const lcp::Problem problem = problems::interior().problem;
  const auto refused = [&](auto change, std::string_view argument) {
    lcp::Lemke lemke;
    change(lemke);
    try {
      static_cast<void>(lcp::solve(problem, lemke));
      ADD_FAILURE() << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument);
    }
  };
  refused([](lcp::Lemke& o) { o.tolerance = 0.0; }, "lcp::Lemke::tolerance");
  refused([](lcp::Lemke& o) { o.max_pivots = -1; }, "lcp::Lemke::max_pivots");
  refused([](lcp::Lemke& o) { o.refactor_every = 0; }, "lcp::Lemke::refactor_every");
  refused([](lcp::Lemke& o) { o.covering = Eigen::VectorXd{{1, 0}}; }, "lcp::Lemke::covering");
  refused([](lcp::Lemke& o) { o.covering = Eigen::VectorXd::Ones(3); }, "lcp::Lemke::covering");
}

// ---- sparse

TEST(SparseLcp, Obstacle1d) {
  const lcp::SparseProblem problem = problems::obstacle_1d(10'000);
  // |M||z| / |q| is about 1e6 here (q ~ h^2): eps times that leaves 1e-9 of residual in w; ten times it is asked for.
  constexpr double tolerance = 1e-8;
  lcp::PrimalDualActiveSet active_set;
  active_set.tolerance = tolerance;
  const lcp::Result result = lcp::solve(problem, active_set);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(result.iterations, 1000);  // 626 found; the set moves a bounded distance a step, so 1/h at worst
  lcp::BlockPrincipalPivoting pivoting;
  pivoting.tolerance = tolerance;
  const lcp::Result other = lcp::solve(problem, pivoting);
  ASSERT_TRUE(other.ok()) << other.message();
  EXPECT_LE((result.z - other.z).cwiseAbs().maxCoeff(), 1e-6 * result.z.maxCoeff());
}

TEST(SparseLcp, Obstacle2dByEverySolver) {
  const lcp::SparseProblem problem = problems::obstacle_2d(64);
  // As above: |M||z| / |q| is about 1e3 here, so that 1e-10 is within reach.
  const lcp::Result automatic = lcp::solve(problem);
  ASSERT_TRUE(automatic.ok()) << automatic.message();
  for (const std::string_view name : {"block principal pivoting", "primal-dual active set", "fischer-burmeister"}) {
    const lcp::Result result = lcp::find(name).solver.solve(problem);
    ASSERT_TRUE(result.ok()) << result.message();
    // Condition number about 1.7e3 (m = 64) times the residual's 1e-10, and |q| against |z|.
    EXPECT_LE((result.z - automatic.z).cwiseAbs().maxCoeff(), 1e-6 * automatic.z.maxCoeff()) << name;
  }
}

TEST(SparseLcp, LemkeOnAnObstacle) {
  const lcp::SparseProblem problem = problems::obstacle_1d(300);
  const lcp::Result result = lcp::solve(problem, lcp::Lemke{});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_LE(result.iterations, 900);
}

// ---- enumeration, registry, user's solver

TEST(Enumeration, FindsAllSolutions) {
  // M = -I, q = 1: each z_i is 0 or 1, so 2^n solutions.
  const lcp::Problem problem{-Eigen::MatrixXd::Identity(3, 3), Eigen::VectorXd::Ones(3)};
  EXPECT_EQ(lcp::all_solutions(problem).size(), 8U);
  EXPECT_THROW(static_cast<void>(lcp::all_solutions({Eigen::MatrixXd::Identity(21, 21), Eigen::VectorXd::Ones(21)})),
               InvalidArgument);
}

TEST(Enumeration, FeasibleWithoutSolution) {
  const lcp::Problem problem{Eigen::MatrixXd{{0, 1}, {0, 1}}, Eigen::VectorXd{{-1, 0}}};
  // z2 >= 1, so w2 = z2 >= 1 > 0 and z2 > 0: feasible, never complementary.
  const lcp::Result result = lcp::solve(problem, lcp::Enumeration{});
  EXPECT_EQ(result.status, Status::Stalled);
  EXPECT_EQ(result.reason, "no complementary basis solves it (enumerated)");
  EXPECT_TRUE(lcp::all_solutions(problem).empty());
}

TEST(Registry, UnknownNameListsTheKnown) {
  try {
    static_cast<void>(lcp::find("lemk"));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("lemke"), std::string::npos);
  }
}

TEST(Registry, AUsersSolverIsNotTrusted) {
  const lcp::Solver liar("liar", [](const lcp::Problem& problem, const Limits&) {
    lcp::Result result;
    result.z.setZero(problem.q.size());
    result.status = Status::Solved;
    return result;
  });
  EXPECT_EQ(liar.solve(problems::interior().problem).status, Status::Stalled);
  EXPECT_THROW(static_cast<void>(liar.solve(problems::sparse(problems::interior().problem))), InvalidArgument);
  EXPECT_THROW(lcp::Solver("", {}), InvalidArgument);
}

// ---- workspace

TEST(Workspace, SameBitsWithAndWithoutHistory) {
  for (const Index n : {1, 2, 4, 8, 12, 40}) {
    lcp::Problem problem = problems::random_p(n, static_cast<std::uint64_t>(n)).problem;
    std::mt19937_64 random(7);
    lcp::Workspace warm;
    lcp::Result a;
    for (int step = 0; step < 60; ++step) {
      const bool same = step > 0 && step % 5 != 0;
      if (!same) problem.M += 0.01 * Eigen::MatrixXd::Identity(n, n);
      problem.q += 0.2 * problems::normal_matrix(random, n, 1);
      warm.solve({problem.M, problem.q}, 1e-10, same, a);
      lcp::Workspace fresh;
      lcp::Result b;
      fresh.solve({problem.M, problem.q}, 1e-10, false, b);
      ASSERT_TRUE(a.ok()) << a.message();
      ASSERT_TRUE(b.ok()) << b.message();
      EXPECT_EQ(a.z, b.z) << "n = " << n << ", step " << step << ", " << a.solver << " / " << b.solver;
      EXPECT_LE(problems::independent_residual(problem.M, problem.q, a.z), 1e-10);
    }
  }
}

TEST(Workspace, ChangesOfSizeAndVerdict) {
  lcp::Workspace workspace;
  lcp::Result result;
  for (const Index n : {4, 1, 9, 4, 300, 2}) {
    const problems::Lcp lcp = problems::random_spd(n, 11);
    workspace.solve({lcp.problem.M, lcp.problem.q}, 1e-10, false, result);
    ASSERT_TRUE(result.ok()) << result.message();
    const problems::Lcp none = problems::random_infeasible(n, 11);
    workspace.solve({none.problem.M, none.problem.q}, 1e-10, false, result);
    EXPECT_FALSE(result.ok());
    workspace.solve({lcp.problem.M, lcp.problem.q}, 1e-10, false, result);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.proof.size(), 0);
  }
}

// Rows of 1 and of 1e-12: half of the small one is nothing beside the large one, and a third of its own terms.
TEST(LcpCertificate, TellsOfARowThatIsWrongRelativeToItsOwnTerms) {
  lcp::Problem problem;
  problem.M = Eigen::Vector2d(1.0, 0x1p-40).asDiagonal();
  problem.q = Eigen::Vector2d(-1.0, -0x1p-40);
  Eigen::VectorXd w(2);
  const Certificate certificate = lcp::certify(problem, Eigen::Vector2d(1.0, 0.5), w);
  EXPECT_EQ(certificate.residual, 0x1p-41);
  EXPECT_NEAR(certificate.row_residual, 1.0 / 3.0, 1e-15);
  EXPECT_EQ(certificate.worst_relative_row, 1);
  EXPECT_EQ(lcp::certify(problem, Eigen::Vector2d(1.0, 1.0), w).row_residual, 0.0);
  lcp::Result result;
  result.status = Status::Solved;
  result.certificate = certificate;
  EXPECT_NE(result.message().find("row 1 off by 0.333 of its own terms"), std::string::npos) << result.message();
}

}  // namespace
}  // namespace nonsmooth::lcp_test
