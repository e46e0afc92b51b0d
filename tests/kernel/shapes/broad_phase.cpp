// SPDX-License-Identifier: Apache-2.0
// How many balls the broad phase looks at for each ball of a dense pile, and what it finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <contact/broad_phase.hpp>
#include <problems/dense_balls.hpp>

namespace nonsmooth::broad_phase_test {
namespace {

using problems::DenseBalls;
using Ball = broad_phase::Ball<3>;

/// Records that are looked at, each two balls that may touch once, a ball.
double looked_at(const std::vector<Ball>& balls) {
  const auto ball_at = [&balls](Index i) { return balls[static_cast<std::size_t>(i)]; };
  std::vector<Index> memory;
  const broad_phase::CellGrid<3, decltype(ball_at)> grid(static_cast<Index>(balls.size()), ball_at, 0, memory);
  Index records = 0;
  grid.for_each_run([&records](Index, const Ball&, Index first, Index last) { records += last - first; });
  return static_cast<double>(records) / static_cast<double>(broad_phase::kRecord<3>) /
         static_cast<double>(balls.size());
}

Index pairs_found(const std::vector<Ball>& balls) {
  std::vector<Index> memory;
  const auto [begin, end] = broad_phase::touching_pairs<3>(
      static_cast<Index>(balls.size()), [&balls](Index i) { return balls[static_cast<std::size_t>(i)]; }, 0, memory,
      [](Index, Index) { return true; });
  return end - begin;
}

/// What a ball looks at in the mean, away from the rim, by the densities of the classes of sizes: of its own class a
/// half of 27 cells, as wide as the largest ball of the class, of each class of larger balls all 27. A run of three
/// buckets holds what else was hashed there, 3/2 balls at most, as there are two buckets a ball: 4.5 runs and 9.
double expected(const DenseBalls& pile) {
  std::array<double, 8> count{}, largest{};
  const double bound = std::max_element(pile.balls.begin(), pile.balls.end(), [](const Ball& a, const Ball& b) {
                         return a[3] < b[3];
                       })->at(3);
  const auto class_of = [bound](const Ball& ball) {
    return static_cast<std::size_t>(std::floor(std::log2(bound / ball[3])));
  };
  for (const Ball& ball : pile.balls) {
    count[class_of(ball)] += 1.0;
    largest[class_of(ball)] = std::max(largest[class_of(ball)], ball[3]);
  }
  double sum = 0.0, of_larger = 0.0;
  for (std::size_t c = 0; c < count.size(); ++c) {
    if (count[c] == 0.0) continue;
    const double in_27_cells = 27.0 * count[c] * std::pow(2.0 * largest[c] / pile.side, 3) + 9.0 * 1.5;
    sum += count[c] * (0.5 * in_27_cells + of_larger);
    of_larger += in_27_cells;
  }
  return sum / static_cast<double>(pile.balls.size());
}

TEST(BroadPhase, LooksAtNoMoreBallsForEachOfManyThanForEachOfFew) {
  // Balls alike: 27 / 2 cells of 8 r^3 with 0.64 of their volume filled, and 4.5 runs of 3/2: 16.5 + 6.75. From 1 to
  // 10 there are four classes of radii within a factor of 2, a cell of which holds at most 8^2 0.64 / (4/3 pi) = 9.8
  // balls, were all of the volume of one class: 27 9.8 + 4 9 3/2 = 318, whatever the number of balls. Those at the
  // rim see less. Means of 10^3 balls and more, whose scatter is below 5 %.
  for (const double largest : {1.0, 10.0}) {
    for (const Index count : {1'000, 10'000, 30'000}) {
      const DenseBalls pile(count, largest);
      const double mean = expected(pile), found = looked_at(pile.balls);
      EXPECT_LE(mean, largest == 1.0 ? 23.3 : 318.0) << count;
      EXPECT_LE(found, 1.05 * mean) << count << " balls of 1 to " << largest;
    }
  }
}

TEST(BroadPhase, FindsAllPairsOfAGradedPile) {
  for (const double largest : {1.0, 10.0, 300.0}) {
    const DenseBalls pile(1'000, largest);
    Index expected_pairs = 0;
    for (std::size_t i = 0; i < pile.balls.size(); ++i) {
      for (std::size_t k = i + 1; k < pile.balls.size(); ++k) {
        double squared = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) squared += std::pow(pile.balls[i][axis] - pile.balls[k][axis], 2);
        expected_pairs += squared <= std::pow(pile.balls[i][3] + pile.balls[k][3], 2) ? 1 : 0;
      }
    }
    EXPECT_EQ(pairs_found(pile.balls), expected_pairs) << largest;
    EXPECT_GE(expected_pairs, 1'000);
  }
}

}  // namespace
}  // namespace nonsmooth::broad_phase_test
