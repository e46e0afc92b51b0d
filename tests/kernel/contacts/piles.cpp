// SPDX-License-Identifier: Apache-2.0
// Steps of hyperstatic piles and walls in space, which sweeps alone do not solve.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/kernel.hpp>
#include <problems/pile_model.hpp>

namespace nonsmooth::piles_test {
namespace {

using problems::Rest;

constexpr double kTolerance = 1e-10;

TimeStepping simulation_of(const problems::Pile& pile, int threads = 1) {
  return TimeStepping(
      problems::pile_model(pile),
      {.step = problems::pile_step, .solver = mixed::Automatic{.tolerance = kTolerance}, .threads = threads});
}

/// One step, and its impulses as an answer to the problem that piles.hpp assembles by itself.
void expect_solved(const problems::Pile& pile) {
  TimeStepping simulation = simulation_of(pile);
  const StepReport report = simulation.step();
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(report.solver, Status::Solved);
  EXPECT_LE(report.certificate.residual, kTolerance);
  const friction::Problem problem = problems::reduced_problem(pile);
  ASSERT_EQ(report.rows, problem.W.rows());
  Eigen::VectorXd u(problem.W.rows());
  const Certificate own = mixed::certify(problem, simulation.state().multipliers, u);
  // W and q are summed in another order there: some ten terms a row, within the certificate's own bound of round-off.
  EXPECT_LE(own.error, kTolerance * own.scale + own.round_off);
}

TEST(Piles, BallsThatTenThousandSweepsDoNotSettle) {
  for (const auto& pile : {problems::ball_pile(30, 11, Rest::Settled), problems::ball_pile(36, 10, Rest::Settled)}) {
    ASSERT_GE(pile.contacts.size(), 60u);
    expect_solved(pile);
    const auto swept = mixed::solve(problems::reduced_problem(pile),
                                    mixed::GaussSeidel{.tolerance = kTolerance, .max_sweeps = 10'000});
    EXPECT_NE(swept.status, Status::Solved);
  }
}

TEST(Piles, ALayerAThousandTimesAsHeavy) { expect_solved(problems::ball_pile(24, 2, Rest::Loaded)); }

TEST(Piles, WallsAtRestAndPushed) {
  for (const bool pushed : {false, true}) expect_solved(problems::brick_wall(5, 4, 1, pushed));
}

TEST(Piles, ThreadsDoNotChangeABit) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    TimeStepping simulation = simulation_of(problems::brick_wall(5, 4, 1, false), threads);
    for (int k = 0; k < 3; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
    }
    if (threads == 1) expected = hash_of(simulation.state());
    EXPECT_EQ(hash_of(simulation.state()), expected) << threads << " threads";
  }
}

}  // namespace
}  // namespace nonsmooth::piles_test
