// SPDX-License-Identifier: Apache-2.0
// Walls of boxes beside each other, each an island of its own, on a floor that leans by a twentieth: what a step costs
// on 1 and on 2 threads, islands shared among them, with the same bits. Exits nonzero where a step fails or bits
// differ.

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/mass_properties.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr Index kLayers = 6;           // of a wall; layer k has kLayers - k boxes, each over two of the layer below
constexpr double kHalf = 0.1;          // of a box's edge [m]
constexpr double kMass = 8.0;          // [kg]
constexpr double kStep = 1.0 / 240.0;  // [s]
constexpr double kTolerance = 1e-8;    // of a step's problem

bool failed = false;
std::map<Index, std::uint64_t> hashes;  // of the first run of each number of walls

NonSmoothDynamicalSystem walls(Index count) {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  const Box box{.half_extents = {kHalf, kHalf, kHalf}};
  const Eigen::Matrix3d inertia = MassProperties::of_mass(box, kMass).inertia;
  for (Index wall = 0; wall < count; ++wall) {
    for (Index layer = 0; layer < kLayers; ++layer) {
      for (Index i = 0; i < kLayers - layer; ++i) {
        const double x = 2.1 * kHalf * (static_cast<double>(i) + 0.5 * static_cast<double>(layer));
        const Eigen::Vector3d at(x, 10.0 * kHalf * static_cast<double>(wall),
                                 kHalf * (2.0 * static_cast<double>(layer) + 1.0));
        const auto body =
            model.add(RigidBody{.mass = kMass, .inertia = inertia, .position = at, .gravity = {0.5, 0.0, -9.81}});
        bodies.push_back({body, {{.shape = box}}});
      }
    }
  }
  model.detect(std::make_shared<const BodyContacts>(bodies, std::vector<ShapeOnBody>{{.shape = HalfSpace{}}},
                                                    NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
  return model;
}

void step_of_walls(benchmark::State& bench) {
  const int threads = static_cast<int>(bench.range(0));
  const Index count = bench.range(1);
  constexpr Index kWarm = 5, kSteps = 45;
  for (auto _ : bench) {
    TimeStepping simulation{walls(count),
                            {.step = kStep, .solver = mixed::Automatic{.tolerance = kTolerance}, .threads = threads}};
    std::vector<double> times;
    double contacts = 0.0;
    for (Index k = 0; k < kSteps; ++k) {
      const auto start = Clock::now();
      const StepReport report = simulation.step();
      if (k >= kWarm) times.push_back(seconds(start));
      if (!report) {
        failed = true;
        return bench.SkipWithError(report.message().c_str());
      }
      contacts = static_cast<double>(simulation.state().contacts.size());
    }
    const std::uint64_t bits = hash_of(simulation.state());
    if (hashes.emplace(count, bits).first->second != bits) {
      failed = true;
      return bench.SkipWithError("the state depends on the number of threads");
    }
    char text[32];
    std::snprintf(text, sizeof text, "hash %016" PRIx64, bits);
    bench.SetLabel(text);
    bench.SetIterationTime(median(times));
    bench.counters["contacts"] = contacts;
    bench.counters["us/(contact*step)"] = 1e6 * median(times) / contacts;
  }
}

}  // namespace

BENCHMARK(step_of_walls)
    ->ArgNames({"threads", "walls"})
    ->ArgsProduct({{1, 2}, {1, 8, 64, 256}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return failed ? 1 : 0;
}
