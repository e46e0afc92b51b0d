// SPDX-License-Identifier: Apache-2.0
// Memory of a long run in which contacts come and go; bench_long_run has 10^6 steps of the same scenes.
#include <cstddef>
#include <utility>

#include <gtest/gtest.h>
#include <malloc.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/shaken_boxes.hpp>

namespace nonsmooth {
namespace {

void go(TimeStepping& simulation, Index steps) {
  for (Index k = 0; k < steps; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
  }
}

/// What malloc has handed out after 10^4 steps and after as many as told, and how often it was called in between.
/// Workspaces keep memory for the largest islands that they met, which comes ever more seldom.
void expect_flat(NonSmoothDynamicalSystem model, Index steps, double grown_bytes, double calls_a_step) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  TimeStepping simulation(std::move(model), {.step = problems::ShakenBox::step});
  go(simulation, 10'000);
  const std::size_t held = mallinfo2().uordblks;
  const test::AllocationCount count;
  go(simulation, steps - 10'000);
  EXPECT_LT(static_cast<double>(mallinfo2().uordblks) - static_cast<double>(held), grown_bytes);
  EXPECT_LT(static_cast<double>(count.now()), calls_a_step * static_cast<double>(steps - 10'000)) << "allocations";
}

TEST(LongRunMemory, DisksInAShakenBox) { expect_flat(problems::shaken_disks(), 100'000); }
TEST(LongRunMemory, BodiesInAShakenBox) { expect_flat(problems::shaken_bodies(), 40'000); }

}  // namespace
}  // namespace nonsmooth
