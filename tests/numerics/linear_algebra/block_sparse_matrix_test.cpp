// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth::block_sparse_matrix_test {
namespace {

using Pattern = std::vector<std::vector<Index>>;

constexpr double eps = std::numeric_limits<double>::epsilon();

Pattern random_pattern(Index num_rows, int per_row, std::mt19937_64& engine) {
  Pattern pattern(static_cast<std::size_t>(num_rows));
  std::uniform_int_distribution<Index> pick(0, num_rows - 1);
  for (auto& row : pattern) {
    for (int k = 0; k < per_row; ++k) {
      const Index j = pick(engine);
      if (std::find(row.begin(), row.end(), j) == row.end()) row.push_back(j);
    }
  }
  return pattern;
}

void lay(BlockSparseMatrix& A, const std::vector<Index>& sizes, const Pattern& pattern) {
  A.begin_pattern(sizes);
  for (const auto& row : pattern) {
    for (const Index j : row) A.insert(j);
    A.next_row();
  }
  A.end_pattern();
}

void fill(BlockSparseMatrix& A, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  for (Index i = 0; i < A.num_block_rows(); ++i) {
    for (Index k = A.row_begin(i); k < A.row_begin(i + 1); ++k) {
      auto block = A.block(i, k);
      for (Index c = 0; c < block.cols(); ++c) {
        for (Index r = 0; r < block.rows(); ++r) block(r, c) = normal(engine);
      }
    }
  }
}

std::vector<Index> sizes_of(Index uniform, Index num_rows) {
  std::vector<Index> sizes(static_cast<std::size_t>(num_rows), uniform);
  if (uniform == 0) {
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = 1 + static_cast<Index>(i % 4);
  }
  return sizes;
}

TEST(BlockSparseMatrix, MultipliesAsItsDenseForm) {
  std::mt19937_64 engine(7);
  for (const Index uniform : {1, 2, 3, 5, 0}) {
    for (const int per_row : {0, 3, 40}) {  // none but the diagonal; insertion sort; the general sort
      const Index num_rows = 60;
      BlockSparseMatrix A;
      lay(A, sizes_of(uniform, num_rows), random_pattern(num_rows, per_row, engine));
      fill(A, engine);
      EXPECT_EQ(A.uniform_size(), uniform);
      const Eigen::MatrixXd dense = A.to_dense();
      EXPECT_EQ(Eigen::MatrixXd(A.to_sparse()), dense);

      std::normal_distribution<double> normal;
      const auto draw = [&] { return normal(engine); };
      const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(A.rows(), draw);
      const Eigen::VectorXd b = Eigen::VectorXd::NullaryExpr(A.rows(), draw);
      Eigen::VectorXd y(A.rows());
      A.multiply_add(x, b, y);
      // Both sums have at most rows() + 1 terms in some order, each off by (rows() + 1) eps of the sum of magnitudes.
      const Eigen::VectorXd magnitude = dense.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs();
      const double unit = 2.0 * static_cast<double>(A.rows() + 1) * eps;
      const Eigen::VectorXd expected = dense * x + b;
      for (Index i = 0; i < A.rows(); ++i) EXPECT_LE(std::abs(y[i] - expected[i]), unit * magnitude[i]);

      Eigen::VectorXd in_place = b;
      A.multiply_add(x, in_place, in_place);
      EXPECT_EQ(in_place, y);

      for (Index i = 0; i < num_rows; ++i) {
        Eigen::VectorXd row(A.size(i));
        A.multiply_row(i, x, row);
        const Eigen::VectorXd row_expected = dense.middleRows(A.offset(i), A.size(i)) * x;
        for (Index r = 0; r < A.size(i); ++r) {
          EXPECT_LE(std::abs(row[r] - row_expected[r]), unit * magnitude[A.offset(i) + r]);
        }
      }
    }
  }
}

TEST(BlockSparseMatrix, SortsRowsAndAddsTheDiagonal) {
  BlockSparseMatrix A;
  lay(A, {2, 1, 3}, {{2, 1}, {}, {2, 0}});
  ASSERT_EQ(A.num_blocks(), 6);
  const std::vector<Index> columns = {0, 1, 2, 1, 0, 2};
  for (Index k = 0; k < 6; ++k) EXPECT_EQ(A.column(k), columns[static_cast<std::size_t>(k)]);
  EXPECT_EQ(A.diagonal(0), 0);
  EXPECT_EQ(A.diagonal(1), 3);
  EXPECT_EQ(A.diagonal(2), 5);
  EXPECT_EQ(A.find(2, 0), 4);
  EXPECT_EQ(A.find(2, 1), -1);
  EXPECT_EQ(A.uniform_size(), 0);
  EXPECT_EQ(A.rows(), 6);
  EXPECT_TRUE(A.to_dense().isZero(0.0));
  A.block(0, 2)(1, 2) = 4.0;  // block (0, 2) is 2 x 3, column-major
  EXPECT_EQ(A.values(2)[5], 4.0);
  EXPECT_EQ(A.to_dense()(1, 5), 4.0);
  A.set_zero();
  EXPECT_TRUE(A.to_dense().isZero(0.0));
}

TEST(BlockSparseMatrix, ANewPatternNoLargerAllocatesNothing) {
  std::mt19937_64 engine(11);
  const Index num_rows = 500;
  const Pattern large = random_pattern(num_rows, 8, engine), small = random_pattern(num_rows / 2, 5, engine);
  for (const Index uniform : {3, 0}) {
    const std::vector<Index> large_sizes = sizes_of(uniform, num_rows), small_sizes = sizes_of(uniform, num_rows / 2);
    BlockSparseMatrix A;
    lay(A, large_sizes, large);
    Eigen::VectorXd x = Eigen::VectorXd::Ones(A.rows()), y(A.rows());
    const test::AllocationCount count;
    A.multiply_add(x, x, y);
    lay(A, small_sizes, small);
    lay(A, large_sizes, large);
    fill(A, engine);
    A.multiply_row(3, x, y.segment(A.offset(3), A.size(3)));
    EXPECT_EQ(count.now(), 0);
  }
}

TEST(BlockSparseMatrix, AnEmptyMatrixIsAMatrix) {
  BlockSparseMatrix A;
  EXPECT_EQ(A.rows(), 0);
  lay(A, {}, {});
  EXPECT_EQ(A.num_blocks(), 0);
  EXPECT_EQ(A.uniform_size(), 0);
  EXPECT_EQ(A.to_sparse().nonZeros(), 0);
  Eigen::VectorXd none(0);
  A.multiply_add(none, none, none);
}

TEST(BlockSparseMatrix, RefusesMalformedPatternsAndIsEmptyAfterwards) {
  BlockSparseMatrix A;
  EXPECT_THROW(A.begin_pattern({1, 0}), InvalidArgument);
  EXPECT_EQ(A.rows(), 0);
  EXPECT_THROW(lay(A, {1, 1}, {{0, 0}, {}}), InvalidArgument);
  EXPECT_THROW(lay(A, {1, 1}, {{2}, {}}), InvalidArgument);
  EXPECT_THROW(lay(A, {1, 1}, {{-1}, {}}), InvalidArgument);
  EXPECT_THROW(lay(A, {1, 1}, {{0}}), InvalidArgument);
  EXPECT_THROW(lay(A, {1, 1}, {{0}, {1}, {1}}), InvalidArgument);
  EXPECT_EQ(A.rows(), 0);
  EXPECT_EQ(A.num_blocks(), 0);
  lay(A, {2}, {{0}});
  Eigen::VectorXd two(2), three(3);
  EXPECT_THROW(A.multiply_add(three, two, two), InvalidArgument);
  EXPECT_THROW(A.multiply_add(two, two, three), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::block_sparse_matrix_test
