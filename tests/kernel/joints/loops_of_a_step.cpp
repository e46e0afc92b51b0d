// SPDX-License-Identifier: Apache-2.0
// What DependentRows finds in a step is a matter of that step alone, whatever was found before.
#include <gtest/gtest.h>

#include <vector>

#include "stepping/problem/dependent_rows.hpp"

namespace nonsmooth::loops_of_a_step_test {
namespace {

/// W = H H^T of five rows: (1, 0, 0), (0, 1, 0) and (1, 1, c), two of which make up the third where c = 0, and twice
/// that of a coordinate of its own.
BlockSparseMatrix five_rows(double c) {
  const double W[5][5] = {{1, 0, 1, 0, 0}, {0, 1, 1, 0, 0}, {1, 1, 2 + c * c, 0, 0}, {0, 0, 0, 1, 1}, {0, 0, 0, 1, 1}};
  BlockSparseMatrix result;
  result.begin_pattern(std::vector<Index>(5, 1));
  for (const auto& row : W) {
    for (Index j = 0; j < 5; ++j)
      if (row[j] != 0.0) result.insert(j);
    result.next_row();
  }
  result.end_pattern();
  for (Index i = 0; i < 5; ++i)
    for (Index k = result.row_begin(i); k < result.row_begin(i + 1); ++k) *result.values(k) = W[i][result.column(k)];
  return result;
}

TEST(LoopsOfAStep, AreLookedAtAnewInTheNext) {
  // Of the third row c / sqrt(2 + c^2) of its length is left: 0.14, far above 1e-4. With the fifth left out, known to
  // depend on the fourth, the others are then proven independent, and nothing is found.
  const std::vector<EqualityRows> parts{{.block = 0}, {.block = 1}, {.block = 2}, {.block = 3}, {.block = 4}};
  const std::vector<char> left_out{0, 0, 0, 0, 1};
  const BlockSparseMatrix dependent = five_rows(0.0), independent = five_rows(0.2);
  DependentRows rows;
  for (int step = 0; step < 2; ++step) {
    rows.begin_step();
    rows.look(dependent, parts, left_out, 1e-4);
    EXPECT_EQ(rows.count(), 2);
    EXPECT_TRUE(rows.proven());
    rows.look(independent, parts, left_out, 1e-4);
    EXPECT_EQ(rows.count(), 2) << "they stay so within a step";
    EXPECT_TRUE(rows.proven());
    rows.begin_step();
    rows.look(independent, parts, left_out, 1e-4);
    EXPECT_EQ(rows.count(), 0);
    EXPECT_TRUE(rows.proven());
  }
}

}  // namespace
}  // namespace nonsmooth::loops_of_a_step_test
