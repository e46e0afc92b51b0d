// SPDX-License-Identifier: Apache-2.0
// Coarser and coarser images of a sparse matrix, by smoothed aggregation; not installed.
#pragma once

#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::lcp::detail {

/// A sparse matrix by rows, behind plain arrays: inner loops of relaxation and of triple products run over them.
struct RowMatrix {
  int rows = 0, cols = 0;
  std::vector<int> begin{0};  // row i: entries begin[i] .. begin[i+1]-1, columns in any order
  std::vector<int> column;
  std::vector<double> value;

  [[nodiscard]] std::size_t entries() const noexcept { return value.size(); }
  [[nodiscard]] Eigen::VectorXd diagonal() const;
  [[nodiscard]] Eigen::SparseMatrix<double> to_eigen() const;
};

[[nodiscard]] RowMatrix by_rows(const Eigen::SparseMatrix<double>& M);
[[nodiscard]] RowMatrix transposed(const RowMatrix& A);
/// y := A x, y := b + A x.
void multiply(const RowMatrix& A, const Eigen::VectorXd& x, Eigen::VectorXd& y);
void multiply_add(const RowMatrix& A, const Eigen::VectorXd& x, const Eigen::VectorXd& b, Eigen::VectorXd& y);
/// P^T A P; Pt is P transposed.
[[nodiscard]] RowMatrix galerkin(const RowMatrix& A, const RowMatrix& P, const RowMatrix& Pt);
/// A(rows, rows).
[[nodiscard]] RowMatrix principal_submatrix(const RowMatrix& A, const std::vector<int>& rows);
/// A(rows, :) without the columns that became empty; `kept` lists those that stay.
[[nodiscard]] RowMatrix rows_of(const RowMatrix& A, const std::vector<int>& rows, std::vector<int>& kept);

/// Level 0 is M. Aggregates: a row with the rows it depends on strongly, -M_ij >= 0.08 sqrt(M_ii M_jj); the piecewise
/// constant interpolation smoothed by one step of damped Jacobi (omega = 2/3) on M without its weak and its positive
/// couplings, which are lumped to the diagonal. So P >= 0, and P z_c >= 0 for z_c >= 0: a coarse LCP
/// (P^T M P, P^T q) is the fine one restricted to a cone of smooth z. Source: Vanek, Mandel, Brezina 1996 [vanek1996].
class CoarseHierarchy {
 public:
  struct Level {
    RowMatrix A;
    RowMatrix P, Pt;  // from the next level to this; empty on the last
  };

  /// Coarsens until `coarsest` rows are left or coarsening has no effect. M must have a positive diagonal.
  CoarseHierarchy(const Eigen::SparseMatrix<double>& M, Index coarsest);

  /// Level 0 becomes M, of the same size; the coarse levels stay those of the matrix before.
  void replace_finest(const Eigen::SparseMatrix<double>& M) { levels_.front().A = by_rows(M); }

  [[nodiscard]] std::size_t size() const noexcept { return levels_.size(); }
  /// A last level of no more rows is worth factors; a larger one is left to relaxation.
  [[nodiscard]] Index coarsest() const noexcept { return coarsest_; }
  [[nodiscard]] const Level& level(std::size_t l) const noexcept { return levels_[l]; }

 private:
  Index coarsest_;
  std::vector<Level> levels_;
};

}  // namespace nonsmooth::lcp::detail
