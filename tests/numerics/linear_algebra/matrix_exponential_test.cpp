// SPDX-License-Identifier: Apache-2.0
// The matrix exponential against closed forms and its own identities.
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <internal/matrix_exponential.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::matrix_exponential_test {
namespace {

using Matrix = Eigen::MatrixXd;

constexpr double kEps = std::numeric_limits<double>::epsilon();

// "A few eps |A|_1 max |e^(As)|" is taken as 16 of them, at least 16 eps for |A|_1 < 1.
double bound(const Matrix& A, double largest) {
  return 16.0 * kEps * std::max(1.0, A.cwiseAbs().colwise().sum().maxCoeff()) * largest;
}

TEST(MatrixExponential, OfZeroAndOfDiagonals) {
  EXPECT_EQ(matrix_exponential(Matrix::Zero(3, 3)), Matrix::Identity(3, 3));
  const Eigen::Vector4d entries(-700.0, -1.5, 0.25, 30.0);
  const Matrix A = entries.asDiagonal();
  const Matrix result = matrix_exponential(A);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j)
      EXPECT_NEAR(result(i, j), i == j ? std::exp(entries[i]) : 0.0, bound(A, std::exp(30.0)));
  }
}

TEST(MatrixExponential, OfRotationsBelowAndBeyondEachScaling) {
  // e^([0 -a; a 0]) rotates by a; |e^(As)| = 1. From where the lowest approximant serves to ten doublings.
  for (const double a : {1e-9, 0.01, 0.2, 0.9, 2.0, 5.3, 5.5, 40.0, 3000.0}) {
    const Matrix A{{0.0, -a}, {a, 0.0}};
    const Matrix expected{{std::cos(a), -std::sin(a)}, {std::sin(a), std::cos(a)}};
    EXPECT_LE((matrix_exponential(A) - expected).cwiseAbs().maxCoeff(), bound(A, 1.0)) << a;
  }
}

TEST(MatrixExponential, OfNilpotentsIsAPolynomial) {
  // N e_j = c e_(j-1): e^N has c^k / k! on its k-th superdiagonal.
  const Index n = 6;
  const double c = 2.5;
  Matrix N = Matrix::Zero(n, n);
  for (Index i = 0; i + 1 < n; ++i) N(i, i + 1) = c;
  const Matrix result = matrix_exponential(N);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const auto k = static_cast<double>(j - i);
      const double expected = j < i ? 0.0 : std::pow(c, k) / std::tgamma(k + 1.0);
      EXPECT_NEAR(result(i, j), expected, bound(N, std::exp(c)));
    }
  }
}

TEST(MatrixExponential, OfAJordanBlockAndOfAStiffOscillator) {
  const Matrix jordan{{-2.0, 1.0}, {0.0, -2.0}};
  EXPECT_LE((matrix_exponential(jordan) - std::exp(-2.0) * Matrix{{1.0, 1.0}, {0.0, 1.0}}).cwiseAbs().maxCoeff(),
            bound(jordan, 1.0));
  // x'' + 2 s x' + w^2 x = 0 over one period of the damped motion: a multiple of the identity.
  const double w = 20.0, s = 3.0, wd = std::sqrt(w * w - s * s), T = 2.0 * std::numbers::pi / wd;
  const Matrix A = T * Matrix{{0.0, 1.0}, {-w * w, -2.0 * s}};
  EXPECT_LE((matrix_exponential(A) - std::exp(-s * T) * Matrix::Identity(2, 2)).cwiseAbs().maxCoeff(), bound(A, w));
}

TEST(MatrixExponential, IsAGroupAlongOneMatrixAndHasTheDeterminantOfItsTrace) {
  Matrix A(5, 5);
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) A(i, j) = std::sin(1.0 + static_cast<double>(3 * i + 7 * j));
  }
  const Matrix forward = matrix_exponential(A), backward = matrix_exponential(-A);
  const double size = forward.cwiseAbs().rowwise().sum().maxCoeff() * backward.cwiseAbs().rowwise().sum().maxCoeff();
  EXPECT_LE((forward * backward - Matrix::Identity(5, 5)).cwiseAbs().maxCoeff(), bound(A, size));
  const Matrix whole = matrix_exponential(Matrix(0.7 * A)), half = matrix_exponential(Matrix(0.35 * A));
  EXPECT_LE((half * half - whole).cwiseAbs().maxCoeff(), bound(A, whole.cwiseAbs().rowwise().sum().maxCoeff() * 5.0));
  // det e^A = e^(tr A); the determinant of an LU factorisation multiplies an error by the condition, at most `size`.
  EXPECT_NEAR(forward.partialPivLu().determinant() / std::exp(A.trace()), 1.0, bound(A, size));
}

TEST(MatrixExponential, RefusesWhatHasNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)matrix_exponential(Matrix(0, 0)), InvalidArgument);
  EXPECT_THROW((void)matrix_exponential(Matrix::Zero(2, 3)), InvalidArgument);
  EXPECT_THROW((void)matrix_exponential(Matrix{{1.0, nan}, {0.0, 1.0}}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::matrix_exponential_test
