// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/examination.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/one_step_ns_problem.hpp>
#include <nonsmooth/kernel/workspace.hpp>

namespace nonsmooth {

struct Event;  // event_driven.hpp

/// How a run ended, of every simulation; true unless it failed.
struct RunReport {
  enum class Outcome : unsigned char {
    Completed,
    StoppedByObserver,
    StoppedByEvent,    ///< EventDriven: a terminal event
    StepFailed,        ///< TimeStepping: a step was not taken; `last` says why
    IntegratorFailed,  ///< EventDriven: a smooth phase was not integrated: step too small, or values that are not
                       ///< finite
    NoMode,            ///< EventDriven, elements: no motion satisfies the laws (Painlevé), or none is told
    ImpactUnsolved,    ///< EventDriven
    /// EventDriven: several motions go on, and none is to be chosen (OnAmbiguity::Stop); alternatives() has all of
    /// them.
    Ambiguous,
    Chattering,  ///< EventDriven, elements: events without end, at one instant or at a pace that misses T; a later call
                 ///< goes on
    /// A function of the model threw; of EventDriven a guard, an action or an observer too. A later call goes on.
    CallableFailed,
  };
  Outcome outcome = Outcome::Completed;
  bool observer_threw = false;  ///< EventDriven, CallableFailed: an observer threw, not a function of the model
  double t = 0.0;               ///< how far the state came [s]
  Index steps = 0;              ///< taken in this call: of length h, or smooth ones
  /// Of a run that failed. TimeStepping: `last.detail`. EventDriven: the coordinate whose rate is not finite or whose
  /// error is the largest; the rows, with their interactions and systems, that no motion or impact satisfies; the last
  /// events; the function that threw.
  std::string detail;
  /// The problem that a failed run could not solve, a copy that stays with the report: TimeStepping's of the step that
  /// was not taken, or of its projection; EventDriven's of impacts, jumps, accelerations or the mode at the instant.
  /// Null where the run did not fail, or failed on no problem: a function that threw, a smooth phase, chattering.
  std::shared_ptr<const OneStepNSProblem> problem;
  /// What was noticed in these steps; of EventDriven since the report before, the start of the simulation among it:
  /// SeveralAnswers, instants from which several motions go on; worst = the largest number of others that were found.
  /// ImpactGain of instants. The other kinds are of steps: an impulsive multiplier is an event there (Jump, Impact)
  /// with its impulse, and energy that grows is that of impacts or of functions of time.
  RunRemarks findings;

  // Of TimeStepping.
  StepReport last;              ///< of the last step that was tried
  Index steps_accepted = 0;     ///< taken although a solver or Newton did not reach its tolerance (OnFailure::Accept)
  double first_accepted = 0.0;  ///< the end of the first of them [s]
  Index newton_iterations = 0;
  Index ambiguous_steps = 0;                  ///< with other answers than the one taken (StepReport::other_ends)
  double first_ambiguity = 0.0;               ///< the end of the first of them [s]
  double worst_residual = 0.0;                ///< largest Certificate::residual of the one-step problems
  Index verified_steps = 0;                   ///< made a second time, subdivided (TimeSteppingOptions::verify)
  double worst_subdivision_difference = 0.0;  ///< largest StepReport::subdivision_difference
  /// The end of the first step that had it [s]; NaN where no step was compared, or all ends were the same.
  double worst_subdivision_t = std::numeric_limits<double>::quiet_NaN();
  double worst_growth = 0.0;       ///< largest StepReport::multiplier_growth
  double worst_penetration = 0.0;  ///< largest StepReport::penetration [m]
  /// The end of the first step that had it [s]; NaN where no contact was inside.
  double worst_penetration_t = std::numeric_limits<double>::quiet_NaN();
  double fastest_approach = 0.0;     ///< largest StepReport::approach [m/s]
  Index fell_asleep = 0, woken = 0;  ///< sums of StepReport's; last.asleep: those that sleep now
  double energy_taken = 0.0;         ///< by falling asleep, of all steps [J]

  // Of EventDriven.
  Index events = 0;       ///< instants handled
  Index evaluations = 0;  ///< of the right-hand side, by the integrator

  [[nodiscard]] bool ok() const noexcept {
    return outcome == Outcome::Completed || outcome == Outcome::StoppedByObserver || outcome == Outcome::StoppedByEvent;
  }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] std::string message() const;  ///< empty where there is nothing to say
};

/// Of a problem that was solved last: rows, solver, iterations, certificate. Nothing of one that is empty.
void tell_of_problem(const OneStepNSProblem& problem, StepReport& step);

/// Is shown the states of a run: observer(const State&) or observer(const State&, const StepReport&).
template <class Observer>
concept RunObserver =
    std::invocable<Observer&, const State&> || std::invocable<Observer&, const State&, const StepReport&>;

/// Calls an observer; returns what it returns where that is a bool, else true: whether the run goes on.
template <RunObserver Observer>
bool call_observer(Observer& observer, const State& state, const StepReport& step) {
  const auto shown = [&]() -> decltype(auto) {
    if constexpr (std::invocable<Observer&, const State&, const StepReport&>) {
      return observer(state, step);
    } else {
      return observer(state);
    }
  };
  if constexpr (std::is_same_v<decltype(shown()), bool>) {
    return shown();
  } else {
    shown();
    return true;
  }
}

/// Tells an observer how the call that it was shown ended, by its member ended(RunReport&) where it has one: it may add
/// to the report's detail.
template <RunObserver Observer>
void tell_end(Observer& observer, RunReport& report) {
  if constexpr (requires { observer.ended(report); }) observer.ended(report);
}

/// A model and its state on the way through time: TimeStepping or EventDriven. What records or shows a run takes a
/// Simulation& and serves both.
///
///     void record(Simulation& simulation, double T, Table& table) {
///       simulation.advance_to(T, [&](const State& x) { table.add(x.t, ...); });
///     }
class Simulation {
 public:
  virtual ~Simulation() = default;

  [[nodiscard]] virtual const State& state() const = 0;
  [[nodiscard]] virtual const NonSmoothDynamicalSystem& model() const = 0;
  /// What was found in the model and its initial state before the run, and was not refused.
  [[nodiscard]] virtual const Remarks& examination() const = 0;
  /// What was noticed so far. Nothing is looked for with Examination::Off.
  [[nodiscard]] virtual const RunRemarks& findings() const = 0;
  /// The nonsmooth problem that was solved last, with its solution and where its rows come from: TimeStepping's of the
  /// last step, EventDriven's of accelerations, or of the first-order mode, at the last instant. Empty where there was
  /// none. Good until the next step or instant, edit or set_state(); nothing is copied.
  [[nodiscard]] virtual const OneStepNSProblem& problem() const = 0;
  /// What happened since the start, in the order of time: events and switches, of a simulation that looks for them;
  /// nothing of TimeStepping.
  [[nodiscard]] virtual const std::vector<Event>& events() const;
  /// Replaces the state. @throws InvalidArgument if it belongs to another revision of the model, or is not sound.
  virtual void set_state(const State& state) = 0;

  /// Goes on until t = T and shows `observer` the state: TimeStepping after each step, EventDriven after each smooth
  /// step and before and after each instant, where the StepReport says t and what problem() says. An observer that
  /// returns bool stops the run by false. A run that stops early keeps what it reached: state(), findings(), what
  /// observers recorded; another call goes on from there. An observer that throws ends the run: TimeStepping lets the
  /// exception through, EventDriven reports CallableFailed. One that has a member ended(RunReport&) gets the report
  /// before it is returned (tell_end). Cost: one virtual call, then one indirect call a step.
  /// @throws InvalidArgument if T is before the present time or not finite.
  template <RunObserver Observer>
  RunReport advance_to(double T, Observer&& observer) {
    begin_call();
    RunReport report = run(
        T,
        [](void* object, const State& state, const StepReport& step) -> bool {
          return call_observer(*static_cast<std::remove_reference_t<Observer>*>(object), state, step);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(observer))));
    has_ended_ = false;  // nor does one end whose observer throws when it is told
    tell_end(observer, report);
    end_call(report);
    return report;
  }
  RunReport advance_to(double T) {
    begin_call();
    RunReport report = run(T, nullptr, nullptr);
    end_call(report);
    return report;
  }
  /// The report that the last call of advance_to() returned, for those that saw its states and not its end. Null before
  /// the first call, within one, and where an exception left the last. Cost: each call copies its report.
  [[nodiscard]] const RunReport* last_report() const noexcept { return has_ended_ ? &last_report_ : nullptr; }
  /// Calls of advance_to() that have begun: tells whether last_report() is of the call in which states were seen.
  [[nodiscard]] std::uint32_t calls() const noexcept { return calls_; }

  /// Changes the model between steps: edit([&](NonSmoothDynamicalSystem& model) { model.link(...); }). The state is
  /// carried over; what is new starts from its description. Returns what `change` returns.
  /// EventDriven makes the state consistent where it stands, without an impact: a joint whose u = 0 velocities do not
  /// meet is refused, which TimeStepping closes by the impulses of its next step. Events and findings are kept, and an
  /// instant at the present time that is not handled yet is refused. @throws InvalidArgument as the constructor; the
  /// simulation is then what it was.
  template <class Edit>
  requires std::invocable<Edit&, NonSmoothDynamicalSystem&> std::invoke_result_t<Edit&, NonSmoothDynamicalSystem&> edit(
      Edit&& change) {
    NonSmoothDynamicalSystem changed = model();
    if constexpr (std::is_void_v<std::invoke_result_t<Edit&, NonSmoothDynamicalSystem&>>) {
      change(changed);
      adopt(std::move(changed));
    } else {
      decltype(auto) result = change(changed);
      adopt(std::move(changed));
      return result;
    }
  }

 protected:
  /// An observer, and what calls it; null: nothing is shown. False stops the run.
  using Call = bool (*)(void* observer, const State& state, const StepReport& step);

  void begin_call() noexcept {
    has_ended_ = false;
    ++calls_;
  }
  void end_call(const RunReport& report) {
    last_report_ = report;
    has_ended_ = true;
  }

  Simulation() = default;
  Simulation(const Simulation&) = default;
  Simulation(Simulation&&) = default;
  Simulation& operator=(const Simulation&) = default;
  Simulation& operator=(Simulation&&) = default;

  /// advance_to, whatever the observer's type.
  virtual RunReport run(double T, Call call, void* observer) = 0;
  /// Goes on with an edited model.
  virtual void adopt(NonSmoothDynamicalSystem model) = 0;

 private:
  RunReport last_report_;   // of the last call that ended
  bool has_ended_ = false;  // the last call, with it
  std::uint32_t calls_ = 0;
};

}  // namespace nonsmooth
