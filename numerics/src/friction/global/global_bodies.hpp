// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of a global problem: the diagonal blocks that A falls into, their factors, and what contacts they share.

#include <memory>
#include <vector>

#include <nonsmooth/numerics/friction/global_problem.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "mixed/internal.hpp"

namespace nonsmooth::friction::internal {

/// The columns of a sparse matrix behind plain pointers: entries begin(j) .. end(j) - 1 are those of column j.
class Columns {
 public:
  explicit Columns(const Eigen::SparseMatrix<double>& matrix) noexcept
      : row(matrix.innerIndexPtr()),
        value(matrix.valuePtr()),
        begin_(matrix.outerIndexPtr()),
        count_(matrix.innerNonZeroPtr()) {}

  [[nodiscard]] Index begin(Index j) const noexcept { return begin_[j]; }
  [[nodiscard]] Index end(Index j) const noexcept { return count_ ? begin_[j] + count_[j] : begin_[j + 1]; }

  const int* row;
  const double* value;

 private:
  const int* begin_;
  const int* count_;  // null where the matrix is compressed
};

/// True where A is stored as its diagonal and nothing else: its values are the diagonal then.
[[nodiscard]] bool is_plain_diagonal(const Eigen::SparseMatrix<double>& A) noexcept;

/// The connected components of A's pattern, in the order of their first dof. Consecutive small components that touch
/// the same contacts (the scalar blocks of a diagonal mass) are one body.
class Bodies {
 public:
  explicit Bodies(const GlobalProblem& problem);

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(dof_begin_.size()) - 1; }
  [[nodiscard]] Index num_dofs(Index body) const noexcept { return at(dof_begin_, body + 1) - at(dof_begin_, body); }
  [[nodiscard]] const Index* dofs(Index body) const noexcept { return dofs_.data() + at(dof_begin_, body); }
  /// Where a dof stands in its body.
  [[nodiscard]] Index place(Index dof) const noexcept { return at(place_, dof); }
  /// Blocks of K that the body's columns of H touch, ascending.
  [[nodiscard]] Index num_blocks(Index body) const noexcept {
    return at(block_begin_, body + 1) - at(block_begin_, body);
  }
  [[nodiscard]] const Index* blocks(Index body) const noexcept { return blocks_.data() + at(block_begin_, body); }
  [[nodiscard]] Index block_of_row(Index row) const noexcept { return at(block_of_row_, row); }
  /// True if A has no entry off its diagonal; place() is not to be asked then.
  [[nodiscard]] bool is_diagonal() const noexcept { return diagonal_.size() > 0; }
  [[nodiscard]] const Eigen::VectorXd& diagonal() const noexcept { return diagonal_; }
  /// Dofs of the largest body.
  [[nodiscard]] Index largest() const noexcept { return largest_; }
  /// A bound on the scalar entries of W = H A^-1 H^T: the sum of (rows touched)^2 over the bodies.
  [[nodiscard]] double reduced_entries(const ProductSet& K) const;

 private:
  [[nodiscard]] static Index at(const std::vector<Index>& values, Index i) noexcept {
    return values[static_cast<std::size_t>(i)];
  }
  void find_components(const Eigen::SparseMatrix<double>& A);
  /// Blocks of each component; merges what is one body.
  void find_contacts(const GlobalProblem& problem);

  std::vector<Index> dofs_, dof_begin_, place_, blocks_, block_begin_, block_of_row_;
  Index largest_ = 0;
  Eigen::VectorXd diagonal_;  // of A where A is diagonal, else empty
};

/// Factors of A body by body: the entries themselves where a body is diagonal, dense LU up to 64 dofs, else sparse
/// Cholesky where the body is symmetric and positive definite, else sparse LU.
class BodyFactors {
 public:
  /// @throws InvalidArgument for a body singular to working precision.
  BodyFactors(const GlobalProblem& problem, const Bodies& bodies);

  /// A^-1 b, refined once where A is not diagonal.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  /// A^-1 (f + H^T r), likewise.
  [[nodiscard]] Eigen::VectorXd velocities(ConstVectorRef r) const;
  /// W = H A^-1 H^T in the blocks of K, symmetric bit by bit where A is.
  [[nodiscard]] BlockSparseMatrix reduced_matrix() const;
  [[nodiscard]] bool symmetric() const noexcept { return symmetric_; }
  /// A itself where it is diagonal, else null.
  [[nodiscard]] const Eigen::VectorXd* diagonal() const noexcept { return all_diagonal_ ? &diagonal_ : nullptr; }

 private:
  struct Factors {
    std::unique_ptr<DenseFactorization> dense;
    std::unique_ptr<SparseFactorization> sparse;
  };
  struct Scratch {
    mixed::internal::Buffer H, X, product;
    std::vector<Index> shift;  // by block: from its rows to their place among those that the body touches
  };
  void factorize(Index body);
  [[nodiscard]] bool take_diagonal(Index body);
  [[noreturn]] void refuse(Index body) const;
  void solve_in_place(Index body, MatrixRef b) const;
  void solve_in_place(Eigen::VectorXd& b) const;
  [[nodiscard]] BlockSparseMatrix pattern() const;
  /// H A^-1 H^T of one body over the rows that it touches, where it is diagonal and where it has dense factors.
  void multiply_diagonal(Index body, Scratch& scratch, MatrixRef product) const;
  template <int Rows>
  void multiply_rows(Index body, const Scratch& scratch, double* product) const;
  void multiply_dense(Index body, Scratch& scratch, MatrixRef product) const;
  void add(BlockSparseMatrix& W, Index body, ConstMatrixRef product, const Scratch& scratch) const;
  void add_large(BlockSparseMatrix& W, Index body, Index rows, const Scratch& scratch) const;
  [[nodiscard]] bool is_diagonal(Index body) const noexcept {
    return all_diagonal_ ||
           (!factors_[static_cast<std::size_t>(body)].dense && !factors_[static_cast<std::size_t>(body)].sparse);
  }

  const GlobalProblem& problem_;
  const Bodies& bodies_;
  std::vector<Factors> factors_;  // both null, or none at all: diagonal_ holds the body
  Eigen::VectorXd diagonal_;
  bool symmetric_ = true, all_diagonal_;
};

/// Up to here a body is factored dense, and costs little enough to factor wherever its inverse is of use.
inline constexpr Index small_body = 64;

}  // namespace nonsmooth::friction::internal
