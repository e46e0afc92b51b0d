// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include <friction/reduced/neighborhood.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel_newton.hpp>
#include <problems/mixed.hpp>
#include <problems/piles.hpp>

#include "solved.hpp"

namespace nonsmooth::gauss_seidel_newton_test {
namespace {

using friction::GaussSeidelNewton;
using friction::Measure;
using problems::Block;

// With and without the sweeps that would find it alone.
TEST(FrictionGaussSeidelNewton, FindsStickSlipAndTakeOff) {
  for (const Index sweeps : {1, 0}) expect_stick_slip_and_take_off(GaussSeidelNewton{.sweeps = sweeps});
}

TEST(FrictionGaussSeidelNewton, RollingAndSpinningContacts) { expect_rolling_and_spinning(GaussSeidelNewton{}); }

// A bilateral row given twice has no unique reaction and no local solution of its 2 x 2 block: Newton's steps alone.
TEST(FrictionGaussSeidelNewton, RedundantBilateralRows) {
  Eigen::MatrixXd W(3, 3);
  W << 1, 1, 0.5, 1, 1, 0.5, 0.5, 0.5, 1;
  const Eigen::Vector3d q(-1, -1, -2);
  const auto problem =
      problems::mixed_from_dense(W, q, {{{.kind = SetKind::Free}, 2}, {{.kind = SetKind::Orthant}, 1}});
  const auto result = solve(problem, GaussSeidelNewton{.tolerance = 1e-10});
  EXPECT_TRUE(result.ok()) << result.message();
  // r_0 + r_1 + r_2 / 2 = 1 and (r_0 + r_1) / 2 + r_2 = 2 give r_2 = 2, r_0 + r_1 = 0.
  EXPECT_NEAR(result.r[2], 2.0, 1e-8);
  EXPECT_NEAR(result.r[0] + result.r[1], 0.0, 1e-8);
}

TEST(FrictionGaussSeidelNewton, Piles) {
  for (const auto rest : {problems::Rest::Settled, problems::Rest::Flowing, problems::Rest::Loaded}) {
    const auto problem = problems::reduced_problem(problems::ball_pile(60, 1, rest));
    expect_solved(problem, solve(problem, GaussSeidelNewton{.tolerance = 1e-9}), 1e-9);
  }
}

// What is solved around one contact with the rest held is the same law there: W r + q on the part's rows is the whole's
// u to rounding, so that the part of a solution is a solution of the part, and comes back to its place.
TEST(FrictionGaussSeidelNewton, ANeighborhoodOfASolutionIsSolved) {
  const auto problem = problems::reduced_problem(problems::ball_pile(60, 1, problems::Rest::Settled));
  const auto whole = solve(problem, GaussSeidelNewton{.tolerance = 1e-12});
  ASSERT_TRUE(whole.ok()) << whole.message();
  friction::internal::Neighborhood neighborhood;
  neighborhood.prepare(problem);
  for (const Index center : {Index{0}, problem.K.num_blocks() / 2, problem.K.num_blocks() - 1}) {
    neighborhood.take(center, 10, whole.r);
    const auto& blocks = neighborhood.blocks();
    EXPECT_TRUE(std::binary_search(blocks.begin(), blocks.end(), center));
    EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
    EXPECT_LT(blocks.size(), static_cast<std::size_t>(problem.K.num_blocks()));
    const auto& part = neighborhood.problem();
    Eigen::VectorXd u(part.W.rows());
    part.W.multiply_add(neighborhood.start(), part.q, u);
    Eigen::VectorXd r = Eigen::VectorXd::Zero(whole.r.size());
    neighborhood.scatter(neighborhood.start(), r);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const Index o = problem.W.offset(blocks[k]), n = problem.W.size(blocks[k]);
      // A sum of some hundred products of order |W||r| <= 1e3 |q|, in another order.
      EXPECT_LE((u.segment(3 * static_cast<Index>(k), n) - whole.u.segment(o, n)).norm(), 1e-11 * problem.q.norm());
      EXPECT_TRUE((r.segment(o, n).array() == whole.r.segment(o, n).array()).all());
    }
  }
}

// From 1000 contacts on several attempts. Newton's steps alone cycle, as in the first of 170 steps here: the parts
// around the worst contacts, solved in between from the next attempt on, take the place of the sweeps.
TEST(FrictionGaussSeidelNewton, PartsTakeThePlaceOfSweeps) {
  const auto problem = problems::reduced_problem(problems::brick_wall(13, 11, 1, true));
  ASSERT_GE(problem.K.num_blocks(), 1000);
  expect_solved(problem, solve(problem, GaussSeidelNewton{.tolerance = 1e-9}), 1e-9);
  expect_solved(problem, solve(problem, GaussSeidelNewton{.tolerance = 1e-9, .sweeps = 0}), 1e-9);
}

// Four points a joint: W has a large nullspace.
TEST(FrictionGaussSeidelNewton, Walls) {
  for (const bool pushed : {false, true}) {
    const auto problem = problems::reduced_problem(problems::brick_wall(5, 4, 1, pushed));
    expect_solved(problem, solve(problem, GaussSeidelNewton{.tolerance = 1e-9}), 1e-9);
  }
}

// A start at the solution is recognised; the measure of the solve is the one that is met.
TEST(FrictionGaussSeidelNewton, StartsWarmAndMeetsItsMeasure) {
  const auto problem = problems::reduced_problem(problems::brick_wall(4, 3, 2, true));
  GaussSeidelNewton options{.tolerance = 1e-9, .measure = Measure::NaturalMap};
  const auto cold = solve(problem, options);
  ASSERT_TRUE(cold.ok()) << cold.message();
  EXPECT_LE(cold.figures.natural_map, 1e-9);
  options.start = cold.r;
  const auto warm = solve(problem, options);
  EXPECT_TRUE(warm.ok());
  EXPECT_EQ(warm.iterations, 0);
}

TEST(FrictionGaussSeidelNewton, SameBitsTwice) {
  const auto problem = problems::reduced_problem(problems::ball_pile(40, 3, problems::Rest::Settled));
  const auto one = solve(problem, GaussSeidelNewton{}), two = solve(problem, GaussSeidelNewton{});
  EXPECT_EQ(one.iterations, two.iterations);
  EXPECT_TRUE((one.r.array() == two.r.array()).all());
}

// u_N = -1 whatever r: nothing holds the contact, and no answer may be called one.
TEST(FrictionGaussSeidelNewton, NoSolutionIsNotCalledOne) {
  const auto problem = problems::mixed_from_dense(Eigen::MatrixXd::Zero(3, 3), Eigen::Vector3d(-1, 0, 0),
                                                  {{{.kind = SetKind::Coulomb3D, .mu = 0.5}, 3}});
  const auto result = solve(problem, GaussSeidelNewton{.max_steps = 30});
  EXPECT_FALSE(result.ok());
  EXPECT_GE(result.certificate.residual, 0.5);
}

TEST(FrictionGaussSeidelNewton, StopsAtItsLimit) {
  const auto problem = problems::reduced_problem(problems::ball_pile(60, 1, problems::Rest::Settled));
  const auto result = solve(problem, GaussSeidelNewton{.tolerance = 1e-14, .max_steps = 1, .sweeps = 1});
  EXPECT_EQ(result.status, Status::IterationLimit) << result.message();
  EXPECT_EQ(result.iterations, 1);
}

TEST(FrictionGaussSeidelNewton, RefusesBadOptionsByName) {
  const auto problem = single_block({.kind = SetKind::Coulomb3D, .mu = 0.5}, Eigen::Vector3d(-1, 0, 0));
  const auto refusal = [&](const GaussSeidelNewton& options) -> std::string {
    try {
      (void)solve(problem, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal({.tolerance = 0.0}).find("tolerance"), std::string::npos);
  EXPECT_NE(refusal({.max_steps = 0}).find("max_steps"), std::string::npos);
  EXPECT_NE(refusal({.sweeps = -1}).find("sweeps"), std::string::npos);
  EXPECT_NE(refusal({.relaxation = 2.0}).find("relaxation"), std::string::npos);
  EXPECT_NE(refusal({.regularization = -1.0}).find("regularization"), std::string::npos);
  EXPECT_NE(refusal({.time_limit = 0.0}).find("time_limit"), std::string::npos);
  EXPECT_NE(refusal({.start = Eigen::VectorXd::Zero(2)}).find("start"), std::string::npos);
}

}  // namespace
}  // namespace nonsmooth::gauss_seidel_newton_test
