// SPDX-License-Identifier: Apache-2.0
// Problems whose size changes from call to call: after the largest, no other size allocates.
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/numerics/lcp/workspace.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>

#include "linear_algebra/sparse/supernodal_lu.hpp"
#include "mixed/block_cholesky.hpp"

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

/// A symmetric pattern of blocks of 1 to 3 rows, drawn at random, diagonally dominant.
BlockSparseMatrix random_blocks(Index blocks, double share, std::mt19937_64& random) {
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<Index> sizes;
  for (Index b = 0; b < blocks; ++b) sizes.push_back(1 + static_cast<Index>(random() % 3));
  Eigen::MatrixXd coupled = Eigen::MatrixXd::Zero(blocks, blocks);
  for (Index i = 0; i < blocks; ++i)
    for (Index j = 0; j < i; ++j) coupled(i, j) = coupled(j, i) = std::abs(value(random)) < share ? 1.0 : 0.0;
  BlockSparseMatrix W;
  W.begin_pattern(sizes);
  for (Index i = 0; i < blocks; ++i) {
    for (Index j = 0; j < blocks; ++j)
      if (coupled(i, j) > 0.0) W.insert(j);
    W.next_row();
  }
  W.end_pattern();
  for (Index i = 0; i < blocks; ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      if (W.column(k) > i) continue;
      auto block = W.block(i, k);
      block = block.unaryExpr([&](double) { return value(random); });
      if (W.column(k) == i) {
        block = (0.5 * (block + block.transpose())).eval();
        block.diagonal().array() += 4.0 * static_cast<double>(blocks);  // above the sum of any row
      } else {
        W.block(W.column(k), W.find(W.column(k), i)) = block.transpose();
      }
    }
  return W;
}

detail::BlockMatrix as_block_matrix(const BlockSparseMatrix& W) {
  detail::BlockMatrix A;
  A.clear();
  for (Index i = 0; i < W.num_block_rows(); ++i) {
    A.sizes.push_back(W.size(i));
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      A.column.push_back(W.column(k));
      A.value_begin.push_back(W.values(k) - W.entries().data());
    }
    A.begin.push_back(W.row_begin(i + 1));
  }
  A.values.assign(W.entries().data(), W.entries().data() + W.entries().size());
  return A;
}

TEST(SizeAllocations, FrontsOfEveryPatternWithinWhatIsReserved) {
  constexpr Index most = 24;
  std::mt19937_64 random(7);
  detail::SupernodalLu lu;
  mixed::internal::BlockCholesky cholesky;
  lu.reserve(most, 3 * most);
  cholesky.reserve(most, 3 * most);
  for (int draw = 0; draw < 200; ++draw) {
    const Index blocks = 1 + static_cast<Index>(random() % most);
    const BlockSparseMatrix W = random_blocks(blocks, std::uniform_real_distribution<double>(0.0, 1.0)(random), random);
    const detail::BlockMatrix A = as_block_matrix(W);
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(W.rows(), -1.0, 2.0), shift = Eigen::VectorXd::Zero(W.rows());
    Eigen::VectorXd x = b, y = b, product(W.rows());
    const test::AllocationCount count;
    lu.analyze(A);
    ASSERT_TRUE(lu.factorize(A));
    lu.solve_in_place(x.data());
    cholesky.prepare(W);
    ASSERT_TRUE(cholesky.factorize(shift));
    cholesky.solve_in_place(y);
    EXPECT_EQ(count.now(), 0) << "draw " << draw << ", " << blocks << " blocks";
    // Diagonal dominance: condition of order 1, so that both solve to some n eps |b|; 72 eps = 2e-14.
    W.multiply_add(x, -b, product);
    EXPECT_LE(product.lpNorm<Eigen::Infinity>(), 1e-13);
    W.multiply_add(y, -b, product);
    EXPECT_LE(product.lpNorm<Eigen::Infinity>(), 1e-13);
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
