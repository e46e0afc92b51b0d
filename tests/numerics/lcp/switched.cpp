// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/switched.hpp>

namespace nonsmooth::switched_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using lcp::SwitchedProblem;
using lcp::SwitchedResult;

SwitchedProblem one(double A, double b, double V, double c) {
  return {.A = MatrixXd::Constant(1, 1, A),
          .b = VectorXd::Constant(1, b),
          .V = MatrixXd::Constant(1, 1, V),
          .c = VectorXd::Constant(1, c)};
}

TEST(SwitchedLcp, OneRowHasOneTwoOrNoSolution) {
  // v = lambda - 1: lambda is 0 where y > 0, else 1. y = a lambda + b.
  SwitchedResult found = lcp::solve(one(0.0, -1.0, 1.0, -1.0));  // closed whatever lambda
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_NEAR(found.solutions[0][0], 1.0, 1e-15);
  EXPECT_TRUE(found.ok() && found.complete);
  found = lcp::solve(one(0.0, 1.0, 1.0, -1.0));  // open whatever lambda
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_EQ(found.solutions[0][0], 0.0);
  found = lcp::solve(one(-2.0, 1.0, 1.0, -1.0));  // y(0) = 1, open; y(1) = -1, closed: both
  EXPECT_EQ(found.solutions.size(), 2u);
  const SwitchedProblem none =
      one(2.0, -1.0, 1.0, -1.0);  // y(0) = -1, closed with v < 0; y(1) = 1, open with lambda > 0
  found = lcp::solve(none);
  EXPECT_EQ(found.status, Status::Infeasible);
  EXPECT_TRUE(found.solutions.empty());
  EXPECT_TRUE(lcp::proves_none(none, found.proof));
  EXPECT_FALSE(lcp::proves_none(one(-2.0, 1.0, 1.0, -1.0), found.proof));
  EXPECT_FALSE(lcp::proves_none(none, VectorXd::Zero(1)));
}

TEST(SwitchedLcp, WithoutTheSwitchItIsTheLcp) {
  // A = 0, b < 0: all rows are on, and V = (2 1; 1 2), c = (-1, 1) has lambda = (1/2, 0) alone.
  const SwitchedProblem problem{.A = MatrixXd::Zero(2, 2),
                                .b = Eigen::Vector2d(-1.0, -1.0),
                                .V = Eigen::Matrix2d{{2.0, 1.0}, {1.0, 2.0}},
                                .c = Eigen::Vector2d(-1.0, 1.0)};
  const SwitchedResult found = lcp::solve(problem);
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_LE((found.solutions[0] - Eigen::Vector2d(0.5, 0.0)).norm(), 1e-15);
}

TEST(SwitchedLcp, EverySolutionHoldsAndRowsThatDoNotMeetMultiply) {
  // Eight rows by themselves, each with two solutions, 0 and 1: 2^8 in all.
  SwitchedProblem problem{.A = -2.0 * MatrixXd::Identity(8, 8),
                          .b = VectorXd::Ones(8),
                          .V = MatrixXd::Identity(8, 8),
                          .c = -VectorXd::Ones(8)};
  EXPECT_EQ(lcp::solve(problem).solutions.size(), 256u);
  problem.V(0, 0) = 0.0;  // v_0 = -1 whatever lambda: with y_0 <= 0 there is none, and its sets are singular
  const SwitchedResult found = lcp::solve(problem);
  EXPECT_EQ(found.solutions.size(), 128u);
  EXPECT_FALSE(found.complete);
}

TEST(SwitchedLcp, ZerosAndUnitsTakeNothingFromTheAnswer) {
  // v = lambda, closed: lambda = 0 alone, and known to be all, though the set {0} has it too.
  SwitchedResult found = lcp::solve(one(0.0, -1.0, 1.0, 0.0));
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_EQ(found.solutions[0][0], 0.0);
  EXPECT_TRUE(found.complete);
  // A second row that has none beside it (OneRowHasOneTwoOrNoSolution): proven, whatever the first's zero.
  const SwitchedProblem none{.A = Eigen::Matrix2d{{0.0, 0.0}, {0.0, 2.0}},
                             .b = Eigen::Vector2d(-1.0, -1.0),
                             .V = MatrixXd::Identity(2, 2),
                             .c = Eigen::Vector2d(0.0, -1.0)};
  found = lcp::solve(none);
  EXPECT_EQ(found.status, Status::Infeasible) << found.reason;
  EXPECT_TRUE(lcp::proves_none(none, found.proof));
  // Closed rows in units that are 10^13 apart: lambda = -c / V of each.
  found = lcp::solve({.A = MatrixXd::Zero(2, 2),
                      .b = -VectorXd::Ones(2),
                      .V = Eigen::Vector2d(1.0, 1e-13).asDiagonal(),
                      .c = -VectorXd::Ones(2)});
  ASSERT_EQ(found.solutions.size(), 1u);
  EXPECT_TRUE(found.complete);
  EXPECT_NEAR(found.solutions[0][0], 1.0, 1e-15);
  EXPECT_NEAR(found.solutions[0][1], 1e13, 1e-2);
}

TEST(SwitchedLcp, RefusesWhatIsNone) {
  SwitchedProblem problem = one(1.0, 1.0, 1.0, std::nan(""));
  EXPECT_THROW((void)lcp::solve(problem), InvalidArgument);
  problem = one(1.0, 1.0, 1.0, 1.0);
  problem.V.resize(1, 2);
  EXPECT_THROW((void)lcp::solve(problem), InvalidArgument);
  EXPECT_THROW((void)lcp::solve(SwitchedProblem{}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::switched_test
