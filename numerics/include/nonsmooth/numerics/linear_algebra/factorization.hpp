// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What is known of the matrix; decides the factors.
enum class Structure : unsigned char {
  General,                    ///< LU
  SymmetricPositiveDefinite,  ///< Cholesky
};

/// Who computes the factors. Automatic: Eigen where the result reaches a simulation's state or the matrix is small
/// (its bits do not depend on the number of BLAS threads), columns of our own or CHOLMOD for sparse matrices.
enum class Backend : unsigned char { Automatic, Eigen, Lapack, SuiteSparse };

/// The factors of one square matrix A, dense, behind one door for every backend. Automatic means Eigen.
///
/// Singular to working precision: a pivot no larger than the round-off that made it. With A = P^T L U computed to
/// |P A - L U| <= gamma_n |L||U| (Higham 2002, theorem 9.3), that is |U_kk| <= n eps (|L||U|)_kk; with A = L L^T,
/// L_kk^2 <= n eps A_kk (theorem 10.3). Neither test changes when rows or columns are scaled, so that a well-posed
/// matrix of mixed units is not taken for a singular one.
class DenseFactorization {
 public:
  /// @throws InvalidArgument a backend that has no dense factors (SuiteSparse).
  explicit DenseFactorization(Structure structure = Structure::General, Backend backend = Backend::Automatic);
  ~DenseFactorization();
  DenseFactorization(DenseFactorization&&) noexcept;
  DenseFactorization& operator=(DenseFactorization&&) noexcept;

  /// Factors A (n x n); nothing of ours is allocated while n is no larger than it was before. Of a positive definite
  /// matrix only the lower triangle is used. False if A is singular to working precision (or not positive definite
  /// where that was claimed); solve() must not be called then.
  /// @throws InvalidArgument A not square or with an entry that is not finite.
  [[nodiscard]] bool factorize(ConstMatrixRef A);
  /// b := A^-1 b for a vector or several columns, in place. Cost: 2 n^2 flops a column.
  /// @throws InvalidArgument b of another number of rows, or no factors to solve with.
  void solve_in_place(MatrixRef b) const;
  /// b := A^-T b.
  void solve_transposed_in_place(MatrixRef b) const;
  /// An estimate of 1 / (|A|_1 |A^-1|_1) by LAPACK, 0 for a singular matrix. Cost: a few solves. One thread at a time.
  [[nodiscard]] double reciprocal_condition() const;
  [[nodiscard]] std::string_view backend() const noexcept;  ///< what computed the factors: "Eigen", "LAPACK"

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The factors of one square sparse matrix A; the symbolic part is kept while the pattern stands. Automatic means LU
/// column by column (Gilbert, Peierls 1988 [gilbert1988], as in KLU) on memory that is kept whatever patterns follow,
/// and simplicial CHOLMOD, which allocates with a new pattern alone; SuiteSparse means KLU, which allocates in each
/// call, and CHOLMOD; both mean UMFPACK and supernodal CHOLMOD in a build with NONSMOOTH_WITH_GPL.
///
/// Singular to working precision: for Cholesky the test of the dense factors; for LU a zero pivot, or an estimate of
/// the condition number | D^-1 |A^-1||A| D |_inf (Skeel 1979; d_j = 1 / max_i |A_ij|; the estimator of Hager 1984)
/// above 1 / (n eps). It does not change when rows or columns are scaled. It costs up to ten solves; all but Eigen ask
/// for it only where pivots spread over more than eight decades.
///
/// One object serves one thread at a time, solves included.
class SparseFactorization {
 public:
  /// @throws InvalidArgument a backend that has no sparse factors (Lapack).
  explicit SparseFactorization(Structure structure = Structure::General, Backend backend = Backend::Automatic);
  ~SparseFactorization();
  SparseFactorization(SparseFactorization&&) noexcept;
  SparseFactorization& operator=(SparseFactorization&&) noexcept;

  /// Orders and factors A (compressed or not). Calls with the pattern of the call before reuse the ordering. Of a
  /// positive definite matrix only the lower triangle is used. False as for dense factors.
  /// @throws InvalidArgument A not square or with an entry that is not finite.
  [[nodiscard]] bool factorize(const Eigen::SparseMatrix<double>& A);
  /// b := A^-1 b for a vector or several columns, in place.
  /// @throws InvalidArgument b of another number of rows, or no factors to solve with.
  void solve_in_place(MatrixRef b) const;
  /// b := A^-T b.
  void solve_transposed_in_place(MatrixRef b) const;
  /// How often an ordering was computed: it grows only with a new pattern.
  [[nodiscard]] long long num_orderings() const noexcept;
  [[nodiscard]] std::string_view backend() const noexcept;  ///< "Eigen", "columns", "CHOLMOD simplicial", ...

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
