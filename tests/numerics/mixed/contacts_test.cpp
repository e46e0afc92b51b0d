// SPDX-License-Identifier: Apache-2.0
// The automatic choice of the mixed family on islands of friction: it goes on where its own sweeps and pivots end.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include <problems/mixed.hpp>
#include <problems/piles.hpp>

namespace nonsmooth::contacts_test {
namespace {

using problems::Rest;

void expect_solved(const mixed::Problem& problem, const mixed::Result& result, double tolerance) {
  EXPECT_TRUE(result) << result.message();
  Eigen::VectorXd u(problem.W.rows());
  const Certificate own = mixed::certify(problem, result.r, u);
  EXPECT_LE(own.residual, tolerance);
  EXPECT_TRUE((u.array() == result.u.array()).all());
}

TEST(MixedContacts, SolveWallsByAlternatingDirections) {
  const auto wall = problems::reduced_problem(problems::brick_wall(5, 4, 1, false));
  const auto result = mixed::solve(wall, mixed::Automatic{});
  expect_solved(wall, result, 1e-10);
  EXPECT_LT(result.iterations, 200) << "a hundred steps and the sweeps before them";
}

TEST(MixedContacts, SolveSmallPilesThatSweepsLeave) {
  const auto pile = problems::reduced_problem(problems::ball_pile(30, 11, Rest::Settled));
  EXPECT_NE(mixed::solve(pile, mixed::GaussSeidel{.tolerance = 1e-10, .max_sweeps = 10'000}).status, Status::Solved);
  expect_solved(pile, mixed::solve(pile, mixed::Automatic{}), 1e-10);
}

TEST(MixedContacts, SolveLargePlanarPilesInFewerIterationsThanSweeps) {
  const auto pile = problems::disk_pile(12, 10, 0.3);  // 700 rows: beyond pivoting; 2970 sweeps alone
  const auto result = mixed::solve(pile, mixed::Automatic{});
  expect_solved(pile, result, 1e-10);
  const auto swept = mixed::solve(pile, mixed::GaussSeidel{.tolerance = 1e-10, .max_sweeps = 2 * result.iterations});
  EXPECT_NE(swept.status, Status::Solved);
}

TEST(MixedContacts, LeaveOtherSetsToTheOtherMethods) {
  // A box row coupled to a contact is none of friction's sets; it stands on the same floor.
  const auto planted = problems::planted_mixed(12, {SetKind::Coulomb3D, SetKind::Box}, 3);
  expect_solved(planted.problem, mixed::solve(planted.problem, mixed::Automatic{.tolerance = 1e-8}), 1e-8);
}

TEST(MixedContacts, MaxIterationsLimitsEachOfThem) {
  const auto pile = problems::reduced_problem(problems::ball_pile(30, 11, Rest::Settled));
  const auto result = mixed::solve(pile, mixed::Automatic{.tolerance = 1e-14, .max_iterations = 2});
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.status, Status::Infeasible);
  EXPECT_TRUE(std::isfinite(result.certificate.residual));
  EXPECT_LE(result.iterations, 60) << "a few tiers of two";
}

TEST(MixedContacts, TheTimeLimitIsTold) {
  const auto pile = problems::reduced_problem(problems::ball_pile(200, 2, Rest::Loaded));
  const auto result = mixed::solve(pile, mixed::Automatic{.tolerance = 1e-12, .time_limit = 1e-2});
  EXPECT_EQ(result.status, Status::TimeLimit) << result.message();
  EXPECT_TRUE(std::isfinite(result.certificate.residual));
}

TEST(MixedContacts, HistoryDoesNotChangeTheAnswersBits) {
  mixed::Workspace workspace;
  mixed::Result kept;
  for (const auto& problem : {problems::reduced_problem(problems::brick_wall(5, 4, 1, true)),
                              problems::reduced_problem(problems::ball_pile(30, 11, Rest::Settled)),
                              mixed::Problem(problems::disk_pile(12, 10, 0.8))}) {
    const auto once = mixed::solve(problem, mixed::Automatic{});
    kept.r.setZero(problem.W.rows());
    workspace.solve(problem, {}, false, kept);
    EXPECT_EQ(once.solver, kept.solver);
    EXPECT_EQ(once.iterations, kept.iterations);
    EXPECT_TRUE((once.r.array() == kept.r.array()).all());
  }
}

}  // namespace
}  // namespace nonsmooth::contacts_test
