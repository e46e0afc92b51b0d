// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth {

/// A line that says how far a run is, at most five times a second: an observer, or called from one.
///
///     Progress progress{0.0, 10.0};
///     simulation.advance_to(10.0, progress);
///
/// Silent unless standard error is a terminal, or where it goes is given.
class Progress {
 public:
  using Sink = std::function<void(std::string_view line)>;

  /// @throws InvalidArgument unless t_begin < t_end, both finite.
  Progress(double t_begin, double t_end, Sink sink = terminal());

  void operator()(const State& state) { show(state.t); }
  void show(double t);

  /// Rewrites one line of standard error; an empty function where that is not a terminal.
  [[nodiscard]] static Sink terminal();

 private:
  double t_begin_, t_end_;
  Sink sink_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), next_ = start_;
  bool finished_ = false;
};

}  // namespace nonsmooth
