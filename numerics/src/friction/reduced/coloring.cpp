// SPDX-License-Identifier: Apache-2.0
#include "coloring.hpp"

#include <algorithm>

#include <internal/at.hpp>

namespace nonsmooth::friction::internal {
namespace {

// Chunks of thousands of blocks, as the rows of one share what they store, and no fewer than keep eight threads busy by
// two colours.
constexpr Index kChunks = 16, kMostChunks = 256, kSmallestChunk = 128, kLargeChunk = 6144;
constexpr Index kShare = 4;          // chunks a colour, in the mean: with fewer, threads wait for each other
constexpr Index kLarge = 4096;       // blocks: colours of single ones have too few to share below
constexpr Index kLocalSolve = 6;     // what a visit costs beside its blocks, in blocks
constexpr Index kMostOfAColor = 32;  // chunks of blocks that were coloured one by one

[[nodiscard]] Index cost(const BlockSparseMatrix& W, Index block) noexcept {
  return kLocalSolve + W.row_begin(block + 1) - W.row_begin(block);
}

}  // namespace

void Coloring::color(const BlockSparseMatrix& W, std::vector<Index>& order) {
  const auto n = static_cast<Index>(order.size());
  const auto color_chunks = [&](Index chunks) {
    cut(W, order, chunks);
    find_neighbours(W, order);
    choose_colors();
  };
  color_chunks(std::clamp<Index>(n / kSmallestChunk, 1, std::clamp(n / kLargeChunk, kChunks, kMostChunks)));
  const bool chunks_do = n < kLarge || num_chunks() >= kShare * static_cast<Index>(color_load_.size());
  if (!chunks_do) color_chunks(n);
  sort(order);
  if (!chunks_do) join();
}

void Coloring::cut(const BlockSparseMatrix& W, const std::vector<Index>& order, Index chunks) {
  const auto n = static_cast<Index>(order.size());
  Index total = 0, passed = 0, latest = -1;
  for (const Index block : order) total += cost(W, block);
  chunk_.resize(order.size());
  chunk_begin_.clear();
  load_.clear();
  for (Index visit = 0; visit < n; ++visit) {
    const Index block = order[at(visit)];
    // Where the visit begins, among equal parts of all that visits cost.
    const Index part = chunks == n ? visit : passed * chunks / total;
    if (part != latest) {
      chunk_begin_.push_back(visit);
      load_.push_back(0);
    }
    latest = part;
    load_.back() += cost(W, block);
    chunk_[at(block)] = static_cast<Index>(chunk_begin_.size()) - 1;
    passed += cost(W, block);
  }
  chunk_begin_.push_back(n);
}

void Coloring::find_neighbours(const BlockSparseMatrix& W, const std::vector<Index>& order) {
  const Index chunks = num_chunks();
  mark_.assign(at(chunks), -1);
  neighbours_begin_.clear();
  neighbours_.clear();
  transposed_begin_.assign(at(chunks) + 1, 0);
  for (Index c = 0; c < chunks; ++c) {
    neighbours_begin_.push_back(static_cast<Index>(neighbours_.size()));
    mark_[at(c)] = c;
    for (Index visit = chunk_begin_[at(c)]; visit < chunk_begin_[at(c) + 1]; ++visit) {
      const Index block = order[at(visit)];
      for (Index k = W.row_begin(block); k < W.row_begin(block + 1); ++k) {
        const Index other = chunk_[at(W.column(k))];
        if (mark_[at(other)] == c) continue;
        mark_[at(other)] = c;
        neighbours_.push_back(other);
        ++transposed_begin_[at(other) + 1];
      }
    }
  }
  neighbours_begin_.push_back(static_cast<Index>(neighbours_.size()));
  for (std::size_t c = 0; c < at(chunks); ++c) transposed_begin_[c + 1] += transposed_begin_[c];
  transposed_.resize(neighbours_.size());
  mark_.assign(transposed_begin_.begin(), transposed_begin_.end() - 1);  // from here on: where the next one goes
  for (Index c = 0; c < chunks; ++c)
    for (Index k = neighbours_begin_[at(c)]; k < neighbours_begin_[at(c) + 1]; ++k)
      transposed_[at(mark_[at(neighbours_[at(k)])]++)] = c;
}

void Coloring::choose_colors() {
  const Index chunks = num_chunks();
  color_.assign(at(chunks), -1);
  last_user_.clear();
  color_load_.clear();
  for (Index c = 0; c < chunks; ++c) {
    const auto exclude = [&](const std::vector<Index>& begin, const std::vector<Index>& others) {
      for (Index k = begin[at(c)]; k < begin[at(c) + 1]; ++k)
        if (const Index color = color_[at(others[at(k)])]; color >= 0) last_user_[at(color)] = c;
    };
    exclude(neighbours_begin_, neighbours_);
    exclude(transposed_begin_, transposed_);
    Index best = -1;
    for (Index color = 0; color < static_cast<Index>(last_user_.size()); ++color)
      if (last_user_[at(color)] != c && (best < 0 || color_load_[at(color)] < color_load_[at(best)])) best = color;
    if (best < 0) {
      best = static_cast<Index>(last_user_.size());
      last_user_.push_back(-1);
      color_load_.push_back(0);
    }
    color_[at(c)] = best;
    color_load_[at(best)] += load_[at(c)];
  }
}

void Coloring::sort(std::vector<Index>& order) {
  const std::size_t colors = color_load_.size(), chunks = color_.size();
  begin_.assign(colors + 1, 0);
  for (const Index color : color_) ++begin_[at(color) + 1];
  for (std::size_t color = 0; color < colors; ++color) begin_[color + 1] += begin_[color];
  last_user_.assign(begin_.begin(), begin_.end() - 1);  // from here on: where the next chunk of a colour goes
  mark_.resize(chunks);                                 // the chunk at each place
  for (std::size_t c = 0; c < chunks; ++c) mark_[at(last_user_[at(color_[c])]++)] = static_cast<Index>(c);
  sorted_.clear();
  sorted_begin_.clear();
  for (const Index c : mark_) {
    sorted_begin_.push_back(static_cast<Index>(sorted_.size()));
    sorted_.insert(sorted_.end(), order.begin() + chunk_begin_[at(c)], order.begin() + chunk_begin_[at(c) + 1]);
  }
  sorted_begin_.push_back(static_cast<Index>(sorted_.size()));
  chunk_begin_.swap(sorted_begin_);
  order.swap(sorted_);
}

void Coloring::join() {
  chunk_begin_.clear();
  for (std::size_t color = 0; color + 1 < begin_.size(); ++color) {
    const Index first = begin_[color], size = begin_[color + 1] - first;  // a chunk was a visit
    const Index parts = std::clamp<Index>(size / kSmallestChunk, 1, kMostOfAColor);
    begin_[color] = static_cast<Index>(chunk_begin_.size());
    for (Index part = 0; part < parts; ++part) chunk_begin_.push_back(first + part * size / parts);
  }
  begin_.back() = static_cast<Index>(chunk_begin_.size());
  chunk_begin_.push_back(static_cast<Index>(sorted_begin_.size()) - 1);
}

}  // namespace nonsmooth::friction::internal
