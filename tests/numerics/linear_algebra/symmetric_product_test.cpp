// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include <Eigen/Core>

#include "linear_algebra/dense_kernels.hpp"

namespace nonsmooth::symmetric_product_test {
namespace {

// Sizes below, at and beyond the tiles of 8 rows, the panels of 64 and the depth of 128.
TEST(SymmetricProduct, IsThatOfTheTransposedMatrix) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<double> packed;
  for (const Index n : {1, 7, 8, 9, 64, 67, 130}) {
    for (const Index m : {1, 5, 128, 129, 300}) {
      const Eigen::MatrixXd X = Eigen::MatrixXd::NullaryExpr(m, n, [&] { return value(random); });
      Eigen::MatrixXd H = Eigen::MatrixXd::Constant(n, n, std::numeric_limits<double>::quiet_NaN());
      detail::symmetric_product(m, n, X.data(), H.data(), n, packed);
      const Eigen::MatrixXd terms = X.cwiseAbs().transpose() * X.cwiseAbs();
      const Eigen::MatrixXd other = X.transpose() * X;
      for (Index j = 0; j < n; ++j) {
        for (Index i = j; i < n; ++i) {  // two sums of m rounded products, each within m eps of its terms
          ASSERT_LE(std::abs(H(i, j) - other(i, j)),
                    2.0 * static_cast<double>(m) * std::numeric_limits<double>::epsilon() * terms(i, j))
              << m << " x " << n << ": " << i << ", " << j;
        }
      }
    }
  }
}

TEST(SymmetricProduct, OfNoRowsIsZero) {
  std::vector<double> packed;
  Eigen::MatrixXd H = Eigen::MatrixXd::Ones(3, 3);
  detail::symmetric_product(0, 3, nullptr, H.data(), 3, packed);
  EXPECT_EQ(H(2, 0), 0.0);
  EXPECT_EQ(H(1, 1), 0.0);
}

// Sizes below, at and beyond the panels of 16 columns, the tiles and the depth; B of some rows below.
TEST(CholeskyOfTop, GivesTheMatrixBackAndDividesWhatIsBelow) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  std::vector<double> packed;
  for (const Index n : {1, 7, 16, 17, 40, 129, 300}) {
    for (const Index below : {0, 1, 8, 37}) {
      const Eigen::MatrixXd X = Eigen::MatrixXd::NullaryExpr(n + 5, n, [&] { return value(random); });
      const Eigen::MatrixXd S = X.transpose() * X;
      const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(below, n, [&] { return value(random); });
      Eigen::MatrixXd A(n + below, n);
      A << S, B;
      for (Index j = 1; j < n; ++j) A.col(j).head(j).setConstant(std::numeric_limits<double>::quiet_NaN());
      ASSERT_TRUE(detail::cholesky_of_top(n + below, n, A.data(), packed)) << n;
      const Eigen::MatrixXd L = A.topRows(n).triangularView<Eigen::Lower>(), V = A.bottomRows(below);
      // Each entry is a sum of n rounded products and a division or a root: (n + 1) eps of its terms.
      const double rounding = static_cast<double>(n + 1) * std::numeric_limits<double>::epsilon();
      const Eigen::MatrixXd terms = L.cwiseAbs() * L.cwiseAbs().transpose();
      ASSERT_LE(((L * L.transpose() - S).array() / terms.array()).abs().maxCoeff(), rounding) << n;
      if (below == 0) continue;
      const Eigen::MatrixXd of_B = V.cwiseAbs() * L.cwiseAbs().transpose();
      ASSERT_LE(((V * L.transpose() - B).array() / of_B.array()).abs().maxCoeff(), rounding) << n << ", " << below;
    }
  }
}

TEST(CholeskyOfTop, EndsAtAPivotThatIsNotPositive) {
  std::vector<double> packed;
  for (const double last : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Identity(40, 40);
    A(39, 39) = last;
    EXPECT_FALSE(detail::cholesky_of_top(40, 40, A.data(), packed));
  }
}

}  // namespace
}  // namespace nonsmooth::symmetric_product_test
