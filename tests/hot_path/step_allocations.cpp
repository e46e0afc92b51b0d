// SPDX-License-Identifier: Apache-2.0
// From the second step on, a step calls neither malloc nor its kin while the active set is no larger than seen before.
#include <cmath>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

namespace nonsmooth {
namespace {

/// Allocations from step `warm` to step `last` of a simulation, 0-based.
long long allocations(TimeStepping& simulation, Index warm, Index last) {
  for (Index k = 0; k < warm; ++k) EXPECT_TRUE(simulation.step());
  const test::AllocationCount count;
  for (Index k = warm; k < last; ++k) {
    const StepReport report = simulation.step();
    if (!report) ADD_FAILURE() << report.message();
  }
  return count.now();
}

TEST(StepAllocations, DiodeBridge) {
  const auto model = problems::diode_bridge();
  TimeStepping simulation(model.system, model.options);
  // The second step is the first that may not allocate; the other bases of the circuit are met within the first
  // half period of the oscillator, some 314 steps.
  EXPECT_EQ(allocations(simulation, 1, 300), 0);
  EXPECT_EQ(allocations(simulation, 400, 3000), 0);
}

TEST(StepAllocations, BouncingBall) {
  const auto model = problems::bouncing_ball(0.5);
  TimeStepping simulation(model.system, model.options);
  EXPECT_EQ(allocations(simulation, 1, 80), 0);     // falling
  EXPECT_EQ(allocations(simulation, 20, 2000), 0);  // from before the second impact on
}

TEST(StepAllocations, DiskWithFriction) {
  const auto model = problems::bouncing_disk();
  TimeStepping simulation(model.system, model.options);
  EXPECT_EQ(allocations(simulation, 100, 2000), 0);
}

TEST(StepAllocations, FieldOfDisks) {
  // Thirty disks fall into a sine's valleys; once the largest active set has been seen, nothing is allocated though the
  // number of contacts goes up and down.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  const double r = 0.1, m = 1.0;
  for (int i = 0; i < 30; ++i) {
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, 0.5 * m * r * r).asDiagonal(),
                                                     .force = {0.0, -9.81 * m, 0.0},
                                                     .q0 = {0.25 * (i % 10), 0.4 + 0.25 * (i / 10), 0.0}}));
  }
  const double a = 0.05, k = 3.0;
  model.detect(std::make_shared<DiskContacts>(
      disks, std::vector<double>(disks.size(), r), NewtonImpactFrictionLaw{.restitution = 0.3, .friction = 0.3},
      FloorProfile{[=](double x) { return a * std::sin(k * x); }, [=](double x) { return a * k * std::cos(k * x); },
                   [=](double x) { return -a * k * k * std::sin(k * x); }}));
  TimeStepping simulation(model, {.step = 2e-3,
                                  // Sweeps alone: the pivoting fallbacks size their tableaux by the problem at hand.
                                  .solver = mixed::GaussSeidel{.tolerance = 1e-3},
                                  .on_failure = OnFailure::Accept});
  std::size_t largest = 0;
  // Long enough for the largest pattern of W (pairs of contacts on a disk), not only the most contacts, to be seen.
  for (int step = 0; step < 1500; ++step) {
    (void)simulation.step();
    largest = std::max(largest, simulation.state().contacts.size());
  }
  ASSERT_GT(largest, 20u);
  for (int step = 0; step < 500; ++step) {
    const test::AllocationCount count;
    (void)simulation.step();
    const long long found = count.now();
    const std::size_t contacts = simulation.state().contacts.size();
    if (contacts > largest) {
      largest = contacts;
    } else {
      EXPECT_EQ(found, 0) << "step " << step << ", " << contacts << " contacts, largest " << largest;
    }
  }
}

}  // namespace
}  // namespace nonsmooth
