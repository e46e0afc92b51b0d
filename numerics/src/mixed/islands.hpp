// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/disjoint_sets.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed::internal {

/// What the memory that an island takes grows with.
struct IslandExtent {
  Index blocks = 0, rows = 0;
  Index products = 0;  ///< blocks of W
  Index entries = 0;   ///< of W
};

/// The connected components of W's block graph: problems that can be solved one by one. Islands are numbered by their
/// first block, the blocks of each are in ascending order. Keeps its memory.
class Islands {
 public:
  /// The pattern is taken as symmetric in structure (an edge in either triangle connects).
  void find(const BlockSparseMatrix& W);

  [[nodiscard]] Index count() const noexcept { return static_cast<Index>(begin_.size()) - 1; }
  /// Blocks of an island.
  [[nodiscard]] Index size(Index island) const {
    return begin_[static_cast<std::size_t>(island) + 1] - begin_[static_cast<std::size_t>(island)];
  }

  [[nodiscard]] IslandExtent extent(const BlockSparseMatrix& W, Index island) const;

  /// Copies island i out of the problem, with r as the start of `result`; `sizes` is scratch.
  void extract(const Problem& problem, Index island, ConstVectorRef r, std::vector<Index>& sizes, Problem& sub,
               Result& result) const;
  /// Writes an island's entries to their rows of the whole.
  void scatter(const Problem& problem, Index island, ConstVectorRef values, VectorRef whole) const;

 private:
  DisjointSets sets_;
  std::vector<Index> begin_, blocks_;  // blocks of island i: blocks_[begin_[i] .. begin_[i+1])
  std::vector<Index> local_;           // by block: its position in its island
};

}  // namespace nonsmooth::mixed::internal
