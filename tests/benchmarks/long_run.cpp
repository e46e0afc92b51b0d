// SPDX-License-Identifier: Apache-2.0
// 10^6 steps of bodies in a box that is shaken (problems/shaken_boxes.hpp), in the plane and in space: what memory the
// process has, and how often malloc and its kin were called, after 10^3, 10^4, 10^5 and 10^6 steps.
//
//     bench_long_run [--steps=N]
//
// Exits nonzero where a step fails, or where from one of these counts to the next, after the first 10^4, the memory
// held grows by more than 1 MB and half a byte a step.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include <malloc.h>

#include <benchmarks/timing.hpp>
#include <hot_path/allocation_guard.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/shaken_boxes.hpp>
#include <support/resident_memory.hpp>

namespace {

using namespace nonsmooth;

/// What may stay for good: of islands larger than any before in the plane, and a step.
constexpr double kJumps = 1e6, kKeptAStep = 0.5;  // [B]

bool wrong = false;

void run(const char* name, NonSmoothDynamicalSystem model, Index steps) {
  TimeStepping simulation(std::move(model), {.step = problems::ShakenBox::step});
  const test::AllocationCount count;
  long long counted = 0;
  double contacts = 0.0;
  std::size_t held = 0;
  std::size_t most = 0;
  Index done = 0;
  for (Index until = 1000; until <= steps; until *= 10) {
    const double start = benchmarks::cpu_seconds();
    const Index first = done;
    contacts = 0.0;
    for (; done < until; ++done) {
      const StepReport report = simulation.step();
      if (!report) {
        std::printf("  FAILED after %td steps: %s\n", done, report.message().c_str());
        wrong = true;
        return;
      }
      contacts += static_cast<double>(simulation.state().contacts.size());
      most = std::max(most, static_cast<std::size_t>(simulation.state().contacts.size()));
    }
    const double taken = static_cast<double>(done - first);
    const std::size_t before = held;
    held = mallinfo2().uordblks;
    const long long calls = count.now();
    std::printf(
        "%-8s %8td steps: %6.0f kB held, %6.0f kB resident, %6lld allocations since, %5.1f contacts, %3zu at most, "
        "%6.2f us a step\n",
        name, done, 1e-3 * static_cast<double>(held), 1e-3 * test::resident_memory(), calls - counted, contacts / taken,
        most, 1e6 * (benchmarks::cpu_seconds() - start) / taken);
    counted = calls;
    if (until > 10000 && static_cast<double>(held) > static_cast<double>(before) + kJumps + kKeptAStep * taken)
      wrong = true;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Index steps = 1'000'000;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--benchmark_list_tests") {  // as the other programs that measure
      std::puts("plane, space");
      return 0;
    }
    if (argument.starts_with("--steps="))
      std::from_chars(argument.data() + 8, argument.data() + argument.size(), steps);
  }
  run("plane", problems::shaken_disks(), steps);
  run("space", problems::shaken_bodies(), steps);
  return wrong ? 1 : 0;
}
