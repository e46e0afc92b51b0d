// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/direct_mcp.hpp>
#include <nonsmooth/numerics/friction/planar_lcp.hpp>
#include <problems/mixed.hpp>
#include <problems/piles.hpp>

namespace nonsmooth::direct_mcp_test {
namespace {

using friction::DirectMcp;
using problems::Block;

Block contact(double mu) { return {{.kind = SetKind::Coulomb3D, .mu = mu}, 3}; }

// W = I, q_N = -1: r_N = 1, r_T = -q_T cut to mu. No sweeps, so that Newton's method does the work.
TEST(DirectMcp, AnswersOneContact) {
  for (const double mu : {0.0, 0.3, 2.0})
    for (const double speed : {0.0, 0.1, 1.0, 7.0})
      for (int k = 0; k < 6; ++k) {
        const double angle = std::numbers::pi * (k + 0.1) / 3.0;
        const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
        Eigen::Vector3d q(-1.0, 0.0, 0.0);
        q.tail(2) = speed * direction;
        const auto problem = problems::mixed_from_dense(Eigen::Matrix3d::Identity(), q, {contact(mu)});
        const auto result = friction::solve(problem, DirectMcp{.tolerance = 1e-9, .sweeps = 0});
        ASSERT_EQ(result.status, Status::Solved) << mu << " " << speed << ": " << result.message();
        // W = I: r is right to the tolerance times |q| <= 7 (or 1 where that is larger), times 1 + mu <= 3.
        EXPECT_NEAR(result.r[0], 1.0, 1e-7);
        EXPECT_LE((result.r.tail(2) + std::min(speed, mu) * direction).norm(), 1e-7);
      }
}

TEST(DirectMcp, LeavesOpenContactsOpen) {
  const auto problem =
      problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.1, 3.0, 4.0), {contact(0.5)});
  const auto result = friction::solve(problem, DirectMcp{.start = Eigen::Vector3d(1.0, 0.1, 0.1)});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_LE(result.r.norm(), 1e-9);
}

// All sets of the method mixed, W with eigenvalues in [2, 6]: the planted answer is the only one for the mu <= 0.8
// here.
TEST(DirectMcp, FindsPlantedAnswers) {
  for (const auto measure : {friction::Measure::Certificate, friction::Measure::NaturalMap})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto planted = problems::planted_mixed(
          8, {SetKind::Coulomb3D, SetKind::Coulomb2D, SetKind::Orthant, SetKind::Free}, seed, 2.0);
      const auto result = friction::solve(planted.problem, DirectMcp{.measure = measure});
      ASSERT_EQ(result.status, Status::Solved) << seed << ": " << result.message();
      // The residual 1e-10 of |q| < 10 over the least eigenvalue, with the factor 1 + mu of the law.
      EXPECT_LE((result.r - planted.r).lpNorm<Eigen::Infinity>(), 1e-8) << seed;
      if (measure == friction::Measure::NaturalMap) {
        EXPECT_LE(result.figures.natural_map, 1e-10);
      }
    }
}

TEST(DirectMcp, AgreesWithPivotingInThePlane) {
  const auto problem = problems::disk_pile(5, 4, 0.3);
  const auto exact = friction::solve(problem, friction::PlanarLcp{});
  const auto result = friction::solve(problem, DirectMcp{});
  ASSERT_EQ(exact.status, Status::Solved);
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_LE((result.u - exact.u).lpNorm<Eigen::Infinity>(), 1e-7 * problem.q.lpNorm<Eigen::Infinity>());
}

TEST(DirectMcp, SolvesAFlowOfBalls) {
  const auto problem = problems::reduced_problem(problems::ball_pile(27, 1, problems::Rest::Flowing));
  const auto result = friction::solve(problem, DirectMcp{.tolerance = 1e-8});
  ASSERT_EQ(result.status, Status::Solved) << result.message();
  EXPECT_LE(result.certificate.residual, 1e-8);
  EXPECT_LE(result.figures.penetration, 1e-8 * result.certificate.scale);
}

TEST(DirectMcp, StopsAtItsLimits) {
  const auto problem = problems::reduced_problem(problems::ball_pile(27, 1, problems::Rest::Settled));
  auto result = friction::solve(problem, DirectMcp{.max_iterations = 1, .sweeps = 0});
  EXPECT_EQ(result.status, Status::IterationLimit);
  EXPECT_EQ(result.iterations, 1);
  result = friction::solve(problem, DirectMcp{.time_limit = 1e-9});
  EXPECT_EQ(result.status, Status::TimeLimit);
  EXPECT_TRUE(result.r.allFinite());
}

TEST(DirectMcp, EndsOnNumbersThatOverflow) {
  const auto problem = problems::mixed_from_dense(1e200 * Eigen::Matrix3d::Identity(),
                                                  Eigen::Vector3d(-1e200, 1e180, 0), {contact(0.5)});
  // W r overflows at the first start.
  const auto lost = friction::solve(problem, DirectMcp{.start = Eigen::Vector3d(1e200, 0.0, 0.0)});
  EXPECT_EQ(lost.status, Status::NumericalFailure) << lost.message();
  EXPECT_TRUE(lost.r.allFinite());
  EXPECT_FALSE(lost.certificate.residual <= 1e-10);
  EXPECT_LE(lost.iterations, 1);
  // At the second, a solution but for 1e-20, the squares of velocities would.
  const auto there = friction::solve(problem, DirectMcp{.start = Eigen::Vector3d(1.0, 0.0, 0.0)});
  EXPECT_TRUE(there.ok()) << there.message();
  EXPECT_NEAR(there.certificate.residual, 1e-20, 1e-25);
}

TEST(DirectMcp, RefusesBadInput) {
  const auto problem =
      problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 0.0, 0.0), {contact(0.5)});
  EXPECT_THROW((void)friction::solve(problem, DirectMcp{.tolerance = 0.0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, DirectMcp{.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, DirectMcp{.sweeps = -1}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, DirectMcp{.time_limit = -1.0}), InvalidArgument);
  EXPECT_THROW((void)friction::solve(problem, DirectMcp{.start = Eigen::VectorXd::Zero(2)}), InvalidArgument);
  const auto rolling = problems::mixed_from_dense(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1.0, 0.0, 0.0),
                                                  {{{.kind = SetKind::Rolling, .mu = 0.3, .rolling = 0.1}, 3}});
  EXPECT_THROW((void)friction::solve(rolling, DirectMcp{}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::direct_mcp_test
