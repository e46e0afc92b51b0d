// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
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
  double worst_residual = 0.0;  ///< largest Certificate::residual of the one-step problems
  bool stopped_by_observer = false;

  explicit operator bool() const noexcept { return last.ok() || (last.taken && steps_accepted > 0); }
  [[nodiscard]] std::string message() const;  ///< empty where there is nothing to say
};

/// Event-capturing simulation: fixed steps t_k = t_0 + k h; the last step of advance_to(T) ends at T.
class TimeStepping {
 public:
  /// Takes a copy of the model (descriptions are shared). @throws InvalidArgument for an empty model or bad options.
  TimeStepping(NonSmoothDynamicalSystem model, TimeSteppingOptions options, double t0 = 0.0);

  [[nodiscard]] const State& state() const noexcept { return state_; }
  /// For initial conditions and controls; call update_outputs(model(), state) after writing coordinates.
  [[nodiscard]] State& state() noexcept { return state_; }
  /// Replaces the state. @throws InvalidArgument if it belongs to another revision.
  void set_state(const State& state);
  [[nodiscard]] const NonSmoothDynamicalSystem& model() const noexcept { return model_; }
  [[nodiscard]] const TimeSteppingOptions& options() const noexcept { return options_; }

  /// One step of length h.
  StepReport step();

  /// Steps until t = T; after each, calls observer(const State&). An observer that returns bool stops by false.
  /// @throws InvalidArgument if T is before the present time or not finite.
  template <class Observer>
  requires std::invocable<Observer&, const State&> AdvanceReport advance_to(double T, Observer&& observer) {
    using Answer = std::invoke_result_t<Observer&, const State&>;
    return run(
        T,
        [](void* object, const State& state) -> bool {
          auto& call = *static_cast<std::remove_reference_t<Observer>*>(object);
          if constexpr (std::is_same_v<Answer, bool>) {
            return call(state);
          } else {
            call(state);
            return true;
          }
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(observer))));
  }
  AdvanceReport advance_to(double T) {
    return advance_to(T, [](const State&) {});
  }

  /// Changes the model between steps: edit([&](NonSmoothDynamicalSystem& model) { model.link(...); }). The state is
  /// carried over; what is new starts from its description.
  template <class Edit>
  requires std::invocable<Edit&, NonSmoothDynamicalSystem&>
  void edit(Edit&& change) {
    NonSmoothDynamicalSystem changed = model_;
    change(changed);
    adopt(std::move(changed));
  }

 private:
  using Call = bool (*)(void*, const State&);
  AdvanceReport run(double T, Call call, void* object);
  void adopt(NonSmoothDynamicalSystem model);

  NonSmoothDynamicalSystem model_;
  TimeSteppingOptions options_;
  State state_;
  Workspace workspace_;
};

}  // namespace nonsmooth
