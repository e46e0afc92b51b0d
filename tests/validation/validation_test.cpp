// SPDX-License-Identifier: Apache-2.0
// One test a card: every row of the reference trajectory, column by column, at the tolerance proposed with it.
#include <gtest/gtest.h>

#include <support/parameter_name.hpp>

#include "cards.hpp"

namespace nonsmooth::validation {

void PrintTo(const Card& card, std::ostream* out) { *out << card.name; }

namespace {

class Validation : public testing::TestWithParam<Card> {};

TEST_P(Validation, FollowsTheReferenceTrajectory) {
  const Card& card = GetParam();
  if (reference_file(card).empty()) GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  const Comparison comparison = compare(card);
  ASSERT_EQ(comparison.failure, "");
  ASSERT_GT(comparison.rows, 90);
  for (const Deviation& deviation : comparison.deviations) {
    EXPECT_GT(deviation.entries, 0);
    EXPECT_TRUE(deviation.within()) << "column " << deviation.column << " at t = " << deviation.t << " s: deviation "
                                    << deviation.worst << ", tolerance " << deviation.bound->tolerance;
  }
}

INSTANTIATE_TEST_SUITE_P(Cards, Validation, testing::ValuesIn(cards()), test::parameter_name);

}  // namespace

}  // namespace nonsmooth::validation
