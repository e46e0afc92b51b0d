// SPDX-License-Identifier: Apache-2.0
// Steps within a budget of wall clock. Nothing here depends on how fast the machine is: budgets are so long that none
// can be missed, or so short that all are.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/mechanics.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::real_time_test {
namespace {

using bad_input::expect_refused;

TEST(RealTimeStepping, HasTheBitsOfTimeSteppingWhereNothingWasLimited) {
  const problems::Model m = problems::disks_in_a_box();
  TimeStepping plain(m.system, m.options);
  RealTimeStepping run(m.system, {.stepping = m.options, .budget = 1e6});
  const double T = 200.0 * m.options.step;
  ASSERT_TRUE(plain.advance_to(T));
  const RunReport report = run.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  EXPECT_EQ(hash_of(run.state()), hash_of(plain.state()));
  EXPECT_EQ(run.steps().taken, report.steps);
  EXPECT_EQ(run.steps().limited, 0);
  EXPECT_EQ(run.steps().late, 0);
  EXPECT_GT(run.steps().longest, 0.0);
  EXPECT_GE(run.steps().total, run.steps().longest);
}

// A picosecond is over before the first sweep: what is taken is what there is then, and the report has its certificate
// as it is computed anew from the problem.
TEST(RealTimeStepping, TakesTheBestAnswerAndTellsItsAccuracy) {
  const problems::Model m = problems::disks_in_a_box();
  TimeSteppingOptions options = m.options;
  options.solver = mixed::GaussSeidel{.tolerance = 1e-14};
  RealTimeStepping run(m.system, {.stepping = options, .budget = 1e-12});
  Index limited = 0;
  double worst = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const StepReport report = run.step();
    ASSERT_TRUE(report.taken);
    if (report.solver != Status::TimeLimit) continue;
    ++limited;
    worst = std::max(worst, report.certificate.residual);
    const OneStepNSProblem& problem = run.problem();
    Eigen::VectorXd u(problem.result.r.size());
    GrowingVector computed(u);
    // Impulses are below 1 N s, W below 10 / kg: eps times the terms of u, in another order.
    EXPECT_NEAR(report.certificate.residual, mixed::certify(problem.reduced, problem.result.r, computed).residual,
                1e-13);
    EXPECT_TRUE(std::isfinite(report.certificate.residual));
  }
  EXPECT_GT(limited, 0);
  EXPECT_EQ(run.steps().taken, 1000);
  EXPECT_EQ(run.steps().limited, limited);
  EXPECT_EQ(run.steps().late, 1000);
  EXPECT_EQ(run.steps().worst_residual, worst);
  EXPECT_TRUE(run.state().unknowns.allFinite());
}

TEST(RealTimeStepping, RefusesBadOptions) {
  const problems::Model m = problems::disks_in_a_box();
  const auto refused = [&](const char* field, auto change) {
    RealTimeOptions options{.stepping = m.options, .budget = 1e-3};
    change(options);
    expect_refused([&] { RealTimeStepping(m.system, options); }, {field});
  };
  refused("RealTimeOptions::budget", [](RealTimeOptions& o) { o.budget = 0.0; });
  refused("RealTimeOptions::budget", [](RealTimeOptions& o) { o.budget = std::numeric_limits<double>::quiet_NaN(); });
  refused("RealTimeOptions::stepping.solver", [](RealTimeOptions& o) { o.stepping.solver = mixed::NaturalNewton{}; });
  refused("RealTimeOptions::stepping.on_failure",
          [](RealTimeOptions& o) { o.stepping.on_failure = OnFailure::Accept; });
  refused("TimeSteppingOptions::step", [](RealTimeOptions& o) { o.stepping.step = -1.0; });
}

}  // namespace
}  // namespace nonsmooth::real_time_test
