// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth::impacts {

/// Rows of blocks of a matrix, some of them twice: what a problem on them has as W. Keeps its memory.
class BlockSelection {
 public:
  void clear() noexcept { parts_.clear(); }
  /// The first `size` rows of a block. Blocks come in ascending order.
  void add(Index block, Index size) { parts_.push_back({block, size, 0}); }
  /// The rows behind the first one, of a block of two or three rows, once more: one row (T), or three whose first
  /// belongs to nothing and balances itself (-, T1, T2).
  void add_tangential(Index block, Index size) { parts_.push_back({block, size == 2 ? 1 : 3, size == 2 ? 1 : -1}); }

  [[nodiscard]] Index num_parts() const noexcept { return static_cast<Index>(parts_.size()); }
  [[nodiscard]] Index block(Index part) const { return at(part).block; }
  [[nodiscard]] Index size(Index part) const { return at(part).size; }
  /// The row within its block that row k of a part is; -1: none.
  [[nodiscard]] Index row(Index part, Index k) const {
    return at(part).shift >= 0 ? k + at(part).shift : k == 0 ? -1 : k;
  }
  /// to := the selected rows and columns of `from`; on the diagonal of rows that are none what their block has there.
  /// Cost: that of the result.
  void take(const BlockSparseMatrix& from, BlockSparseMatrix& to);

 private:
  struct Part {
    Index block = 0, size = 1;
    Index shift = 0;  ///< first row within the block; -1: see add_tangential
  };
  [[nodiscard]] const Part& at(Index part) const { return parts_[static_cast<std::size_t>(part)]; }

  std::vector<Part> parts_;
  std::vector<Index> sizes_, begin_;  ///< by part; by block of the matrix, and the end
};

}  // namespace nonsmooth::impacts
