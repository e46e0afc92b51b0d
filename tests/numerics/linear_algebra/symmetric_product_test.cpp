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
      detail::symmetric_product(m, n, X.data(), H.data(), packed);
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
  detail::symmetric_product(0, 3, nullptr, H.data(), packed);
  EXPECT_EQ(H(2, 0), 0.0);
  EXPECT_EQ(H(1, 1), 0.0);
}

}  // namespace
}  // namespace nonsmooth::symmetric_product_test
