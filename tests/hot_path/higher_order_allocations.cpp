// SPDX-License-Identifier: Apache-2.0
// Steps of the higher-order sweeping process call neither malloc nor its kin, before w closes and at rest.
#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel/higher_order.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth {
namespace {

/// Of steps of 1e-2 s.
void expect_no_allocations(TimeStepping& simulation, int steps) {
  const test::AllocationCount count;
  for (int k = 0; k < steps; ++k)
    if (const StepReport report = simulation.step(); !report) ADD_FAILURE() << report.message();
  EXPECT_EQ(count.now(), 0) << "to t = " << simulation.state().t;
}

TEST(HigherOrderAllocations, Linear) {
  // w^(3) = lambda from (1, 0, -1): w closes at sqrt(2), and rests.
  NonSmoothDynamicalSystem model;
  const SystemHandle chain =
      model.add(FirstOrderLinearSystem{.A = {{0, 1.0, 0}, {0, 0, 1.0}, {0, 0, 0}}, .x0 = {1.0, 0.0, -1.0}});
  const InteractionHandle plain =
      model.link(chain, FirstOrderLinearRelation{.C = {{1.0, 0, 0}}, .B = {{0.0}, {0.0}, {1.0}}}, ComplementarityLaw{});
  (void)link_higher_order(model, plain);
  TimeStepping simulation(model, {.integrator = HigherOrderMoreau{}, .step = 1e-2});
  ASSERT_TRUE(simulation.advance_to(0.02));
  expect_no_allocations(simulation, 130);
  ASSERT_TRUE(simulation.advance_to(1.5));
  expect_no_allocations(simulation, 50);
}

}  // namespace
}  // namespace nonsmooth
