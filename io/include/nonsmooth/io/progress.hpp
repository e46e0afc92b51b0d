// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

struct ProgressOptions {
  std::filesystem::path lines{};  ///< a file to which JSON lines are added; empty: none
  double lines_every = 1.0;       ///< [s] of wall time between two of them, >= 0; 0: a line a step
  bool terminal = true;           ///< the bar, where standard error is a terminal

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Says how far a run is: an observer, or called from one.
///
///     Progress progress{0.0, 10.0};
///     simulation.advance_to(10.0, progress);
///
/// On a terminal a bar, at most five times a second:
///
///     [######..............] t = 3.1 of 10 (31 %), 12.4 s, 0.25 s/s, 28 s to go, 5760 contacts, 14 iterations,
///     residual 3e-04
///
/// cut to its width: t and the end of the run [s of the simulation]; wall time since the Progress was made; simulated
/// seconds a second of it, on average; what is left at that rate; contacts that sources found and that are remembered
/// (State::contacts), or where there are none the rows of the step's problem; the solver's iterations and the residual
/// of the step, of event-driven runs of the problem that an instant had last. What a step does not say is left out.
///
/// On request the same as JSON lines, added to a file, each whole as soon as it is there, the end of the run among
/// them, wherever it came:
///
///     {"t": 3.1, "t_end": 10, "wall_s": 12.4, "rate": 0.25, "left_s": 27.6, "steps": 1550, "contacts": 5760,
///      "rows": 11520, "iterations": 14, "residual": 0.0003}
///
/// (on one line; null: not known; t_end of the whole run). Otherwise silent. Copies go on with the same file.
class Progress {
 public:
  using Sink = std::function<void(std::string_view line)>;

  /// Lines go where `sink` takes them. @throws InvalidArgument unless t_begin < t_end, both finite.
  Progress(double t_begin, double t_end, Sink sink = terminal());
  /// @throws InvalidArgument likewise and for bad options; FileError where the file cannot be opened. A line that
  /// cannot be written later is told on standard error, once, and the run goes on without.
  Progress(double t_begin, double t_end, const ProgressOptions& options);

  void operator()(const State& state, const StepReport& step) { show(state.t, &state, &step); }
  void operator()(const State& state) { show(state.t, &state, nullptr); }
  void show(double t) { show(t, nullptr, nullptr); }
  /// What advance_to() calls at its end: of a run that failed or was stopped the bar's line ends, so that messages
  /// begin on the next, and the file gets a last line, with the step that was tried last.
  void ended(const RunReport& report);

  /// Rewrites one line of standard error; an empty function where that is not a terminal.
  [[nodiscard]] static Sink terminal();

 private:
  using Clock = std::chrono::steady_clock;
  struct File;
  struct Numbers;  // what is known of a step

  void show(double t, const State* state, const StepReport* step);
  [[nodiscard]] double done_at(double t) const;
  [[nodiscard]] Numbers numbers_at(double t, Clock::time_point now) const;
  void show_bar(const Numbers& numbers, bool is_last);
  void add_line(const Numbers& numbers);

  double t_begin_, t_end_;
  Sink sink_;
  std::shared_ptr<File> file_;
  Clock::duration lines_every_{};
  Clock::time_point start_ = Clock::now(), next_ = start_, next_line_ = start_;
  bool finished_ = false;
};

}  // namespace nonsmooth
