// SPDX-License-Identifier: Apache-2.0
#include "coloring.hpp"

#include <algorithm>

namespace nonsmooth::friction::internal {

void Coloring::color(const BlockSparseMatrix& W, std::vector<Index>& order) {
  const auto n = static_cast<std::size_t>(W.num_block_rows());
  // Entries whose mirror is not in the pattern: few or none, but they make neighbours too.
  transposed_begin_.assign(n + 1, 0);
  const auto for_each_lonely = [&](auto&& visit) {
    for (Index i = 0; i < W.num_block_rows(); ++i)
      for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k)
        if (W.find(W.column(k), i) < 0) visit(W.column(k), i);
  };
  for_each_lonely([&](Index column, Index) { ++transposed_begin_[static_cast<std::size_t>(column) + 1]; });
  for (std::size_t i = 0; i < n; ++i) transposed_begin_[i + 1] += transposed_begin_[i];
  transposed_.resize(static_cast<std::size_t>(transposed_begin_[n]));
  if (!transposed_.empty()) {
    for_each_lonely([&](Index column, Index row) {
      transposed_[static_cast<std::size_t>(transposed_begin_[static_cast<std::size_t>(column)]++)] = row;
    });
    for (std::size_t i = n; i > 0; --i) transposed_begin_[i] = transposed_begin_[i - 1];
    transposed_begin_[0] = 0;
  }

  colors_.assign(n, -1);
  last_user_.clear();  // by colour: the last block with a neighbour of this colour
  begin_.assign(1, 0);
  for (const Index block : order) {
    const auto exclude = [&](Index neighbour) {
      const Index color = colors_[static_cast<std::size_t>(neighbour)];
      if (color >= 0) last_user_[static_cast<std::size_t>(color)] = block;
    };
    for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) exclude(W.column(k));
    const auto at = static_cast<std::size_t>(block);
    for (Index k = transposed_begin_[at]; k < transposed_begin_[at + 1]; ++k)
      exclude(transposed_[static_cast<std::size_t>(k)]);
    std::size_t color = 0;
    while (color < last_user_.size() && last_user_[color] == block) ++color;
    if (color == last_user_.size()) {
      last_user_.push_back(-1);
      begin_.push_back(0);
    }
    colors_[at] = static_cast<Index>(color);
    ++begin_[color + 1];
  }
  for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  sorted_.resize(order.size());
  std::copy(begin_.begin(), begin_.end() - 1, last_user_.begin());  // from here on: where the next of a colour goes
  for (const Index block : order) {
    Index& next = last_user_[static_cast<std::size_t>(colors_[static_cast<std::size_t>(block)])];
    sorted_[static_cast<std::size_t>(next++)] = block;
  }
  order.swap(sorted_);
}

}  // namespace nonsmooth::friction::internal
