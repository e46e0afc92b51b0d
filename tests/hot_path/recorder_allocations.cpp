// SPDX-License-Identifier: Apache-2.0
// After the second step the simulation's thread allocates nothing for a recorder while contacts are no more than
// before.
#include <filesystem>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

namespace nonsmooth {
namespace {

/// Records in a file of its own. flush() in between: what the writer's thread does is not counted.
long long allocations(TimeStepping& simulation, Index warm, Index last) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("recorder_allocations_" + std::to_string(::getpid()) + ".h5");
  long long count = 0;
  {
    // The writer waits for a chunk, and this one is never full: its buffers grow, so that they are counted apart.
    Recorder recorder(path, simulation, {.file = {.chunk_steps = 100'000, .flush_after = 0.0, .overwrite = true}});
    for (Index k = 0; k < warm; ++k) recorder.record(simulation.step());
    recorder.flush();
    for (Index k = warm; k < last; ++k) {
      const StepReport report = simulation.step();
      EXPECT_TRUE(report) << report.message();
      const test::ThreadAllocationCount own;
      recorder.record(report);
      count += own.now();
    }
    recorder.close();
  }
  std::filesystem::remove(path);
  return count;
}

TEST(RecorderAllocations, BouncingBall) {
  const auto model = problems::bouncing_ball(0.5);
  TimeStepping simulation(model.system, model.options);
  EXPECT_EQ(allocations(simulation, 2, 1500), 0);
}

TEST(RecorderAllocations, DiodeBridge) {
  const auto model = problems::diode_bridge();
  TimeStepping simulation(model.system, model.options);
  EXPECT_EQ(allocations(simulation, 2, 1500), 0);
}

TEST(RecorderAllocations, SpheresOnAFloor) {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  for (const double x : {0.0, 0.15, 0.4}) {
    const auto body = model.add(RigidBody{.position = {x, 0.0, 0.12 + x}, .gravity = {0.0, 0.0, -9.81}});
    bodies.push_back({body, {{.shape = Sphere{0.1}}}});
  }
  model.detect(BodyContacts(bodies, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.restitution = 0.2, .friction = 0.3, .dimension = 3}));
  TimeStepping simulation(model, {.step = 1e-3});
  EXPECT_EQ(allocations(simulation, 2, 800), 0);
}

}  // namespace
}  // namespace nonsmooth
