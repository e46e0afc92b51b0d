// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/sparse_pattern.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

namespace nonsmooth {

/// Factors of a sparse A whose values change on a pattern that stays: L L^T where A is symmetric to rounding and
/// positive definite, L U elsewhere, as its values alone decide. Each is ordered once. Their memory is kept; one of the
/// A that was factored last is none.
class VaryingFactor {
 public:
  VaryingFactor() = default;
  explicit VaryingFactor(const SparsePattern& pattern);

  /// A of the pattern. @returns false where it is singular to working precision.
  [[nodiscard]] bool compute(const Eigen::SparseMatrix<double>& A);
  /// b := A^-1 b for columns b.
  void solve_in_place(MatrixRef b) const { (cholesky_holds_ ? cholesky_ : lu_).solve_in_place(b); }

  /// What was factored last is L L^T.
  [[nodiscard]] bool is_cholesky() const { return cholesky_holds_; }

  /// A_ii of a matrix of the pattern.
  [[nodiscard]] double diagonal(const Eigen::SparseMatrix<double>& A, Index i) const {
    return A.valuePtr()[diagonal_[static_cast<std::size_t>(i)]];
  }
  /// By number of the entry (i, j) that of (j, i).
  [[nodiscard]] Index transposed(Index entry) const { return transposed_[static_cast<std::size_t>(entry)]; }

 private:
  /// |A_ij - A_ji| within some roundings of sqrt(A_ii A_jj), and the diagonal positive.
  [[nodiscard]] bool may_be_positive_definite(const Eigen::SparseMatrix<double>& A) const;

  std::vector<Index> diagonal_, transposed_;  ///< numbers of the entries
  SparseFactorization cholesky_{Structure::SymmetricPositiveDefinite};
  SparseFactorization lu_{Structure::General};
  bool holds_ = false, cholesky_holds_ = false;
  Eigen::VectorXd values_;  ///< of the A that was factored last
};

}  // namespace nonsmooth
