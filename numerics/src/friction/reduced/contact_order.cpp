// SPDX-License-Identifier: Apache-2.0
#include "contact_order.hpp"

#include <algorithm>
#include <numeric>

namespace nonsmooth::friction::internal {
namespace {

[[nodiscard]] Index degree(const BlockSparseMatrix& W, Index block) noexcept {
  return W.row_begin(block + 1) - W.row_begin(block);
}

/// Ascending degree, by insertion: rows are short, and equal degrees keep their order.
void sort_by_degree(const BlockSparseMatrix& W, Index* first, Index* last) noexcept {
  for (Index* i = first; i != last; ++i) {
    const Index block = *i, size = degree(W, block);
    Index* at = i;
    for (; at != first && degree(W, *(at - 1)) > size; --at) *at = *(at - 1);
    *at = block;
  }
}

}  // namespace

void ContactOrder::natural(Index n, Blocks& order) {
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
}

std::size_t ContactOrder::append_levels(const BlockSparseMatrix& W, Index root, std::size_t begin, Blocks& order) {
  order.resize(begin);
  order.push_back(root);
  marked_[static_cast<std::size_t>(root)] = 1;
  std::size_t level = begin;
  while (level < order.size()) {
    const std::size_t end = order.size();
    for (std::size_t i = level; i < end; ++i) {
      const Index block = order[i];
      const std::size_t first = order.size();
      for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
        unsigned char& mark = marked_[static_cast<std::size_t>(W.column(k))];
        if (mark) continue;
        mark = 1;
        order.push_back(W.column(k));
      }
      // A row of hundreds of blocks (one body that touches everything) is left as it is: sorting it would be quadratic.
      if (order.size() - first < 128) sort_by_degree(W, order.data() + first, order.data() + order.size());
    }
    if (end == order.size()) break;
    level = end;
  }
  return level;
}

void ContactOrder::reverse_cuthill_mckee(const BlockSparseMatrix& W, Blocks& order) {
  const Index n = W.num_block_rows();
  order.clear();
  order.reserve(static_cast<std::size_t>(n));
  marked_.assign(static_cast<std::size_t>(n), 0);
  for (Index seed = 0; seed < n; ++seed) {
    if (marked_[static_cast<std::size_t>(seed)]) continue;
    const std::size_t begin = order.size();
    // Two passes reach a block at the far end of the part: close enough to one of largest eccentricity.
    Index root = seed;
    for (int pass = 0; pass < 3; ++pass) {
      const std::size_t last = append_levels(W, root, begin, order);
      if (pass == 2) break;
      root = *std::min_element(order.begin() + static_cast<Index>(last), order.end(),
                               [&](Index a, Index b) { return degree(W, a) < degree(W, b); });
      for (std::size_t i = begin; i < order.size(); ++i) marked_[static_cast<std::size_t>(order[i])] = 0;
    }
  }
  std::reverse(order.begin(), order.end());
}

}  // namespace nonsmooth::friction::internal
