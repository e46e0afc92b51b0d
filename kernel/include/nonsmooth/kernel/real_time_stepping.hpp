// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth {

struct RealTimeOptions {
  /// All of time-stepping. `solver` has to be mixed::Automatic or mixed::GaussSeidel, which keep their memory; what its
  /// own time_limit allows is the most that a problem gets. `on_failure` has to stay what it is: a problem that is not
  /// solved in time is accepted.
  TimeSteppingOptions stepping{};
  double budget = 0.0;  ///< of wall clock a step, > 0 [s]

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// What the clock did to the steps so far.
struct RealTimeSteps {
  Index taken = 0;
  Index limited = 0;            ///< whose problem ended with Status::TimeLimit: the best answer by then was taken
  Index late = 0;               ///< that took longer than the budget
  double longest = 0.0;         ///< of a step [s of wall clock]
  double total = 0.0;           ///< of all steps [s of wall clock]
  double worst_residual = 0.0;  ///< Certificate::residual of those that were limited, the largest
};

/// Time-stepping within a budget of wall clock a step: the best answer of the one-step problem that there is when its
/// share of the budget ends, with its certificate (StepReport::certificate, solver = Status::TimeLimit), warm-started
/// as ever, so that what one step leaves the next goes on with.
///
/// The result depends on the clock, and so on the machine and what else it does: the one thing here that does. A run
/// none of whose steps was limited has the bits of TimeStepping with the same options.
///
/// A problem may take what the rest of a step leaves of the budget. What the rest takes shows in steps that were
/// limited: their duration less their limit. The limit is the budget less the largest of these, which fades by a
/// hundredth a step, between a tenth and nine tenths of the budget; where Newton's iteration solves several problems a
/// step, each counts. A step is not broken off elsewhere: one whose assembly alone takes longer is late, and counted.
/// Nothing here waits: who wants a pace calls step() by a timer.
class RealTimeStepping final : public TimeStepping {
 public:
  /// @throws InvalidArgument as TimeStepping, and for options out of range.
  RealTimeStepping(NonSmoothDynamicalSystem model, RealTimeOptions options, double t0 = 0.0);

  [[nodiscard]] double budget() const noexcept { return budget_; }
  [[nodiscard]] const RealTimeSteps& steps() const noexcept { return counts_; }

  /// One step of length h within the budget.
  StepReport step() override;

 protected:
  RunReport run(double T, Call call, void* observer) override;

 private:
  StepReport timed_step(double h);

  double budget_ = 0.0;
  double most_ = 0.0;  ///< time limit of the user's solver [s]
  double rest_ = 0.0;  ///< what a step takes beside its problem, as far as it is known [s]
  RealTimeSteps counts_;
};

}  // namespace nonsmooth
