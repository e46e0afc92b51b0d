// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/LU>

#include <lapacke.h>

#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

namespace nonsmooth {
namespace {

/// True if some pivot of P A = L U (both in `factors`) is not finite or no larger than its own round-off,
/// |U_kk| <= n eps (|L||U|)_kk. Cost: n^2 flops.
bool has_vanishing_pivot(const Eigen::Ref<const Eigen::MatrixXd>& factors) {
  const Index n = factors.rows();
  const double unit = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < n; ++k) {
    const double pivot = std::abs(factors(k, k));
    double magnitude = pivot;  // L_kk = 1
    for (Index j = 0; j < k; ++j) magnitude += std::abs(factors(k, j)) * std::abs(factors(j, k));
    if (!std::isfinite(magnitude) || pivot <= unit * magnitude) return true;
  }
  return false;
}

/// The same for A = L L^T, whose pivots L_kk^2 come out of A_kk by subtracting squares.
bool has_vanishing_pivot(const Eigen::Ref<const Eigen::MatrixXd>& lower, ConstMatrixRef A) {
  const double unit = static_cast<double>(A.rows()) * std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < A.rows(); ++k) {
    const double root = lower(k, k);
    if (!std::isfinite(root) || root <= 0.0 || root * root <= unit * A(k, k)) return true;
  }
  return false;
}

/// P A = L U in place, by the operations of Eigen::PartialPivLU, whose objects take their memory anew for each other
/// size: row k was exchanged with row swaps[k].
void lu_by_eigen(Eigen::Map<Eigen::MatrixXd> A, std::vector<int>& swaps) {
  if (swaps.size() < static_cast<std::size_t>(A.rows())) swaps.resize(static_cast<std::size_t>(A.rows()));
  int count = 0;
  Eigen::internal::partial_lu_impl<double, Eigen::ColMajor, int>::blocked_lu(A.rows(), A.cols(), A.data(),
                                                                             A.outerStride(), swaps.data(), count);
}

}  // namespace

struct DenseFactorization::Implementation {
  Implementation(Structure structure_in, Backend backend) : structure(structure_in) {
    if (backend == Backend::SuiteSparse) {
      throw InvalidArgument("DenseFactorization: backend", "SuiteSparse", "Automatic, Eigen or Lapack");
    }
    lapack = backend == Backend::Lapack;
  }

  bool factorize(ConstMatrixRef A) {
    factored = false;
    if (A.rows() != A.cols()) {
      throw InvalidArgument("DenseFactorization::factorize: A",
                            std::to_string(A.rows()) + " x " + std::to_string(A.cols()), "a square matrix");
    }
    check::finite("DenseFactorization::factorize: A", A);
    n = A.rows();
    if (n == 0) return factored = true;
    return factored = lapack ? factorize_lapack(A) : factorize_eigen(A);
  }

  /// A in the memory of the factors.
  Eigen::Map<Eigen::MatrixXd> take(ConstMatrixRef A) {
    if (factors.size() < A.size()) factors.resize(A.size());
    Eigen::Map<Eigen::MatrixXd> F(factors.data(), n, n);
    F = A;
    return F;
  }

  [[nodiscard]] Eigen::Map<const Eigen::MatrixXd> kept() const { return {factors.data(), n, n}; }

  bool factorize_eigen(ConstMatrixRef A) {
    Eigen::Map<Eigen::MatrixXd> F = take(A);
    if (structure == Structure::SymmetricPositiveDefinite) {
      norm = symmetric_norm(A);
      return cholesky_in_place(F) && !has_vanishing_pivot(F, A);
    }
    norm = A.cwiseAbs().colwise().sum().maxCoeff();
    lu_by_eigen(F, swaps);
    return !has_vanishing_pivot(F);
  }

  bool factorize_lapack(ConstMatrixRef A) {
    Eigen::Map<Eigen::MatrixXd> F = take(A);
    const auto order = static_cast<lapack_int>(n);
    if (structure == Structure::SymmetricPositiveDefinite) {
      norm = symmetric_norm(A);
      return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', order, F.data(), order) == 0 && !has_vanishing_pivot(F, A);
    }
    norm = A.cwiseAbs().colwise().sum().maxCoeff();
    if (pivots.size() < static_cast<std::size_t>(n)) pivots.resize(static_cast<std::size_t>(n));
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, order, order, F.data(), order, pivots.data()) == 0 &&
           !has_vanishing_pivot(F);
  }

  void solve(MatrixRef b, bool transposed) const {
    if (!factored) {
      throw InvalidArgument("DenseFactorization::solve", "no factors", "a call of factorize() that returned true");
    }
    if (b.rows() != n) {
      throw InvalidArgument("DenseFactorization::solve: b", std::to_string(b.rows()) + " rows",
                            std::to_string(n) + " rows, as A has");
    }
    if (n == 0 || b.cols() == 0) return;
    if (lapack) {
      const auto order = static_cast<lapack_int>(n), columns = static_cast<lapack_int>(b.cols());
      const auto stride = static_cast<lapack_int>(std::max(b.outerStride(), n));
      if (structure == Structure::SymmetricPositiveDefinite) {
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', order, columns, factors.data(), order, b.data(), stride);
      } else {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', order, columns, factors.data(), order,
                            pivots.data(), b.data(), stride);
      }
    } else if (b.cols() == 1) {  // Eigen's kernel for one vector needs no packing buffer
      solve_eigen(b.col(0), transposed);
    } else {
      solve_eigen(b, transposed);
    }
  }

  template <class Columns>
  void solve_eigen(Columns&& b, bool transposed) const {
    if (structure == Structure::SymmetricPositiveDefinite) {
      kept().triangularView<Eigen::Lower>().solveInPlace(b);
      kept().transpose().triangularView<Eigen::Upper>().solveInPlace(b);
    } else if (transposed) {
      kept().transpose().triangularView<Eigen::Lower>().solveInPlace(b);
      kept().transpose().triangularView<Eigen::UnitUpper>().solveInPlace(b);
      for (Index k = n; k-- > 0;) exchange(b, k);
    } else {
      for (Index k = 0; k < n; ++k) exchange(b, k);
      kept().triangularView<Eigen::UnitLower>().solveInPlace(b);
      kept().triangularView<Eigen::Upper>().solveInPlace(b);
    }
  }

  template <class Columns>
  void exchange(Columns& b, Index k) const {
    const Index other = swaps[static_cast<std::size_t>(k)];
    if (other == k) return;
    for (Index c = 0; c < b.cols(); ++c) std::swap(b(k, c), b(other, c));
  }

  double reciprocal_condition() const {
    if (!factored) return 0.0;
    if (n == 0) return 1.0;
    const bool cholesky = structure == Structure::SymmetricPositiveDefinite;
    if (work.size() < 4 * static_cast<std::size_t>(n)) {
      work.resize(4 * static_cast<std::size_t>(n));
      integers.resize(static_cast<std::size_t>(n));
    }
    const auto order = static_cast<lapack_int>(n);
    double result = 0.0;
    if (cholesky) {
      LAPACKE_dpocon_work(LAPACK_COL_MAJOR, 'L', order, factors.data(), order, norm, &result, work.data(),
                          integers.data());
    } else {
      LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', order, factors.data(), order, norm, &result, work.data(),
                          integers.data());
    }
    return result;
  }

  /// |A|_1 of a symmetric matrix of which the lower triangle is given.
  static double symmetric_norm(ConstMatrixRef A) {
    double largest = 0.0;
    for (Index k = 0; k < A.rows(); ++k) {
      const Index below = A.rows() - k;
      largest = std::max(largest, A.col(k).tail(below).lpNorm<1>() + A.row(k).head(k).lpNorm<1>());
    }
    return largest;
  }

  Structure structure;
  bool lapack = false, factored = false;
  Index n = 0;
  double norm = 0.0;
  Eigen::VectorXd factors;  // n x n, column-major, in memory that only grows, as all below
  std::vector<int> swaps;   // Eigen's
  std::vector<lapack_int> pivots;
  mutable std::vector<double> work;  // of the condition number
  mutable std::vector<lapack_int> integers;
};

DenseFactorization::DenseFactorization(Structure structure, Backend backend)
    : implementation_(std::make_unique<Implementation>(structure, backend)) {}
DenseFactorization::~DenseFactorization() = default;
DenseFactorization::DenseFactorization(DenseFactorization&&) noexcept = default;
DenseFactorization& DenseFactorization::operator=(DenseFactorization&&) noexcept = default;

bool DenseFactorization::factorize(ConstMatrixRef A) { return implementation_->factorize(A); }
void DenseFactorization::solve_in_place(MatrixRef b) const { implementation_->solve(b, false); }
void DenseFactorization::solve_transposed_in_place(MatrixRef b) const { implementation_->solve(b, true); }
double DenseFactorization::reciprocal_condition() const { return implementation_->reciprocal_condition(); }
std::string_view DenseFactorization::backend() const noexcept { return implementation_->lapack ? "LAPACK" : "Eigen"; }

}  // namespace nonsmooth
