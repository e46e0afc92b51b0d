// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mixed/admm.hpp>

#include "conic_problems.hpp"

namespace nonsmooth::admm_test {
namespace {

using problems::Matrix;

TEST(Admm, SolvesSingularAndUnsymmetricProblems) {
  for (const Matrix matrix : {Matrix::RankDeficient, Matrix::Unsymmetric})
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const auto planted =
          problems::planted_conic(2 + static_cast<Index>(seed % 12), problems::monotone_kinds, matrix, seed);
      const auto result = solve(planted.problem, mixed::Admm{});
      EXPECT_TRUE(result) << "seed " << seed << ": " << result.message();
    }
}

TEST(Admm, CholeskyAndLuAgree) {
  // A skew entry far below the tolerance sends the same problem through LU.
  auto planted = problems::planted_conic(8, problems::monotone_kinds, Matrix::Symmetric, 3);
  const auto cholesky = solve(planted.problem, mixed::Admm{});
  planted.problem.W.values(1)[0] += 1e-13;
  const auto lu = solve(planted.problem, mixed::Admm{});
  ASSERT_TRUE(cholesky && lu);
  // Two answers within 1e-10 |q| of the same one; W^-1 <= 1 (random_spd with ridge 1).
  EXPECT_LE((cholesky.r - lu.r).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Admm, ConvergesWithoutExtrapolationFromAnyPenalty) {
  // Strongly monotone: Douglas-Rachford itself converges linearly; balancing makes up for a penalty far off.
  for (const double penalty : {1e-3, 1.0, 1e3})
    for (const Index memory : {0, 5}) {
      const auto planted = problems::planted_conic(6, problems::monotone_kinds, Matrix::Symmetric, 11);
      const auto result = solve(planted.problem, mixed::Admm{.penalty = penalty, .memory = memory});
      EXPECT_TRUE(result) << penalty << ", " << memory << ": " << result.message();
    }
}

TEST(Admm, ExtrapolationSavesIterations) {
  Index with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto planted = problems::planted_chain(30, problems::monotone_kinds, seed);
    const auto fast = solve(planted.problem, mixed::Admm{}), slow = solve(planted.problem, mixed::Admm{.memory = 0});
    ASSERT_TRUE(fast) << fast.message();
    with += fast.iterations;
    without += slow.iterations;
  }
  EXPECT_LE(2 * with, without);
}

TEST(Admm, RefusesBadOptions) {
  const auto good = problems::planted_conic(2, problems::all_kinds, Matrix::Symmetric, 1).problem;
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    EXPECT_THROW((void)solve(good, mixed::Admm{.penalty = bad}), InvalidArgument);
    EXPECT_THROW((void)solve(good, mixed::Admm{.relaxation = bad}), InvalidArgument);
  }
  EXPECT_THROW((void)solve(good, mixed::Admm{.relaxation = 2.0}), InvalidArgument);
  EXPECT_THROW((void)solve(good, mixed::Admm{.max_refactorizations = -1}), InvalidArgument);
  EXPECT_THROW((void)solve(good, mixed::Admm{.memory = -1}), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::admm_test
