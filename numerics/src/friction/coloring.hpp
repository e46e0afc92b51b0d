// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth::friction::internal {

/// Colours for the block rows of W such that no two rows of one colour look at each other's reactions: the rows of a
/// colour may be visited in any order, or at once. Keeps its memory.
class Coloring {
 public:
  /// Greedy, in the order given: each block takes the lowest colour that no neighbour has, so there are at most
  /// 1 + max degree colours. Reorders `order` by colour, the order within a colour kept. W's pattern may be
  /// unsymmetric: an entry in either triangle makes neighbours. Cost: the pattern of W twice.
  void color(const BlockSparseMatrix& W, std::vector<Index>& order);

  [[nodiscard]] Index count() const noexcept { return static_cast<Index>(begin_.size()) - 1; }
  /// Visits of colour c are numbered begin()[c] .. begin()[c + 1] - 1 in the reordered order.
  [[nodiscard]] const std::vector<Index>& begin() const noexcept { return begin_; }

 private:
  std::vector<Index> begin_ = {0};
  std::vector<Index> colors_, last_user_, sorted_;
  std::vector<Index> transposed_begin_, transposed_;
};

}  // namespace nonsmooth::friction::internal
