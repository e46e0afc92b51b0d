// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/Cholesky>

#include "linear_algebra/sparse/band_factors.hpp"

namespace nonsmooth::band_factors_test {
namespace {

using detail::BandFactors;

constexpr double eps = std::numeric_limits<double>::epsilon();

/// The lower triangle of A in the band that it needs.
BandFactors band_of(const Eigen::MatrixXd& A) {
  std::vector<int> reach(static_cast<std::size_t>(A.cols()));
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = j; i < A.rows(); ++i) {
      if (A(i, j) != 0.0) reach[static_cast<std::size_t>(j)] = static_cast<int>(i);
    }
  }
  BandFactors factors;
  factors.clear(reach);
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = j; i <= reach[static_cast<std::size_t>(j)]; ++i) factors.entry(i, j) = A(i, j);
  }
  return factors;
}

/// Symmetric, at most `height` rows below the diagonal, half of these entries 0, diagonally dominant: its eigenvalues
/// lie in [1, 2 s + 1], s the largest sum of a row's other entries, at most 2 height.
Eigen::MatrixXd random_band(Index n, Index height, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < std::min(n, j + height + 1); ++i) {
      const double entry = value(random);
      if (entry > 0.0) A(i, j) = A(j, i) = entry;
    }
  }
  for (Index j = 0; j < n; ++j) A(j, j) = 1.0 + A.col(j).cwiseAbs().sum();
  return A;
}

TEST(BandFactors, SolvesWhatLiesNearTheDiagonal) {
  for (const Index height : {0, 1, 2, 7, 33}) {
    for (const Index n : {1, 2, 9, 80}) {
      const Eigen::MatrixXd A = random_band(n, height, static_cast<unsigned>(100 * height + n));
      BandFactors factors = band_of(A);
      ASSERT_TRUE(factors.factorize()) << n << ", " << height;
      const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1.0, 2.0);
      Eigen::VectorXd found = A * x;
      factors.solve_in_place(found.data());
      // Cholesky's backward error is 4 (height + 1) eps |A|; |A| / |A^-1|^-1 <= 4 height + 1, and |x| <= 2.
      const double h = static_cast<double>(height) + 1.0;
      EXPECT_LE((found - x).cwiseAbs().maxCoeff(), 8.0 * h * (4.0 * h + 1.0) * eps) << n << ", " << height;
    }
  }
}

// Dirichlet's problem of a string, -x_{i-1} + 2 x_i - x_{i+1} = 1: x_i = i (n + 1 - i) / 2.
TEST(BandFactors, SolvesAString) {
  constexpr Index n = 1000;
  BandFactors factors;
  std::vector<int> reach;
  for (int j = 0; j < n; ++j) reach.push_back(std::min<int>(j + 1, n - 1));
  factors.clear(reach);
  for (Index j = 0; j < n; ++j) {
    factors.entry(j, j) = 2.0;
    if (j + 1 < n) factors.entry(j + 1, j) = -1.0;
  }
  ASSERT_TRUE(factors.factorize());
  Eigen::VectorXd x = Eigen::VectorXd::Ones(n);
  factors.solve_in_place(x.data());
  // The condition is (2 n / pi)^2; each step of the two substitutions rounds three times.
  const double bound = 6.0 * eps * 4.0 * n * n / 9.8;
  for (Index i = 1; i <= n; ++i) {
    const double exact = 0.5 * static_cast<double>(i * (n + 1 - i));
    ASSERT_NEAR(x[i - 1], exact, bound * exact) << i;
  }
}

TEST(BandFactors, RefusesWhatIsNotPositiveDefinite) {
  Eigen::MatrixXd A = random_band(12, 3, 1);
  A(7, 7) = -1.0;
  EXPECT_FALSE(band_of(A).factorize());
  A(7, 7) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(band_of(A).factorize());
  // Singular: the Laplacian of a path without an end that is held. Its last pivot is rounding.
  Eigen::MatrixXd path = Eigen::MatrixXd::Zero(5, 5);
  for (Index i = 0; i + 1 < 5; ++i) {
    path(i, i) += 1.0;
    path(i + 1, i + 1) += 1.0;
    path(i + 1, i) = path(i, i + 1) = -1.0;
  }
  EXPECT_FALSE(band_of(path).factorize());
}

// Parts that touch nowhere, of rows that end sooner than those before: columns are no lower than the ones before ask
// for.
TEST(BandFactors, TakesPartsAndRaggedRows) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(9, 9);
  A.topLeftCorner(4, 4) = random_band(4, 3, 2);
  A.bottomRightCorner(5, 5) = random_band(5, 1, 3);
  A(3, 0) = A(0, 3) = 0.5;
  A(1, 0) = A(0, 1) = 0.0;
  A.diagonal().array() += 1.0;
  BandFactors factors = band_of(A);
  ASSERT_TRUE(factors.factorize());
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(9, 1.0, 2.0);
  Eigen::VectorXd x = b;
  factors.solve_in_place(x.data());
  // As above, with heights of 3.
  EXPECT_LE((x - A.llt().solve(b)).cwiseAbs().maxCoeff(), 8.0 * 4.0 * 17.0 * eps);
  EXPECT_EQ(BandFactors::height({0, 1, 2}), 0);
  EXPECT_EQ(BandFactors::height({3, 1, 2, 3}), 3);
}

}  // namespace
}  // namespace nonsmooth::band_factors_test
