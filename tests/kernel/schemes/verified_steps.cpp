// SPDX-License-Identifier: Apache-2.0
// Steps that are made again, subdivided: how far the ends are apart, and what a run says of it.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

namespace nonsmooth::verified_steps_test {
namespace {

TimeSteppingOptions verified_every(Index steps, double h) {
  TimeSteppingOptions options;
  options.integrator = EulerMoreau{.theta = 1.0};
  options.step = h;
  options.verify = steps;
  return options;
}

// x' = -x, theta = 1: a step leaves 1 / (1 + h) of x, two halves 1 / (1 + h / 2)^2.
TEST(Verify, ASmoothStepSubdivided) {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
  const double h = 0.125;
  TimeSteppingOptions options = verified_every(3, h);
  TimeStepping simulation(model, options);
  const StepReport first = simulation.step();
  ASSERT_TRUE(first.verified);
  const double whole = 1.0 / (1.0 + h), halves = 1.0 / ((1.0 + 0.5 * h) * (1.0 + 0.5 * h));
  EXPECT_NEAR(first.subdivision_difference, (whole - halves) / (1.0 - whole), 1e-12);
  EXPECT_EQ(first.multiplier_growth, 0.0);
  EXPECT_FALSE(simulation.step().verified);
  EXPECT_FALSE(simulation.step().verified);
  EXPECT_TRUE(simulation.step().verified);
}

// An impulse is the same in a half as in the whole: the multiplier doubles. One that a state of its own bounds does
// not.
TEST(Verify, MultipliersOfSizeOneOverH) {
  NonSmoothDynamicalSystem model;  // capacitors of 1 F at 10 V and 0 V that leak 0.1 A/V, and are made one
  const auto first_one = model.add(FirstOrderLinearSystem{.A = {{-0.1}}, .x0 = {10.0}});
  const auto other = model.add(FirstOrderLinearSystem{.A = {{-0.1}}, .x0 = {0.0}});
  model.link({first_one, other}, FirstOrderLinearRelation{.C = {{1.0, -1.0}}, .B = {{-1.0}, {1.0}}}, EqualityLaw{});
  TimeSteppingOptions options = verified_every(1, 1e-3);
  TimeStepping simulation(model, options);
  const StepReport first = simulation.step();
  // lambda h = (10 - 0) / 2 / (1 + 0.1 h) (theta = 1), the half's with h / 2.
  EXPECT_NEAR(first.multiplier_growth, 2.0, 2e-4);
  ASSERT_TRUE(simulation.advance_to(0.01));
  EXPECT_EQ(simulation.step().multiplier_growth, 0.0);  // nothing flows any more
}

// Every third step is made again; the run is the same bit by bit, and its report tells how far the subdivided steps
// were off.
TEST(Verify, LeavesTheRunAsItIs) {
  const problems::Model ball = problems::bouncing_ball();
  TimeSteppingOptions options = ball.options;
  TimeStepping plain(ball.system, options);
  options.verify = 3;
  TimeStepping verified(ball.system, options);
  ASSERT_TRUE(plain.advance_to(2.0));
  const RunReport report = verified.advance_to(2.0);
  ASSERT_TRUE(report);
  EXPECT_EQ(hash_of(plain.state()), hash_of(verified.state()));
  EXPECT_EQ(report.verified_steps, (report.steps + 2) / 3);
  EXPECT_GT(report.worst_subdivision_t, 0.0);
  EXPECT_LE(report.worst_subdivision_t, 2.0);
  EXPECT_NE(report.message().find("steps were made again, subdivided: positions"), std::string::npos)
      << report.message();
}

// What is at rest ends the same where it is subdivided: no instant is named, and none where nothing was compared.
TEST(Verify, NamesNoInstantWhereNothingDiffers) {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {0.0}});
  TimeSteppingOptions options = verified_every(2, 0.125);
  const RunReport same = TimeStepping(model, options).advance_to(1.0);
  EXPECT_EQ(same.message(),
            "4 of 8 steps were made again, subdivided: positions, velocities and states end the same, to 1e-9 of their "
            "sizes");
  EXPECT_TRUE(std::isnan(same.worst_subdivision_t));
  EXPECT_TRUE(std::isnan(RunReport{}.worst_subdivision_t));
  options.verify = 0;
  EXPECT_EQ(TimeStepping(model, options).advance_to(1.0).message(), "");
}

// x' = 1 from t = 0.6 on, theta = 1: the step to 0.625 goes 0.125, its halves go 0 and 0.0625.
TEST(Verify, NamesTheStepThatDiffersMost) {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.b = [](double t, VectorRef b) { b[0] = t > 0.6 ? 1.0 : 0.0; }, .x0 = {0.0}});
  TimeSteppingOptions options = verified_every(1, 0.125);
  const RunReport report = TimeStepping(model, options).advance_to(1.0);
  EXPECT_EQ(report.worst_subdivision_difference, 0.5);
  EXPECT_EQ(report.worst_subdivision_t, 0.625);
  EXPECT_EQ(report.message(),
            "8 of 8 steps were made again, subdivided: positions, velocities or states of a system end apart by at "
            "most 0.5 times the way that they went in the step, in the one that ends at t = 0.625 s");
}

TEST(Verify, NegativeCountsAreRefused) {
  const problems::Model ball = problems::bouncing_ball();
  TimeSteppingOptions options = ball.options;
  options.verify = -1;
  EXPECT_THROW(TimeStepping(ball.system, options), InvalidArgument);
}

}  // namespace
}  // namespace nonsmooth::verified_steps_test
