// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

/// Several observers as one: what observe() makes. An entry is a reference or a value.
template <class... Observers>
requires(sizeof...(Observers) > 0 && (RunObserver<std::remove_reference_t<Observers>> && ...)) class ObserverList {
 public:
  template <class... Given>
  explicit ObserverList(std::in_place_t, Given&&... observers) : observers_(std::forward<Given>(observers)...) {}

  /// False where any of them returned false.
  bool operator()(const State& state, const StepReport& step) {
    bool goes_on = true;
    std::apply([&](auto&... one) { ((goes_on = call_observer(one, state, step) && goes_on), ...); }, observers_);
    return goes_on;
  }
  /// Tells the end of the call to those that want to know it, the last of them first: one sees what those behind it
  /// added to the report's detail.
  void ended(RunReport& report) {
    std::apply([&](auto&... one) { tell_backwards(report, one...); }, observers_);
    saw_end(report);
  }
  /// Shows the report with all that was added to those that have a member saw_end(const RunReport&), as a Recorder.
  void saw_end(const RunReport& report) {
    std::apply([&](auto&... one) { (show_end(one, report), ...); }, observers_);
  }

 private:
  static void tell_backwards(RunReport&) {}
  template <class First, class... Rest>
  static void tell_backwards(RunReport& report, First& first, Rest&... rest) {
    tell_backwards(report, rest...);
    tell_end(first, report);
  }

  template <class Observer>
  static void show_end(Observer& observer, const RunReport& report) {
    if constexpr (requires { observer.saw_end(report); }) observer.saw_end(report);
  }

  std::tuple<Observers...> observers_;
};

/// One observer that calls several, in the order given, each as Simulation::advance_to calls a RunObserver:
///
///     simulation.advance_to(T, observe(recorder, progress, stop));
///
/// All of them are called with each state, also behind one that returned false; then the run stops. One that throws
/// ends the call: those behind it do not see that state. What has a name is kept by reference and has to outlive the
/// observer; what is made in the call, such as a lambda, is moved into it. No memory is allocated.
template <class... Observers>
[[nodiscard]] ObserverList<Observers...> observe(Observers&&... observers) requires(
    sizeof...(Observers) > 0 && (RunObserver<std::remove_reference_t<Observers>> && ...)) {
  return ObserverList<Observers...>(std::in_place, std::forward<Observers>(observers)...);
}

}  // namespace nonsmooth
