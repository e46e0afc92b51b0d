// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

namespace nonsmooth::factorization_test {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();
const std::vector<Backend> dense_backends = {Backend::Automatic, Backend::Eigen, Backend::Lapack};
const std::vector<Backend> sparse_backends = {Backend::Automatic, Backend::Eigen, Backend::SuiteSparse};

class Random {
 public:
  Eigen::MatrixXd matrix(Index rows, Index cols) {
    return Eigen::MatrixXd::NullaryExpr(rows, cols, [this] { return uniform_(engine_); });
  }
  double operator()() { return uniform_(engine_); }
  Index below(Index n) { return std::uniform_int_distribution<Index>(0, n - 1)(engine_); }

 private:
  std::mt19937_64 engine_{42};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

/// Some entries off the diagonal (symmetric if wanted) and a diagonal that dominates rows and columns.
Sparse dominant(Index n, bool symmetric, Random& random) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Index k = 0; k < 3 * n; ++k) {
    const Index i = random.below(n), j = random.below(n);
    A(i, j) = random();
    if (symmetric) A(j, i) = A(i, j);
  }
  A.diagonal().setZero();
  const Eigen::VectorXd rows = A.cwiseAbs().rowwise().sum(), columns = A.cwiseAbs().colwise().sum().transpose();
  A.diagonal() = rows.cwiseMax(columns).array() + 1.0;
  return A.sparseView();
}

/// Backward error (Higham 2002, theorems 9.4 and 10.4): |b - A x| <= 3 n eps |L||U||x|, to which forming the residual
/// adds (n + 1) eps (|A||x| + |b|). LU with |L| <= 1: |L||U| <= n growth max|A|. Cholesky: |L||L^T| <= max|A| (Cauchy).
/// |b| is at most |A||x| and some round-off; so with |A||x| <= max|A| |x|_1 the residual's part adds 2 (n + 2) eps.
double bound(Index n, double growth, double largest, const Eigen::VectorXd& x) {
  const double size = static_cast<double>(n);
  return eps * (3.0 * size * growth + 2.0 * (size + 2.0)) * largest * x.lpNorm<1>();
}

template <class Factors, class Matrix>
void expect_solutions(const Factors& factors, const Matrix& A, double growth, double largest, Random& random) {
  const Index n = A.rows();
  const Eigen::MatrixXd B = random.matrix(n, 3);
  Eigen::MatrixXd X = B, Y = B;
  factors.solve_in_place(X);
  factors.solve_transposed_in_place(Y);
  const Eigen::MatrixXd R = B - A * X, T = B - A.transpose() * Y;
  for (Index c = 0; c < 3; ++c) {
    EXPECT_LE(R.col(c).lpNorm<Eigen::Infinity>(), bound(n, growth, largest, X.col(c))) << factors.backend();
    EXPECT_LE(T.col(c).lpNorm<Eigen::Infinity>(), bound(n, growth, largest, Y.col(c))) << factors.backend();
  }
  Eigen::VectorXd x = B.col(0);
  factors.solve_in_place(x);
  EXPECT_LE((B.col(0) - A * x).template lpNorm<Eigen::Infinity>(), bound(n, growth, largest, x)) << factors.backend();
  // A block of a larger matrix: the outer stride is not the number of rows.
  Eigen::MatrixXd frame = Eigen::MatrixXd::Constant(n + 2, 5, 9.0);
  frame.block(1, 1, n, 3) = B;
  factors.solve_in_place(frame.block(1, 1, n, 3));
  EXPECT_EQ(Eigen::MatrixXd(frame.block(1, 1, n, 3)), X) << factors.backend();
  EXPECT_TRUE((frame.row(0).array() == 9.0).all() && (frame.row(n + 1).array() == 9.0).all());
}

TEST(DenseFactorization, SolvesWithinItsBackwardError) {
  Random random;
  for (const Backend backend : dense_backends) {
    DenseFactorization lu(Structure::General, backend);
    DenseFactorization cholesky(Structure::SymmetricPositiveDefinite, backend);
    EXPECT_EQ(lu.backend(), backend == Backend::Lapack ? "LAPACK" : "Eigen");
    for (const Index n : {1, 2, 5, 40, 17}) {
      const Eigen::MatrixXd A = random.matrix(n, n);
      ASSERT_TRUE(lu.factorize(A));
      // Growth of partial pivoting on random matrices: n^(2/3) (Trefethen and Schreiber 1990); n is above.
      expect_solutions(lu, A, static_cast<double>(n * n), A.cwiseAbs().maxCoeff(), random);
      const Eigen::MatrixXd S = A * A.transpose() + Eigen::MatrixXd::Identity(n, n);
      ASSERT_TRUE(cholesky.factorize(S));
      expect_solutions(cholesky, S, 1.0, S.cwiseAbs().maxCoeff(), random);
    }
  }
}

TEST(DenseFactorization, ReadsOnlyTheLowerTriangleOfASymmetricMatrix) {
  Random random;
  const Eigen::MatrixXd A = random.matrix(6, 6), S = A * A.transpose() + Eigen::MatrixXd::Identity(6, 6);
  for (const Backend backend : dense_backends) {
    DenseFactorization cholesky(Structure::SymmetricPositiveDefinite, backend);
    ASSERT_TRUE(cholesky.factorize(S.triangularView<Eigen::Lower>().toDenseMatrix()));
    expect_solutions(cholesky, S, 1.0, S.cwiseAbs().maxCoeff(), random);
  }
}

TEST(DenseFactorization, SeesSingularMatrices) {
  for (const Backend backend : dense_backends) {
    DenseFactorization lu(Structure::General, backend);
    DenseFactorization cholesky(Structure::SymmetricPositiveDefinite, backend);
    const Eigen::Matrix3d consecutive = (Eigen::Matrix3d() << 1, 2, 3, 4, 5, 6, 7, 8, 9).finished();
    EXPECT_FALSE(lu.factorize(consecutive));
    EXPECT_EQ(lu.reciprocal_condition(), 0.0);
    EXPECT_FALSE(lu.factorize(0.1 * consecutive));  // the last pivot is round-off, not zero
    EXPECT_FALSE(lu.factorize(Eigen::MatrixXd::Zero(4, 4)));
    Eigen::VectorXd b = Eigen::VectorXd::Ones(4);
    EXPECT_THROW(lu.solve_in_place(b), InvalidArgument);
    EXPECT_FALSE(cholesky.factorize(Eigen::Matrix2d{{1.0, 2.0}, {2.0, 1.0}}));
    EXPECT_FALSE(cholesky.factorize(Eigen::Matrix2d{{0.1, 0.3}, {0.3, 0.9}}));
    EXPECT_TRUE(lu.factorize(Eigen::Matrix2d{{0.0, 1.0}, {1.0, 0.0}}));  // the object works on
  }
}

TEST(DenseFactorization, ScalesDoNotMakeAMatrixSingular) {
  const Eigen::Vector3d rows(1e-12, 1.0, 1e12), columns(1e9, 1e-9, 1.0);
  const Eigen::Matrix3d A = rows.asDiagonal() * Eigen::Matrix3d{{4, 1, 0}, {1, 5, 2}, {0, 2, 6}} * columns.asDiagonal();
  const Eigen::Matrix3d S = rows.asDiagonal() * Eigen::Matrix3d{{4, 1, 0}, {1, 5, 2}, {0, 2, 6}} * rows.asDiagonal();
  for (const Backend backend : dense_backends) {
    EXPECT_TRUE(DenseFactorization(Structure::General, backend).factorize(A));
    EXPECT_TRUE(DenseFactorization(Structure::SymmetricPositiveDefinite, backend).factorize(S));
  }
  for (const Backend backend : sparse_backends) {
    EXPECT_TRUE(SparseFactorization(Structure::General, backend).factorize(A.sparseView(0.0, 0.0)));
    EXPECT_TRUE(SparseFactorization(Structure::SymmetricPositiveDefinite, backend).factorize(S.sparseView(0.0, 0.0)));
  }
}

TEST(DenseFactorization, EstimatesTheCondition) {
  // diag(1, 1/4): |A|_1 |A^-1|_1 = 4, in powers of two and so without rounding.
  const Eigen::Matrix2d A = Eigen::Vector2d(1.0, 0.25).asDiagonal();
  for (const Backend backend : dense_backends) {
    for (const Structure structure : {Structure::General, Structure::SymmetricPositiveDefinite}) {
      DenseFactorization factors(structure, backend);
      ASSERT_TRUE(factors.factorize(A));
      EXPECT_EQ(factors.reciprocal_condition(), 0.25);
    }
  }
}

TEST(DenseFactorization, RefusesMisuse) {
  EXPECT_THROW(DenseFactorization(Structure::General, Backend::SuiteSparse), InvalidArgument);
  for (const Backend backend : dense_backends) {
    DenseFactorization lu(Structure::General, backend);
    EXPECT_THROW((void)lu.factorize(Eigen::MatrixXd::Ones(2, 3)), InvalidArgument);
    Eigen::Matrix2d A = Eigen::Matrix2d::Identity();
    ASSERT_TRUE(lu.factorize(A));
    Eigen::VectorXd three(3);
    EXPECT_THROW(lu.solve_in_place(three), InvalidArgument);
    A(1, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW((void)lu.factorize(A), InvalidArgument);
    EXPECT_TRUE(lu.factorize(Eigen::MatrixXd(0, 0)));
  }
}

TEST(SparseFactorization, SolvesWithinItsBackwardError) {
  Random random;
  for (const Backend backend : sparse_backends) {
    SparseFactorization lu(Structure::General, backend), cholesky(Structure::SymmetricPositiveDefinite, backend);
    for (const Index n : {1, 3, 30, 200}) {
      const Sparse A = dominant(n, false, random), S = dominant(n, true, random);
      const double largest = Eigen::MatrixXd(A).cwiseAbs().maxCoeff(), size = static_cast<double>(n);
      ASSERT_TRUE(lu.factorize(A));
      // Dominance is kept by any order of the pivots and by row scaling; the growth is then 2 at most (Higham 2002,
      // theorem 9.9), |L| <= 1, and scaling rows to their largest entry costs one more factor of max|A|, here < 20.
      expect_solutions(lu, A, 2.0 * size * 20.0, largest, random);
      ASSERT_TRUE(cholesky.factorize(S));
      expect_solutions(cholesky, S, 1.0, Eigen::MatrixXd(S).cwiseAbs().maxCoeff(), random);
    }
  }
}

TEST(SparseFactorization, KeepsTheOrderingWhileThePatternStands) {
  Random random;
  for (const Backend backend : sparse_backends) {
    for (const Structure structure : {Structure::General, Structure::SymmetricPositiveDefinite}) {
      Sparse A = dominant(50, structure != Structure::General, random);
      SparseFactorization kept(structure, backend), fresh(structure, backend);
      ASSERT_TRUE(kept.factorize(A));
      A *= 3.0;
      ASSERT_TRUE(kept.factorize(A));
      EXPECT_EQ(kept.num_orderings(), 1);
      ASSERT_TRUE(fresh.factorize(A));
      // The second matrix's factors do not depend on the first's.
      const Eigen::VectorXd b = random.matrix(50, 1);
      Eigen::VectorXd x = b, y = b;
      kept.solve_in_place(x);
      fresh.solve_in_place(y);
      EXPECT_EQ(x, y) << kept.backend();
      A = dominant(50, structure != Structure::General, random);
      ASSERT_TRUE(kept.factorize(A));
      EXPECT_EQ(kept.num_orderings(), 2);
    }
  }
}

TEST(SparseFactorization, TakesMatricesThatAreNotCompressed) {
  for (const Backend backend : sparse_backends) {
    Sparse A(3, 3);
    A.reserve(Eigen::VectorXi::Constant(3, 3));
    for (int i = 0; i < 3; ++i) A.insert(i, i) = 2.0;
    A.insert(2, 0) = 1.0;
    ASSERT_FALSE(A.isCompressed());
    SparseFactorization lu(Structure::General, backend);
    ASSERT_TRUE(lu.factorize(A));
    Eigen::VectorXd b = Eigen::Vector3d(2.0, 4.0, 7.0);
    lu.solve_in_place(b);
    EXPECT_EQ(b, Eigen::Vector3d(1.0, 2.0, 3.0));  // every operation is exact in these numbers
  }
}

TEST(SparseFactorization, SeesSingularMatrices) {
  for (const Backend backend : sparse_backends) {
    SparseFactorization lu(Structure::General, backend), cholesky(Structure::SymmetricPositiveDefinite, backend);
    const Eigen::Matrix3d consecutive = (Eigen::Matrix3d() << 1, 2, 3, 4, 5, 6, 7, 8, 9).finished();
    EXPECT_FALSE(lu.factorize(consecutive.sparseView())) << lu.backend();
    EXPECT_FALSE(lu.factorize((0.1 * consecutive).sparseView())) << lu.backend();
    EXPECT_FALSE(lu.factorize(Sparse(4, 4))) << lu.backend();
    Sparse empty_column(2, 2);
    empty_column.insert(0, 0) = 1.0;
    EXPECT_FALSE(lu.factorize(empty_column)) << lu.backend();
    EXPECT_FALSE(cholesky.factorize(Eigen::Matrix2d{{1.0, 2.0}, {2.0, 1.0}}.sparseView())) << cholesky.backend();
    EXPECT_FALSE(cholesky.factorize(Eigen::Matrix2d{{0.1, 0.3}, {0.3, 0.9}}.sparseView())) << cholesky.backend();
    EXPECT_FALSE(cholesky.factorize(empty_column)) << cholesky.backend();
    Eigen::VectorXd b = Eigen::VectorXd::Ones(2);
    EXPECT_THROW(cholesky.solve_in_place(b), InvalidArgument);
    Sparse identity(2, 2);
    identity.setIdentity();
    EXPECT_TRUE(lu.factorize(identity)) << lu.backend();  // the objects work on
    EXPECT_TRUE(cholesky.factorize(identity)) << cholesky.backend();
  }
}

TEST(SparseFactorization, RefusesMisuse) {
  EXPECT_THROW(SparseFactorization(Structure::General, Backend::Lapack), InvalidArgument);
  for (const Backend backend : sparse_backends) {
    SparseFactorization lu(Structure::General, backend);
    EXPECT_THROW((void)lu.factorize(Sparse(2, 3)), InvalidArgument);
    Sparse A(2, 2);
    A.setIdentity();
    ASSERT_TRUE(lu.factorize(A));
    Eigen::VectorXd three(3);
    EXPECT_THROW(lu.solve_in_place(three), InvalidArgument);
    A.valuePtr()[0] = std::numeric_limits<double>::infinity();
    EXPECT_THROW((void)lu.factorize(A), InvalidArgument);
    EXPECT_TRUE(lu.factorize(Sparse(0, 0)));
  }
}

}  // namespace
}  // namespace nonsmooth::factorization_test
