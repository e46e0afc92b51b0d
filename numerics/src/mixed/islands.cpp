// SPDX-License-Identifier: Apache-2.0
#include "islands.hpp"

#include <algorithm>
#include <utility>

namespace nonsmooth::mixed::internal {

Index Islands::root(Index block) noexcept {
  while (parent_[static_cast<std::size_t>(block)] != block) {
    Index& up = parent_[static_cast<std::size_t>(block)];
    up = parent_[static_cast<std::size_t>(up)];
    block = up;
  }
  return block;
}

void Islands::find(const BlockSparseMatrix& W) {
  const Index n = W.num_block_rows();
  parent_.resize(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) parent_[static_cast<std::size_t>(i)] = i;
  for (Index i = 0; i < n; ++i) {
    Index first = root(i);
    for (Index b = W.row_begin(i); b < W.row_begin(i + 1); ++b) {
      if (W.column(b) == i) continue;
      Index second = root(W.column(b));
      if (first == second) continue;
      if (second < first) std::swap(first, second);
      parent_[static_cast<std::size_t>(second)] = first;  // the lowest block is the root
    }
  }
  // Counting sort of the blocks by island, islands in the order of their roots.
  local_.resize(static_cast<std::size_t>(n));
  begin_.assign(1, 0);
  for (Index i = 0; i < n; ++i) {
    const Index r = root(i);
    if (r == i) {
      local_[static_cast<std::size_t>(i)] = static_cast<Index>(begin_.size()) - 1;  // first the number of its island
      begin_.push_back(1);
    } else {
      local_[static_cast<std::size_t>(i)] = local_[static_cast<std::size_t>(r)];
      ++begin_[static_cast<std::size_t>(local_[static_cast<std::size_t>(r)]) + 1];
    }
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  blocks_.resize(static_cast<std::size_t>(n));
  for (Index i = n; i-- > 0;) {
    const auto island = static_cast<std::size_t>(local_[static_cast<std::size_t>(i)]);
    blocks_[static_cast<std::size_t>(--begin_[island + 1])] = i;
  }
  for (std::size_t i = 0; i + 1 < begin_.size(); ++i) begin_[i] = begin_[i + 1];
  begin_.back() = n;
  for (Index island = 0; island < count(); ++island) {
    const Index first = begin_[static_cast<std::size_t>(island)], last = begin_[static_cast<std::size_t>(island) + 1];
    for (Index k = first; k < last; ++k) {
      local_[static_cast<std::size_t>(blocks_[static_cast<std::size_t>(k)])] = k - first;
    }
  }
}

void Islands::extract(const Problem& problem, Index island, ConstVectorRef r, Problem& sub, Result& result) {
  const Index first = begin_[static_cast<std::size_t>(island)], last = begin_[static_cast<std::size_t>(island) + 1];
  const BlockSparseMatrix& W = problem.W;
  sizes_.clear();
  sub.K.clear();
  for (Index k = first; k < last; ++k) {
    const Index i = blocks_[static_cast<std::size_t>(k)];
    sizes_.push_back(W.size(i));
    sub.K.push_back(problem.K[i], W.size(i));
  }
  sub.W.begin_pattern(sizes_);
  for (Index k = first; k < last; ++k) {
    const Index i = blocks_[static_cast<std::size_t>(k)];
    for (Index b = W.row_begin(i); b < W.row_begin(i + 1); ++b) {
      sub.W.insert(local_[static_cast<std::size_t>(W.column(b))]);
    }
    sub.W.next_row();
  }
  sub.W.end_pattern();
  sub.q.resize(sub.W.rows());
  result.r.resize(sub.W.rows());
  for (Index k = first; k < last; ++k) {
    const Index i = blocks_[static_cast<std::size_t>(k)], at = k - first, size = W.size(i);
    sub.q.segment(sub.W.offset(at), size) = problem.q.segment(W.offset(i), size);
    result.r.segment(sub.W.offset(at), size) = r.segment(W.offset(i), size);
    // Ascending order is kept, so the row's blocks lie in the same order in both.
    Index from = W.row_begin(i), to = sub.W.row_begin(at);
    for (; from < W.row_begin(i + 1); ++from, ++to) {
      const Index entries = size * W.size(W.column(from));
      std::copy_n(W.values(from), entries, sub.W.values(to));
    }
  }
}

void Islands::scatter(const Problem& problem, Index island, ConstVectorRef values, VectorRef whole) const {
  const Index first = begin_[static_cast<std::size_t>(island)], last = begin_[static_cast<std::size_t>(island) + 1];
  Index at = 0;
  for (Index k = first; k < last; ++k) {
    const Index i = blocks_[static_cast<std::size_t>(k)], size = problem.W.size(i);
    whole.segment(problem.W.offset(i), size) = values.segment(at, size);
    at += size;
  }
}

}  // namespace nonsmooth::mixed::internal
