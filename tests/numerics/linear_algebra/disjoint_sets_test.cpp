// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <internal/disjoint_sets.hpp>

namespace nonsmooth::disjoint_sets_test {
namespace {

TEST(DisjointSets, NumbersByTheLowestMembersWhateverTheOrderOfJoining) {
  DisjointSets sets(6);
  sets.join(5, 1);
  sets.join(4, 2);
  sets.join(2, 5);
  EXPECT_TRUE(sets.together(1, 4));
  EXPECT_FALSE(sets.together(0, 1));
  EXPECT_EQ(sets.lists(), (std::vector<std::vector<Index>>{{0}, {1, 2, 4, 5}, {3}}));
  EXPECT_EQ(sets.number(5), 1);
  sets.reset(2);
  EXPECT_EQ(sets.lists(), (std::vector<std::vector<Index>>{{0}, {1}}));
  sets.reset(0);
  EXPECT_TRUE(sets.lists().empty());
}

// Labels passed on along every pair until none changes: the lowest member of each set.
TEST(DisjointSets, AgreeWithLabelsPassedOn) {
  std::mt19937_64 random(1);
  std::vector<Index> begin, members;
  DisjointSets sets;
  for (int trial = 0; trial < 200; ++trial) {
    const Index size = 1 + trial % 40;
    std::uniform_int_distribution<Index> any(0, size - 1);
    std::vector<std::pair<Index, Index>> pairs(static_cast<std::size_t>(size / 2));
    for (auto& pair : pairs) pair = {any(random), any(random)};
    sets.reset(size);
    std::vector<Index> label(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<Index>(i);
    for (const auto& [a, b] : pairs) sets.join(a, b);
    for (Index round = 0; round < size; ++round) {
      for (const auto& [a, b] : pairs) {
        Index &first = label[static_cast<std::size_t>(a)], &second = label[static_cast<std::size_t>(b)];
        first = second = std::min(first, second);
      }
    }
    sets.list(begin, members);
    ASSERT_EQ(begin.back(), size);
    for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
      const auto first = static_cast<std::size_t>(begin[s]), last = static_cast<std::size_t>(begin[s + 1]);
      ASSERT_LT(first, last);
      ASSERT_TRUE(std::is_sorted(members.begin() + begin[s], members.begin() + begin[s + 1]));
      if (s > 0) {
        ASSERT_LT(members[static_cast<std::size_t>(begin[s - 1])], members[first]);
      }
      for (std::size_t k = first; k < last; ++k) {
        ASSERT_EQ(label[static_cast<std::size_t>(members[k])], members[first]);
        ASSERT_EQ(sets.number(members[k]), static_cast<Index>(s));
      }
    }
  }
}

}  // namespace
}  // namespace nonsmooth::disjoint_sets_test
