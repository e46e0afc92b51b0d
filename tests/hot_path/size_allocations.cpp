// SPDX-License-Identifier: Apache-2.0
// Problems whose size changes from call to call: after the largest, no other size allocates.
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/numerics/lcp/workspace.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>

namespace nonsmooth {
namespace {

/// Entries of a normal distribution, as positive definite as asked for.
Eigen::MatrixXd random_matrix(Index n, double definite, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
  return definite > 0.0 ? Eigen::MatrixXd(A * A.transpose() + definite * Eigen::MatrixXd::Identity(n, n)) : A;
}

TEST(SizeAllocations, FactorsOfEverySizeUpToTheLargest) {
  std::mt19937_64 random(3);
  for (const Structure structure : {Structure::General, Structure::SymmetricPositiveDefinite}) {
    for (const Backend backend : {Backend::Eigen, Backend::Lapack}) {
      DenseFactorization factors(structure, backend);
      const Index largest = 40;
      for (int pass = 0; pass < 2; ++pass) {
        for (Index n = largest; n > 0; n -= 3) {
          const Eigen::MatrixXd A = random_matrix(n, structure == Structure::General ? 0.0 : 1.0, random);
          const Eigen::VectorXd exact = Eigen::VectorXd::LinSpaced(n, 1.0, 2.0);
          Eigen::VectorXd x = A * exact;
          const test::AllocationCount count;
          const bool regular = factors.factorize(A);
          if (regular) factors.solve_in_place(x);
          const double condition = factors.reciprocal_condition();
          if (n < largest || pass > 0) {
            EXPECT_EQ(count.now(), 0) << n;
          }
          ASSERT_TRUE(regular);
          EXPECT_GT(condition, 0.0);
          EXPECT_LE((x - exact).lpNorm<Eigen::Infinity>(), 1e-13 / condition);
        }
      }
    }
  }
}

TEST(SizeAllocations, PivotingOfEverySizeUpToTheLargest) {
  // M of skew blocks, [0 -A; A^T 0] + 1e-3 I: sweeps find no basis, Lemke's pivots do. From the same z each time.
  std::normal_distribution<double> normal;
  lcp::Workspace workspace;
  lcp::Result result;
  const Index largest = 32;
  Index pivots = 0;
  for (int pass = 0; pass < 3; ++pass) {
    std::mt19937_64 random(5);  // the same problems in each pass
    for (Index n = largest; n >= 10; n -= 2) {
      const Index half = n / 2;
      Eigen::MatrixXd M = 1e-3 * Eigen::MatrixXd::Identity(n, n);
      M.bottomLeftCorner(half, half) = random_matrix(half, 0.0, random);
      M.topRightCorner(half, half) = -M.bottomLeftCorner(half, half).transpose();
      const Eigen::VectorXd q = Eigen::VectorXd::NullaryExpr(n, [&] { return normal(random); });
      result.z.setZero(n);
      const test::AllocationCount count;
      workspace.solve(lcp::View{M, q}, 1e-10, false, result);
      // What a problem needs is there once it was solved, whatever sizes came between.
      if (pass > 1) {
        EXPECT_EQ(count.now(), 0) << n << " by " << result.solver;
      }
      ASSERT_TRUE(result) << result.message();
      if (result.solver == "lemke") pivots += result.iterations;
    }
  }
  EXPECT_GT(pivots, 100);
}

TEST(SizeAllocations, AVectorKeepsTheLargerMemory) {
  GrowingVector large(Eigen::VectorXd::Constant(100, 1.0)), small(Eigen::VectorXd::Constant(3, 2.0));
  const double* const memory = large.data();
  large = std::move(small);
  EXPECT_EQ(large, Eigen::Vector3d::Constant(2.0));
  EXPECT_EQ(large.data(), memory);
  const test::AllocationCount count;
  large.setZero(100);
  EXPECT_EQ(count.now(), 0);
  GrowingVector larger(Eigen::VectorXd::Constant(200, 3.0));
  const double* const taken = larger.data();
  large = std::move(larger);
  EXPECT_EQ(large.data(), taken);
  EXPECT_EQ(large.size(), 200);
  GrowingVector& same = large;
  large = std::move(same);
  EXPECT_EQ(large, Eigen::VectorXd::Constant(200, 3.0));
}

}  // namespace
}  // namespace nonsmooth
