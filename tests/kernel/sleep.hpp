// SPDX-License-Identifier: Apache-2.0
// What the tests of islands that sleep share.
#pragma once

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::sleep_tests {

inline constexpr double kGravity = 9.81, kStep = 1e-3, kRest = 0.01,
                        kFall = kRest * kStep * kGravity;  // kFall: rest h g
inline constexpr Index kSteps = 20;

inline TimeSteppingOptions sleeping(double rest = kRest) {
  return {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}, .sleep = {.rest = rest, .steps = kSteps}};
}

/// Steps until the report's number of sleepers is `asleep`; the number of steps made, 0: it never was.
inline Index steps_until(TimeStepping& simulation, Index asleep, Index most) {
  for (Index k = 1; k <= most; ++k) {
    const StepReport report = simulation.step();
    if (!report) ADD_FAILURE() << report.message();
    if (report.asleep == asleep) return k;
  }
  return 0;
}

}  // namespace nonsmooth::sleep_tests
