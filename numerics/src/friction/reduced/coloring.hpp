// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/linear_algebra/block_sparse_matrix.hpp>

namespace nonsmooth::friction::internal {

/// Colours for chunks of blocks such that no two chunks of one colour look at each other's reactions: those of a colour
/// may be visited in any order, or at once, the blocks of a chunk one after the other. Keeps its memory.
///
/// The order is cut into 16 chunks of consecutive blocks, more (at most 256) where they would be larger than some 6000
/// blocks and fewer where they would be smaller than 128. Where it has neighbours near each other a handful of colours
/// separates them: a thread then reads W in one stream and the reactions of near-by chunks, most neighbours lie in one
/// chunk, and sweeps are nearly those of the order itself. Where the chunks of a large problem touch too many others
/// (an order without care), blocks take colours one by one, and a chunk is a part of a colour. The choice depends on W
/// and the order alone.
class Coloring {
 public:
  /// Greedy, in the order given: of the colours that no neighbour has, the one least used so far. Reorders `order` by
  /// colour, the order within a colour kept. W's pattern may be unsymmetric: an entry in either triangle makes
  /// neighbours. Cost: the pattern of W once; thrice and a copy of it where blocks are coloured one by one.
  void color(const BlockSparseMatrix& W, std::vector<Index>& order);

  [[nodiscard]] Index count() const noexcept { return static_cast<Index>(begin_.size()) - 1; }
  /// Chunks of colour c are numbered begin()[c] .. begin()[c + 1] - 1.
  [[nodiscard]] const std::vector<Index>& begin() const noexcept { return begin_; }
  /// Visits of chunk k are numbered chunk_begin()[k] .. chunk_begin()[k + 1] - 1 in the reordered order.
  [[nodiscard]] const std::vector<Index>& chunk_begin() const noexcept { return chunk_begin_; }

 private:
  /// Cuts the order into at most that many chunks of about equal cost; the number of blocks: into single ones.
  void cut(const BlockSparseMatrix& W, const std::vector<Index>& order, Index chunks);
  void find_neighbours(const BlockSparseMatrix& W, const std::vector<Index>& order);
  void choose_colors();
  void sort(std::vector<Index>& order);
  void join();  // single blocks of a colour to chunks
  [[nodiscard]] Index num_chunks() const noexcept { return static_cast<Index>(chunk_begin_.size()) - 1; }

  std::vector<Index> begin_ = {0}, chunk_begin_ = {0};
  std::vector<Index> chunk_;                          // by block
  std::vector<Index> load_, color_;                   // by chunk, in the order given
  std::vector<Index> neighbours_begin_, neighbours_;  // by chunk: the chunks that it looks at
  std::vector<Index> transposed_begin_, transposed_;  // by chunk: those that look at it
  std::vector<Index> last_user_, color_load_;         // by colour: the last chunk with a neighbour of it
  std::vector<Index> mark_, sorted_, sorted_begin_;
};

}  // namespace nonsmooth::friction::internal
