// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/progress.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "number.hpp"

namespace nonsmooth {

Progress::Progress(double t_begin, double t_end, Sink sink) : t_begin_(t_begin), t_end_(t_end), sink_(std::move(sink)) {
  check::finite("Progress::t_begin", t_begin);
  check::finite("Progress::t_end", t_end);
  if (t_end <= t_begin) {
    throw InvalidArgument("Progress::t_end", number(t_end, 6), "more than t_begin = " + number(t_begin, 6));
  }
}

void Progress::show(double t) {
  if (!sink_ || finished_) return;
  const double done = std::clamp((t - t_begin_) / (t_end_ - t_begin_), 0.0, 1.0);
  const auto now = std::chrono::steady_clock::now();
  finished_ = done >= 1.0;
  if (now < next_ && !finished_) return;
  next_ = now + std::chrono::milliseconds(200);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string line = "t = " + number(t, 4) + " of " + number(t_end_, 4) + " (" + number(100.0 * done, 3) + " %), " +
                     number(elapsed, 3) + " s";
  if (done > 0.0 && !finished_) line += ", " + number(elapsed * (1.0 - done) / done, 2) + " s to go";
  if (finished_) line += '\n';
  sink_(line);
}

Progress::Sink Progress::terminal() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](std::string_view line) {
    std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(line.size()), line.data());
    std::fflush(stderr);
  };
}

}  // namespace nonsmooth
