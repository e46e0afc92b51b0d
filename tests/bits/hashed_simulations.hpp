// SPDX-License-Identifier: Apache-2.0
#pragma once

// For `-include` before an example: its TimeStepping and EventDriven are then classes that do the same and append the
// hash of the state after each step to the file NONSMOOTH_BITS_NAME (compile definition) in the folder NONSMOOTH_BITS
// (environment; unset: nothing is written). All simulations of the example share the file, in order. Likewise, with
// NONSMOOTH_EXAMINATIONS set, what can be said of their models is appended there (examination_rows.hpp).

#include <cstdlib>
#include <iostream>
#include <utility>

#include <nonsmooth/io.hpp>
#include <nonsmooth/kernel.hpp>

#include "examination_rows.hpp"
#include "state_hash.hpp"

namespace nonsmooth {
namespace bits {

/// The example's trace; says its summary when the program ends.
class ExampleTrace {
 public:
  ExampleTrace(const char* folder, const char* name) : trace_(folder, name) {}
  ExampleTrace(const ExampleTrace&) = delete;
  ExampleTrace& operator=(const ExampleTrace&) = delete;
  ~ExampleTrace() {
    if (!trace_.close()) {
      std::cerr << "the trace could not be written\n";
      std::_Exit(2);
    }
    std::cerr << trace_.summary() << '\n';
  }
  [[nodiscard]] Trace& trace() noexcept { return trace_; }

 private:
  Trace trace_;
};

/// Null: no trace is asked for.
[[nodiscard]] inline Trace* trace() {
  static const char* const folder = std::getenv("NONSMOOTH_BITS");
  if (folder == nullptr) return nullptr;
  static ExampleTrace example(folder, NONSMOOTH_BITS_NAME);
  return &example.trace();
}

/// The rows of a simulation's model; those that the last ones had already are left out.
inline void examine(const NonSmoothDynamicalSystem& model, double t0) {
  static const char* const folder = std::getenv("NONSMOOTH_EXAMINATIONS");
  if (folder == nullptr) return;
  static ExaminationRows rows(folder, NONSMOOTH_BITS_NAME);
  rows.add(NONSMOOTH_BITS_NAME, model, t0);
}

inline void add(const State& state) {
  if (Trace* const file = trace()) file->add(state);
}

/// Its message, where a run or step was not what was asked for.
template <class Report>
Report checked(Report report) {
  Trace* const file = trace();
  if (file != nullptr && !report) file->note(report.message());
  return report;
}

}  // namespace bits

/// The initial state, then each step's.
class HashedTimeStepping : public TimeStepping {
 public:
  HashedTimeStepping(NonSmoothDynamicalSystem model, TimeSteppingOptions options, double t0 = 0.0)
      : TimeStepping(std::move(model), std::move(options), t0) {
    bits::examine(this->model(), t0);
    bits::add(state());
  }

  StepReport step() {
    StepReport report = bits::checked(TimeStepping::step());
    bits::add(state());
    return report;
  }

 protected:
  RunReport run(double T, Call call, void* observer) override {
    struct Shown {
      Call call;
      void* observer;
    } shown{call, observer};
    return bits::checked(TimeStepping::run(
        T,
        [](void* object, const State& at, const StepReport& step) {
          const auto& [next, its_object] = *static_cast<const Shown*>(object);
          bits::add(at);
          return next == nullptr || next(its_object, at, step);
        },
        &shown));
  }
};

/// The settled initial state, then the end of each smooth step and both sides of each instant.
class HashedEventDriven : public EventDriven {
 public:
  HashedEventDriven(NonSmoothDynamicalSystem model, EventDrivenOptions options = {}, double t0 = 0.0)
      : EventDriven(std::move(model), std::move(options), t0) {
    bits::examine(this->model(), t0);
    bits::add(state());
  }

  void set_state(const State& to) {
    EventDriven::set_state(to);
    bits::add(state());
  }
  using EventDriven::advance_to;
  RunReport advance_to(double T, const EventDrivenObserver& observer) {
    State shown = state();
    return bits::checked(
        EventDriven::advance_to(T, EventDrivenObserver{.segment =
                                                           [&](const SmoothSegment& segment) {
                                                             segment.evaluate(segment.end(), shown);
                                                             bits::add(shown);
                                                             return !observer.segment || observer.segment(segment);
                                                           },
                                                       .instant =
                                                           [&](const Instant& at) {
                                                             bits::add(at.before);
                                                             bits::add(at.after);
                                                             return !observer.instant || observer.instant(at);
                                                           },
                                                       .output = observer.output,
                                                       .output_step = observer.output_step}));
  }

 protected:
  RunReport run(double T, Call call, void* observer) override {
    if (!call) return advance_to(T, EventDrivenObserver{});
    State shown = state();
    const auto show = [&](const State& at) { return call(observer, at, StepReport{}); };
    return advance_to(
        T, EventDrivenObserver{.segment =
                                   [&](const SmoothSegment& segment) {
                                     segment.evaluate(segment.end(), shown);
                                     return show(shown);
                                   },
                               .instant = [&](const Instant& at) { return show(at.before) && show(at.after); }});
  }
};

}  // namespace nonsmooth

#define TimeStepping HashedTimeStepping
#define EventDriven HashedEventDriven
