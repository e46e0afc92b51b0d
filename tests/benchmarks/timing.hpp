// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benchmarks time with.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include <dlfcn.h>
#include <time.h>

namespace nonsmooth::benchmarks {

using Clock = std::chrono::steady_clock;

inline double seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

/// CPU time of this thread, or with CLOCK_PROCESS_CPUTIME_ID of all threads [s]: what else the machine does does not
/// count.
inline double cpu_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The upper one of the two in the middle of an even number; not empty.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Seconds, the median of runs of about 50 ms in all, one at least and 201 at most, after one that is not counted if it
/// is short.
inline double time_of(const std::function<void()>& run) {
  std::vector<double> times;
  double total = 0.0;
  while (times.size() < 202 && (times.empty() || total < 0.05)) {
    const auto start = Clock::now();
    run();
    times.push_back(seconds(start));
    total += times.back();
  }
  if (times.size() > 1) times.erase(times.begin());
  return median(times);
}

/// The sum of the values, read in one stream with independent accumulators: the time to read memory once.
inline double stream(const std::vector<double>& memory) {
  double sum[8] = {};
  for (std::size_t i = 0; i + 8 <= memory.size(); i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sum[k] += memory[i + k];
  }
  return std::accumulate(sum, sum + 8, 0.0);
}

/// Threads of a BLAS only spin at these sizes: on two cores OpenBLAS's make a peer 2 to 5 times slower than alone.
inline void use_one_blas_thread() {
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); symbol != nullptr) {
    reinterpret_cast<void (*)(int)>(symbol)(1);
  }
}

}  // namespace nonsmooth::benchmarks
