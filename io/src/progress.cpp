// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/progress.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "json.hpp"
#include "number.hpp"

namespace nonsmooth {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr int kBar = 20;  // characters
/// What is left of a run that is over: a grid of steps may miss its end by the rounding of k h.
constexpr double kRounding = 1e-9;

std::string bar_of(double done) {
  const auto full = static_cast<std::size_t>(done * kBar);
  return "[" + std::string(full, '#') + std::string(kBar - full, '.') + "] ";
}

}  // namespace

struct Progress::File {
  explicit File(const std::filesystem::path& path) : name(path.string()), file(std::fopen(path.c_str(), "ae")) {
    if (!file) throw FileError(name + ": cannot be opened for writing");
  }
  ~File() {
    if (file) std::fclose(file);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void add(const std::string& line) {
    if (!file) return;
    if (std::fwrite(line.data(), 1, line.size(), file) == line.size() && std::fflush(file) == 0) return;
    std::fprintf(stderr, "%s: a line of progress could not be written; the run goes on without\n", name.c_str());
    std::fclose(std::exchange(file, nullptr));
  }

  std::string name;
  std::FILE* file;
};

struct Progress::Numbers {
  double t, done, wall;
  double left = kUnknown, rate = kUnknown;  // [s], [s/s]
  Index steps = -1, contacts = -1, rows = -1, iterations = -1;
  double residual = kUnknown;

  void add(const StepReport& step) {
    rows = step.rows;
    iterations = step.solver_iterations;
    residual = step.certificate.residual;
  }
};

void ProgressOptions::validate() const {
  if (!(lines_every >= 0.0) || !std::isfinite(lines_every))
    throw InvalidArgument("ProgressOptions::lines_every", number(lines_every, 6), "a finite number of seconds >= 0");
}

Progress::Progress(double t_begin, double t_end, Sink sink) : t_begin_(t_begin), t_end_(t_end), sink_(std::move(sink)) {
  check::finite("Progress::t_begin", t_begin);
  check::finite("Progress::t_end", t_end);
  if (t_end <= t_begin) {
    throw InvalidArgument("Progress::t_end", number(t_end, 6), "more than t_begin = " + number(t_begin, 6));
  }
}

Progress::Progress(double t_begin, double t_end, const ProgressOptions& options)
    : Progress(t_begin, t_end, options.terminal ? terminal() : Sink()) {
  options.validate();
  // A day is for ever here, and more might not fit into the clock's numbers.
  lines_every_ = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(options.lines_every, 86400.0)));
  if (!options.lines.empty()) file_ = std::make_shared<File>(options.lines);
}

double Progress::done_at(double t) const { return std::clamp((t - t_begin_) / (t_end_ - t_begin_), 0.0, 1.0); }

Progress::Numbers Progress::numbers_at(double t, Clock::time_point now) const {
  Numbers numbers{.t = t, .done = done_at(t), .wall = std::chrono::duration<double>(now - start_).count()};
  if (numbers.wall > 0.0 && t >= t_begin_) numbers.rate = (t - t_begin_) / numbers.wall;
  if (numbers.done > 0.0) numbers.left = numbers.wall * (1.0 - numbers.done) / numbers.done;
  return numbers;
}

void Progress::show(double t, const State* state, const StepReport* step) {
  if ((!sink_ && !file_) || finished_) return;
  const auto now = Clock::now();
  finished_ = done_at(t) >= 1.0 - kRounding;
  const bool shows_bar = sink_ && (now >= next_ || finished_);
  const bool adds_line = file_ && (now >= next_line_ || finished_);
  if (!shows_bar && !adds_line) return;
  Numbers numbers = numbers_at(t, now);
  if (state) numbers.contacts = static_cast<Index>(state->contacts.size());
  const bool counts = state && state->steps > 0;  // else of an event-driven run, whose steps have no number
  if (counts) numbers.steps = state->steps;
  if (step && (counts || step->rows > 0)) numbers.add(*step);
  if (shows_bar) {
    next_ = now + std::chrono::milliseconds(200);
    show_bar(numbers, finished_);
  }
  if (adds_line) {
    next_line_ = now + lines_every_;
    add_line(numbers);
  }
}

void Progress::ended(const RunReport& report) {
  if ((!sink_ && !file_) || finished_ || report.outcome == RunReport::Outcome::Completed) return;
  Numbers numbers = numbers_at(report.t, Clock::now());
  if (report.last.rows > 0) numbers.add(report.last);
  if (sink_) show_bar(numbers, true);
  if (file_) add_line(numbers);
}

void Progress::show_bar(const Numbers& numbers, bool is_last) {
  std::string line = bar_of(numbers.done) + "t = " + number(numbers.t, 4) + " of " + number(t_end_, 4) + " (" +
                     number(100.0 * numbers.done, 3) + " %), " + number(numbers.wall, 3) + " s";
  if (std::isfinite(numbers.rate)) line += ", " + number(numbers.rate, 2) + " s/s";
  if (std::isfinite(numbers.left) && !finished_) line += ", " + number(numbers.left, 2) + " s to go";
  if (numbers.contacts > 0) {
    line += ", " + std::to_string(numbers.contacts) + " contacts";
  } else if (numbers.rows > 0) {
    line += ", " + std::to_string(numbers.rows) + " rows";
  }
  if (numbers.rows > 0) {
    line += ", " + std::to_string(numbers.iterations) + " iterations";
    if (std::isfinite(numbers.residual)) line += ", residual " + number(numbers.residual, 1);
  }
  if (is_last) line += '\n';
  sink_(line);
}

void Progress::add_line(const Numbers& numbers) {
  JsonObject object;
  const auto count = [&object](std::string_view key, Index value) {
    if (value >= 0) {
      object.add(key, value);
    } else {
      object.add_raw(key, "null");
    }
  };
  object.add("t", numbers.t)
      .add("t_end", t_end_)
      .add("wall_s", numbers.wall)
      .add("rate", numbers.rate)
      .add("left_s", numbers.left);
  count("steps", numbers.steps);
  count("contacts", numbers.contacts);
  count("rows", numbers.rows);
  count("iterations", numbers.iterations);
  object.add("residual", numbers.residual);
  file_->add(object.text() + '\n');
}

Progress::Sink Progress::terminal() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](std::string_view line) {
    const bool ends = line.ends_with('\n');
    if (ends) line.remove_suffix(1);
    winsize size{};
    // A line that wraps could not be rewritten; the last column wraps on some terminals.
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
      line = line.substr(0, static_cast<std::size_t>(size.ws_col) - 1);
    std::fprintf(stderr, "\r\033[K%.*s%s", static_cast<int>(line.size()), line.data(), ends ? "\n" : "");
    std::fflush(stderr);
  };
}

}  // namespace nonsmooth
