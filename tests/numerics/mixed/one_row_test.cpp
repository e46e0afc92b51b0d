// SPDX-License-Identifier: Apache-2.0
// One row u = w r + q on an interval, whatever the sign of w: a solution, or a proof that there is none.
#include <limits>

#include <gtest/gtest.h>

#include <nonsmooth/numerics/mixed.hpp>

#include <problems/mixed.hpp>

namespace nonsmooth::one_row_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

mixed::Result solve_row(double w, double q, double lower, double upper) {
  const mixed::Problem problem =
      problems::mixed_from_dense(Eigen::MatrixXd::Constant(1, 1, w), Eigen::VectorXd::Constant(1, q),
                                 {{{.kind = SetKind::Box, .lower = lower, .upper = upper}, 1}});
  return mixed::solve(problem, mixed::Automatic{});
}

/// True where some r of the interval obeys the law, by cases: at a bound, or between them with u = 0.
bool solvable(double w, double q, double lower, double upper) {
  if (lower > -infinite && w * lower + q >= 0.0) return true;
  if (upper < infinite && w * upper + q <= 0.0) return true;
  if (w == 0.0) return q == 0.0;
  return -q / w >= lower && -q / w <= upper;
}

/// y suits the signs of u that the law asks for, and y u < 0 at the only bound and all the way from it.
void expect_proof(double w, double q, double lower, double upper, const Eigen::VectorXd& proof) {
  ASSERT_EQ(proof.size(), 1);
  const double y = proof[0];
  if (lower > -infinite) {
    ASSERT_EQ(upper, infinite);
    EXPECT_GT(y, 0.0);
    EXPECT_LT(y * (w * lower + q), 0.0);
    EXPECT_LE(y * w, 0.0);
  } else if (upper < infinite) {
    EXPECT_LT(y, 0.0);
    EXPECT_LT(y * (w * upper + q), 0.0);
    EXPECT_GE(y * w, 0.0);
  } else {
    EXPECT_EQ(w, 0.0);
    EXPECT_LT(y * q, 0.0);
  }
}

TEST(OneRow, EverySignAndInterval) {
  int num_infeasible = 0;
  for (const double w : {-2.0, -0.5, 0.0, 0.5}) {
    for (const double q : {-3.0, -1.0, 0.0, 1.0, 3.0}) {
      for (const double lower : {-infinite, -2.0, 0.0, 1.0}) {
        for (const double upper : {1.0, 4.0, infinite}) {
          SCOPED_TRACE(testing::Message() << "w = " << w << ", q = " << q << " on [" << lower << ", " << upper << "]");
          const mixed::Result result = solve_row(w, q, lower, upper);
          if (solvable(w, q, lower, upper)) {
            EXPECT_TRUE(result) << result.message();
            continue;
          }
          ++num_infeasible;
          EXPECT_EQ(result.status, Status::Infeasible) << result.message();
          expect_proof(w, q, lower, upper, result.proof);
        }
      }
    }
  }
  EXPECT_GT(num_infeasible, 20);
}

TEST(OneRow, ClaimsNothingThatRoundOffCouldHide) {
  // u at the bound is -1e-16 of its terms: no proof, for the exact u may have the other sign.
  const double bound = 3.0, w = -1.0 / 3.0;
  const mixed::Result result =
      solve_row(w, -w * bound * (1.0 - 2.0 * std::numeric_limits<double>::epsilon()), bound, infinite);
  EXPECT_NE(result.status, Status::Infeasible) << result.message();
}

TEST(OneRow, OverflowIsNoProof) {
  const mixed::Result result = solve_row(-1e300, 1.0, 1e300, infinite);
  EXPECT_EQ(result.status, Status::NumericalFailure) << result.message();
}

}  // namespace
}  // namespace nonsmooth::one_row_test
