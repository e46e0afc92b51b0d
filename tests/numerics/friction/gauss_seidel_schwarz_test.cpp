// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_schwarz.hpp>
#include <problems/mixed.hpp>
#include <problems/piles.hpp>

#include "solved.hpp"

namespace nonsmooth::gauss_seidel_schwarz_test {
namespace {

using friction::GaussSeidelSchwarz;
using friction::Measure;

// Found by a sweep, or by a patch that is the whole problem.
TEST(FrictionGaussSeidelSchwarz, FindsStickSlipAndTakeOff) {
  for (const Index first : {100, 0}) expect_stick_slip_and_take_off(GaussSeidelSchwarz{.first_sweeps = first});
}

TEST(FrictionGaussSeidelSchwarz, RollingAndSpinningContacts) { expect_rolling_and_spinning(GaussSeidelSchwarz{}); }

// Blocks of different sizes, one singular, each a patch of its own or all in one.
TEST(FrictionGaussSeidelSchwarz, RedundantBilateralRows) {
  Eigen::MatrixXd W(3, 3);
  W << 1, 1, 0.5, 1, 1, 0.5, 0.5, 0.5, 1;
  const Eigen::Vector3d q(-1, -1, -2);
  const auto problem =
      problems::mixed_from_dense(W, q, {{{.kind = SetKind::Free}, 2}, {{.kind = SetKind::Orthant}, 1}});
  for (const Index patch : {1, 2}) {
    const auto result = solve(problem, GaussSeidelSchwarz{.first_sweeps = 0, .sweeps = 1, .patch = patch});
    EXPECT_TRUE(result.ok()) << result.message();
    // r_0 + r_1 + r_2 / 2 = 1 and (r_0 + r_1) / 2 + r_2 = 2 give r_2 = 2, r_0 + r_1 = 0.
    EXPECT_NEAR(result.r[2], 2.0, 1e-8);
    EXPECT_NEAR(result.r[0] + result.r[1], 0.0, 1e-8);
  }
}

// Patches of some contacts among many, in both measures.
TEST(FrictionGaussSeidelSchwarz, PilesByPatches) {
  for (const auto rest : {problems::Rest::Settled, problems::Rest::Flowing}) {
    const auto problem = problems::reduced_problem(problems::ball_pile(60, 1, rest));
    GaussSeidelSchwarz options{.tolerance = 1e-9, .first_sweeps = 20, .sweeps = 20, .patch = 30};
    expect_solved(problem, solve(problem, options), 1e-9);
    options.measure = Measure::NaturalMap;
    const auto natural = solve(problem, options);
    EXPECT_TRUE(natural.ok()) << natural.message();
    EXPECT_LE(natural.figures.natural_map, 1e-9);
  }
}

// Four points a joint: W has a large nullspace.
TEST(FrictionGaussSeidelSchwarz, Walls) {
  const auto problem = problems::reduced_problem(problems::brick_wall(5, 4, 1, true));
  expect_solved(problem, solve(problem, GaussSeidelSchwarz{.tolerance = 1e-9}), 1e-9);
}

// Sweeps circle about this pile's solution: 20,000 of them leave 3e-5, which patches take away within some tens of
// rounds.
TEST(FrictionGaussSeidelSchwarz, SettlesWhatSweepsDoNot) {
  const auto problem = problems::reduced_problem(problems::ball_pile(100, 1, problems::Rest::Settled));
  const auto sweeps =
      solve(problem,
            friction::GaussSeidel{
                .tolerance = 1e-6, .max_iterations = 20'000, .relaxation = 1.0, .extrapolate = false, .freeze = false});
  EXPECT_EQ(sweeps.status, Status::IterationLimit) << sweeps.message();
  expect_solved(problem, solve(problem, GaussSeidelSchwarz{.tolerance = 1e-6, .max_rounds = 100, .patch = 120}), 1e-6);
}

// By patches and sweeps alone, which disturb each other to the last digit, this pile takes 19 rounds; where Newton's
// method on the whole ends it, one.
TEST(FrictionGaussSeidelSchwarz, EndsWithNewtonOnTheWhole) {
  const auto problem = problems::reduced_problem(problems::ball_pile(60, 4, problems::Rest::Settled));
  const GaussSeidelSchwarz options{.tolerance = 1e-10, .max_rounds = 10, .patch = 40};
  expect_solved(problem, solve(problem, options), 1e-10);
}

TEST(FrictionGaussSeidelSchwarz, StartsWarm) {
  const auto problem = problems::reduced_problem(problems::brick_wall(4, 3, 2, true));
  GaussSeidelSchwarz options{.tolerance = 1e-9};
  const auto cold = solve(problem, options);
  ASSERT_TRUE(cold.ok()) << cold.message();
  options.start = cold.r;
  const auto warm = solve(problem, options);
  EXPECT_TRUE(warm.ok());
  EXPECT_EQ(warm.iterations, 0);
}

TEST(FrictionGaussSeidelSchwarz, SameBitsTwice) {
  const auto problem = problems::reduced_problem(problems::ball_pile(40, 3, problems::Rest::Settled));
  const GaussSeidelSchwarz options{.first_sweeps = 10, .sweeps = 10, .patch = 20};
  const auto one = solve(problem, options), two = solve(problem, options);
  EXPECT_EQ(one.iterations, two.iterations);
  EXPECT_TRUE((one.r.array() == two.r.array()).all());
}

// u_N = -1 whatever r: nothing holds the contact, and no answer may be called one.
TEST(FrictionGaussSeidelSchwarz, NoSolutionIsNotCalledOne) {
  const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Zero(3, 3), Eigen::Vector3d(-1, 0, 0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}});
  const auto result = solve(problem, GaussSeidelSchwarz{.max_rounds = 3});
  EXPECT_FALSE(result.ok());
  EXPECT_GE(result.certificate.residual, 0.5);
}

TEST(FrictionGaussSeidelSchwarz, StopsAtItsLimits) {
  const auto problem = problems::reduced_problem(problems::ball_pile(60, 1, problems::Rest::Settled));
  GaussSeidelSchwarz options{.tolerance = 1e-15, .max_rounds = 1, .first_sweeps = 0, .sweeps = 1, .patch = 5};
  const auto limited = solve(problem, options);
  EXPECT_EQ(limited.status, Status::IterationLimit) << limited.message();
  EXPECT_EQ(limited.iterations, 1);
  options.max_rounds = 1'000'000;
  options.time_limit = 1e-6;
  const auto late = solve(problem, options);
  EXPECT_EQ(late.status, Status::TimeLimit) << late.message();
  EXPECT_LE(late.iterations, 1);
}

TEST(FrictionGaussSeidelSchwarz, RefusesBadOptionsByName) {
  const auto problem = single_block({.kind = SetKind::Coulomb3D, .mu = 0.5}, Eigen::Vector3d(-1, 0, 0));
  const auto refusal = [&](const GaussSeidelSchwarz& options) -> std::string {
    try {
      (void)solve(problem, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal({.tolerance = 0.0}).find("::tolerance"), std::string::npos);
  EXPECT_NE(refusal({.max_rounds = 0}).find("::max_rounds"), std::string::npos);
  EXPECT_NE(refusal({.first_sweeps = -1}).find("::first_sweeps"), std::string::npos);
  EXPECT_NE(refusal({.sweeps = 0}).find("::sweeps"), std::string::npos);
  EXPECT_NE(refusal({.patch = 0}).find("::patch"), std::string::npos);
  EXPECT_NE(refusal({.patch_steps = 0}).find("::patch_steps"), std::string::npos);
  EXPECT_NE(refusal({.coverage = 1.0}).find("::coverage"), std::string::npos);
  EXPECT_NE(refusal({.time_limit = 0.0}).find("::time_limit"), std::string::npos);
  EXPECT_NE(refusal({.start = Eigen::VectorXd::Zero(2)}).find("::start"), std::string::npos);
}

}  // namespace
}  // namespace nonsmooth::gauss_seidel_schwarz_test
