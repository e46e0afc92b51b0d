// SPDX-License-Identifier: Apache-2.0
// Warm solves of frictional contact that the first sweeps settle call neither malloc nor its kin: in friction's
// workspace, in the mixed one, and in the steps of a pile.
#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>

#include <nonsmooth/kernel.hpp>
#include <nonsmooth/numerics/friction/automatic_workspace.hpp>
#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <problems/mixed.hpp>
#include <problems/pile_model.hpp>
#include <problems/pile_variants.hpp>

namespace nonsmooth {
namespace {

using problems::Rest;

/// Solves twice to size everything, then counts over calls with changed data.
template <class Result, class Solve>
long long allocations(friction::Problem problem, Solve solve) {
  Result result;
  solve(problem, result);
  solve(problem, result);
  const test::AllocationCount count;
  for (int k = 0; k < 10; ++k) {
    problem.q *= 0.99;
    problem.q[0] *= 0.99;
    solve(problem, result);
  }
  const long long found = count.now();
  EXPECT_TRUE(result) << result.message();
  return found;
}

std::vector<friction::Problem> problems_of_contact() {
  const std::vector<problems::Block> foreign = {{{.kind = SetKind::Coulomb3D, .mu = 0.3, .mu_2 = 0.1}, 3},
                                                {{.kind = SetKind::Rolling, .mu = 0.5, .rolling = 0.1}, 5},
                                                {{.kind = SetKind::Coulomb2D, .mu = 0.5, .cohesion = 0.2}, 2}};
  Eigen::MatrixXd W = Eigen::MatrixXd::Constant(10, 10, 0.05);
  W.diagonal().setOnes();
  Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(10, 0.5, -0.5);
  q[0] = q[3] = q[8] = -1.0;
  std::vector<friction::Problem> result;
  result.push_back(problems::reduced_problem(problems::ball_pile(20, 1, Rest::Settled)));
  result.push_back(problems::reduced_problem(problems::ball_pile(60, 1, Rest::Flowing)));
  result.push_back(problems::planted_mixed(120, {SetKind::Coulomb2D}, 2).problem);
  result.push_back(
      problems::planted_mixed(20, {SetKind::Free, SetKind::Orthant, SetKind::Coulomb2D, SetKind::Coulomb3D}, 1)
          .problem);
  result.push_back(problems::mixed_from_dense(W, q, foreign));
  return result;
}

TEST(FrictionWorkspaceAllocations, AutomaticWorkspace) {
  friction::AutomaticWorkspace workspace;
  for (const auto& problem : problems_of_contact()) {
    const auto solve = [&](const friction::Problem& given, friction::Result& result) {
      workspace.solve(given, {.tolerance = 1e-3}, result);
    };
    EXPECT_EQ(allocations<friction::Result>(problem, solve), 0) << problem.W.rows() << " rows";
  }
}

TEST(FrictionWorkspaceAllocations, MixedWorkspace) {
  mixed::Workspace workspace;
  for (const auto& problem : problems_of_contact()) {
    const auto solve = [&](const mixed::Problem& given, mixed::Result& result) {
      workspace.solve(given, {.tolerance = 1e-3}, false, result);
    };
    EXPECT_EQ(allocations<mixed::Result>(problem, solve), 0) << problem.W.rows() << " rows";
  }
}

/// Calls of malloc by a workspace that has solved the problem from 0 before, when it does so again; the answer is bit
/// for bit that of another workspace. `solvers` receives what solved it.
long long allocations_from_zero(const mixed::Problem& problem, std::set<std::string_view>& solvers) {
  const mixed::Automatic options{.tolerance = 1e-8};
  mixed::Workspace workspace;
  mixed::Result first, result;
  workspace.solve(problem, options, false, first);
  workspace.solve(problem, options, false, result);
  result.r.setZero();
  const test::AllocationCount count;
  workspace.solve(problem, options, false, result);
  const long long found = count.now();
  EXPECT_TRUE(result) << result.message();
  EXPECT_EQ(result.r, first.r);
  EXPECT_EQ(result.iterations, first.iterations);
  solvers.insert(result.solver);
  return found;
}

TEST(FrictionWorkspaceAllocations, RollingBallsBehindTheSweeps) {
  std::set<std::string_view> solvers;
  for (const Index balls : {3, 5, 8})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto problem =
          friction::to_reduced(problems::global_rolling_problem(problems::ball_pile(balls, seed, Rest::Settled), seed));
      EXPECT_EQ(allocations_from_zero(problem, solvers), 0) << problem.W.rows() << " rows, seed " << seed;
    }
  EXPECT_TRUE(solvers.contains("interior point"));
}

/// Balls at rest, 99 to 135 rows: more than ProximalNewton takes without looking for interfaces, of which it finds
/// none.
TEST(FrictionWorkspaceAllocations, BallsBehindTheSweeps) {
  std::set<std::string_view> solvers;
  Index most = 0;
  for (const Index balls : {15, 18, 20}) {
    const auto problem = problems::reduced_problem(problems::ball_pile(balls, 2, Rest::Settled));
    most = std::max(most, problem.W.rows());
    EXPECT_EQ(allocations_from_zero(problem, solvers), 0) << problem.W.rows() << " rows";
  }
  EXPECT_GT(most, 96);
  EXPECT_FALSE(solvers.contains("block gauss-seidel"));
}

/// Walls whose bricks touch in four corners: interfaces in 156 rows, and beyond the rows that ProximalNewton takes
/// first alternating directions, then an interior point.
TEST(FrictionWorkspaceAllocations, WallsBehindTheSweeps) {
  std::set<std::string_view> solvers;
  for (const Index size : {3, 4, 6})
    for (const bool pushed : {false, true}) {
      const auto problem = problems::reduced_problem(problems::brick_wall(size, size, 1, pushed));
      EXPECT_EQ(allocations_from_zero(problem, solvers), 0)
          << problem.W.rows() << " rows" << (pushed ? ", pushed" : "");
    }
  EXPECT_TRUE(solvers.contains("proximal newton"));
  EXPECT_TRUE(solvers.contains("admm"));
  EXPECT_TRUE(solvers.contains("interior point"));
}

/// Beyond 200 rows of no wall: sweeps along conjugate directions, then Newton steps with sweeps between them.
TEST(FrictionWorkspaceAllocations, PilesOfManyBallsBehindTheSweeps) {
  std::set<std::string_view> solvers;
  Index most = 0;
  for (const Rest rest : {Rest::Settled, Rest::Flowing}) {
    const auto problem = problems::reduced_problem(problems::ball_pile(40, 2, rest));
    most = std::max(most, problem.W.rows());
    EXPECT_EQ(allocations_from_zero(problem, solvers), 0) << problem.W.rows() << " rows";
  }
  EXPECT_GT(most, 200);
}

/// What friction's workspace allocates when it solves a problem from 0 that it has solved so before; `decisions`
/// receives how.
long long allocations_once_solved(const friction::Problem& problem, const friction::Automatic& options,
                                  std::vector<friction::Decision>& decisions) {
  friction::AutomaticWorkspace workspace;
  friction::Result first, result;
  const auto solve = [&](friction::Result& found) {
    found.r.setZero(problem.W.rows());
    workspace.solve(problem, options, found);
  };
  solve(first);
  solve(result);
  const test::AllocationCount count;
  solve(result);
  const long long found = count.now();
  EXPECT_TRUE(result) << result.message();
  EXPECT_EQ(result.r, first.r);
  decisions = result.decisions;
  return found;
}

/// Where ProximalNewton fails in the steps that it may have, a proof is looked for that there is no solution; then come
/// other tiers.
TEST(FrictionWorkspaceAllocations, BehindTiersThatFail) {
  for (const auto& problem : {problems::reduced_problem(problems::brick_wall(3, 3, 1, false)),
                              problems::reduced_problem(problems::ball_pile(20, 3, Rest::Flowing))}) {
    std::vector<friction::Decision> decisions;
    EXPECT_EQ(allocations_once_solved(problem, {.tolerance = 1e-13, .max_iterations = 5}, decisions), 0)
        << problem.W.rows() << " rows";
    EXPECT_TRUE(std::any_of(decisions.begin(), decisions.end(), [](const friction::Decision& decision) {
      return decision.tier == "proximal newton" && decision.reason == "max_steps reached";
    }));
  }
}

TEST(FrictionWorkspaceAllocations, ModesOfDisksInThePlane) {
  std::vector<friction::Decision> decisions;
  const auto problem = problems::disk_packing(5, 4, 1, false);
  EXPECT_EQ(allocations_once_solved(problem, {.tolerance = 1e-8}, decisions), 0) << problem.W.rows() << " rows";
  EXPECT_TRUE(std::any_of(decisions.begin(), decisions.end(),
                          [](const friction::Decision& decision) { return decision.tier == "planar modes"; }));
}

/// Contacts that nothing closes are left out before the tiers behind the first sweeps: the rest has memory of its own.
TEST(FrictionWorkspaceAllocations, ContactsThatNothingCloses) {
  const auto problem =
      problems::with_open_contacts(problems::reduced_problem(problems::ball_pile(20, 3, Rest::Settled)));
  std::vector<friction::Decision> decisions;
  EXPECT_EQ(allocations_once_solved(problem, {.tolerance = 1e-8}, decisions), 0);
  EXPECT_TRUE(std::any_of(decisions.begin(), decisions.end(), [](const friction::Decision& decision) {
    return decision.reason == "contacts that nothing closes: left open";
  }));
}

TEST(FrictionWorkspaceAllocations, StepsOfAPile) {
  Index sweeps = 0;
  for (const auto& pile : {problems::ball_pile(60, 1, Rest::Settled), problems::ball_pile(20, 1, Rest::Flowing)}) {
    TimeStepping simulation(problems::pile_model(pile),
                            {.step = problems::pile_step, .solver = mixed::Automatic{.tolerance = 1e-3}});
    const StepReport first = simulation.step();
    ASSERT_TRUE(first) << first.message();
    EXPECT_GT(first.rows, 100);
    for (int k = 1; k < 20; ++k) {
      const test::AllocationCount count;
      const StepReport report = simulation.step();
      EXPECT_EQ(count.now(), 0) << "step " << k;
      ASSERT_TRUE(report) << report.message();
      sweeps += report.solver_iterations;
    }
  }
  EXPECT_GT(sweeps, 0) << "every start was a solution already";
}

}  // namespace
}  // namespace nonsmooth
