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

/// What malloc has handed out after `warm` steps and after as many as told, and how often it was called in between.
/// Workspaces keep memory for the largest islands that they met, which comes ever more seldom.
void expect_flat(NonSmoothDynamicalSystem model, Index warm, Index steps, double grown_bytes, double calls_a_step) {
  if (!test::counts_allocations) GTEST_SKIP() << "the sanitizers replace malloc";
  TimeStepping simulation(std::move(model), {.step = problems::ShakenBox::step});
  go(simulation, warm);
  const std::size_t held = mallinfo2().uordblks;
  const test::AllocationCount count;
  go(simulation, steps - warm);
  EXPECT_LT(static_cast<double>(mallinfo2().uordblks) - static_cast<double>(held), grown_bytes);
  EXPECT_LT(static_cast<double>(count.now()), calls_a_step * static_cast<double>(steps - warm)) << "allocations";
}

// In the plane 21 calls and 116 kB, of islands larger than any before. In space up to 0.6 calls a step, of the methods
// behind the sweeps that free what they take, and 43 kB once, between 20,000 and 40,000 steps, which those keep that
// have workspaces; nothing up to 80,000, 5 kB up to 200,000. Processors differ in last bits, and so in the motion: both
// bounds are 2.2 times as much. One block of 32 bytes that is lost in a step would be 960 kB.
TEST(LongRunMemory, DisksInAShakenBox) { expect_flat(problems::shaken_disks(), 30'000, 100'000, 256e3, 0.002); }
TEST(LongRunMemory, BodiesInAShakenBox) { expect_flat(problems::shaken_bodies(), 10'000, 40'000, 96e3, 1.2); }

}  // namespace
}  // namespace nonsmooth
