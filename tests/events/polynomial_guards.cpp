// SPDX-License-Identifier: Apache-2.0
// Guards that are polynomials along a step: what is found is what is found by evaluating them.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "smooth/guard_roots.hpp"

namespace nonsmooth::smooth::polynomial_guards_test {
namespace {

/// Two affine functions of z; `tells`: and their polynomials too.
class Affine final : public Guards {
 public:
  Affine(Eigen::MatrixXd map, Eigen::VectorXd constant, bool tells)
      : map_(std::move(map)), constant_(std::move(constant)), tells_(tells) {}
  [[nodiscard]] Index size() const override { return map_.rows(); }
  void operator()(double, const Eigen::VectorXd& z, Eigen::VectorXd& values) override {
    ++calls;
    values = map_ * z + constant_;
  }
  bool along(const DensePolynomial& dense, Eigen::MatrixXd& coefficients) override {
    if (!tells_) return false;
    coefficients = map_ * dense.coefficients.leftCols(dense.degree + 1);
    coefficients.col(0) += constant_;
    return true;
  }
  int calls = 0;

 private:
  Eigen::MatrixXd map_;
  Eigen::VectorXd constant_;
  bool tells_;
};

DensePolynomial polynomial(const Eigen::MatrixXd& coefficients) {
  DensePolynomial dense;
  dense.t0 = 1.0;
  dense.h = 0.5;
  dense.degree = coefficients.cols() - 1;
  dense.coefficients = coefficients;
  return dense;
}

TEST(PolynomialGuards, FindWhatEvaluationsFind) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  int crossings = 0, clear = 0;
  for (int k = 0; k < 2000; ++k) {
    const Index degree = 3 + k % 5;
    Eigen::MatrixXd coefficients = Eigen::MatrixXd::NullaryExpr(3, degree + 1, [&] { return any(random); });
    const Eigen::MatrixXd map = Eigen::MatrixXd::NullaryExpr(2, 3, [&] { return any(random); });
    Eigen::VectorXd constant = Eigen::VectorXd::Constant(2, 0.5 + any(random));
    std::vector<int> zeros{0, 0};
    if (k % 3 == 0) {  // the first guard is at zero where the step starts
      constant[0] = -map.row(0).dot(coefficients.col(0));
      zeros[0] = 1;
    }
    const DensePolynomial dense = polynomial(coefficients);
    Affine told(map, constant, true), evaluated(map, constant, false);
    FirstCrossing by_coefficients, by_values;
    const auto one = by_coefficients.first(told, dense, zeros, {}),
               other = by_values.first(evaluated, dense, zeros, {});
    ASSERT_EQ(one.has_value(), other.has_value()) << k;
    EXPECT_EQ(told.calls, 0);
    if (k % 3 != 0 && by_coefficients.stays_clear(told, dense)) {
      EXPECT_FALSE(one) << k;
      ++clear;
    }
    if (!one) continue;
    ++crossings;
    EXPECT_EQ(one->guard, other->guard) << k;
    // Zeros of values with roundings of a few eps: 1e-10 leaves room for slopes down to 1e-5.
    EXPECT_NEAR(one->t, other->t, 1e-10) << k;
  }
  EXPECT_GT(crossings, 500);
  EXPECT_GT(clear, 100);
}

TEST(PolynomialGuards, ADipBetweenTheEndsIsNotClear) {
  // 0.25 - 1e-6 - s + s^2 dips to -1e-6 at s = 1/2.
  Eigen::MatrixXd coefficients(1, 3);
  coefficients << 0.25 - 1e-6, -1.0, 1.0;
  const DensePolynomial dense = polynomial(coefficients);
  Affine guard(Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Zero(1), true);
  FirstCrossing finder;
  EXPECT_FALSE(finder.stays_clear(guard, dense));
  const auto crossing = finder.first(guard, dense, {}, {});
  ASSERT_TRUE(crossing);
  EXPECT_NEAR(crossing->t, 1.0 + 0.5 * (0.5 - 1e-3), 1e-12);  // eps over the slope 2e-3
}

TEST(PolynomialGuards, ValuesAtTheEndOfAStepAreTakenOver) {
  Eigen::MatrixXd coefficients(1, 2);
  coefficients << 1.0, 0.05;  // more than a hundredth: the nodes are asked
  const DensePolynomial dense = polynomial(coefficients);
  DensePolynomial next = dense;
  next.t0 = dense.end();
  next.coefficients(0, 0) = 1.05;
  Affine guard(Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Zero(1), false);
  FirstCrossing finder;
  EXPECT_FALSE(finder.first(guard, dense, {}, {}, true));  // nothing is known yet
  EXPECT_EQ(guard.calls, 7);
  EXPECT_FALSE(finder.first(guard, next, {}, {}, true));
  EXPECT_EQ(guard.calls, 13);
  next.t0 += 1.0;  // not where the last one ended
  EXPECT_FALSE(finder.first(guard, next, {}, {}, true));
  EXPECT_EQ(guard.calls, 20);
}

}  // namespace
}  // namespace nonsmooth::smooth::polynomial_guards_test
