// SPDX-License-Identifier: Apache-2.0
// The time limit of a solve; not installed.
#pragma once

#include <chrono>
#include <limits>

namespace nonsmooth::detail {

/// @throws InvalidArgument for seconds <= 0 or NaN; infinity is no limit.
void check_time_limit(const char* argument, double seconds);

/// Reads the clock only where there is a limit: without one, nothing depends on time.
class Deadline {
 public:
  explicit Deadline(double seconds) : limited_(seconds < 1e9) {
    if (limited_)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  [[nodiscard]] bool passed() const { return limited_ && Clock::now() >= end_; }

  /// What is left, for an algorithm that calls another; infinity without a limit, a tiny positive number once passed.
  [[nodiscard]] double remaining() const {
    if (!limited_) return std::numeric_limits<double>::infinity();
    const double left = std::chrono::duration<double>(end_ - Clock::now()).count();
    return left > 1e-9 ? left : 1e-9;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool limited_;
  Clock::time_point end_{};
};

}  // namespace nonsmooth::detail
