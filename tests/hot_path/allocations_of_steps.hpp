// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel.hpp>

namespace nonsmooth::test {

/// Allocations from step `warm` to step `last` of a simulation, 0-based.
inline long long allocations(TimeStepping& simulation, Index warm, Index last) {
  for (Index k = 0; k < warm; ++k) EXPECT_TRUE(simulation.step());
  const AllocationCount count;
  for (Index k = warm; k < last; ++k) {
    const StepReport report = simulation.step();
    if (!report) ADD_FAILURE() << report.message();
  }
  return count.now();
}

}  // namespace nonsmooth::test
