// SPDX-License-Identifier: Apache-2.0
// The disk field of 10^4 bodies with a recorder of every step beside the same without: what recording costs, and the
// sizes of the files. Both simulations take turns of 10 steps, so that what else the machine does meets both, and the
// writer has no more time than a simulation alone leaves it. Wall times are what a user sees where nothing else runs;
// CPU times are what recording takes: of the simulation's thread, which a step waits for, as the median over pairs of
// turns with the same steps, and of the writer's. Everything runs kRounds times, and of each step the fastest counts,
// on both sides: what other programs did to it in one round does not. Finer turns would have the writer work while the
// simulation without a recorder steps. Exits nonzero where the states differ, a file lacks a step, or that median is
// above kMost; what the machine did beside it is told with that.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <benchmarks/timing.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/disk_field.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr Index kSpan = 10;
constexpr int kRounds = 3;
/// Recording every step adds a tenth at most to the CPU time of the simulation's thread.
constexpr double kMost = 1.10;

/// The threads of this process, by the system's numbers.
std::set<std::string> threads_now() {
  std::set<std::string> all;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/task")) all.insert(one.path().filename());
  return all;
}

/// CPU time of one of them [s]; 0 where the system does not tell.
double cpu_of(const std::string& thread) {
  std::ifstream file("/proc/self/task/" + thread + "/schedstat");
  double nanoseconds = 0.0;
  file >> nanoseconds;
  return 1e-9 * nanoseconds;
}

struct Turn {
  std::unique_ptr<TimeStepping> simulation;
  std::unique_ptr<Recorder> recorder;  ///< or none
  /// Of each step: all of it, and on the CPU of the simulation's thread for the step and for the recorder.
  std::vector<double> wall, cpu, record_cpu;

  bool step() {
    const auto start = Clock::now();
    const double cpu_start = cpu_seconds();
    const StepReport report = simulation->step();
    const double cpu_middle = cpu_seconds();
    if (recorder) recorder->record(report);
    record_cpu.push_back(cpu_seconds() - cpu_middle);
    cpu.push_back(cpu_middle - cpu_start);
    wall.push_back(seconds(start));
    return report.ok();
  }
};

/// CPU of the simulation's thread by step; of several rounds the least.
struct FastestSteps {
  std::vector<double> without, with;

  void add(const Turn& plain, const Turn& recorded) {
    const auto take = [](const Turn& turn, std::vector<double>& fastest) {
      fastest.resize(turn.cpu.size(), std::numeric_limits<double>::infinity());
      for (std::size_t k = 0; k < fastest.size(); ++k)
        fastest[k] = std::min(fastest[k], turn.cpu[k] + turn.record_cpu[k]);
    };
    take(plain, without);
    take(recorded, with);
  }
  /// Of each span of steps: with the recorder over without.
  [[nodiscard]] std::vector<double> ratios() const {
    std::vector<double> list;
    for (std::size_t k = 0; k < with.size(); k += kSpan) {
      double sum_without = 0.0, sum_with = 0.0;
      for (std::size_t i = k; i < std::min(k + kSpan, with.size()); ++i) {
        sum_without += without[i];
        sum_with += with[i];
      }
      list.push_back(sum_with / sum_without);
    }
    return list;
  }
};

double sum(const std::vector<double>& list) {
  double total = 0.0;
  for (const double one : list) total += one;
  return total;
}

/// What else runs: whether the writer had a core of its own, and how busy the machine was in the last minute.
std::string conditions() {
  std::ifstream file("/proc/loadavg");
  std::string load = "not known";
  file >> load;
  return std::to_string(std::thread::hardware_concurrency()) + " cores, load of the last minute " + load;
}

/// One round. False where it failed.
bool run(Index bodies, int threads, Index steps, const std::filesystem::path& path, FastestSteps& fastest) {
  const auto make = [&] {
    return std::make_unique<TimeStepping>(
        problems::disk_field(bodies),
        TimeSteppingOptions{
            .step = problems::kDiskFieldStep, .solver = mixed::Automatic{.tolerance = 1e-3}, .threads = threads});
  };
  Turn plain{make(), nullptr, {}, {}, {}}, recorded{make(), nullptr, {}, {}, {}};
  const std::set<std::string> before = threads_now();
  recorded.recorder =
      std::make_unique<Recorder>(path, *recorded.simulation, RecorderOptions{.file = {.overwrite = true}});
  std::string writer;
  for (const std::string& one : threads_now()) writer = before.count(one) > 0 ? writer : one;
  for (Index k = 0; k < steps; k += kSpan) {
    const auto span = [&](Turn& turn) {
      for (Index i = k; i < std::min(k + kSpan, steps); ++i) {
        if (!turn.step()) return false;
      }
      return true;
    };
    if (k % (2 * kSpan) == 0 ? !span(plain) || !span(recorded) : !span(recorded) || !span(plain)) return false;
  }
  const double writer_cpu = cpu_of(writer);
  const auto closing = Clock::now();
  recorded.recorder->close();
  const double close_seconds = seconds(closing);
  const RunFile file(path);
  double contacts = 0.0;
  for (const double one : file.column("contacts")) contacts += one;
  const auto n = static_cast<double>(steps), bytes = static_cast<double>(std::filesystem::file_size(path));
  std::printf("%6ld bodies, %d thread%s, %ld steps, %.0f contacts a step\n", static_cast<long>(bodies), threads,
              threads > 1 ? "s" : " ", static_cast<long>(steps), contacts / n);
  std::printf("  without            %8.3f ms a step, median %8.3f\n", 1e3 * sum(plain.wall) / n,
              1e3 * median(plain.wall));
  std::printf("  with a recorder    %8.3f ms a step, median %8.3f, closing %.3f s\n",
              1e3 * (sum(recorded.wall) + close_seconds) / n, 1e3 * median(recorded.wall), close_seconds);
  std::printf("  ratio              %8.3f             median %8.3f\n",
              (sum(recorded.wall) + close_seconds) / sum(plain.wall), median(recorded.wall) / median(plain.wall));
  fastest.add(plain, recorded);
  std::printf("  CPU of the recorder on this thread %.3f ms a step, median %.3f, %.1f %% of a step\n",
              1e3 * sum(recorded.record_cpu) / n, 1e3 * median(recorded.record_cpu),
              100.0 * sum(recorded.record_cpu) / sum(plain.cpu));
  std::printf("  CPU of the writer's thread %.3f ms a step, %.1f %% of a step\n", 1e3 * writer_cpu / n,
              100.0 * writer_cpu / sum(plain.cpu));
  std::printf("  file               %8.1f MB, %.0f bytes a step, %.1f a body and step\n", 1e-6 * bytes, bytes / n,
              bytes / n / static_cast<double>(bodies));
  const bool same = hash_of(plain.simulation->state()) == hash_of(recorded.simulation->state());
  const bool whole = file.num_steps() == steps + 1 && file.hashes().back() == hash_of(plain.simulation->state());
  if (!same || !whole) std::printf("  the states differ, or the file lacks a step\n");
  return same && whole;
}

bool compare(Index bodies, int threads, Index steps, const std::filesystem::path& path) {
  FastestSteps fastest;
  for (int round = 0; round < kRounds; ++round) {
    if (!run(bodies, threads, steps, path, fastest)) return false;
  }
  const std::vector<double> ratios = fastest.ratios();
  const double added = median(ratios);
  std::printf("  CPU of the simulation's thread %.3f of that without: the median of %zu pairs of turns\n", added,
              ratios.size());
  if (added <= kMost) return true;
  std::printf("  recording adds %.1f %% to the simulation's thread, more than %.0f %%; %s\n", 100.0 * (added - 1.0),
              100.0 * (kMost - 1.0), conditions().c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]).starts_with("--benchmark_list_tests")) {
    std::puts("disk field, with and without a recorder: [bodies [steps [file]]]");
    return 0;
  }
  const Index bodies = argc > 1 ? std::atol(argv[1]) : 10'000, steps = argc > 2 ? std::atol(argv[2]) : 500;
  const std::filesystem::path path = argc > 3 ? argv[3] : "bench_recorder.h5";
  bool good = true;
  for (const int threads : {1, 2}) good = compare(bodies, threads, steps, path) && good;
  std::filesystem::remove(path);
  return good ? 0 : 1;
}
