// SPDX-License-Identifier: Apache-2.0
// The workspace of the automatic choice: the answers of solve(), whatever was solved before.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <nonsmooth/numerics/friction/automatic_workspace.hpp>

#include <problems/mixed.hpp>
#include <problems/piles.hpp>

namespace nonsmooth::automatic_workspace_test {
namespace {

using problems::Rest;

/// Friction strong enough that a contact pressed on the wall has no answer: Painlevé's rod, u_N falls as r_N grows.
friction::Problem without_solution() {
  Eigen::Matrix2d W;
  W << -1.0, 0.0, 0.0, 1.0;
  return problems::mixed_from_dense(W, Eigen::Vector2d(-1.0, 0.0), {{{.kind = SetKind::Coulomb2D, .mu = 0.5}, 2}});
}

/// Sizes that go up and down; sweeps, planar modes, Newton, alternating directions; islands; foreign units; no answer.
std::vector<friction::Problem> sequence() {
  std::vector<friction::Problem> result;
  result.push_back(problems::reduced_problem(problems::ball_pile(30, 1, Rest::Flowing)));
  result.push_back(without_solution());
  result.push_back(problems::reduced_problem(problems::brick_wall(5, 4, 1, false)));
  result.push_back(problems::disk_pile(4, 3, 0.4));
  result.push_back(problems::contacts_in_foreign_units());
  result.push_back(problems::reduced_problem(problems::ball_pile(30, 11, Rest::Settled)));
  result.push_back(problems::reduced_problem(problems::brick_wall(2, 2, 1, true)));
  result.push_back(problems::planted_mixed(20, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb3D}, 1).problem);
  return result;
}

void expect_same(const friction::Result& a, const friction::Result& b) {
  EXPECT_EQ(a.status, b.status) << b.message();
  EXPECT_EQ(a.solver, b.solver);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.iterations, b.iterations);
  ASSERT_EQ(a.r.size(), b.r.size());
  EXPECT_TRUE((a.r.array() == b.r.array()).all());
  EXPECT_TRUE((a.u.array() == b.u.array()).all());
  EXPECT_EQ(a.certificate.residual, b.certificate.residual);
  EXPECT_EQ(a.figures.penetration, b.figures.penetration);
  ASSERT_EQ(a.proof.size(), b.proof.size());
  EXPECT_TRUE((a.proof.array() == b.proof.array()).all());
  EXPECT_EQ(a.hyperstaticity.has_value(), b.hyperstaticity.has_value());
  ASSERT_EQ(a.decisions.size(), b.decisions.size());
  for (std::size_t k = 0; k < a.decisions.size(); ++k) {
    EXPECT_EQ(a.decisions[k].tier, b.decisions[k].tier);
    EXPECT_EQ(a.decisions[k].iterations, b.decisions[k].iterations);
    EXPECT_EQ(a.decisions[k].residual, b.decisions[k].residual);
  }
}

TEST(FrictionAutomaticWorkspace, FindsWhatSolveFindsWhateverCameBefore) {
  friction::AutomaticWorkspace workspace;
  friction::Result kept;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const auto& problem : sequence()) {
    SCOPED_TRACE(std::to_string(problem.W.rows()) + " rows");
    Eigen::VectorXd start(problem.W.rows());
    for (double& entry : start) entry = normal(random);
    const auto once = solve(problem, friction::Automatic{.start = start});
    kept.r = start;
    workspace.solve(problem, {}, kept);
    expect_same(once, kept);
    EXPECT_NE(kept.status, Status::NotRun);
  }
}

TEST(FrictionAutomaticWorkspace, TellsWhatHasNoSolutionAndForgetsItAfterwards) {
  friction::AutomaticWorkspace workspace;
  friction::Result result;
  const auto hopeless = without_solution();
  workspace.solve(hopeless, {}, result);
  EXPECT_EQ(result.status, Status::Infeasible) << result.message();
  EXPECT_TRUE(mixed::proves_infeasible(hopeless, result.proof));
  const auto wall = problems::reduced_problem(problems::brick_wall(2, 2, 1, false));
  workspace.solve(wall, {.hyperstaticity = true}, result);
  EXPECT_TRUE(result) << result.message();
  EXPECT_EQ(result.proof.size(), 0);
  EXPECT_TRUE(result.hyperstaticity.has_value());
  // A warm start that is a solution is kept, and nothing of the last call is told again.
  const Eigen::VectorXd before = result.r;
  workspace.solve(wall, {}, result);
  EXPECT_TRUE(result) << result.message();
  EXPECT_EQ(result.iterations, 0);
  EXPECT_TRUE(result.decisions.empty());
  EXPECT_FALSE(result.hyperstaticity.has_value());
  EXPECT_LE((result.r - before).norm(), 1e-14 * before.norm()) << "projected on K, which rounds";
}

TEST(FrictionAutomaticWorkspace, WorksAfterAMove) {
  friction::AutomaticWorkspace first;
  friction::Result result;
  const auto problem = problems::disk_pile(4, 3, 0.4);
  first.solve(problem, {}, result);
  friction::AutomaticWorkspace second = std::move(first);
  result.r.setZero(0);
  first.solve(problem, {}, result);  // NOLINT: one that was moved from starts anew
  EXPECT_TRUE(result) << result.message();
  second.solve(problem, {}, result);
  EXPECT_TRUE(result) << result.message();
}

}  // namespace
}  // namespace nonsmooth::automatic_workspace_test
