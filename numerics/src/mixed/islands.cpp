// SPDX-License-Identifier: Apache-2.0
#include "islands.hpp"

#include <algorithm>

namespace nonsmooth::mixed::internal {

void Islands::find(const BlockSparseMatrix& W) {
  const Index n = W.num_block_rows();
  sets_.reset(n);
  for (Index i = 0; i < n; ++i) {
    for (Index b = W.row_begin(i); b < W.row_begin(i + 1); ++b) sets_.join(i, W.column(b));
  }
  sets_.list(begin_, blocks_);
  local_.resize(static_cast<std::size_t>(n));
  for (Index island = 0; island < count(); ++island) {
    const Index first = begin_[static_cast<std::size_t>(island)], last = begin_[static_cast<std::size_t>(island) + 1];
    for (Index k = first; k < last; ++k) {
      local_[static_cast<std::size_t>(blocks_[static_cast<std::size_t>(k)])] = k - first;
    }
  }
}

IslandExtent Islands::extent(const BlockSparseMatrix& W, Index island) const {
  IslandExtent result;
  result.blocks = size(island);
  for (Index k = begin_[static_cast<std::size_t>(island)]; k < begin_[static_cast<std::size_t>(island) + 1]; ++k) {
    const Index i = blocks_[static_cast<std::size_t>(k)];
    result.rows += W.size(i);
    result.products += W.row_begin(i + 1) - W.row_begin(i);
    for (Index b = W.row_begin(i); b < W.row_begin(i + 1); ++b) result.entries += W.size(i) * W.size(W.column(b));
  }
  return result;
}

void Islands::extract(const Problem& problem, Index island, ConstVectorRef r, std::vector<Index>& sizes, Problem& sub,
                      Result& result) const {
  const Index first = begin_[static_cast<std::size_t>(island)], last = begin_[static_cast<std::size_t>(island) + 1];
  const BlockSparseMatrix& W = problem.W;
  sizes.clear();
  sub.K.clear();
  for (Index k = first; k < last; ++k) {
    const Index i = blocks_[static_cast<std::size_t>(k)];
    sizes.push_back(W.size(i));
    sub.K.push_back(problem.K[i], W.size(i));
  }
  sub.W.begin_pattern(sizes);
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
