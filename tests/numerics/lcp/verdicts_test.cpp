// SPDX-License-Identifier: Apache-2.0
// Verdicts that a tolerance must not buy: solutions that rounding hides, and proofs that prove only "no small
// solution".
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>

#include <nonsmooth/numerics/lcp.hpp>

namespace nonsmooth::verdicts_test {
namespace {

// Positive definite with an eigenvalue of 2^-34: solvable, by z of about 1e10, and exact in binary.
lcp::Problem nearly_singular() {
  lcp::Problem problem{Eigen::MatrixXd{{1, -2}, {-2, 4}}, Eigen::VectorXd{{-1, 1}}};
  problem.M.diagonal().array() += 0x1p-34;
  return problem;
}

TEST(Verdicts, PositiveDefiniteIsNeverInfeasible) {
  const lcp::Problem problem = nearly_singular();
  const lcp::SparseProblem sparse{problem.M.sparseView(), problem.q};
  for (const lcp::Entry& entry : lcp::registry()) {
    SCOPED_TRACE(entry.name);
    if (entry.solver.dense()) {
      EXPECT_NE(entry.solver.solve(problem).status, Status::Infeasible);
    }
    if (entry.solver.sparse()) {
      EXPECT_NE(entry.solver.solve(sparse).status, Status::Infeasible);
    }
  }
  // y = (2, 1) is in the kernel of M but for the eigenvalue: M^T y = 2^-34 y is not <= 0.
  EXPECT_FALSE(lcp::proves_infeasible(problem, Eigen::VectorXd{{2, 1}}));
}

TEST(Verdicts, ARayWithTheRoundingOfItsFactorsIsRefinedToAProof) {
  // M = a a^T with entries that are not exact in binary; y in its kernel, q·y < 0: every pivoting method ends in a ray.
  const Eigen::VectorXd a{{0.1, 0.7, -0.3, -0.9}};
  const lcp::Problem problem{a * a.transpose(), Eigen::VectorXd{{-1.0, 0.3, -1.0, -0.2}}};
  for (const char* name : {"automatic", "lemke", "interior point"}) {
    SCOPED_TRACE(name);
    const lcp::Result result = lcp::find(name).solver.solve(problem);
    ASSERT_EQ(result.status, Status::Infeasible) << result.message();
    EXPECT_TRUE(lcp::proves_infeasible(problem, result.proof));
  }
}

// The floor of the certificate grows with z: at 1e26 it would hide an error of the size of q. Both entries of M z
// cancel exactly, and q is lost beside them even in extended precision.
TEST(Verdicts, AHugeIterateDoesNotVouchForItself) {
  const lcp::Problem problem{Eigen::MatrixXd{{1, -1}, {-1, 1}}, Eigen::VectorXd{{-1, -0.5}}};
  const lcp::Solver huge("huge", [](const lcp::Problem&, const Limits&) {
    lcp::Result result;
    result.z = Eigen::VectorXd::Constant(2, 1e26);
    result.w = Eigen::VectorXd::Zero(2);
    result.status = Status::Solved;
    return result;
  });
  EXPECT_EQ(huge.solve(problem).status, Status::Stalled);
}

TEST(Verdicts, DivergenceIsNoSolution) {
  // The solution is (0, 1); the interior point's z diverges along (1, 0).
  const lcp::Problem problem{Eigen::MatrixXd{{0, 1}, {1, 2}}, Eigen::VectorXd{{1, -2}}};
  const lcp::SparseProblem sparse{problem.M.sparseView(), problem.q};
  for (const lcp::Entry& entry : lcp::registry()) {
    if (!entry.solver.sparse()) continue;
    SCOPED_TRACE(entry.name);
    const lcp::Result result = entry.solver.solve(sparse);
    if (result.status != Status::Solved) continue;
    // min(z, w) <= 1e-10 |q| with s = (1, 2): both entries within 2e-10 of the only solution.
    EXPECT_NEAR(result.z[0], 0.0, 4e-10);
    EXPECT_NEAR(result.z[1], 1.0, 4e-10);
  }
}

// y >= 0, M^T y <= 0, q·y < 0: no point is feasible. Row 0 of M is -(0, 2, 1), q_0 < 0.
TEST(Verdicts, AProofInOneRowIsFound) {
  const lcp::Problem problem{Eigen::MatrixXd{{0, -2, -1}, {1, 0, 0}, {-1, 0, 0}}, Eigen::VectorXd{{-0.5, -1, 1}}};
  const lcp::SparseProblem sparse{problem.M.sparseView(), problem.q};
  for (const std::string_view name : {"automatic", "enumeration"}) {
    const lcp::Result result = lcp::find(name).solver.solve(problem);
    EXPECT_EQ(result.status, Status::Infeasible) << name << ": " << result.message();
    EXPECT_TRUE(lcp::proves_infeasible(problem, result.proof));
  }
  EXPECT_EQ(lcp::solve(sparse).status, Status::Infeasible) << lcp::solve(sparse).message();
}

// w_1 = z_2 - 1, w_2 = 1, again and again: z_2 >= 1 is feasible, and then w_2 z_2 > 0. Too many rows to try all bases.
TEST(Verdicts, AFeasibleProblemWithoutSolutionIsToldSo) {
  constexpr Index pairs = 16;
  lcp::Problem problem{Eigen::MatrixXd::Zero(2 * pairs, 2 * pairs), Eigen::VectorXd(2 * pairs)};
  for (Index k = 0; k < pairs; ++k) {
    problem.M(2 * k, 2 * k + 1) = 1.0;
    problem.q.segment(2 * k, 2) << -1.0, 1.0;
  }
  for (const lcp::Result& result :
       {lcp::solve(problem), lcp::solve(lcp::SparseProblem{problem.M.sparseView(), problem.q})}) {
    EXPECT_EQ(result.status, Status::Stalled) << result.message();
    EXPECT_NE(result.message().find("some z >= 0 has M z + q >= 0"), std::string::npos) << result.message();
  }
}

/// M and q with y·(M z + q) <= -|y|^2 for every z >= 0; y is a unit vector or any.
lcp::Problem planted_infeasible(Index n, bool one_row, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd y(n);
  for (double& entry : y) entry = one_row ? 0.0 : std::max(0.0, normal(random));
  y[static_cast<Index>(random() % static_cast<std::uint64_t>(n))] = 1.0;
  lcp::Problem problem{Eigen::MatrixXd(n, n), Eigen::VectorXd(n)};
  for (double& entry : problem.M.reshaped()) entry = normal(random);
  for (double& entry : problem.q) entry = normal(random);
  const double square = y.squaredNorm();
  // Columns keep a margin of 0.01 to 1 below zero, far from rounding.
  for (Index j = 0; j < n; ++j) {
    const double margin = std::pow(10.0, -2.0 * static_cast<double>(random() % 1000) / 1000.0);
    problem.M.col(j) -= std::max(0.0, problem.M.col(j).dot(y) + margin) / square * y;
  }
  problem.q -= (problem.q.dot(y) / square + 1.0) * y;
  return problem;
}

TEST(Verdicts, EveryPlantedProofIsFound) {
  std::mt19937_64 random(16);
  for (int instance = 0; instance < 600; ++instance) {
    const Index n = 2 + instance % 19;
    const lcp::Problem problem = planted_infeasible(n, instance % 2 == 0, random);
    const lcp::Result dense = lcp::solve(problem);
    EXPECT_EQ(dense.status, Status::Infeasible) << instance << ": " << dense.message();
    EXPECT_TRUE(lcp::proves_infeasible(problem, dense.proof)) << instance;
    if (instance % 5 != 0) continue;
    const lcp::SparseProblem sparse{problem.M.sparseView(), problem.q};
    EXPECT_EQ(lcp::solve(sparse).status, Status::Infeasible) << instance << ": " << lcp::solve(sparse).message();
  }
}

// A tolerance that no double reaches: every door says Solved, and that it is at round-off.
TEST(Verdicts, EveryDoorTellsRoundOff) {
  // z = (1, 1) / 3 + ...: no double solves 3 z_0 + z_1 = 1, z_0 + 3 z_1 = 1.3 exactly.
  const lcp::Problem problem{Eigen::MatrixXd{{3, 1}, {1, 3}}, Eigen::VectorXd{{-1, -1.3}}};
  const lcp::SparseProblem sparse{problem.M.sparseView(), problem.q};
  const Limits limits{.tolerance = 1e-300};
  lcp::Result kept;
  lcp::Workspace workspace;
  workspace.solve({problem.M, problem.q}, limits.tolerance, false, kept);
  int told = 0;
  for (const lcp::Result& result :
       {kept, lcp::solve(problem, lcp::Automatic{.tolerance = 1e-300}),
        lcp::find("lemke").solver.solve(problem, limits), lcp::solve(sparse, lcp::Automatic{.tolerance = 1e-300}),
        lcp::find("lemke").solver.solve(sparse, limits)}) {
    ASSERT_TRUE(result.ok()) << result.message();
    if (result.certificate.residual == 0.0) continue;  // rounding was kind
    EXPECT_TRUE(result.at_round_off) << result.message();
    EXPECT_NE(result.message().find("at round-off"), std::string::npos) << result.message();
    EXPECT_LE(result.certificate.row_residual, 64.0 * std::numeric_limits<double>::epsilon());
    ++told;
  }
  EXPECT_GT(told, 0);
  // Called by itself, an algorithm leaves it to its caller.
  EXPECT_EQ(lcp::solve(nearly_singular(), lcp::Lemke{.tolerance = 1e-300}).status, Status::Stalled);
}

}  // namespace
}  // namespace nonsmooth::verdicts_test
