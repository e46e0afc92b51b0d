// SPDX-License-Identifier: Apache-2.0
// What stands for Eigen where memory is to be kept: the same bits as by Eigen, in whatever order sizes come.
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <internal/decompositions.hpp>
#include <internal/sparse_room.hpp>

namespace nonsmooth::kept_memory_test {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

void expect_same(const Sparse& found, const Sparse& expected) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  ASSERT_EQ(found.nonZeros(), expected.nonZeros());
  EXPECT_TRUE(
      std::equal(expected.outerIndexPtr(), expected.outerIndexPtr() + expected.cols() + 1, found.outerIndexPtr()));
  EXPECT_TRUE(
      std::equal(expected.innerIndexPtr(), expected.innerIndexPtr() + expected.nonZeros(), found.innerIndexPtr()));
  EXPECT_TRUE(std::equal(expected.valuePtr(), expected.valuePtr() + expected.nonZeros(), found.valuePtr()));
}

// Several entries of one place are added in the order that they come in: another order would have other bits.
TEST(KeptMemory, SparseMatricesOfChangingSizes) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  SparseWriter writer;
  SparseRoom room;
  Sparse found, copied;
  for (const Index columns : {5, 12, 3, 0, 12, 1, 20, 7}) {
    const Index rows = 1 + columns % 4;
    auto& entries = writer.entries();
    entries.clear();
    for (Index k = 0; k < 3 * columns; ++k)
      entries.emplace_back(static_cast<int>(random() % static_cast<std::uint64_t>(rows)),
                           static_cast<int>(random() % static_cast<std::uint64_t>(columns)), value(random));
    Sparse expected(rows, columns);
    expected.setFromTriplets(entries.begin(), entries.end());
    writer.write(rows, columns, rows * columns, found);
    expect_same(found, expected);
    room.copy(found, copied);
    expect_same(copied, expected);
    const Sparse whole = copied;  // as by Eigen's own copies and products
    expect_same(whole, expected);
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(columns, -1.0, 1.0);
    EXPECT_EQ(Eigen::VectorXd(copied * x), Eigen::VectorXd(expected * x));
  }
}

TEST(KeptMemory, SparseMatrixThatTakesAnothersPlace) {
  SparseRoom room;
  Sparse matrix;
  room.shape(2, 8, 0, 0, matrix);
  matrix = Sparse(2, 3);
  room.forget();
  room.shape(2, 8, 0, 0, matrix);
  EXPECT_EQ(matrix.cols(), 8);
  EXPECT_EQ(matrix.nonZeros(), 0);
}

TEST(KeptMemory, EigenvectorsOfSymmetricMatrices) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> entry;
  SymmetricEigenWorkspace workspace;
  for (const Index n : {3, 1, 40, 2, 3, 120, 40}) {
    Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return entry(random); });
    A = (A + A.transpose()).eval();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> expected(A);
    const SymmetricEigen& found = workspace.compute(A);
    ASSERT_TRUE(found.converged);
    EXPECT_EQ(found.values, expected.eigenvalues());
    EXPECT_EQ(found.V, expected.eigenvectors());
  }
}

}  // namespace
}  // namespace nonsmooth::kept_memory_test
