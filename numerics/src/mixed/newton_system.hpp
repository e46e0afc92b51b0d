// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the Newton methods and the splitting of the family share: the matrix A + C W, and the best iterate.

#include <string_view>
#include <vector>

#include <internal/sparse_room.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

#include "growing_matrix.hpp"

namespace nonsmooth::mixed::internal {

/// One dense n_i x n_i column-major matrix a block.
class BlockDiagonal {
 public:
  BlockDiagonal() = default;
  explicit BlockDiagonal(const ProductSet& K);
  /// Zeros for the blocks of another product. Keeps its memory.
  void prepare(const ProductSet& K);
  [[nodiscard]] double* block(Index i) noexcept { return values_.data() + begin_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const double* block(Index i) const noexcept {
    return values_.data() + begin_[static_cast<std::size_t>(i)];
  }
  /// y = D x; y has as many entries and is not x.
  void multiply(const ProductSet& K, ConstVectorRef x, VectorRef y) const;
  /// y = D^T x; y is not x.
  void multiply_transposed(const ProductSet& K, const Eigen::VectorXd& x, Eigen::VectorXd& y) const;

 private:
  std::vector<Index> begin_;
  std::vector<double> values_;
};

/// Factors of J = A + C W with block diagonal A and C: dense LU where W is small or nearly full, else sparse LU whose
/// ordering is computed once. Keeps its memory, but what sparse factors take.
class NewtonSystem {
 public:
  explicit NewtonSystem(Structure structure = Structure::General)
      : dense_factors_(structure), sparse_factors_(structure) {}
  explicit NewtonSystem(const Problem& problem, Structure structure = Structure::General);
  /// For matrices of another problem, which stays where it is.
  void prepare(const Problem& problem);
  /// True where W is small or nearly full.
  [[nodiscard]] static bool prefers_dense(const BlockSparseMatrix& W);
  /// False where J is singular to working precision or not finite.
  [[nodiscard]] bool factorize(const BlockDiagonal& A, const BlockDiagonal& C);
  /// x := J^-1 x of the last factors.
  void solve_in_place(VectorRef x) const;

 private:
  void lay_sparse();

  const Problem* problem_ = nullptr;
  bool dense_ = true;
  GrowingMatrix<> full_, product_;
  Eigen::SparseMatrix<double> sparse_;
  SparseRoom room_;
  std::vector<Index> next_;
  std::vector<Index> position_;        // of the first row of each column of each block, in the order of the values
  std::vector<Index> position_begin_;  // one a block
  DenseFactorization dense_factors_;
  SparseFactorization sparse_factors_;
};

/// y = W^T x.
void multiply_transposed(const BlockSparseMatrix& W, const Eigen::VectorXd& x, Eigen::VectorXd& y);
/// The same of a y that has W.rows() entries.
void multiply_transposed(const BlockSparseMatrix& W, ConstVectorRef x, VectorRef y);

/// Certifies r and keeps it in `result` where it is better than what is there. `u` is scratch of W.rows() entries and
/// receives W r + q.
bool keep_better(const Problem& problem, ConstVectorRef r, VectorRef u, Result& result);

/// Fills u, certificate and status from result.r: Solved if the certificate allows it, else `otherwise` and `reason`;
/// Stalled "at round-off" where only the tolerance is out of reach.
void conclude(const Problem& problem, double tolerance, Result& result, Status otherwise, std::string_view reason);

/// The start of a solve: `start` where it is not empty, projected on K so that the first certificate means something.
/// @throws InvalidArgument naming `argument` for another size than n or an entry that is not finite.
void set_start(const Problem& problem, std::string_view argument, ConstVectorRef start, Result& result);

}  // namespace nonsmooth::mixed::internal
