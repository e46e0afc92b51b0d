// SPDX-License-Identifier: Apache-2.0
// The door to Eigen's decompositions: factors that are copied, moved and written late; solves that take no memory.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <internal/decompositions.hpp>

namespace nonsmooth::decompositions_test {
namespace {

// Entries are small integers and A x = b has the solution (1, 2, 3): errors are a few eps times the condition,
// about 10.
const Eigen::Matrix3d A{{2, 1, 0}, {4, 5, 1}, {0, 1, 3}};
const Eigen::Vector3d x{1, 2, 3};
constexpr double tolerance = 1e-14;

TEST(LuFactors, SolveByEveryWay) {
  const Eigen::VectorXd b = A * x;
  const LuFactors lu(A);
  EXPECT_LT((lu.solve(b) - x).norm(), tolerance);
  EXPECT_LT((lu.solve(Eigen::MatrixXd(A)) - Eigen::Matrix3d::Identity()).norm(), tolerance);
  EXPECT_LT((lu.solve_transposed(A.transpose() * x) - x).norm(), tolerance);
  EXPECT_LT((lu.inverse() * A - Eigen::Matrix3d::Identity()).norm(), tolerance);
  EXPECT_LT((lu.reconstructed() - A).norm(), tolerance);
  Eigen::MatrixXd in_place = b;
  std::vector<double> buffer;
  lu.solve_in_place(in_place, buffer);
  EXPECT_LT((in_place - x).norm(), tolerance);
}

TEST(LuFactors, CopiesAreDeepAndMovesLeaveNothing) {
  LuFactors lu(A);
  const LuFactors copy = lu;
  lu.compute(2.0 * A);
  EXPECT_LT((copy.solve(A * x) - x).norm(), tolerance);
  EXPECT_LT((lu.solve(A * x) - 0.5 * x).norm(), tolerance);
  LuFactors moved = std::move(lu);
  EXPECT_LT((moved.solve(A * x) - 0.5 * x).norm(), tolerance);
  lu = copy;
  EXPECT_LT((lu.solve(A * x) - x).norm(), tolerance);
}

TEST(CompleteOrthogonalFactors, SolveWithLeastNorm) {
  // Columns 1 and 2 are the same: x_1 + x_2 = 2 is shared alike.
  const Eigen::Matrix3d B{{1, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  CompleteOrthogonalFactors factors;
  factors.set_threshold(1e-12);
  factors.compute(B);
  EXPECT_EQ(factors.rank(), 2);
  EXPECT_LT((factors.solve(Eigen::Vector3d(2, 3, 5)) - Eigen::Vector3d(1, 1, 3)).norm(), tolerance);
  EXPECT_LT((B * factors.kernel()).norm(), tolerance);
}

TEST(CholeskyFactors, TellWhatIsPositiveDefinite) {
  EXPECT_TRUE(is_positive_definite(Eigen::Matrix2d{{2, 1}, {1, 2}}));
  EXPECT_FALSE(is_positive_definite(Eigen::Matrix2d{{1, 2}, {2, 1}}));
}

}  // namespace
}  // namespace nonsmooth::decompositions_test
