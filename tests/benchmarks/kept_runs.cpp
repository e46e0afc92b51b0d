// SPDX-License-Identifier: Apache-2.0
// One run of a scene, recorded step by step with checkpoints, from its beginning or from the last checkpoint of another
// run: what kept_runs.py starts, kills and starts again.
//
//   bench_kept_runs SCENE FILE [--steps N] [--from FILE] [--die-after N]
//
// --die-after: the process gets SIGKILL, by itself, when it has recorded so many steps. Prints one line of JSON at the
// end: times, steps, seconds, those of restoring, the hash of the last state. Exits nonzero where a step fails.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/io/checkpoint.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <problems/disk_field.hpp>
#include <problems/dropped_bodies.hpp>
#include <problems/event_driven.hpp>
#include <problems/models.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr Index kBodies = 10'000, kFewBodies = 1000;

/// What is run: to `steps` steps, or for event-driven runs calls of advance_to(), with ten checkpoints.
struct Scene {
  std::unique_ptr<Simulation> simulation;
  double step = 0.0;  ///< [s]
  Index steps = 0;

  [[nodiscard]] Index checkpoint_every() const { return std::max<Index>(1, steps / 10); }
  [[nodiscard]] bool by_events() const { return dynamic_cast<const EventDriven*>(simulation.get()) != nullptr; }
};

/// The disk field of 10^4, as bench_recorder has it.
Scene disks() {
  const TimeSteppingOptions options{.step = problems::kDiskFieldStep, .solver = mixed::Automatic{.tolerance = 1e-3}};
  return {std::make_unique<TimeStepping>(problems::disk_field(kBodies), options), options.step, 1000};
}

/// Spheres that fall into a box, 16 layers of them, each step with 30 sweeps, as bench_rigid_piles has them.
Scene pile(Index bodies) {
  const problems::DroppedBodies scene{.count = bodies,
                                      .columns = problems::DroppedBodies::columns_of_sixteen_layers(bodies)};
  TimeSteppingOptions options;
  options.step = 1.0 / 240.0;
  options.solver = friction::GaussSeidel{.tolerance = 1e-12,
                                         .max_iterations = 30,
                                         .relaxation = 1.0,
                                         .extrapolate = false,
                                         .freeze = false,
                                         .check_every = 30};
  options.on_failure = OnFailure::Accept;
  options.examination = Examination::Off;
  return {std::make_unique<TimeStepping>(problems::dropped_model(scene).model, options), options.step, 240};
}

/// A bridge of four diodes between an oscillator and a resistor.
Scene circuit() {
  problems::Model model = problems::diode_bridge();
  return {std::make_unique<TimeStepping>(model.system, model.options), model.options.step, 200'000};
}

/// A ball that bounces until it rests, by events, in calls of 5 ms.
Scene events() {
  problems::Model model = problems::falling_ball(0.9);
  return {std::make_unique<EventDriven>(model.system, EventDrivenOptions{}), model.options.step, 1700};
}

Scene scene_of(const std::string& name) {
  if (name == "disks") return disks();
  if (name == "pile") return pile(kBodies);
  if (name == "small_pile") return pile(kFewBodies);
  if (name == "circuit") return circuit();
  if (name == "events") return events();
  throw std::invalid_argument("SCENE: found '" + name + "', expected disks, pile, small_pile, circuit or events");
}

void require(const RunReport& report) {
  if (!report) throw std::runtime_error(report.detail);
}

/// Keeps the steps; the process ends behind one of them.
struct MortalRecorder {
  Recorder* recorder;
  Index die_after;  ///< 0: never

  void operator()(const State& state, const StepReport& step) const {
    (*recorder)(state, step);
    if (die_after > 0 && recorder->num_steps() > die_after) ::kill(::getpid(), SIGKILL);
  }
  void ended(RunReport& report) const { recorder->ended(report); }
};

/// From where the simulation is to the end. TimeStepping makes its checkpoints on the way, EventDriven between calls.
void go_on(Scene& scene, Recorder& recorder, Index die_after) {
  Simulation& simulation = *scene.simulation;
  MortalRecorder observer{&recorder, die_after};
  if (!scene.by_events())
    return require(simulation.advance_to(static_cast<double>(scene.steps) * scene.step, observer));
  for (auto k = static_cast<Index>(std::round(simulation.state().t / scene.step)) + 1; k <= scene.steps; ++k) {
    require(simulation.advance_to(scene.step * static_cast<double>(k), observer));
    if (k % scene.checkpoint_every() == 0) recorder.checkpoint();
  }
}

struct Arguments {
  std::string scene, file, from{};
  Index steps = 0, die_after = 0;
};

void run(const Arguments& arguments) {
  Scene scene = scene_of(arguments.scene);
  if (arguments.steps > 0) scene.steps = arguments.steps;
  const auto restoring = Clock::now();
  if (!arguments.from.empty()) restore(*scene.simulation, arguments.from);
  const double restore_seconds = seconds(restoring), t = scene.simulation->state().t;
  const auto start = Clock::now();
  RecorderOptions options{.name = arguments.scene, .file = {.overwrite = true}};
  if (!scene.by_events()) options.checkpoint_every = scene.checkpoint_every();
  Recorder recorder(arguments.file, *scene.simulation, options);
  go_on(scene, recorder, arguments.die_after);
  recorder.close();
  std::printf(
      "{\"from\": %.17g, \"to\": %.17g, \"steps\": %ld, \"seconds\": %.4g, \"restore_seconds\": %.3g, "
      "\"hash\": \"%016llx\"}\n",
      t, scene.simulation->state().t, static_cast<long>(recorder.num_steps()) - 1, seconds(start), restore_seconds,
      static_cast<unsigned long long>(hash_of(scene.simulation->state())));
}

Arguments parse(int argc, char** argv) {
  if (argc < 3) throw std::invalid_argument("found no SCENE and FILE");
  Arguments arguments{.scene = argv[1], .file = argv[2]};
  for (int i = 3; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = [&] {
      const Index found = std::atol(value.c_str());
      if (found < 1) throw std::invalid_argument(name + ": found '" + value + "', expected a whole number >= 1");
      return found;
    };
    if (name == "--from") {
      arguments.from = value;
    } else if (name == "--steps") {
      arguments.steps = number();
    } else if (name == "--die-after") {
      arguments.die_after = number();
    } else {
      throw std::invalid_argument("found '" + name + "', expected --steps, --from or --die-after");
    }
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]).starts_with("--benchmark_list_tests")) {
    std::puts("disks, pile, small_pile, circuit, events: by kept_runs.py");
    return 0;
  }
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_kept_runs: %s\n", error.what());
    return 1;
  }
}
