// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace nonsmooth::command {

/// The result of task(), and how long one call of it takes [s]. A first call longer than 0.2 s counts as it is: nothing
/// a warm cache saves shows there. A shorter one is the warm-up, and the median of repeated calls counts: 51, fewer
/// once they have taken 20 ms.
template <class Task>
[[nodiscard]] auto timed(Task&& task) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  constexpr double longest_repeated = 0.2, enough = 0.02;
  constexpr std::size_t most_repeats = 51;

  Clock::time_point start = Clock::now();
  auto result = task();
  double elapsed = seconds_since(start);
  if (elapsed <= longest_repeated) {
    std::vector<double> samples;
    for (double total = 0.0; samples.size() < most_repeats && total < enough; total += samples.back()) {
      start = Clock::now();
      [[maybe_unused]] const auto repeated = task();
      samples.push_back(seconds_since(start));
    }
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    elapsed = *middle;
  }
  return std::pair(std::move(result), elapsed);
}

}  // namespace nonsmooth::command
