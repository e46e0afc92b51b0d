// SPDX-License-Identifier: Apache-2.0
// Three scenes at 1 kHz within a budget of wall clock: steps that begin late or take longer, how they scatter, and what
// accuracy the answers had that were cut off. It depends on the machine and on what else it does: run it beside a load.
//
//     bench_real_time                              # 10^5 steps of each scene, at their pace: five minutes
//     bench_real_time --steps=10000 --budget=100   # fewer; microseconds a step
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <nonsmooth/kernel.hpp>
#include <problems/mechanics.hpp>
#include <problems/models.hpp>

namespace nonsmooth {
namespace {

constexpr double kPeriod = 1e-3;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void sleep_until(double t) {
  const double whole = std::floor(t);
  const timespec time{static_cast<time_t>(whole), static_cast<long>(1e9 * (t - whole))};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

/// The part of sorted values below which `part` of them are.
double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

/// A scene that begins anew after so many steps, when little happens any more.
void measure(const char* name, const problems::Model& scene, Index again, Index steps, double budget) {
  TimeSteppingOptions options = scene.options;
  options.step = kPeriod;
  RealTimeStepping run(scene.system, {.stepping = options, .budget = budget});
  const State start = run.state();
  std::vector<double> took, begun;
  took.reserve(static_cast<std::size_t>(steps)), begun.reserve(took.capacity());
  Index misses = 0, failed = 0, rows = 0;
  double due = now() + kPeriod;
  for (Index k = 0; k < steps; ++k) {
    sleep_until(due);
    const double begin = now();
    if (k % again == 0) run.set_state(start);
    const StepReport report = run.step();
    const double end = now();
    if (!report.taken) ++failed;
    rows = std::max(rows, report.rows);
    took.push_back(end - begin), begun.push_back(begin - due);
    due += kPeriod;
    if (end <= due) continue;
    const double periods = std::ceil((end - due) / kPeriod);  // a device goes on with the next one
    misses += static_cast<Index>(periods);
    due += periods * kPeriod;
  }
  std::sort(took.begin(), took.end()), std::sort(begun.begin(), begun.end());
  const RealTimeSteps& counts = run.steps();
  std::printf("| %s | %ld | %ld | %ld | %ld | %ld | %.1f | %.1f | %.1f | %.1f | %.1f | %.1e | %ld |\n", name,
              static_cast<long>(steps), static_cast<long>(rows), static_cast<long>(misses),
              static_cast<long>(counts.late), static_cast<long>(counts.limited), 1e6 * quantile(took, 0.5),
              1e6 * quantile(took, 0.999), 1e6 * took.back(), 1e6 * quantile(begun, 0.5), 1e6 * quantile(begun, 0.999),
              counts.worst_residual, static_cast<long>(failed));
  std::fflush(stdout);
}

}  // namespace
}  // namespace nonsmooth

int main(int argc, char** argv) {
  long steps = 100'000;
  double budget = 500.0;
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument(argv[k]);
    if (argument == "--benchmark_list_tests") {
      std::printf("woodpecker\nball on a beam\ndisks in a box\n");
      return 0;
    }
    if (argument.starts_with("--steps=")) {
      steps = std::atol(argv[k] + 8);
    } else if (argument.starts_with("--budget=")) {
      budget = std::atof(argv[k] + 9);
    } else {
      std::fprintf(stderr, "unknown argument %s; there are --steps=N and --budget=MICROSECONDS\n", argv[k]);
      return 2;
    }
  }
  if (steps < 1 || !(budget > 0.0)) {
    std::fprintf(stderr, "--steps and --budget have to be positive\n");
    return 2;
  }
  std::printf(
      "1 kHz, budget %.0f us. Missed: periods that began before a step was over. Late: longer than the budget.\n\n",
      budget);
  std::printf(
      "| scene | steps | rows | missed | late | limited | us median | 99.9 %% | longest | begins after us | 99.9 %% | "
      "worst residual | failed |\n"
      "| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  using namespace nonsmooth;
  measure("woodpecker", problems::woodpecker(), 10'000, steps, 1e-6 * budget);
  measure("ball on a beam", problems::ball_on_beam(), 500, steps, 1e-6 * budget);
  measure("disks in a box", problems::disks_in_a_box(), 2'000, steps, 1e-6 * budget);
}
