// SPDX-License-Identifier: Apache-2.0
// Steps of the higher-order sweeping process call neither malloc nor its kin: before w closes, as it does, and at rest.
#include <gtest/gtest.h>

#include <cmath>

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
  expect_no_allocations(simulation, 198);
  EXPECT_LE(simulation.state().x(chain).norm(), 1e-12);
}

TEST(HigherOrderAllocations, Nonlinear) {
  // The same with z_3' = -sin(z_1) - 1 + (1 + z_1^2 / 10) lambda: Lie derivatives, and Newton's iteration in each step.
  HigherOrderSystem system{.degree = 3, .x0 = {1.0, 0.0, 0.0}};
  const auto last = [](ConstVectorRef x) { return -std::sin(x[0]) - 1.0; };
  const auto gain = [](ConstVectorRef x) { return 1.0 + 0.1 * x[0] * x[0]; };
  system.f = [=](ConstVectorRef x, VectorRef f) { f[0] = x[1], f[1] = x[2], f[2] = last(x); };
  system.G = [=](ConstVectorRef x, MatrixRef G) { G(2, 0) = gain(x); };
  system.lie = [=](ConstVectorRef x, MatrixRef lie) {
    for (Index i = 0; i < 3; ++i) lie(0, i) = x[i];
    lie(0, 3) = last(x);
  };
  system.H = [=](ConstVectorRef x, MatrixRef H) { H(0, 0) = gain(x); };
  system.inverse = [](ConstVectorRef z, VectorRef x) { x = z; };
  NonSmoothDynamicalSystem model;
  const HigherOrderHandles handles = link_higher_order(model, system);
  TimeStepping simulation(model, {.integrator = HigherOrderMoreau{}, .step = 1e-2});
  ASSERT_TRUE(simulation.advance_to(0.02));
  expect_no_allocations(simulation, 298);
  EXPECT_LE(simulation.state().x(handles.system).norm(), 1e-9);  // at rest: lambda = (1 + sin 0) / 1
}

}  // namespace
}  // namespace nonsmooth
