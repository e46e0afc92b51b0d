// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <friction/coloring.hpp>
#include <friction/contact_order.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth {
namespace {

using friction::internal::Coloring;
using friction::internal::ContactOrder;

BlockSparseMatrix pattern(Index n, const std::vector<std::pair<Index, Index>>& entries) {
  BlockSparseMatrix W;
  W.begin_pattern(std::vector<Index>(static_cast<std::size_t>(n), 1));
  for (Index i = 0; i < n; ++i) {
    for (const auto& [row, column] : entries)
      if (row == i) W.insert(column);
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

void expect_proper(const BlockSparseMatrix& W, const Coloring& coloring, const std::vector<Index>& order) {
  const Index n = W.num_block_rows();
  ASSERT_TRUE(is_permutation_of_blocks(order, n));
  ASSERT_EQ(coloring.begin().back(), n);
  std::vector<Index> color(static_cast<std::size_t>(n));
  for (Index c = 0; c < coloring.count(); ++c)
    for (Index k = coloring.begin()[static_cast<std::size_t>(c)]; k < coloring.begin()[static_cast<std::size_t>(c) + 1];
         ++k)
      color[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = c;
  for (Index i = 0; i < n; ++i)
    for (Index k = W.row_begin(i); k < W.row_begin(i + 1); ++k)
      if (W.column(k) != i) {
        EXPECT_NE(color[static_cast<std::size_t>(i)], color[static_cast<std::size_t>(W.column(k))]);
      }
}

TEST(Coloring, SeparatesNeighboursWithFewColors) {
  const auto problem = problems::disk_pile(20, 10, 0.5);
  ContactOrder orders;
  Coloring coloring;
  std::vector<Index> order;
  for (const bool cache : {false, true}) {
    if (cache)
      orders.reverse_cuthill_mckee(problem.W, order);
    else
      orders.natural(problem.W.num_block_rows(), order);
    ASSERT_TRUE(is_permutation_of_blocks(order, problem.W.num_block_rows()));
    coloring.color(problem.W, order);
    expect_proper(problem.W, coloring, order);
    Index widest = 0;
    for (Index i = 0; i < problem.W.num_block_rows(); ++i)
      widest = std::max(widest, problem.W.row_begin(i + 1) - problem.W.row_begin(i));
    EXPECT_LE(coloring.count(), widest);  // 1 + the number of neighbours
  }
}

TEST(Coloring, CountsAnEntryOfOneTriangleAlone) {
  const auto W = pattern(4, {{0, 3}, {1, 0}, {2, 1}});
  std::vector<Index> order = {0, 1, 2, 3};
  Coloring coloring;
  coloring.color(W, order);
  expect_proper(W, coloring, order);
  EXPECT_EQ(coloring.count(), 2);  // a path: greedy along it needs two
}

TEST(ContactOrder, ReverseCuthillMcKeeFindsTheBandOfAShuffledPath) {
  // The path 3 - 0 - 4 - 1 - 2 and a loner: consecutive in the order, one way or the other.
  const std::vector<Index> path = {3, 0, 4, 1, 2};
  std::vector<std::pair<Index, Index>> entries;
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    entries.push_back({path[k], path[k + 1]});
    entries.push_back({path[k + 1], path[k]});
  }
  const auto W = pattern(6, entries);
  std::vector<Index> order;
  ContactOrder().reverse_cuthill_mckee(W, order);
  ASSERT_TRUE(is_permutation_of_blocks(order, 6));
  order.erase(std::find(order.begin(), order.end(), 5));
  if (order.front() != path.front()) std::reverse(order.begin(), order.end());
  EXPECT_EQ(order, path);
}

}  // namespace
}  // namespace nonsmooth
