// SPDX-License-Identifier: Apache-2.0
// Ten layers of ten planks, each layer across the one below, at rest: how far the stack creeps in 10^3, 10^4 and 10^5
// steps of 1/240 s. Planks of 300 x 20 x 10 mm and 600 kg/m^3, mu = 0.5, g = 9.81: four corners at each of 900
// crossings, 40 on the ground, far more reactions than equilibrium determines.
//
//     bench_planks [--steps=N] [--layers=N] [--across=N] [--tolerance=X]
//
// N = 10^5 steps if not told; --across >= 2. The tolerance decides: contacts that a step leaves open by more than
// MoreauJean::forecast forgives act no more until they have closed, by a step of free fall, g h^2.
// Exits nonzero where a step fails or the stack falls.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel.hpp>

namespace {

using namespace nonsmooth;
using Eigen::Vector3d;

constexpr double kStep = 1.0 / 240.0;  // [s]
const Vector3d kHalf(0.15, 0.01, 0.005);

struct Stack {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> planks;

  Stack(Index layers, Index across) {
    const double mass = 600.0 * 8.0 * kHalf.prod(),
                 pitch = 2.0 * (kHalf[0] - kHalf[1]) / static_cast<double>(across - 1);
    const Vector3d squares = kHalf.cwiseAbs2() * (mass / 3.0);
    std::vector<BodyShapes> bodies;
    for (Index layer = 0; layer < layers; ++layer) {
      for (Index i = 0; i < across; ++i) {
        const double aside = pitch * (static_cast<double>(i) - 0.5 * static_cast<double>(across - 1));
        const double height = kHalf[2] * static_cast<double>(2 * layer + 1);
        RigidBody plank;
        plank.mass = mass;
        plank.inertia = (squares.sum() * Vector3d::Ones() - squares).asDiagonal();
        plank.gravity = {0.0, 0.0, -9.81};
        plank.gyroscopic = GyroscopicTerm::Explicit;
        plank.position = layer % 2 == 0 ? Vector3d(0.0, aside, height) : Vector3d(aside, 0.0, height);
        if (layer % 2 != 0) plank.orientation = {std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)};
        planks.push_back(model.add(plank));
        bodies.push_back({planks.back(), {{.shape = Box{kHalf}}}});
      }
    }
    model.detect(
        BodyContacts(bodies, {{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
  }
};

}  // namespace

int main(int argc, char** argv) {
  Index steps = 100'000;
  double tolerance = 1e-12;
  Index layers = 10, across = 10;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--benchmark_list_tests") {  // as the other programs that measure
      std::puts("planks");
      return 0;
    }
    const auto option = [&](std::string_view name, auto& value) {
      if (argument.starts_with(name)) std::from_chars(argv[i] + name.size(), argv[i] + argument.size(), value);
    };
    option("--steps=", steps);
    option("--layers=", layers);
    option("--across=", across);
    option("--tolerance=", tolerance);
  }
  Stack stack(layers, across);
  TimeStepping simulation(
      stack.model,
      {.step = kStep, .solver = mixed::Automatic{.tolerance = tolerance}, .newton = {.max_iterations = 1}});
  const State start = simulation.state();
  Index done = 0;
  for (const Index until : {1, 10, 100, 1000, 10'000, 100'000}) {
    if (until > steps) break;
    const double begin = benchmarks::cpu_seconds();
    const auto taken = static_cast<double>(until - done);
    Index iterations = 0;
    for (; done < until; ++done) {
      const StepReport report = simulation.step();
      if (!report) return std::printf("FAILED after %td steps: %s\n", done, report.message().c_str()), 1;
      iterations += report.solver_iterations;
    }
    double moved = 0.0, sunk = 0.0, turned = 0.0;
    for (const SystemHandle plank : stack.planks) {
      const Eigen::VectorXd way = simulation.state().q(plank) - start.q(plank);
      moved = std::max(moved, way.head<2>().norm());
      sunk = std::max(sunk, std::abs(way[2]));
      turned = std::max(turned, 2.0 * way.tail<4>().norm());
    }
    const auto& found = simulation.state().contacts;
    std::printf(
        "%7td steps: moved sideways %8.2e m, up or down %8.2e m, turned %8.2e rad; %td contacts, "
        "%7.1f iterations, %8.3f ms a step\n",
        done, moved, sunk, turned, static_cast<Index>(found.size()), static_cast<double>(iterations) / taken,
        1e3 * (benchmarks::cpu_seconds() - begin) / taken);
    std::fflush(stdout);
    if (moved > 0.01 || sunk > 0.01) return 1;
  }
  return 0;
}
