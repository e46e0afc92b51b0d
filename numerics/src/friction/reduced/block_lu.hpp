// SPDX-License-Identifier: Apache-2.0
#pragma once

// LU of a matrix on the block pattern of W whose block sizes change from one factorization to the next.

#include <vector>

#include <internal/sparse_room.hpp>
#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

namespace nonsmooth::friction::internal {

/// Dense where the matrix is small or nearly full, else sparse. Entries are of order one; block rows may be empty.
/// Keeps its memory.
class BlockLu {
 public:
  /// Where a block of the matrix goes: entry (i, j) to values[i row_stride + j column_stride].
  struct Target {
    double* values;
    Index row_stride, column_stride;
  };

  /// Memory for up to so many rows of a dense matrix.
  void reserve_dense(Index rows);

  /// `first[b]` is the first row of block b of the pattern, one more entry than blocks. `fill(b, k, target)` writes
  /// block k of block row b. False where the matrix is singular to working precision or not finite.
  template <class Fill>
  [[nodiscard]] bool factorize(const BlockSparseMatrix& pattern, const std::vector<Index>& first, Fill fill) {
    layout(pattern, first);
    for (Index b = 0; b < pattern.num_block_rows(); ++b) {
      if (rows(first, b) == 0) continue;
      Index at = dense_ ? first[static_cast<std::size_t>(b)] : outer_[static_cast<std::size_t>(row(first, b))];
      const Index width = dense_ ? 0 : row_width(first, b);
      for (Index k = pattern.row_begin(b); k < pattern.row_begin(b + 1); ++k) {
        const Index columns = rows(first, pattern.column(k));
        if (columns == 0) continue;
        if (dense_) {
          fill(b, k, Target{values_.data() + at + row(first, pattern.column(k)) * size_, 1, size_});
        } else {
          fill(b, k, Target{values_.data() + at, width, 1});
          at += columns;
        }
      }
    }
    return finish();
  }

  void solve_in_place(double* x) const;

 private:
  [[nodiscard]] static Index row(const std::vector<Index>& first, Index b) {
    return first[static_cast<std::size_t>(b)];
  }
  [[nodiscard]] static Index rows(const std::vector<Index>& first, Index b) {
    return row(first, b + 1) - row(first, b);
  }
  [[nodiscard]] Index row_width(const std::vector<Index>& first, Index b) const {
    const auto r = static_cast<std::size_t>(row(first, b));
    return outer_[r + 1] - outer_[r];
  }
  void layout(const BlockSparseMatrix& pattern, const std::vector<Index>& first);
  [[nodiscard]] bool finish();

  Index size_ = 0;
  bool dense_ = true;
  std::vector<double> values_, smallest_, packed_;
  std::vector<Index> swaps_;
  std::vector<int> outer_, inner_;
  Eigen::SparseMatrix<double> transposed_;
  SparseRoom room_;
  SparseFactorization factors_;
};

}  // namespace nonsmooth::friction::internal
