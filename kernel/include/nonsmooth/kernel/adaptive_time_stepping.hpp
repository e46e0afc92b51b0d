// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel/time_stepping.hpp>

namespace nonsmooth {

struct RelationCaches;  // internal

/// What a quantity of a system may be off by: absolute + relative max_i |value_i|, at least one of the two > 0 where
/// the model has the quantity.
struct ErrorBound {
  double absolute = 0.0;  ///< >= 0 [unit of the quantity]
  double relative = 0.0;  ///< >= 0
};

/// How far a run may be off after `span`, in place of a step: local errors that add up to the bounds over that time.
/// What the motion itself makes of an error is not in it: docs/accuracy.md says how to choose, and what came out.
struct Accuracy {
  ErrorBound position{};  ///< of q, component by component [unit of q]; where they are metres and angles, of both
  ErrorBound velocity{};  ///< of v, in the mean over span where it jumps [unit of v]
  ErrorBound state{};     ///< of first-order x, in the mean over span where it jumps [unit of x]
  double span = 0.0;      ///< > 0 [s]; a smooth step of length H may take the part H / span of a bound
  /// >= 1: impacts, switches and changes between stick and slip that are expected within span. The step of each may
  /// take the part 1 / events of a bound. Ten times too many cost three or four more steps at each.
  Index events = 100;

  void validate() const;  ///< @throws InvalidArgument naming the field
};

struct AdaptiveOptions {
  /// All of time-stepping but for the step: `step` is the longest. Without sleep and verify, as every step is compared.
  TimeSteppingOptions stepping{};
  Accuracy accuracy{};
  Index halvings = 30;             ///< in [1, 50]: steps are step / 2^k, 0 <= k <= halvings
  std::vector<double> instants{};  ///< increasing [s]: a step ends at each, as at switches that are known beforehand

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// What the control of steps did so far.
struct AdaptiveSteps {
  Index taken = 0;         ///< each is compared, two parts of half its length against one of its length
  Index rejected = 0;      ///< made again with half the length
  Index with_events = 0;   ///< of those taken, with an impact, a switch or another jump of reactions
  double shortest = 0.0;   ///< of those taken and not cut at a given instant [s]; 0 before the first
  double longest = 0.0;    ///< likewise [s]
  double estimated = 0.0;  ///< sum of local errors, each the worst of its step as a part of its bound: 1 is the bound
};

/// Time-stepping by an accuracy instead of a step, for every scheme that starts from a state alone, by the order that
/// it says (OneStepIntegrator::order).
///
///     AdaptiveTimeStepping run{model, {.stepping = {.step = 0.1},
///                                      .accuracy = {.position = {1e-4}, .velocity = {1e-3}, .span = 10.0}}};
///     run.advance_to(10.0);
///
/// A step of length H is made twice from the same state, whole and in two parts of h = H / 2. The parts are kept, as a
/// subdivided step (OnFailure::Subdivide) whose impulses are their sums. With d = |whole - parts|_inf of q, v or x of a
/// system, w its bound, R = z - z_free what reactions did to its unknowns in a part (under D1MinusLinear impacts alone,
/// as its forces of contacts are of order 2 like all others), and p the order of its scheme:
///
///     smooth:  d / (2^p - 1)                                     <= w H / span,
///     event:   max(d, |R_1 - R_0|_inf / 2, |R_2 - R_1|_inf / 2)  <= w / events.
///
/// R_0 is of the part before, as of one of length h. An event is where R_0, R_1, R_2 are off a straight line by more
/// than sqrt(H / step) / 2 of the largest of them, or of what all else did: what is smooth is not once H is short, and
/// what jumps is. Differences of R are looked at because d may be 0 where a switch goes by, as implicit multipliers are
/// those of the end of a step, which whole and parts have in common.
///
/// Impacts. R is an impulse where it is more than twice that of its neighbours, and what the whole step has of it less
/// than 1.5 times as much, where a force would have done twice as much. Velocities are then compared only if the two
/// impulses agree within a tenth. As in graph distances, what whole and parts did at instants up to h apart counts the
/// displacement of q that this leaves, and of the jump its part of the mean over time, |R|_inf h / span. A contact that
/// closes behind the middle of the last part is found by the next step alone: its velocity and depth say how late.
///
/// Steps are step / 2^k: the factors of each length are kept, in a Workspace of its own that is made when the length is
/// first met. A step that is not accepted is halved; one that was accepted at once is followed by one up to 8 times as
/// long, where its error says that it will do, and by one up to twice as long after an event. The first is step / 1024.
/// Given instants are hit, and the last step of advance_to(T) ends at T. A step that does not solve is halved too.
///
/// A step that does not reach its accuracy at the shortest length is not taken: StepReport::Outcome::StepUnderflow,
/// with the interaction in which whole and parts differ most. State::events has the next step and R_0, so that a copy
/// goes on with the same bits; coordinates that are written begin anew with the step that was chosen.
///
/// Cost: 3 steps for 2 that are kept, 1.5 times what fixed steps of length h cost; memory of a workspace a length.
/// Nothing is looked for in steps as TimeStepping::findings() does, but for rows that were not examined.
class AdaptiveTimeStepping final : public TimeStepping {
 public:
  /// @throws InvalidArgument as TimeStepping, and for options out of range, a bound that the model needs and that is 0,
  /// a system that has its law within it (SweepingProcess), whose reactions no step shows, a scheme that keeps its
  /// unknown (SchatzmanPaoli), whose velocity is a difference over steps of one length, and one at linearised gaps
  /// (StewartTrinkle) on rows that turn, whose velocities are off by a part of the step, of no sum over steps.
  AdaptiveTimeStepping(NonSmoothDynamicalSystem model, AdaptiveOptions options, double t0 = 0.0);
  ~AdaptiveTimeStepping() override;
  AdaptiveTimeStepping(AdaptiveTimeStepping&&) noexcept;
  AdaptiveTimeStepping& operator=(AdaptiveTimeStepping&&) noexcept;

  /// All that it was made with; options() has what is in `stepping`.
  [[nodiscard]] const AdaptiveOptions& adaptive_options() const noexcept;
  [[nodiscard]] const AdaptiveSteps& steps() const noexcept;
  /// The length that the next step is tried with [s].
  [[nodiscard]] double next_step() const;

  /// One step of the length that its accuracy allows, up to the next given instant at most.
  StepReport step() override;
  void set_state(const State& state) override;

 protected:
  RunReport run(double T, Call call, void* observer) override;
  void adopt(NonSmoothDynamicalSystem model) override;

 private:
  struct Control;
  void begin_lengths();
  Workspace& workspace_of(Index rung);
  void show_workspace_of(Index rung);
  StepReport step_until(double end);
  double find_due_impacts(double h, const RelationCaches& relations);
  [[nodiscard]] StepReport underflow(StepReport report) const;
  StepReport tried(double H, Index rung);
  void take(const StepReport& report, double H, bool cut);

  std::unique_ptr<Control> control_;
};

}  // namespace nonsmooth
