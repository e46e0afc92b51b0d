// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include <Eigen/LU>

#include "linear_algebra/sparse/supernodal_lu.hpp"

namespace nonsmooth::supernodal_lu_test {
namespace {

using detail::BlockMatrix;
using detail::SupernodalLu;

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Blocks of 1 to 3 rows on a grid's graph; unsymmetric values, the diagonal blocks dominant but with zeros on their
/// diagonal where they have several rows, so that nothing works without interchanges.
struct Grid {
  BlockMatrix A;
  Eigen::MatrixXd dense;

  Grid(Index nx, Index ny, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    const Index n = nx * ny;
    std::vector<Index> offset(1, 0);
    for (Index b = 0; b < n; ++b) {
      A.sizes.push_back(1 + b % 3);
      offset.push_back(offset.back() + A.sizes.back());
    }
    dense.setZero(offset.back(), offset.back());
    A.begin.push_back(0);
    for (Index b = 0; b < n; ++b) {
      const Index x = b % nx, y = b / nx;
      for (Index c = 0; c < n; ++c) {
        if (std::abs(x - c % nx) + std::abs(y - c / nx) > 1) continue;
        A.column.push_back(c);
        A.value_begin.push_back(static_cast<Index>(A.values.size()));
        const Index rows = A.sizes[static_cast<std::size_t>(b)], columns = A.sizes[static_cast<std::size_t>(c)];
        for (Index j = 0; j < columns; ++j)
          for (Index i = 0; i < rows; ++i) {
            double entry = value(random);
            if (b == c) entry = i == (j + 1) % rows ? 20.0 + entry : 0.0;
            A.values.push_back(entry);
            dense(offset[static_cast<std::size_t>(b)] + i, offset[static_cast<std::size_t>(c)] + j) = entry;
          }
      }
      A.begin.push_back(static_cast<Index>(A.column.size()));
    }
  }
};

// |A x - b| <= c n eps |A||x| for a matrix as well conditioned as these; c = 10 covers the interchanges' growth.
void expect_solves(const Grid& grid, SupernodalLu& factors) {
  ASSERT_TRUE(factors.factorize(grid.A));
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(grid.dense.rows(), -1.0, 2.0);
  Eigen::VectorXd x = b;
  factors.solve_in_place(x.data());
  const double scale = grid.dense.cwiseAbs().rowwise().sum().maxCoeff() * x.lpNorm<Eigen::Infinity>();
  EXPECT_LE((grid.dense * x - b).lpNorm<Eigen::Infinity>(),
            10.0 * static_cast<double>(grid.dense.rows()) * eps * scale);
}

TEST(SupernodalLu, SolvesUnsymmetricBlocksOfSeveralSizes) {
  for (const Index side : {1, 2, 7, 20}) {
    Grid grid(side, side + 1, static_cast<unsigned>(side));
    SupernodalLu factors;
    factors.analyze(grid.A);
    expect_solves(grid, factors);
    // Other values on the same pattern, and another pattern after it.
    grid.A.values[0] *= 2.0;
    grid.dense(0, 0) *= 2.0;
    expect_solves(grid, factors);
    Grid other(side, 3, 5);
    factors.analyze(other.A);
    expect_solves(other, factors);
  }
}

// A block diagonal matrix is a forest of single nodes.
TEST(SupernodalLu, SolvesUncoupledBlocks) {
  BlockMatrix A;
  A.sizes = {2, 1, 2};
  A.begin = {0, 1, 2, 3};
  A.column = {0, 1, 2};
  A.value_begin = {0, 4, 5};
  A.values = {0.0, 2.0, 4.0, 0.0, 8.0, 1.0, 0.0, 0.0, 16.0};
  SupernodalLu factors;
  factors.analyze(A);
  ASSERT_TRUE(factors.factorize(A));
  double x[] = {4.0, 2.0, 8.0, 3.0, 32.0};  // powers of two: exact
  factors.solve_in_place(x);
  const double expected[] = {1.0, 1.0, 1.0, 3.0, 2.0};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(x[i], expected[i]) << i;
}

TEST(SupernodalLu, RefusesSingularAndNotFinite) {
  Grid grid(4, 4, 3);
  SupernodalLu factors;
  factors.analyze(grid.A);
  BlockMatrix zero = grid.A;
  std::fill(zero.values.begin(), zero.values.end(), 0.0);
  EXPECT_FALSE(factors.factorize(zero));
  BlockMatrix bad = grid.A;
  bad.values[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(factors.factorize(bad));
  expect_solves(grid, factors);
}

TEST(SupernodalLu, NothingToSolve) {
  BlockMatrix A;
  A.begin = {0};
  SupernodalLu factors;
  factors.analyze(A);
  EXPECT_TRUE(factors.factorize(A));
  factors.solve_in_place(nullptr);
}

// The point of the method: on a grid of blocks the work grows like n^1.5, a column LU of the dense matrix like n^3.
TEST(SupernodalLu, WorkStaysLowOnAGrid) {
  SupernodalLu factors;
  const Grid grid(24, 24, 9);
  factors.analyze(grid.A);
  const double n = static_cast<double>(grid.dense.rows());
  EXPECT_LE(factors.flops(), 100.0 * n * std::sqrt(n));
}

}  // namespace
}  // namespace nonsmooth::supernodal_lu_test
