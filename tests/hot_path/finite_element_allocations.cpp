// SPDX-License-Identifier: Apache-2.0
// Finite elements with switch detection: a step without a switch calls neither malloc nor its kin, from the third of
// its mode on.
#include <gtest/gtest.h>

#include <optional>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth {
namespace {

using namespace filippov_systems;

TEST(FiniteElementAllocations, StepsOfAMode) {
  for (const FiniteElementFamily family : {FiniteElementFamily::RadauIIA, FiniteElementFamily::GaussLegendre}) {
    for (const FilippovSystem& system : {circle(2.0), oscillator(), sliding_and_exit()}) {
      NonSmoothDynamicalSystem model;
      (void)link_filippov(model, system);
      FiniteElementStepping simulation(model, {.step = 0.017, .family = family});
      std::optional<test::AllocationCount> count;
      long long sum = 0;
      Index of_mode = 0, counted = 0;
      std::size_t events = 0;
      const auto report = simulation.advance_to(1.9, [&](const State&) {
        const long long found = count ? count->now() : 0;
        if (simulation.events().size() != events) of_mode = 0;
        events = simulation.events().size();
        if (++of_mode > 2) sum += found, ++counted;
        count.emplace();
      });
      EXPECT_TRUE(report) << report.message();
      EXPECT_GE(events, 1u);
      EXPECT_GT(counted, 90);
      EXPECT_EQ(sum, 0);
    }
  }
}

}  // namespace
}  // namespace nonsmooth
