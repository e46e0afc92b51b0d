// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>
#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>

#include "linear_algebra/sparse/minimum_degree.hpp"
#include "linear_algebra/sparse/postorder.hpp"

namespace nonsmooth::mixed::internal {

/// The Cholesky factors of S + diag(d), S the mirrored lower triangle of a block-sparse W whose pattern is symmetric.
///
/// Approximate minimum degree on the graph of the blocks, a ninth of the work of ordering three times as many rows;
/// supernodes of few explicit zeros; multifrontal (Duff, Reid 1983 [duff1983]): each front is a small dense matrix, so
/// that most of the work is products of dense matrices. A dense W is one front. The same bits whatever the threads.
class BlockCholesky {
 public:
  BlockCholesky() = default;
  explicit BlockCholesky(const BlockSparseMatrix& W);
  /// Orders and lays out. W must stay alive and keep its pattern until the next call. Keeps its memory.
  void prepare(const BlockSparseMatrix& W);
  /// Memory for any matrix of up to so many blocks and rows, whatever its pattern; for few rows.
  void reserve(Index blocks, Index rows);

  /// False where a pivot vanishes: L_kk^2 <= n eps (S + diag(d))_kk, or is not finite; no solve then.
  [[nodiscard]] bool factorize(ConstVectorRef d);
  /// x := (S + diag(d))^-1 x of the last factors. Scratch is the object's own: one thread at a time.
  void solve_in_place(VectorRef x) const;

 private:
  struct Supernode {
    Index first = 0, last = 0;                              // columns first .. last - 1, in the order of elimination
    Index rows_begin = 0, rows_end = 0;                     // of the blocks below them, in rows_
    Index width = 0, height = 0;                            // of the panel, in scalar rows
    Index panel = 0;                                        // where its values begin
    Index sources_begin = 0, sources_end = 0;               // blocks of W that it assembles
    Index first_child = -1, last_child = -1, sibling = -1;  // supernodes, in their order
    Index update = 0;                                       // where it lies in stack_ until the parent has taken it
  };
  struct Source {
    Index block;        // of W
    Index row, column;  // of the front, scalar
    Index rows, columns;
    bool transposed;
    bool diagonal;
  };

  void find_structure();
  [[nodiscard]] bool postorder();
  void find_supernodes();
  void place_sources();
  void extend_add(const Supernode& child, const double* update, const Supernode& node, double* panel, double* next);

  /// Rows below the diagonal of column k of the factors, sorted: structure_[begin] .. structure_[end - 1].
  [[nodiscard]] Index structure_begin(Index k) const { return structure_begin_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] Index structure_size(Index k) const { return structure_begin(k + 1) - structure_begin(k); }

  const BlockSparseMatrix* W_ = nullptr;
  std::vector<Index> order_, position_;  // block eliminated k-th; when a block is eliminated
  std::vector<Index> start_;             // scalar row of the k-th eliminated block
  std::vector<Index> rows_;
  std::vector<Supernode> nodes_;
  std::vector<Source> sources_;
  std::vector<double> panels_, stack_, diagonal_;
  std::vector<Index> local_;  // scalar row in the front of each block, scratch
  mutable GrowingVector x_, part_;
  // Scratch of prepare(), by block in the order of elimination.
  detail::MinimumDegree degree_;
  detail::Postorder postorder_;
  std::vector<Index> structure_begin_, structure_, parent_, child_, sibling_, seen_, swap_, node_of_;
};

}  // namespace nonsmooth::mixed::internal
