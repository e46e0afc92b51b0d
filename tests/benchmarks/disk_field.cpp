// SPDX-License-Identifier: Apache-2.0
// The field of disks of examples/disk_field at 10^2 to 10^5 bodies (same density, three layers) on 1 and 2 threads:
// what a body and a step cost, and the hash of the state, which must not depend on the threads: exits nonzero where it
// does.

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr double kStep = 2e-3;  // [s]
// Medians are taken over two spans of steps: the collapse, 0.3 s to 0.6 s, in which disks strike the floor and each
// other everywhere, and the settling to near rest at 1 s, in which most contacts stay and are coupled.
constexpr Index kCollapse = 150, kSettling = 300, kLast = 500;

struct Field {
  NonSmoothDynamicalSystem model;
  std::shared_ptr<DiskContacts> contacts;
};

/// Disks of 5 to 10 cm, 1000 kg/m^2, in three layers over y = 0.15 sin(2 x); e = 0.4, mu = 0.5.
Field field(Index count) {
  constexpr Index layers = 3;
  constexpr double g = 9.81, density = 1000.0, e = 0.4, mu = 0.5, a = 0.15, k = 2.0;
  Field result;
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  };
  std::vector<SystemHandle> disks;
  std::vector<double> radii;
  for (Index i = 0; i < count; ++i) {
    const double r = uniform(0.05, 0.1), m = density * std::numbers::pi * r * r;
    const double x = 0.35 * static_cast<double>(i / layers) + uniform(-0.02, 0.02);
    const double y = 0.5 + 0.25 * static_cast<double>(i % layers);
    disks.push_back(result.model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(m, m, 0.5 * m * r * r).asDiagonal(),
                                                            .damping = {},
                                                            .stiffness = {},
                                                            .force = {0.0, -m * g, 0.0},
                                                            .q0 = {x, y, 0.0},
                                                            .v0 = {},
                                                            .prescribed = {},
                                                            .name = {}}));
    radii.push_back(r);
  }
  result.contacts = std::make_shared<DiskContacts>(
      disks, radii, NewtonImpactFrictionLaw{.restitution = e, .friction = mu, .tangential_restitution = 0.0},
      FloorProfile{.height = [](double x) { return a * std::sin(k * x); },
                   .slope = [](double x) { return a * k * std::cos(k * x); },
                   .curvature = [](double x) { return -a * k * k * std::sin(k * x); },
                   .highest = a});
  result.model.detect(result.contacts);
  return result;
}

bool failed = false;
std::map<Index, std::uint64_t> hashes;  // of the first run of each size

void disk_field(benchmark::State& bench) {
  const int threads = static_cast<int>(bench.range(0));
  const Index count = bench.range(1);
  for (auto _ : bench) {
    Field f = field(count);
    TimeStepping simulation{std::move(f.model),
                            {.integrator = MoreauJean{},
                             .step = kStep,
                             .solver = mixed::Automatic{.tolerance = 1e-3},
                             .newton = {},
                             .on_failure = OnFailure::Stop,
                             .threads = threads}};
    struct Span {
      std::vector<double> seconds, rows;
    } collapse, settling;
    for (Index k = 0; k < kLast; ++k) {
      const auto start = Clock::now();
      const StepReport report = simulation.step();
      const double time = seconds(start);
      if (!report) {
        failed = true;
        bench.SkipWithError(report.message().c_str());
        return;
      }
      if (k < kCollapse) continue;
      Span& span = k < kSettling ? collapse : settling;
      span.seconds.push_back(time);
      span.rows.push_back(static_cast<double>(report.rows));
    }
    const std::uint64_t bits = hash_of(simulation.state());
    const bool same = hashes.emplace(count, bits).first->second == bits;
    char text[32];
    std::snprintf(text, sizeof text, "%016" PRIx64, bits);
    bench.SetLabel(std::string("hash ") + text);
    bench.SetIterationTime(median(collapse.seconds));
    const auto bodies = static_cast<double>(count);
    for (const auto& [name, span] : {std::pair{"collapse", &collapse}, std::pair{"settling", &settling}}) {
      bench.counters[std::string(name) + "_us/(body*step)"] = 1e6 * median(span->seconds) / bodies;
      bench.counters[std::string(name) + "_contacts"] = 0.5 * median(span->rows);
    }
    if (!same) {
      failed = true;
      bench.SkipWithError("the state depends on the number of threads");
    }
  }
}

}  // namespace

BENCHMARK(disk_field)
    ->ArgNames({"threads", "bodies"})
    ->ArgsProduct({{1, 2}, {100, 1'000, 10'000, 100'000}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return failed ? 1 : 0;
}
