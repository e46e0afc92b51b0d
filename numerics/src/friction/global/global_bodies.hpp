// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of a global problem: the diagonal blocks that A falls into, their factors, and what contacts they share.

#include <memory>
#include <vector>

#include <internal/disjoint_sets.hpp>
#include <internal/sparse_room.hpp>
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
/// the same contacts (the scalar blocks of a diagonal mass) are one body. Keeps its memory.
class Bodies {
 public:
  Bodies() = default;
  explicit Bodies(const GlobalProblem& problem) { assign(problem); }
  void assign(const GlobalProblem& problem);

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
  [[nodiscard]] const GrowingVector& diagonal() const noexcept { return diagonal_; }
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
  GrowingVector diagonal_;  // of A where A is diagonal, else empty
  DisjointSets sets_;
};

/// Factors of A body by body: the entries themselves where a body is diagonal, dense LU up to 64 dofs, else sparse
/// Cholesky where the body is symmetric and positive definite, else sparse LU. Keeps its memory. One object serves one
/// thread at a time.
class BodyFactors {
 public:
  BodyFactors() = default;
  BodyFactors(const GlobalProblem& problem, const Bodies& bodies) { assign(problem, bodies); }
  /// Both must stay alive. @throws InvalidArgument for a body singular to working precision.
  void assign(const GlobalProblem& problem, const Bodies& bodies);

  /// x = A^-1 b, refined once where A is not diagonal; x is not b.
  void solve(ConstVectorRef b, GrowingVector& x) const;
  /// v = A^-1 (f + H^T r), likewise.
  void velocities(ConstVectorRef r, GrowingVector& v) const;
  /// W = H A^-1 H^T in the blocks of K, symmetric bit by bit where A is.
  void reduced_matrix(BlockSparseMatrix& W) const;
  [[nodiscard]] bool symmetric() const noexcept { return symmetric_; }
  /// A itself where it is diagonal, else null.
  [[nodiscard]] const GrowingVector* diagonal() const noexcept { return all_diagonal_ ? &diagonal_ : nullptr; }

 private:
  /// What a body is factored by, and which of those.
  struct Factors {
    enum class Kind : unsigned char { Diagonal, Dense, Sparse } kind = Kind::Diagonal;
    Index number = 0;
  };
  struct Scratch {
    mixed::internal::Buffer H, X, product;
    std::vector<Index> shift;  // by block: from its rows to their place among those that the body touches
    std::vector<Index> begin, next, bodies, sizes, seen;  // of the pattern of W
    GrowingVector local, rest, force;
  };
  /// Of a body of many velocities: its block of A, and the factors that serve it.
  struct SparseBody {
    Eigen::SparseMatrix<double> block;
    SparseWriter writer;
    SparseFactorization cholesky{Structure::SymmetricPositiveDefinite}, lu;
    bool by_cholesky = false;
  };
  /// Its rows of H, of those that it touches, their transpose, and columns of H A^-1 H^T.
  struct LargeRows {
    std::vector<Index> first;
    Eigen::SparseMatrix<double> H, transpose;
    SparseWriter H_writer, transpose_writer;
    mixed::internal::Buffer X, product;
  };
  void factorize(Index body);
  void factorize_sparse(Index body);
  [[nodiscard]] bool take_diagonal(Index body);
  [[noreturn]] void refuse(Index body) const;
  void solve_in_place(Index body, MatrixRef b) const;
  void solve_in_place(GrowingVector& b) const;
  void lay_pattern(BlockSparseMatrix& W) const;
  /// H A^-1 H^T of one body over the rows that it touches, where it is diagonal and where it has dense factors.
  void multiply_diagonal(Index body, Scratch& scratch, MatrixRef product) const;
  template <int Rows>
  void multiply_rows(Index body, const Scratch& scratch, double* product) const;
  void multiply_dense(Index body, Scratch& scratch, MatrixRef product) const;
  void add(BlockSparseMatrix& W, Index body, ConstMatrixRef product, const Scratch& scratch) const;
  void add_large(BlockSparseMatrix& W, Index body, Index rows, const Scratch& scratch) const;
  void write_rows(Index body, Index rows, const Scratch& scratch) const;
  [[nodiscard]] bool is_diagonal(Index body) const noexcept {
    return all_diagonal_ || factors_[static_cast<std::size_t>(body)].kind == Factors::Kind::Diagonal;
  }

  const GlobalProblem* problem_ = nullptr;
  const Bodies* bodies_ = nullptr;
  std::vector<Factors> factors_;  // by body; none at all where all are diagonal
  std::vector<std::unique_ptr<DenseFactorization>> dense_;
  Index num_dense_ = 0;  // of them in use
  std::vector<std::unique_ptr<SparseBody>> sparse_;
  Index num_sparse_ = 0;
  GrowingVector diagonal_;  // of the bodies that are diagonal
  bool symmetric_ = true, all_diagonal_ = false;
  mutable Scratch scratch_;
  mutable LargeRows large_;
};

/// Up to here a body is factored dense, and costs little enough to factor wherever its inverse is of use.
inline constexpr Index small_body = 64;

}  // namespace nonsmooth::friction::internal
