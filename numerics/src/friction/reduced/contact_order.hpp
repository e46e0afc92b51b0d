// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth::friction::internal {

/// Orders in which a sweep may visit the block rows of W. Keeps its memory.
class ContactOrder {
 public:
  using Blocks = std::vector<Index>;

  /// 0, 1, ..., n - 1.
  void natural(Index n, Blocks& order);

  /// Reverse Cuthill-McKee: breadth first from a block far from the others, the neighbours of a block by ascending
  /// degree, the whole reversed; parts that W does not couple follow one another. Blocks that look at the same
  /// reactions are then visited soon after one another. The pattern is taken as symmetric. Source: George, Liu,
  /// Computer Solution of Large Sparse Positive Definite Systems, 1981, section 4.3. Cost: the blocks of W a few times.
  void reverse_cuthill_mckee(const BlockSparseMatrix& W, Blocks& order);

 private:
  /// Appends the unmarked blocks reachable from `root` to order, level by level; returns the first of the last level.
  [[nodiscard]] std::size_t append_levels(const BlockSparseMatrix& W, Index root, std::size_t begin, Blocks& order);

  std::vector<unsigned char> marked_;
};

}  // namespace nonsmooth::friction::internal
