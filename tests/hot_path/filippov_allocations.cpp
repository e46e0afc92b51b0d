// SPDX-License-Identifier: Apache-2.0
// FilippovSystems and HybridAutomata: steps and smooth phases of a mode call neither malloc nor its kin.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include <hot_path/allocation_guard.hpp>
#include <hot_path/allocations_of_steps.hpp>
#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

namespace nonsmooth {
namespace {

using namespace filippov_systems;

TEST(FilippovAllocations, Steps) {
  FilippovSystem without = circle(2.0);
  without.switches[0].gradient = {};
  without.regions[0].f_dx = {};
  FilippovSystem independent = spiral(0.4, 0.3);
  independent.meaning = FilippovMeaning::MultiAffine;
  for (const FilippovSystem& system : {circle(2.0), without, spiral(0.4, 0.3), independent}) {
    NonSmoothDynamicalSystem model;
    (void)link_filippov(model, system);
    TimeStepping simulation(model, {.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-3});
    EXPECT_EQ(test::allocations(simulation, 2, 100), 0);     // in a region, or through one after the other
    EXPECT_EQ(test::allocations(simulation, 700, 1500), 0);  // sliding, at rest
  }
}

/// Allocations in smooth steps from the third of a mode on.
long long allocations_of_modes(const NonSmoothDynamicalSystem& model, EventDrivenOptions options, double T,
                               Index& steps) {
  options.largest_step = 0.0193;  // no step ends next to a switch, which the step behind would find
  EventDriven simulation(model, std::move(options));
  std::optional<test::AllocationCount> count;
  long long sum = 0, last = 0;
  Index of_mode = 0;
  const auto segment = [&](const SmoothSegment&) {
    const long long found = count ? count->now() : 0;
    sum += last;  // the step that ends at an instant is left out
    last = ++of_mode > 2 ? found : 0;
    steps += of_mode > 3 ? 1 : 0;
    count.emplace();
    return true;
  };
  const auto instant = [&](const Instant&) {
    of_mode = 0;
    last = 0;
    return true;
  };
  const auto report = simulation.advance_to(T, {.segment = segment, .instant = instant});
  EXPECT_TRUE(report) << report.message();
  return sum + last;
}
long long allocations_of_modes(const FilippovSystem& system, EventDrivenOptions options, double T, Index& steps) {
  NonSmoothDynamicalSystem model;
  (void)link_filippov(model, system);
  return allocations_of_modes(model, std::move(options), T, steps);
}

TEST(FilippovAllocations, Modes) {
  Index steps = 0;
  EXPECT_EQ(allocations_of_modes(circle(2.0), {}, 2.0, steps), 0);
  EXPECT_EQ(allocations_of_modes(spiral(0.4, 0.3), {}, 1.0, steps), 0);
  for (const auto choice : {OnAmbiguity::LeastNorm, OnAmbiguity::Utkin, OnAmbiguity::Moments})
    EXPECT_EQ(allocations_of_modes(line_in_space(), {.on_ambiguity = choice}, 1.0, steps), 0);
  EXPECT_GT(steps, 200);
}

// A thermostat, one guard with its gradient and one without, an invariant.
TEST(FilippovAllocations, Automata) {
  const auto towards = [](const std::string& name, double target) {
    return AutomatonMode{.name = name, .f = [=](double, ConstVectorRef x, VectorRef f) { f[0] = target - x[0]; }};
  };
  HybridAutomaton room{
      .x0 = {18.0},
      .modes = {towards("heats", 30.0), towards("rests", 0.0)},
      .transitions = {
          {.from = "heats", .to = "rests", .guard = coordinate(0, 21.0)},
          {.from = "rests", .to = "heats", .guard = {.value = [](double, ConstVectorRef x) { return 19.0 - x[0]; }}}}};
  room.modes[1].invariant = coordinate(0, 10.0);
  NonSmoothDynamicalSystem model;
  model.add(room);
  Index steps = 0;
  EXPECT_EQ(allocations_of_modes(model, {}, 3.0, steps), 0);
  EXPECT_EQ(allocations_of_modes(model, {.integrator = RadauIIA{}}, 3.0, steps), 0);
  EXPECT_GT(steps, 100);
}

}  // namespace
}  // namespace nonsmooth
