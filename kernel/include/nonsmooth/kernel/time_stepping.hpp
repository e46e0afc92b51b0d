// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

#include <nonsmooth/kernel/integrators.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/workspace.hpp>

namespace nonsmooth {

/// How a run ended; true while every step was what was asked for.
struct AdvanceReport {
  StepReport last;           ///< of the last step that was tried
  Index steps = 0;           ///< taken in this call
  Index steps_accepted = 0;  ///< taken although a solver or Newton did not reach its tolerance (OnFailure::Accept)
  Index newton_iterations = 0;
  Index ambiguous_steps = 0;     ///< with other answers than the one taken (StepReport::other_ends)
  double first_ambiguity = 0.0;  ///< the end of the first of them [s]
  double worst_residual = 0.0;   ///< largest Certificate::residual of the one-step problems
  RunRemarks findings;           ///< what was noticed in these steps, the last among them
  Index verified_steps = 0;      ///< made a second time as two halves (TimeSteppingOptions::verify)
  double worst_halves = 0.0;     ///< largest StepReport::halves_differ
  /// The end of the first step that had it [s]; NaN where no step was compared, or all ends were the same.
  double worst_halves_t = std::numeric_limits<double>::quiet_NaN();
  double worst_growth = 0.0;  ///< largest StepReport::multiplier_growth
  bool stopped_by_observer = false;

  explicit operator bool() const noexcept { return last.ok() || (last.taken && steps_accepted > 0); }
  [[nodiscard]] std::string message() const;  ///< empty where there is nothing to say
};

/// Event-capturing simulation: fixed steps t_k = t_0 + k h; the last step of advance_to(T) ends at T.
class TimeStepping {
 public:
  /// Takes a copy of the model (descriptions are shared) and examines it (TimeSteppingOptions::examination).
  /// @throws InvalidArgument for an empty model, bad options, a law, relation or system that its scheme does not know,
  /// an iteration matrix that is singular or not positive (with the step that would do), a mass that is not symmetric
  /// positive definite, a remark that is refused.
  TimeStepping(NonSmoothDynamicalSystem model, TimeSteppingOptions options, double t0 = 0.0);

  [[nodiscard]] const State& state() const noexcept { return state_; }
  /// For initial conditions and controls. Coordinates and t may be written between steps: the next step evaluates the
  /// outputs anew where they were, and a new grid of steps starts where t was.
  [[nodiscard]] State& state() {
    if (!handed_out_) hand_out();
    return state_;
  }
  /// What was found in the model and its initial state before the first step, and was not refused.
  [[nodiscard]] const Remarks& examination() const noexcept { return remarks_; }
  /// What was noticed in all steps so far. Nothing is looked for with Examination::Off. The energy of mechanics is
  /// looked at where every mechanical system is linear with constant forces and no other input, every relation affine
  /// and every law passive, under Moreau-Jean without projection. Cost: one pass over the unknowns a step; no memory
  /// after the second step, but for a first finding.
  [[nodiscard]] const RunRemarks& findings() const noexcept { return findings_; }
  /// Other states in which the last step might have ended as well, its problem having several answers. Looked for where
  /// the examination says that there may be such steps, and the problem is small (Remark::Kind::Ambiguity).
  [[nodiscard]] const std::vector<State>& alternatives() const noexcept { return alternatives_; }
  /// Replaces the state; outputs that are not those of its coordinates, to 1e-12 of the terms that each is the sum of,
  /// are evaluated anew. @throws InvalidArgument if
  /// it belongs to another revision, has arrays of other sizes or holds numbers that are not finite.
  void set_state(const State& state);
  [[nodiscard]] const NonSmoothDynamicalSystem& model() const noexcept { return model_; }
  [[nodiscard]] const TimeSteppingOptions& options() const noexcept { return options_; }

  /// One step of length h.
  StepReport step();

  /// Steps until t = T; after each, calls observer(const State&) or observer(const State&, const StepReport&). An
  /// observer that returns bool stops by false.
  /// @throws InvalidArgument if T is before the present time or not finite.
  template <class Observer>
  requires std::invocable<Observer&, const State&> || std::invocable<Observer&, const State&, const StepReport&>
      AdvanceReport advance_to(double T, Observer&& observer) {
    return run(
        T,
        [](void* object, const State& state, const StepReport& report) -> bool {
          auto& call = *static_cast<std::remove_reference_t<Observer>*>(object);
          const auto shown = [&]() -> decltype(auto) {
            if constexpr (std::invocable<Observer&, const State&, const StepReport&>) {
              return call(state, report);
            } else {
              return call(state);
            }
          };
          if constexpr (std::is_same_v<decltype(shown()), bool>) {
            return shown();
          } else {
            shown();
            return true;
          }
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(observer))));
  }
  AdvanceReport advance_to(double T) {
    return advance_to(T, [](const State&) {});
  }

  /// Changes the model between steps: edit([&](NonSmoothDynamicalSystem& model) { model.link(...); }). The state is
  /// carried over; what is new starts from its description. Returns what `change` returns.
  /// @throws InvalidArgument as the constructor; the simulation is then what it was.
  template <class Edit>
  requires std::invocable<Edit&, NonSmoothDynamicalSystem&> std::invoke_result_t<Edit&, NonSmoothDynamicalSystem&> edit(
      Edit&& change) {
    NonSmoothDynamicalSystem changed = model_;
    if constexpr (std::is_void_v<std::invoke_result_t<Edit&, NonSmoothDynamicalSystem&>>) {
      change(changed);
      adopt(std::move(changed));
    } else {
      decltype(auto) result = change(changed);
      adopt(std::move(changed));
      return result;
    }
  }

 private:
  using Call = bool (*)(void*, const State&, const StepReport&);
  AdvanceReport run(double T, Call call, void* object);
  StepReport step_by(double h);
  StepReport certain_step(double h);
  StepReport watched_step(double h);
  void find_other_ends(double h, const State& before, StepReport& report);
  void tell_last_impulses(AdvanceReport& report);
  void repeat_in_halves(double h, const State& before, StepReport& report);
  void begin();
  void start_watching();
  void hand_out();
  void adopt(NonSmoothDynamicalSystem model);

  NonSmoothDynamicalSystem model_;
  TimeSteppingOptions options_;
  State state_;
  Workspace workspace_;
  Workspace other_workspace_, halves_workspace_;  // of possible steps, and of halves
  Remarks remarks_;
  RunRemarks findings_, noticed_;     // of all steps, and of the last
  bool watches_ = false;              // something is looked for after a step
  bool watches_free_motion_ = false;  // and after one in which nothing touches
  std::vector<State> alternatives_;
  std::vector<Index> doubtful_;                       // systems whose steps may have several answers: they are sought
  bool handed_out_ = false;                           // the state may be written by others
  Eigen::VectorXd known_positions_, known_unknowns_;  // what its outputs are of, once it was handed out
};

}  // namespace nonsmooth
