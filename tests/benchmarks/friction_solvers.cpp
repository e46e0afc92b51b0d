// SPDX-License-Identifier: Apache-2.0
// friction::Automatic beside every other algorithm of its registry on generated frictional contact problems of the
// seeds 6 to 20 (those it was tuned on are 1 to 5: --seeds=1-5), at 1e-4 and 1e-8: balls and bricks, masses and mu over
// decades, in the plane, elliptic, cohesive, rolling, planted at random, and in global form beside the algorithms for
// that. A family a line: how automatic ended, and the geometric mean of its time over that of the best algorithm of
// each problem. --middling takes hundreds of contacts instead of up to some eighty. --only=NAME runs the families whose
// name begins so; --picture=PATH draws performance profiles.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/solver_race.hpp>
#include <nonsmooth/io/panels.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <problems/cones.hpp>
#include <problems/pile_variants.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using problems::Pile;
using problems::Rest;

// Twice as long as automatic is lost, and so is half a second where automatic fails.
constexpr double kPatience = 2.0, kAlone = 0.5, kLongest = 20.0;  // [-], [s], [s]

bool middling = false;  // larger problems

void add(Family& family, const std::string& solver, const Timed& timed) {
  family.times[solver].push_back(timed.time);
  if (solver == "automatic") family.statuses.push_back(timed.status);
}

void run(const friction::Problem& problem, double tolerance, Family& family) {
  Timed automatic;
  for (const friction::Entry& entry : friction::registry()) {
    Timed timed;
    const bool first = entry.name == "automatic";
    const Limits limits{.tolerance = tolerance,
                        .time_limit = first ? kLongest : race_limit(automatic, kPatience, kAlone)};
    if (entry.supports(problem.K)) timed = time_solves([&] { return entry.solver.solve(problem, limits).status; });
    if (first) automatic = timed;
    add(family, std::string(entry.name), timed);
  }
}

void run(const friction::GlobalProblem& problem, double tolerance, Family& family) {
  using namespace friction;
  const Timed automatic = time_solves(
      [&] { return solve(problem, GlobalAutomatic{.tolerance = tolerance, .time_limit = kLongest}).status; });
  const double limit = race_limit(automatic, kPatience, kAlone);
  add(family, "automatic", automatic);
  add(family, "global admm",
      time_solves([&] { return solve(problem, GlobalAdmm{.tolerance = tolerance, .time_limit = limit}).status; }));
  add(family, "global proximal newton", time_solves([&] {
        return solve(problem, GlobalProximalNewton{.tolerance = tolerance, .time_limit = limit}).status;
      }));
  add(family, "reduced automatic", time_solves([&] {
        return solve(to_reduced(problem), Automatic{.tolerance = tolerance, .time_limit = limit}).status;
      }));
}

/// A family's problems of one seed, each given to `take` with its name.
template <class Problem>
using Take = std::function<void(const std::string&, const Problem&)>;

struct Source {
  std::string name;
  std::function<void(std::uint64_t seed, const Take<friction::Problem>& take)> reduced{};
  std::function<void(std::uint64_t seed, const Take<friction::GlobalProblem>& take)> global{};
};

/// Piles of 4 and 30 balls and walls of 4 and 12 bricks; middling: of 200, and of 24. Seed by seed, balls are settled,
/// flowing and loaded in turn, walls at rest and pushed.
void each_pile(std::uint64_t seed, const std::function<void(const std::string&, const Pile&)>& take) {
  constexpr std::pair<const char*, Rest> rests[] = {
      {" balls settled", Rest::Settled}, {" balls flowing", Rest::Flowing}, {" balls loaded", Rest::Loaded}};
  const auto& [name, rest] = rests[seed % 3];
  for (const Index count : middling ? std::vector<Index>{200} : std::vector<Index>{4, 30})
    take(std::to_string(count) + name, problems::ball_pile(count, seed, rest));
  const bool pushed = seed % 2 == 1;
  using Shapes = std::vector<std::pair<Index, Index>>;
  for (const auto& [rows, length] : middling ? Shapes{{6, 4}} : Shapes{{2, 2}, {4, 3}})
    take(std::to_string(rows) + " x " + std::to_string(length) + " bricks" + (pushed ? " pushed" : ""),
         problems::brick_wall(rows, length, seed, pushed));
}

std::vector<Source> sources() {
  using problems::reduced_problem;
  using Change = std::function<friction::Problem(const Pile&, std::uint64_t)>;
  const auto varied = [](const std::string& name, const Change& change) {
    return Source{
        .name = name, .reduced = [change](std::uint64_t seed, const Take<friction::Problem>& take) {
          each_pile(seed, [&](const std::string& pile_name, const Pile& pile) { take(pile_name, change(pile, seed)); });
        }};
  };
  std::vector<Source> result;
  for (const bool balls : {true, false}) {
    result.push_back({.name = balls ? "balls" : "walls",
                      .reduced = [balls](std::uint64_t seed, const Take<friction::Problem>& take) {
                        each_pile(seed, [&](const std::string& name, const Pile& pile) {
                          if ((name.find("balls") != std::string::npos) == balls) take(name, reduced_problem(pile));
                        });
                      }});
  }
  result.push_back(varied("masses over 6 decades", [](const Pile& pile, std::uint64_t seed) {
    return reduced_problem(problems::with_masses_apart(pile, 6.0, seed));
  }));
  result.push_back(varied("mu from 1e-3 to 10, or 0", [](const Pile& pile, std::uint64_t seed) {
    return reduced_problem(problems::with_friction(pile, 1e-3, 10.0, seed));
  }));
  result.push_back({.name = "disks", .reduced = [](std::uint64_t seed, const Take<friction::Problem>& take) {
                      using Shapes = std::vector<std::pair<Index, Index>>;
                      for (const auto& [width, layers] : middling ? Shapes{{20, 15}} : Shapes{{3, 2}, {8, 5}}) {
                        for (const bool flowing : {false, true})
                          take(std::to_string(width * layers) + " disks" + (flowing ? " flowing" : " settled"),
                               problems::disk_packing(width, layers, seed, flowing));
                      }
                    }});
  result.push_back(varied("elliptic", [](const Pile& pile, std::uint64_t seed) {
    return problems::with_elliptic_friction(reduced_problem(pile), seed);
  }));
  result.push_back(varied("cohesive", [](const Pile& pile, std::uint64_t seed) {
    const double weight = pile.bodies.front().mass * problems::pile_step * problems::pile_gravity;
    return problems::with_cohesion(reduced_problem(pile), weight, seed);
  }));
  result.push_back(varied("rolling", [](const Pile& pile, std::uint64_t seed) {
    return friction::to_reduced(problems::global_rolling_problem(pile, seed));
  }));
  result.push_back(
      {.name = "planted", .reduced = [](std::uint64_t seed, const Take<friction::Problem>& take) {
         using enum SetKind;
         std::mt19937_64 random(seed);
         for (const Index blocks : middling ? std::vector<Index>{60} : std::vector<Index>{3, 15}) {
           for (const bool deficient : {false, true}) {
             const auto name = std::to_string(blocks) + (deficient ? " blocks, half the rank" : " blocks");
             take(name + ", plane",
                  problems::random_cones(blocks, {Coulomb2D, Free, Orthant}, deficient, false, 0.0, random).problem);
             take(name + ", space",
                  problems::random_cones(blocks, {Coulomb3D, Free, Orthant}, deficient, false, 0.0, random).problem);
           }
         }
       }});
  for (const bool rolling : {false, true}) {
    result.push_back({.name = rolling ? "global rolling" : "global form",
                      .global = [rolling](std::uint64_t seed, const Take<friction::GlobalProblem>& take) {
                        each_pile(seed, [&](const std::string& name, const Pile& pile) {
                          take(name,
                               rolling ? problems::global_rolling_problem(pile, seed) : problems::global_problem(pile));
                        });
                      }});
  }
  return result;
}

Family race(const Source& source, double tolerance, std::uint64_t first, std::uint64_t last) {
  char name[64];
  std::snprintf(name, sizeof name, "%s, %.0e", source.name.c_str(), tolerance);
  Family family{.name = name};
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const auto take = [&](const std::string& problem_name, const auto& problem) {
      family.problems.push_back(problem_name + " seed " + std::to_string(seed));
      run(problem, tolerance, family);
    };
    if (source.reduced) source.reduced(seed, take);
    if (source.global) source.global(seed, take);
  }
  return family;
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  benchmark::Initialize(&argc, argv);
  std::string picture, only;
  std::uint64_t first = 6, last = 20;
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument(argv[k]);
    if (argument.starts_with("--picture=")) {
      picture = argument.substr(10);
    } else if (argument.starts_with("--only=")) {
      only = argument.substr(7);
    } else if (argument == "--middling") {
      middling = true;
    } else if (argument.starts_with("--seeds=")) {
      char* end = nullptr;
      first = std::strtoull(argv[k] + 8, &end, 10);
      last = *end == '-' ? std::strtoull(end + 1, nullptr, 10) : first;
    } else {
      std::fprintf(stderr,
                   "unknown argument %s; there are --seeds=6-20, --middling, --only=FAMILY, and --picture=PATH\n",
                   argv[k]);
      return 2;
    }
  }
  std::vector<Panel> panels;
  for (const Source& source : sources()) {
    if (!source.name.starts_with(only)) continue;
    benchmark::RegisterBenchmark(
        source.name.c_str(),
        [&panels, source, first, last](benchmark::State& bench) {
          for (auto _ : bench) {
            for (const double tolerance : {1e-4, 1e-8}) {
              const Family family = race(source, tolerance, first, last);
              report(family);
              panels.push_back(profiles(family.times, {.most = kPatience, .first = "automatic", .label = family.name}));
            }
          }
        })
        ->Iterations(1)
        ->Unit(benchmark::kSecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  if (!picture.empty() && !panels.empty()) {
    const int height = std::min(10'000, 400 * static_cast<int>(panels.size()));
    const Figure figure{.title = "Performance profiles", .panels = panels, .height = height};
    std::printf("%s\n", draw(figure, picture).message().c_str());
  }
  return 0;
}
