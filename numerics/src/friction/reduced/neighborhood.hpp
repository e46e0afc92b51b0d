// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::friction::internal {

/// The contacts around one contact as a problem of their own, the reactions of all others held. Keeps its memory.
class Neighborhood {
 public:
  /// Of this problem, which stays where it is.
  void prepare(const mixed::Problem& problem);

  /// The blocks nearest to `center` along W's rows, ring by ring: `size` of them and up to a row more, fewer where W
  /// couples no more; and the problem they pose at r.
  void take(Index center, Index size, ConstVectorRef r);

  [[nodiscard]] const std::vector<Index>& blocks() const noexcept { return blocks_; }  ///< ascending
  [[nodiscard]] const mixed::Problem& problem() const noexcept { return part_; }
  [[nodiscard]] const GrowingVector& start() const noexcept { return start_; }  ///< r of the blocks
  /// Writes the part's reactions to their rows of r.
  void scatter(ConstVectorRef part, VectorRef r) const;

 private:
  void find(Index center, Index size);

  const mixed::Problem* problem_ = nullptr;
  mixed::Problem part_;
  GrowingVector start_;
  std::vector<Index> blocks_, sizes_;
  std::vector<Index> local_;  // by block: its place in blocks_, -1 outside
};

}  // namespace nonsmooth::friction::internal
