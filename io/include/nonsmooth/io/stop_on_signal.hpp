// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

/// As long as it lives, Ctrl-C (SIGINT) and SIGTERM end a run after its step instead of the program at once: an
/// observer that returns false from then on.
///
///     StopOnSignal stop;
///     RunReport report = simulation.advance_to(T, observe(recorder, progress, stop));
///     recorder.close();    // report.detail says which signal, and after which step; the file is whole and says so too
///
/// A second signal ends the program at once, as the system does where nobody handles it. A signal that the program
/// ignored (as behind nohup, or in the background of a script) stays ignored. Signals are the whole process's: of
/// several guards the first sets the handlers, the last restores those that were there before the first, and all of
/// them stop. Nothing else happens in the handler, so that it may meet any thread.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  bool operator()(const State& state) noexcept;  ///< false: the run is to stop

  [[nodiscard]] int signal() const noexcept;  ///< SIGINT or SIGTERM that came; 0: none, since the first guard was made
  /// "ended by Ctrl-C (SIGINT) after the step to t = 0.25 s"; without a step where no run was stopped; empty: no signal
  /// came.
  [[nodiscard]] std::string message() const;
  /// What advance_to() calls at its end: adds message() to the detail of a report whose run this stopped, and leaves
  /// all others as they are.
  void ended(RunReport& report) const;

 private:
  double t_ = 0.0;        // of the state behind which it stopped a run
  bool stopped_ = false;  // it has returned false
};

}  // namespace nonsmooth
