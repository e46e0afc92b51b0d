// SPDX-License-Identifier: Apache-2.0
// Spheres and boxes dropped into an open box (problems/dropped_bodies.hpp), in flow and at rest: what a step, a contact
// and a sweep cost, with which residual and penetration, from 10^2 to 10^5 bodies; beside rigid-body engines where they
// are installed, on the same bodies from the same places with the same step. Penetrations are measured by one code, on
// poses alone. Piles that are laid in place of dropped (problems/laid_bodies.hpp) come to rest within a few hundred
// loose steps, and are measured over ten, after those in which the way to them is forgotten. Exits nonzero where a step
// of ours fails; how much the memory of a run grows is printed alone.
//
//     bench_rigid_piles [--threads=N] [--states=FOLDER]
//
// N threads of ours, 1 unless it is given; with more, times of ours are of the clock and ratios are not printed. The
// states from which bodies go ten steps are kept in FOLDER and taken from there by the next run.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/engines/engines.hpp>
#include <benchmarks/pile_options.hpp>
#include <benchmarks/plain_counters.hpp>
#include <benchmarks/timing.hpp>
#include <nonsmooth/io/checkpoint.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/dropped_bodies.hpp>
#include <support/resident_memory.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

/// Steps from `begin` to `end`, of those that are counted.
struct Span {
  Index begin, end;
};
constexpr Index kManySweeps = 200;  // of 10^5 bodies
constexpr Span kTenSteps{0, 10};
constexpr Index kLookedAtEachStep = 1000;  // bodies; over more steps than ten more are looked at in every 24th
constexpr double kResting = 0.99;          // of the bodies of a pile at rest: slower than
constexpr double kRest = 0.01;             // [m/s], a quarter of g h
constexpr Span kLoose{24, 480};            // steps to it, at least and at most
constexpr Span kLooseOfMany{24, 96};       // of 10^5 bricks, where a step takes seconds; spheres roll on for longer
constexpr Index kRecovered = 21;  // steps until 1 % is left of a depth: 0.8^21, StewartTrinkle::recovery is 0.2
constexpr std::array kEngines{"ode", "bullet", "bullet_double", "mujoco"};

bool failed = false;
int threads = 1;               // of ours
std::filesystem::path states;  // folder, or empty

/// What a step came to.
struct StepFigures {
  double contacts = 0.0, sweeps = 0.0, residual = 0.0, asleep = 0.0;
  bool apart = true;     // the projection, if any, ended
  double seconds = 0.0;  // of the processor; with threads, of the clock
};

double now_in_seconds() { return threads == 1 ? cpu_seconds() : seconds(Clock::time_point{}); }

/// One code on the scene.
class Pile {
 public:
  Pile() = default;
  Pile(const Pile&) = delete;
  Pile& operator=(const Pile&) = delete;
  virtual ~Pile() = default;
  virtual StepFigures step() = 0;
  [[nodiscard]] virtual double deepest() = 0;  ///< penetration [m]
};

class Ours final : public Pile {
 public:
  Ours(const DroppedBodies& scene, const TimeSteppingOptions& options) : Ours(dropped_model(scene), options) {}
  /// The same with other options, from where `other` is.
  Ours(const Ours& other, const TimeSteppingOptions& options)
      : contacts_(other.contacts_), simulation_(other.simulation_.model(), threaded(options)) {
    simulation_.set_state(other.simulation_.state());
  }
  StepFigures step() override {
    const double start = now_in_seconds();
    const StepReport report = simulation_.step();
    const double time = now_in_seconds() - start;
    if (!report.taken) throw std::runtime_error(report.message());
    return {static_cast<double>(simulation_.state().contacts.size()), static_cast<double>(report.solver_iterations),
            report.rows > 0 ? report.certificate.residual : 0.0,      static_cast<double>(report.asleep),
            report.outcome != StepReport::Outcome::ProjectionLimit,   time};
  }
  /// Goes `steps`, or from the first of them on until it rests; where a file has the state after them, takes that.
  void go(const Span& steps, const std::filesystem::path& kept) {
    if (!kept.empty() && std::filesystem::exists(kept)) {
      restore(simulation_, kept);
      return;
    }
    for (Index k = 0; k < steps.end && (k < steps.begin || speed_of(kResting) > kRest); ++k) (void)step();
    if (!kept.empty()) save_checkpoint(kept, simulation_);
  }
  /// What this share of the bodies is no faster than [m/s].
  [[nodiscard]] double speed_of(double share) const {
    const Eigen::VectorXd& u = simulation_.state().unknowns;
    Eigen::VectorXd speeds = u.reshaped(6, u.size() / 6).topRows(3).colwise().norm();
    const auto place = speeds.begin() + static_cast<Index>(share * static_cast<double>(speeds.size() - 1));
    std::nth_element(speeds.begin(), place, speeds.end());
    return *place;
  }
  [[nodiscard]] double time() const { return simulation_.state().t; }
  double deepest() override { return problems::deepest(simulation_.state(), *contacts_); }

 private:
  Ours(problems::DroppedModel scene, const TimeSteppingOptions& options)
      : contacts_(std::move(scene.contacts)), simulation_(std::move(scene.model), threaded(options)) {}
  static TimeSteppingOptions threaded(TimeSteppingOptions options) {
    options.threads = threads;
    return options;
  }

  std::shared_ptr<const BodyContacts> contacts_;
  TimeStepping simulation_;
};

engines::Scene scene_of(const DroppedBodies& pile) {
  engines::Scene scene;
  for (const auto& [x, q] : pile.places()) {
    engines::Body body;
    if (pile.kind == DroppedBodies::Kind::Spheres) body.radius = DroppedBodies::radius;
    const Eigen::Vector3d& half = DroppedBodies::half_extents;
    body.half_extents = {half[0], half[1], half[2]};
    body.mass = pile.mass();
    body.pose = {{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}};
    scene.bodies.push_back(body);
  }
  scene.planes.emplace_back();
  for (const std::size_t axis : {0u, 1u}) {
    for (const double side : {1.0, -1.0}) {
      engines::Plane wall{{}, -pile.half_width()};
      wall.normal[axis] = side;
      scene.planes.push_back(wall);
    }
  }
  scene.friction = DroppedBodies::friction;
  scene.gravity = DroppedBodies::gravity;
  scene.step = kStep;
  return scene;
}

class Theirs final : public Pile {
 public:
  Theirs(const DroppedBodies& scene, std::unique_ptr<engines::Engine> engine)
      : scene_(dropped_model(scene)), state_(scene_.model.initial_state()), engine_(std::move(engine)) {}
  StepFigures step() override {
    const double time = engine_->step();
    return {static_cast<double>(engine_->contacts()), 0.0, std::nan(""), 0.0, true, time};
  }
  double deepest() override {
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      const engines::Pose pose = engine_->motion(b).pose;
      auto q = state_.q(scene_.bodies[b]);
      q.head<3>() = Eigen::Map<const Eigen::Vector3d>(pose.position.data());
      q.tail<4>() = Eigen::Map<const Eigen::Vector4d>(pose.orientation.data()).normalized();
    }
    return problems::deepest(state_, *scene_.contacts);
  }

 private:
  problems::DroppedModel scene_;
  State state_;
  std::unique_ptr<engines::Engine> engine_;
};

using Maker = std::function<std::unique_ptr<Pile>(const DroppedBodies&)>;

std::vector<std::pair<std::string, Maker>> codes() {
  const auto ours = [](auto options) {
    return [options](const DroppedBodies& scene) {
      if constexpr (std::is_invocable_v<decltype(options), const DroppedBodies&>) {
        return std::make_unique<Ours>(scene, options(scene));
      } else {
        return std::make_unique<Ours>(scene, options());
      }
    };
  };
  std::vector<std::pair<std::string, Maker>> result{{"sweeps", ours([] { return fixed_sweeps(kSweeps); })},
                                                    {"certified", ours(certified)},
                                                    {"kept_apart", ours(kept_apart)},
                                                    {"kept_all", ours(kept_all)},
                                                    {"position_level", ours(position_level)},
                                                    {"position_exact", ours(position_exact)},
                                                    {"position_sweeps", ours(position_sweeps)},
                                                    {"position_apart", ours(position_apart)},
                                                    {"position_joined", ours(position_joined)},
                                                    {"asleep", ours(asleep)}};
  [[maybe_unused]] const auto theirs = [&result](const char* name, auto make) {
    result.emplace_back(name, [make](const DroppedBodies& scene) {
      return std::make_unique<Theirs>(scene, make(scene_of(scene), engines::Settings::Piles));
    });
  };
#ifdef NONSMOOTH_HAVE_ODE
  theirs("ode", engines::ode);
#endif
#ifdef NONSMOOTH_HAVE_BULLET
  using engines::Precision, engines::Scene, engines::Settings;
  theirs("bullet", [](const Scene& scene, Settings s) { return engines::bullet(scene, s, Precision::Single); });
  theirs("bullet_double", [](const Scene& scene, Settings s) { return engines::bullet(scene, s, Precision::Double); });
#endif
#ifdef NONSMOOTH_HAVE_MUJOCO
  theirs("mujoco", engines::mujoco);
#endif
  return result;
}

double memory() { return 1e-6 * test::resident_memory(); }  // [MB]

constexpr Span kFlow{24, 96};       // 0.1 s to 0.4 s: all fall onto each other
constexpr Span kSettled{720, 960};  // the fourth second
constexpr Span kLaid{240, 250};     // of engines: ten steps after a second

/// Steps a pile through a span; puts the figures into the counters. Returns the median time of a step [s].
double go_through(Pile& pile, Index& now, const Span& span, Index bodies, benchmark::State& bench) {
  const Index every = bodies <= kLookedAtEachStep || span.end - span.begin <= kTenSteps.end ? 1 : 24;
  for (; now < span.begin; ++now) (void)pile.step();
  std::vector<double> times;
  double contacts = 0.0, sweeps = 0.0, residual = 0.0, asleep = 0.0, not_apart = 0.0, deepest = 0.0;
  const double before = memory();
  for (; now < span.end; ++now) {
    const StepFigures figures = pile.step();
    times.push_back(figures.seconds);
    contacts += figures.contacts;
    sweeps += figures.sweeps;
    asleep += figures.asleep;
    not_apart += figures.apart ? 0.0 : 1.0;
    residual = std::max(residual, figures.residual);
    if ((now + 1) % every == 0 || now + 1 == span.end) deepest = std::max(deepest, pile.deepest());
  }
  const auto steps = static_cast<double>(times.size());
  const double time = median(times);
  bench.counters["ns/(contact*step)"] = 1e9 * time * steps / contacts;
  bench.counters["contacts"] = contacts / steps;
  bench.counters["sweeps"] = sweeps / steps;
  bench.counters["residual"] = residual;
  bench.counters["asleep"] = asleep / steps;
  bench.counters["steps_not_apart"] = not_apart;
  bench.counters["penetration[m]"] = deepest;
  bench.counters["MB"] = memory();
  bench.counters["MB_grown"] = memory() - before;
  return time;
}

std::map<std::string, std::map<std::string, double>> times;  // by scene, then by code [s]

void run_pile(benchmark::State& bench, const DroppedBodies& scene, const std::string& name, const std::string& code,
              const Maker& make, const Span& span) {
  for (auto _ : bench) {
    try {
      const std::unique_ptr<Pile> pile = make(scene);
      Index now = 0;
      const double time = go_through(*pile, now, span, scene.count, bench);
      times[name][code] = time;
      bench.SetIterationTime(time);
    } catch (const std::exception& error) {
      bench.SkipWithError(error.what());
      failed = failed || std::find(kEngines.begin(), kEngines.end(), code) == kEngines.end();
    }
  }
}

/// How a scene comes to a state: in that many steps with these options, fewer where it rests. `name`: of its file.
/// `recovered` steps follow with the options that are timed, so that depths are theirs and not what the way left.
struct Approach {
  std::string name;
  TimeSteppingOptions options;
  Span steps{0, 0};
  Index recovered = 0;
};

/// Ten steps of as many bodies as one wants, from such a state.
void run_from_state(benchmark::State& bench, const DroppedBodies& scene, const Approach& approach,
                    const TimeSteppingOptions& options) {
  for (auto _ : bench) {
    try {
      std::optional<Ours> before(std::in_place, scene, approach.options);
      before->go(approach.steps, states.empty() ? states : states / (approach.name + ".state"));
      Ours pile(*before, options);
      before.reset();
      for (Index k = 0; k < approach.recovered; ++k) (void)pile.step();
      Index now = 0;
      bench.counters["start[s]"] = pile.time();
      bench.SetIterationTime(go_through(pile, now, kTenSteps, scene.count, bench));
      bench.counters["speed_of_99_%[m/s]"] = pile.speed_of(kResting);
      bench.counters["fastest[m/s]"] = pile.speed_of(1.0);
    } catch (const std::exception& error) {
      bench.SkipWithError(error.what());
      failed = true;
    }
  }
}

void add(const std::string& name, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
}

/// Ten steps of piles that are laid, at rest.
void register_laid(DroppedBodies::Kind kind, const std::string& of) {
  const bool rolls = kind == DroppedBodies::Kind::Spheres;
  for (const Index count : {1'000, 5'000, 10'000, 100'000}) {
    DroppedBodies scene{.kind = kind, .count = count, .columns = DroppedBodies::columns_of_sixteen_layers(count)};
    scene.laid = true;
    const Approach coming_to_rest{of + "_laid_" + std::to_string(count), loose(),
                                  rolls || count < 100'000 ? kLoose : kLooseOfMany, kRecovered};
    const auto ten_steps = [&](const char* code, const TimeSteppingOptions& options) {
      add(of + ":" + std::to_string(count) + "/laid/" + code,
          [=](benchmark::State& bench) { run_from_state(bench, scene, coming_to_rest, options); });
    };
    ten_steps("certified", position_level());
    ten_steps("exact", position_exact());
    ten_steps("apart", position_apart(scene));
    ten_steps("joined", position_joined(scene));
    ten_steps("sweeps", position_sweeps());
    for (const auto& [code, make] : codes()) {  // of engines, which have no state of ours to start from
      if (std::find(kEngines.begin(), kEngines.end(), code) == kEngines.end() || code == "mujoco" || count > 5'000)
        continue;
      const std::string name = of + ":" + std::to_string(count) + "/laid";
      add(name + "/" + code, [=](benchmark::State& bench) { run_pile(bench, scene, name, code, make, kLaid); });
    }
  }
}

/// Ten steps of piles that are dropped: of 5 000 at rest, of 10^5 in flow too.
void register_ten_steps(const std::string& of, const DroppedBodies& scene) {
  const auto ten_steps = [&](const char* span, const Approach& approach, const TimeSteppingOptions& options) {
    add(of + ":" + std::to_string(scene.count) + "/" + span,
        [=](benchmark::State& bench) { run_from_state(bench, scene, approach, options); });
  };
  if (scene.count == 5'000) {
    const Approach resting{of + "_at_rest_5000", loose(), {kSettled.begin, kSettled.begin}, kRecovered};
    ten_steps("ten_steps_at_rest/certified", resting, position_level());
    ten_steps("ten_steps_at_rest/exact", resting, position_exact());
    ten_steps("ten_steps_at_rest/apart", resting, position_apart(scene));
  }
  if (scene.count < 100'000) return;
  const Approach falling{of + "_in_flow", fixed_sweeps(kSweeps), {2 * kFlow.begin, 2 * kFlow.begin}},
      resting{of + "_at_rest", position_sweeps(), {kSettled.begin, kSettled.begin}, kRecovered};
  ten_steps("ten_steps/sweeps", falling, fixed_sweeps(kManySweeps));
  ten_steps("ten_steps/certified", falling, position_level());
  ten_steps("ten_steps/certified_apart", falling, position_apart(scene));
  ten_steps("ten_steps_at_rest/certified", resting, position_level());
}

void register_all() {
  for (const auto kind : {DroppedBodies::Kind::Spheres, DroppedBodies::Kind::Boxes}) {
    const std::string of = kind == DroppedBodies::Kind::Spheres ? "spheres" : "boxes";
    register_laid(kind, of);
    for (const Index count : {100, 1'000, 5'000, 10'000, 100'000}) {
      const DroppedBodies deep{.kind = kind, .count = count},  // in a box of 1 m
          wide{.kind = kind, .count = count, .columns = DroppedBodies::columns_of_sixteen_layers(count)};
      // At rest as the engines were measured elsewhere; many boxes would fall from 8 m.
      const DroppedBodies& at_rest = kind == DroppedBodies::Kind::Boxes && count > 1'000 ? wide : deep;
      const auto name_of = [&](const char* span) { return of + ":" + std::to_string(count) + "/" + span; };
      for (const auto& [code, make] : codes()) {
        for (const bool settled : {false, true}) {
          if (count > (settled ? 10'000 : 100'000)) continue;
          const bool of_gaps = code == "position_level" || code == "position_apart";
          if (count > 5'000 && code != "sweeps" && !(of_gaps && count == 10'000)) continue;
          const bool of_velocities = code == "kept_apart" || code == "kept_all";
          if (of_velocities && settled && count > (code == "kept_all" ? 1'000 : 100)) continue;  // hours
          if (code == "mujoco" && count > (settled ? 100 : 1'000)) continue;  // its matrices are dense
          const std::string name = name_of(settled ? "settled" : "flow");
          const DroppedBodies& scene = settled ? at_rest : wide;  // in flow with the same depth for all counts
          const Span& span = settled ? kSettled : kFlow;
          add(name + "/" + code, [=](benchmark::State& bench) { run_pile(bench, scene, name, code, make, span); });
        }
      }
      register_ten_steps(of, wide);
    }
  }
}

/// How many times as long a step of the engines takes as ours.
void print_ratios() {
  for (const auto& [scene, by_code] : times) {
    for (const char* own : {"sweeps", "certified", "kept_apart", "kept_all", "position_level", "position_exact",
                            "position_sweeps", "position_apart", "position_joined"}) {
      if (!by_code.contains(own)) continue;
      for (const char* engine : kEngines) {
        if (by_code.contains(engine))
          std::printf("%s: %s / %s = %.2f\n", scene.c_str(), engine, own, by_code.at(engine) / by_code.at(own));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  bool understood = true;
  const auto is_ours = [&](std::string_view argument) {
    if (argument.starts_with("--states=")) {
      states = argument.substr(9);
      return true;
    }
    if (!argument.starts_with("--threads=")) return false;
    const std::string_view number = argument.substr(10);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), threads);
    understood = understood && error == std::errc{} && end == number.data() + number.size() && threads >= 1;
    return true;
  };
  argc = static_cast<int>(std::remove_if(argv + 1, argv + argc, is_ours) - argv);
  if (!understood) {
    std::fputs("--threads: expected a number >= 1\n", stderr);
    return 2;
  }
  register_all();
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  PlainCounters reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  if (threads == 1) print_ratios();
  return failed ? 1 : 0;
}
