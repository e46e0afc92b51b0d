// SPDX-License-Identifier: Apache-2.0
// Projections on boxes, balls and half-spaces, and sweeping by them, call neither malloc nor its kin.
#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>

namespace nonsmooth {
namespace {

TEST(ConvexSetAllocations, ABallProjectsInPlace) {
  // (3, 4) on the unit ball around (0, 0) is (3, 4) / 5; in place, and to another vector.
  const vi::ConvexSet ball = vi::Ball{.center = Eigen::Vector2d::Zero(), .radius = 1.0};
  Eigen::VectorXd x = Eigen::Vector2d(3.0, 4.0), y = x, inside = 0.5 * x / 5.0;
  const Eigen::VectorXd same = inside;
  const test::AllocationCount count;
  const bool in_place = ball.project(x, x).ok(), apart = ball.project(y, y).ok(),
             within = ball.project(inside, inside).ok();
  EXPECT_EQ(count.now(), 0);
  EXPECT_TRUE(in_place && apart && within);
  EXPECT_LE((x - Eigen::Vector2d(0.6, 0.8)).norm(), 1e-15);
  EXPECT_EQ(inside, same);
}

TEST(ConvexSetAllocations, ABallSweeps) {
  // x' = (1, 0) from the center of the unit ball: x stays at (1, 0) from t = 1 on.
  NonSmoothDynamicalSystem model;
  const SystemHandle point =
      model.add(SweepingProcess{.set = vi::ConvexSet(vi::Ball{.center = Eigen::Vector2d::Zero(), .radius = 1.0}),
                                .f = [](double, ConstVectorRef, VectorRef value) { value[0] = 1.0; },
                                .x0 = {0.0, 0.0}});
  TimeStepping simulation(model, {.integrator = EulerMoreau{}, .step = 1e-2});
  ASSERT_TRUE(simulation.advance_to(0.02));
  const test::AllocationCount count;
  bool stepped = true;
  for (int k = 0; k < 150; ++k) stepped = stepped && simulation.step();
  EXPECT_EQ(count.now(), 0);
  EXPECT_TRUE(stepped);
  EXPECT_LE((simulation.state().x(point) - Eigen::Vector2d(1.0, 0.0)).norm(), 1e-14);
}

}  // namespace
}  // namespace nonsmooth
