// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <friction/reduced/coloring.hpp>
#include <friction/reduced/contact_order.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth::coloring_test {
namespace {

using friction::internal::Coloring;
using friction::internal::ContactOrder;

BlockSparseMatrix pattern(Index n, const std::vector<std::pair<Index, Index>>& entries) {
  BlockSparseMatrix W;
  W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(n), 1));
  auto entry = entries.begin();  // sorted by row
  for (Index i = 0; i < n; ++i) {
    for (; entry != entries.end() && entry->first == i; ++entry) W.insert(entry->second);
    W.next_row();
  }
  W.end_pattern();
  return W;
}

bool is_permutation_of_blocks(std::vector<Index> order, Index n) {
  std::sort(order.begin(), order.end());
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  return order == all;
}

/// By block: the chunk that it is in, and the colour of each chunk.
struct Chunks {
  std::vector<Index> chunk, color;

  Chunks(const Coloring& coloring, const std::vector<Index>& order) : chunk(order.size()) {
    const auto& begin = coloring.chunk_begin();
    for (std::size_t c = 0; c + 1 < begin.size(); ++c)
      for (auto visit = static_cast<std::size_t>(begin[c]); visit < static_cast<std::size_t>(begin[c + 1]); ++visit)
        chunk[static_cast<std::size_t>(order[visit])] = static_cast<Index>(c);
    for (std::size_t c = 0; c + 1 < coloring.begin().size(); ++c)
      color.resize(static_cast<std::size_t>(coloring.begin()[c + 1]), static_cast<Index>(c));
  }
};

/// The visits are a permutation, and blocks of W link no two chunks of one colour. Returns the number of blocks inside
/// of chunks, beside the diagonal.
Index expect_proper(const BlockSparseMatrix& W, const Coloring& coloring, const std::vector<Index>& order) {
  const Index n = W.num_block_rows();
  EXPECT_TRUE(is_permutation_of_blocks(order, n));
  EXPECT_EQ(coloring.chunk_begin().back(), n);
  EXPECT_TRUE(std::is_sorted(coloring.chunk_begin().begin(), coloring.chunk_begin().end()));
  EXPECT_EQ(coloring.begin().back(), static_cast<Index>(coloring.chunk_begin().size()) - 1);
  const Chunks chunks(coloring, order);
  Index inside = 0, conflicts = 0;
  for (Index i = 0; i < n; ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k) {
      const Index a = chunks.chunk[static_cast<std::size_t>(i)],
                  b = chunks.chunk[static_cast<std::size_t>(W.column(k))];
      inside += a == b && W.column(k) != i;
      conflicts += a != b && chunks.color[static_cast<std::size_t>(a)] == chunks.color[static_cast<std::size_t>(b)];
    }
  EXPECT_EQ(conflicts, 0);
  return inside;
}

TEST(Coloring, CutsAnOrderWithNeighboursNearIntoChunksOfFewColors) {
  const auto problem = problems::disk_pile(60, 40, 0.5);
  ContactOrder orders;
  Coloring coloring;
  std::vector<Index> order, given;
  for (const bool cache : {false, true}) {
    if (cache)
      orders.reverse_cuthill_mckee(problem.W, given);
    else
      orders.natural(problem.W.num_block_rows(), given);
    ASSERT_TRUE(is_permutation_of_blocks(given, problem.W.num_block_rows()));
    order = given;
    coloring.color(problem.W, order);
    // A chunk holds neighbours; blocks coloured one by one would have none.
    EXPECT_GT(expect_proper(problem.W, coloring, order), problem.W.num_blocks() / 3);
    // A chunk touches the ones beside it and those of the rows of disks above and below: greedy needs some more colours
    // than the four of a map.
    EXPECT_LE(coloring.count(), 8);
    EXPECT_GE(coloring.chunk_begin().size(), static_cast<std::size_t>(4 * coloring.count()));
    // Chunks are cut from the order as it is.
    std::vector<Index> place(given.size());
    for (std::size_t k = 0; k < given.size(); ++k) place[static_cast<std::size_t>(given[k])] = static_cast<Index>(k);
    const Chunks chunks(coloring, order);
    for (std::size_t k = 1; k < order.size(); ++k) {
      const auto before = static_cast<std::size_t>(order[k - 1]), now = static_cast<std::size_t>(order[k]);
      if (chunks.chunk[before] != chunks.chunk[now]) continue;
      EXPECT_EQ(place[now], place[before] + 1);
    }
  }
}

TEST(Coloring, ColorsBlocksOneByOneWhereTheOrderHasNoCare) {
  const auto problem = problems::disk_pile(60, 40, 0.5);
  Coloring coloring;
  std::vector<Index> order(static_cast<std::size_t>(problem.W.num_block_rows()));
  ASSERT_GE(order.size(), 4096U);
  std::iota(order.begin(), order.end(), Index{0});
  std::mt19937_64 random(1);
  std::shuffle(order.begin(), order.end(), random);
  coloring.color(problem.W, order);
  EXPECT_EQ(expect_proper(problem.W, coloring, order), 0);  // no block of a colour looks at another
  Index widest = 0;
  for (Index i = 0; i < problem.W.num_block_rows(); ++i)
    widest = std::max(widest, problem.W.row_begin(i + 1) - problem.W.row_begin(i));
  EXPECT_LE(coloring.count(), widest);  // 1 + the number of neighbours
  EXPECT_GT(coloring.chunk_begin().size(), static_cast<std::size_t>(coloring.count()) + 1);
}

TEST(Coloring, CountsAnEntryOfOneTriangleAlone) {
  constexpr Index n = 1500;
  for (const Index step : {-1, 1}) {
    std::vector<std::pair<Index, Index>> entries;
    for (Index i = 0; i < n; ++i)
      if (i + step >= 0 && i + step < n) entries.push_back({i, i + step});
    const auto W = pattern(n, entries);
    std::vector<Index> order;
    ContactOrder().natural(n, order);
    Coloring coloring;
    coloring.color(W, order);
    (void)expect_proper(W, coloring, order);
    EXPECT_EQ(coloring.chunk_begin().size(), 12U);  // 11 chunks of 128 and some
    EXPECT_EQ(coloring.count(), 2);                 // a path: greedy along it needs two
  }
}

TEST(Coloring, SmallProblemsAreOneChunk) {
  const auto W = pattern(4, {{0, 3}, {1, 0}, {2, 1}});
  std::vector<Index> order = {2, 0, 3, 1};
  const std::vector<Index> given = order;
  Coloring coloring;
  coloring.color(W, order);
  EXPECT_EQ(order, given);
  EXPECT_EQ(coloring.count(), 1);
  EXPECT_EQ(coloring.chunk_begin(), (std::vector<Index>{0, 4}));
}

TEST(ContactOrder, ReverseCuthillMcKeeFindsTheBandOfAShuffledPath) {
  // The path 3 - 0 - 4 - 1 - 2 and a loner: consecutive in the order, one way or the other.
  const std::vector<Index> path = {3, 0, 4, 1, 2};
  std::vector<std::pair<Index, Index>> entries;
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    entries.push_back({path[k], path[k + 1]});
    entries.push_back({path[k + 1], path[k]});
  }
  std::sort(entries.begin(), entries.end());
  const auto W = pattern(6, entries);
  std::vector<Index> order;
  ContactOrder().reverse_cuthill_mckee(W, order);
  ASSERT_TRUE(is_permutation_of_blocks(order, 6));
  order.erase(std::find(order.begin(), order.end(), 5));
  if (order.front() != path.front()) std::reverse(order.begin(), order.end());
  EXPECT_EQ(order, path);
}

}  // namespace
}  // namespace nonsmooth::coloring_test
