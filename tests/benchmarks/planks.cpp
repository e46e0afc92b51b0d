// SPDX-License-Identifier: Apache-2.0
// Ten layers of ten planks, each layer across the one below, at rest: how far the stack creeps in 10^3, 10^4 and 10^5
// steps of 1/240 s, and in rigid-body engines where they are installed. Planks of 300 x 20 x 10 mm and 600 kg/m^3, mu =
// 0.5, g = 9.81: four corners at each of 900 crossings, 40 on the ground, far more reactions than equilibrium
// determines.
//
//     bench_planks [--steps=N] [--layers=N] [--across=N] [--tolerance=X] [--engine_steps=N] [--engine_seconds=X]
//
// N = 10^5 steps if not told, 10^3 of engines; --across >= 2. Engines start from the same places, and one code measures
// all, on poses alone; one that is slow stops after --engine_seconds (60) of CPU time, one whose planks have moved by 1
// m at once. The tolerance decides what ours does: contacts that a step leaves open by more than MoreauJean::forecast
// forgives act no more until they have closed, by a step of free fall, g h^2.
// Exits nonzero where a step fails or the stack falls, ours.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include <benchmarks/engines/engines.hpp>
#include <benchmarks/engines/known_motions.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using Eigen::Vector3d;
using engines::Precision, engines::Settings;

constexpr double kStep = 1.0 / 240.0;          // [s]
constexpr double kFallen = 0.01, kGone = 1.0;  // [m]
constexpr std::array<Index, 6> kLooks{1, 10, 100, 1000, 10'000, 100'000};
const Vector3d kHalf(0.15, 0.01, 0.005);

engines::Scene stack_of(Index layers, Index across) {
  engines::Scene scene = on_plane(0.5, 0.0, kStep);
  const double mass = 600.0 * 8.0 * kHalf.prod(), pitch = 2.0 * (kHalf[0] - kHalf[1]) / static_cast<double>(across - 1);
  for (Index layer = 0; layer < layers; ++layer) {
    for (Index i = 0; i < across; ++i) {
      const double aside = pitch * (static_cast<double>(i) - 0.5 * static_cast<double>(across - 1));
      const double height = kHalf[2] * static_cast<double>(2 * layer + 1);
      const bool turned = layer % 2 != 0;
      scene.bodies.push_back(box(mass, kHalf, turned ? Vector3d(aside, 0.0, height) : Vector3d(0.0, aside, height)));
      if (turned) scene.bodies.back().pose.orientation = {std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)};
    }
  }
  scene.most_contacts = 4 * static_cast<long>(across * across * (layers - 1) + across);  // corners of crossings
  return scene;
}

/// How far the planks are from where they started, the one that is farthest off.
struct Creep {
  double sideways = 0.0, vertical = 0.0;  ///< [m]
  double turned = 0.0;                    ///< [rad]

  void add(const engines::Pose& from, const engines::Pose& to) {
    const Vector3d way = vector_of(to.position) - vector_of(from.position);
    sideways = std::max(sideways, way.head<2>().norm());
    vertical = std::max(vertical, std::abs(way[2]));
    const Eigen::Map<const Eigen::Vector4d> before(from.orientation.data()), after(to.orientation.data());
    turned = std::max(turned, 2.0 * std::min((after - before).norm(), (after + before).norm()));
  }
  [[nodiscard]] double farthest() const { return std::max(sideways, vertical); }
};

void print(const Creep& creep, Index steps, long contacts, double seconds_a_step) {
  std::printf("%7td steps: sideways %8.2e m, up or down %8.2e m, turned %8.2e rad; %ld contacts, %8.3f ms a step",
              steps, creep.sideways, creep.vertical, creep.turned, contacts, 1e3 * seconds_a_step);
}

struct Stack {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> planks;

  explicit Stack(const engines::Scene& scene) {
    std::vector<BodyShapes> bodies;
    for (const engines::Body& description : scene.bodies) {
      const auto& [position, q] = description.pose;
      RigidBody plank;
      plank.mass = description.mass;
      plank.inertia = MassProperties::of_mass(Box{kHalf}, plank.mass).inertia;
      plank.gravity = {0.0, 0.0, -scene.gravity};
      plank.gyroscopic = GyroscopicTerm::Explicit;
      plank.position = vector_of(position);
      plank.orientation = {q[0], q[1], q[2], q[3]};
      planks.push_back(model.add(plank));
      bodies.push_back({planks.back(), {{.shape = Box{kHalf}}}});
    }
    model.detect(BodyContacts(bodies, {{.shape = HalfSpace{}}},
                              NewtonImpactFrictionLaw{.friction = scene.friction, .dimension = 3}));
  }
};

/// False: a step failed, or the stack fell.
bool run_ours(const engines::Scene& scene, Index steps, double tolerance) {
  const Stack stack(scene);
  TimeStepping simulation(
      stack.model,
      {.step = kStep, .solver = mixed::Automatic{.tolerance = tolerance}, .newton = {.max_iterations = 1}});
  Index done = 0;
  for (const Index until : kLooks) {
    if (until > steps) break;
    const double begin = cpu_seconds();
    const auto taken = static_cast<double>(until - done);
    Index iterations = 0;
    for (; done < until; ++done) {
      const StepReport report = simulation.step();
      if (!report) return std::printf("FAILED after %td steps: %s\n", done, report.message().c_str()), false;
      iterations += report.solver_iterations;
    }
    Creep creep;
    for (std::size_t i = 0; i < stack.planks.size(); ++i) {
      const auto q = simulation.state().q(stack.planks[i]);
      creep.add(scene.bodies[i].pose, {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}});
    }
    print(creep, done, static_cast<long>(simulation.state().contacts.size()), (cpu_seconds() - begin) / taken);
    std::printf(", %.1f iterations\n", static_cast<double>(iterations) / taken);
    std::fflush(stdout);
    if (creep.farthest() > kFallen) return false;
  }
  return true;
}

using Maker = std::function<std::unique_ptr<engines::Engine>(const engines::Scene&)>;

[[maybe_unused]] void run_theirs(const engines::Scene& scene, const char* name, const Maker& make, Index steps,
                                 double most_seconds) {
  std::printf("%s\n", name);
  try {
    const auto engine = make(scene);
    double total = 0.0;
    Index done = 0;
    for (const Index until : kLooks) {
      if (until > steps) break;
      const Index before = done;
      double time = 0.0;
      for (; done < until && total + time < most_seconds; ++done) time += engine->step();
      if (done == before) break;
      Creep creep;
      for (std::size_t i = 0; i < scene.bodies.size(); ++i) creep.add(scene.bodies[i].pose, engine->motion(i).pose);
      print(creep, done, engine->contacts(), time / static_cast<double>(done - before));
      std::printf("%s\n", creep.farthest() > kFallen ? ", fallen" : "");
      std::fflush(stdout);
      total += time;
      if (!(creep.farthest() < kGone)) break;
    }
  } catch (const std::exception& error) {
    std::printf("  %s\n", error.what());
  }
}

/// Each as it comes, and Bullet with its most exact settings too: dWorldStep and MuJoCo's Newton method factor dense
/// matrices of all rows.
void run_engines([[maybe_unused]] const engines::Scene& scene, [[maybe_unused]] Index steps,
                 [[maybe_unused]] double most_seconds) {
#ifdef NONSMOOTH_HAVE_ODE
  run_theirs(
      scene, "ODE", [](const engines::Scene& s) { return engines::ode(s, Settings::Default); }, steps, most_seconds);
#endif
#ifdef NONSMOOTH_HAVE_BULLET
  for (const auto& [name, settings, precision] :
       {std::tuple{"Bullet", Settings::Default, Precision::Single},
        {"Bullet, double", Settings::Default, Precision::Double},
        {"Bullet, 200 iterations", Settings::Accurate, Precision::Single},
        {"Bullet, double, 200 iterations", Settings::Accurate, Precision::Double}}) {
    const auto make = [settings = settings, precision = precision](const engines::Scene& s) {
      return engines::bullet(s, settings, precision);
    };
    run_theirs(scene, name, make, steps, most_seconds);
  }
#endif
#ifdef NONSMOOTH_HAVE_MUJOCO
  run_theirs(
      scene, "MuJoCo, conjugate gradients", [](const engines::Scene& s) { return engines::mujoco(s, Settings::Piles); },
      steps, most_seconds);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  Index steps = 100'000, engine_steps = 1000, layers = 10, across = 10;
  double tolerance = 1e-12, engine_seconds = 60.0;
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
    option("--engine_steps=", engine_steps);
    option("--engine_seconds=", engine_seconds);
  }
  const engines::Scene scene = stack_of(layers, across);
  std::printf("ours\n");
  const bool stands = run_ours(scene, steps, tolerance);
  if (engine_steps > 0) run_engines(scene, engine_steps, engine_seconds);
  return stands ? 0 : 1;
}
