// SPDX-License-Identifier: Apache-2.0
// Several observers of a run as one, and signals that end it after its step: in processes of their own.
#include <nonsmooth/io/observe.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/stop_on_signal.hpp>

#include <csignal>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>

#include "run_files.hpp"
#include "run_processes.hpp"

namespace nonsmooth::run_observers_test {
namespace {

using namespace run_files_test;

/// A mass that nothing acts on: x = t.
TimeStepping glider(double step = 0.125) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  return {model, {.step = step}};
}

TEST(Observe, CallsAllInOrderAndStopsByAnyFalse) {
  std::vector<std::string> calls;
  int values = 0;
  const auto counts = [&values](const State&) { ++values; };  // returns nothing
  auto first = [&calls](const State& x) {
    calls.push_back("first");
    return x.t < 0.5;
  };
  const auto second = [&calls](const State& x, const StepReport& step) {
    EXPECT_EQ(step.t, x.t);
    calls.push_back("second");
    return true;
  };
  TimeStepping simulation = glider();
  const RunReport report = simulation.advance_to(1.0, observe(counts, first, second));
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
  EXPECT_EQ(report.t, 0.5);  // 4 steps of 1/8: no rounding
  EXPECT_EQ(values, 4);
  ASSERT_EQ(calls.size(), 8U);  // the second one sees the last state too
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], i % 2 == 0 ? "first" : "second");
}

TEST(Observe, KeepsReferencesToWhatHasANameAndValuesOfWhatHasNot) {
  struct Counter {
    int seen = 0;
    void operator()(const State&) { ++seen; }
  } named;
  int by_value = 0;
  auto all = observe(named, [&by_value, own = 0](const State&) mutable { by_value = ++own; });
  TimeStepping simulation = glider();
  EXPECT_EQ(simulation.advance_to(0.5, all).outcome, RunReport::Outcome::Completed);
  EXPECT_EQ(simulation.advance_to(1.0, observe(all, [](const State& x) { return x.t < 2.0; })).outcome,
            RunReport::Outcome::Completed);
  EXPECT_EQ(named.seen, 8);
  EXPECT_EQ(by_value, 8);
}

TEST(Observe, LetsExceptionsThrough) {
  int behind = 0;
  TimeStepping simulation = glider();
  EXPECT_THROW((void)simulation.advance_to(1.0, observe([](const State&) { throw std::runtime_error("mine"); },
                                                        [&](const State&) { ++behind; })),
               std::runtime_error);
  EXPECT_EQ(behind, 0);
}

TEST(Observe, TellsTheEndToThoseThatWantToKnowTheLastFirst) {
  struct Told {
    std::string name, seen{};
    void operator()(const State&) {}
    void ended(RunReport& report) {
      seen = report.detail;
      report.detail += name;
    }
  } first{"first"}, last{"last"};
  TimeStepping simulation = glider();
  const RunReport report = simulation.advance_to(0.5, observe(
                                                          first, [](const State&) {}, observe(last)));
  EXPECT_EQ(last.seen, "");
  EXPECT_EQ(first.seen, "last");
  EXPECT_EQ(report.detail, "lastfirst");
  EXPECT_EQ(simulation.advance_to(1.0, first).detail, "first");
}

class Signals : public Files {};

void handle(int) {}

/// The handler that a signal has now.
auto handler_of(int signal) {
  struct sigaction action = {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

/// What a driver does: a run with no end of its own, recorded. 0 where it ended as it should.
int drive(const std::filesystem::path& path, SharedCount& steps) {
  ::signal(SIGINT, SIG_DFL);  // a test in the background of a script has it ignored
  TimeStepping simulation = glider(1e-3);
  StopOnSignal stop;
  Recorder recorder(path, simulation);
  const RunReport report = simulation.advance_to(
      1e9, observe(recorder, stop, [&steps](const State& x) { steps.set(static_cast<long>(x.steps)); }));
  recorder.close();
  if (report.outcome != RunReport::Outcome::StoppedByObserver) return 1;
  if (report.detail != stop.message() || report.detail.find("after the step to t = ") == std::string::npos) return 2;
  if (report.message() != "stopped by the observer: " + stop.message()) return 3;
  return 10 + stop.signal();
}

TEST_F(Signals, EndARunAfterItsStepAndTheFileIsWhole) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto path = file("run" + std::to_string(signal) + ".h5");
    SharedCount steps;
    const pid_t child = start_child([&] { return drive(path, steps); });
    while (steps.get() < 100) ::usleep(1000);
    ::kill(child, signal);
    EXPECT_EQ(end_of(child), 10 + signal);
    const RunFile run(path);
    EXPECT_EQ(run.num_steps(), steps.get() + 1);  // every step that was shown, and the start
    ASSERT_EQ(run.parts().size(), 1U);
    EXPECT_TRUE(run.parts()[0].closed);
    EXPECT_TRUE(contains(run.parts()[0].end, signal == SIGINT ? "ended by Ctrl-C (SIGINT) after the step to t = "
                                                              : "ended by SIGTERM after the step to t = "))
        << run.parts()[0].end;
  }
}

TEST_F(Signals, AreInTheFileWhateverTheOrderOfObservers) {
  const pid_t child = start_child([&]() -> int {
    ::signal(SIGINT, SIG_DFL);
    TimeStepping simulation = glider();
    StopOnSignal stop;
    Recorder recorder(file("run.h5"), simulation);
    const auto sends = [](const State& x) {
      if (x.steps == 3) ::raise(SIGINT);
    };
    const RunReport report = simulation.advance_to(1.0, observe(stop, observe(recorder, sends)));
    recorder.close();
    return report.detail == stop.message() ? 10 : 1;
  });
  EXPECT_EQ(end_of(child), 10);
  EXPECT_EQ(RunFile(file("run.h5")).parts()[0].end, "ended by Ctrl-C (SIGINT) after the step to t = 0.5 s");
}

class Endings : public Files {
 protected:
  [[nodiscard]] std::string end() const { return RunFile(file("run.h5")).parts()[0].end; }
};

TEST_F(Endings, OfObserversAndEventsAreSaid) {
  {
    TimeStepping simulation = glider();
    Recorder recorder(file("run.h5"), simulation);
    const auto stops = [](const State& x) { return x.t < 0.5; };
    EXPECT_EQ(simulation.advance_to(1.0, observe(recorder, stops)).outcome, RunReport::Outcome::StoppedByObserver);
  }
  EXPECT_EQ(end(), "stopped by an observer at t = 0.5 s");
  {
    NonSmoothDynamicalSystem model;
    model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
    EventDriven simulation(model, {.events = {{.name = "half", .instants = {0.5}, .terminal = true}}});
    Recorder recorder(file("run.h5"), simulation, {.file = {.overwrite = true}});
    EXPECT_EQ(simulation.advance_to(1.0, recorder).outcome, RunReport::Outcome::StoppedByEvent);
  }
  EXPECT_EQ(end(), "stopped by a terminal event at t = 0.5 s");
}

TEST_F(Endings, OfExceptionsAreSaidWhereTheyEndACall) {
  const auto throws = [](const State& x) {
    if (x.steps == 5) throw std::runtime_error("mine");
  };
  const auto in_the_call = [&] {
    TimeStepping simulation = glider();
    Recorder recorder(file("run.h5"), simulation);
    simulation.advance_to(1.0, observe(recorder, throws));
  };
  EXPECT_THROW(in_the_call(), std::runtime_error);
  EXPECT_EQ(end(), "ended by an exception");
  EXPECT_EQ(RunFile(file("run.h5")).num_steps(), 6);
  const auto behind_it = [&] {
    TimeStepping simulation = glider();
    Recorder recorder(file("run.h5"), simulation, {.file = {.overwrite = true}});
    simulation.advance_to(0.5, recorder);
    throw std::runtime_error("later");
  };
  EXPECT_THROW(behind_it(), std::runtime_error);
  EXPECT_EQ(end(), "closed");
}

TEST_F(Endings, OfExceptionsThatWereCaughtBeforeTheFileIsClosedAreNotCalledClosed) {
  const auto throws = [](const State& x) {
    if (x.steps == 5) throw std::runtime_error("mine");
  };
  const auto record = [&](const auto& run) {
    TimeStepping simulation = glider();
    Recorder recorder(file("run.h5"), simulation, {.file = {.overwrite = true}});
    run(simulation, recorder);
    if (RunFile(file("run.h5")).live()) recorder.close();
    return end();
  };
  // In the handler the recorder sees what was thrown.
  EXPECT_EQ(record([&](TimeStepping& simulation, Recorder& recorder) {
              try {
                simulation.advance_to(1.0, observe(recorder, throws));
              } catch (const std::runtime_error&) {
                recorder.close();
              }
            }),
            "ended by an exception: mine");
  // Behind it, that the call has no end; another call tells its own.
  const auto caught = [&](TimeStepping& simulation, Recorder& recorder) {
    EXPECT_THROW(simulation.advance_to(1.0, observe(recorder, throws)), std::runtime_error);
  };
  EXPECT_EQ(record(caught).find("closed, but the last call has no end: an exception left it"), 0U) << end();
  EXPECT_EQ(record([&](TimeStepping& simulation, Recorder& recorder) {
              caught(simulation, recorder);
              EXPECT_TRUE(simulation.advance_to(1.0, recorder));
            }),
            "closed");
  // A recorder that is made and closed in a handler is none of its exception's.
  try {
    throw std::runtime_error("before");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(record([](TimeStepping& simulation, Recorder& recorder) { recorder.record(simulation.step()); }),
              "closed");
  }
  // States recorded by hand have no call.
  EXPECT_EQ(record([](TimeStepping& simulation, Recorder& recorder) { recorder.record(simulation.step()); }), "closed");
}

TEST_F(Endings, OfCallsThatALambdaSawAreThoseOfTheCalls) {
  const auto record = [&](Simulation& simulation, double T, const auto& shown) {
    Recorder recorder(file("run.h5"), simulation, {.file = {.overwrite = true}});
    const RunReport report = simulation.advance_to(T, [&](const State& x, const StepReport& step) -> bool {
      recorder(x, step);
      return shown(x);
    });
    recorder.close();
    return std::pair(report.outcome, end());
  };
  using Outcome = RunReport::Outcome;
  const auto goes_on = [](const State&) { return true; };
  TimeStepping stepping = glider();
  EXPECT_EQ(record(stepping, 1.0, goes_on), std::pair(Outcome::Completed, std::string("closed")));
  EXPECT_EQ(record(stepping, 2.0, [](const State& x) { return x.t < 1.5; }),
            std::pair(Outcome::StoppedByObserver, std::string("stopped by an observer at t = 1.5 s")));

  NonSmoothDynamicalSystem falling;
  falling.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  EventDriven events(falling, {.events = {{.name = "half", .instants = {0.5}, .terminal = true}}});
  EXPECT_EQ(record(events, 1.0, goes_on),
            std::pair(Outcome::StoppedByEvent, std::string("stopped by a terminal event at t = 0.5 s")));
  // The observer of segments is no observer of the recorder's, and ends calls all the same.
  ASSERT_NE(events.last_report(), nullptr);
  EXPECT_TRUE(events.advance_to(0.75, EventDrivenObserver{}));
  EXPECT_EQ(events.last_report()->outcome, Outcome::Completed);
  EXPECT_EQ(events.last_report()->t, 0.75);

  // A later call that it was not shown says nothing of how its own ended.
  TimeStepping later = glider();
  Recorder recorder(file("run.h5"), later, {.file = {.overwrite = true}});
  const auto shown = [&](const State& x, const StepReport& step) { recorder(x, step); };
  EXPECT_TRUE(later.advance_to(1.0, shown));
  EXPECT_EQ(later.advance_to(2.0, [](const State& x) { return x.t < 1.5; }).outcome, Outcome::StoppedByObserver);
  recorder.close();
  EXPECT_EQ(end(),
            "closed; how its call ended is not known, as a later one, which it was not shown, came to t = 1.5 s");

  // Null within a call, and where an exception left it.
  EXPECT_THROW(stepping.advance_to(4.0,
                                   [&](const State&) {
                                     EXPECT_EQ(stepping.last_report(), nullptr);
                                     throw std::runtime_error("mine");
                                   }),
               std::runtime_error);
  EXPECT_EQ(stepping.last_report(), nullptr);
}

TEST_F(Signals, SecondOneEndsAtOnce) {
  for (const int second : {SIGINT, SIGTERM}) {
    SharedCount seen;
    const pid_t child = start_child([&]() -> int {
      ::signal(SIGINT, SIG_DFL);
      StopOnSignal stop;
      seen.set(1);
      while (stop.signal() == 0) ::usleep(500);
      seen.set(2);
      for (int i = 0; i < 20000; ++i) ::usleep(1000);  // a step that takes long
      return 3;
    });
    while (seen.get() < 1) ::usleep(500);
    ::kill(child, SIGINT);
    while (seen.get() < 2) ::usleep(500);
    ::kill(child, second);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), second);
  }
}

TEST_F(Signals, HandlersBeforeAreRestored) {
  const pid_t child = start_child([]() -> int {
    ::signal(SIGINT, handle);
    ::signal(SIGTERM, SIG_DFL);
    {
      const StopOnSignal outer;
      if (handler_of(SIGINT) == handle || handler_of(SIGTERM) == SIG_DFL) return 1;
      {
        const StopOnSignal inner;
        ::raise(SIGINT);
        if (inner.signal() != SIGINT) return 2;
      }
      if (outer.signal() != SIGINT || handler_of(SIGINT) != SIG_DFL)
        return 3;                                                   // one still lives; the next ends at once
      if (outer.message() != "ended by Ctrl-C (SIGINT)") return 4;  // no run was stopped
    }
    if (handler_of(SIGINT) != handle || handler_of(SIGTERM) != SIG_DFL) return 5;
    ::raise(SIGINT);  // goes to who was there before
    const StopOnSignal next;
    return next.signal() == 0 && next.message().empty() ? 0 : 6;
  });
  EXPECT_EQ(end_of(child), 0);
}

TEST_F(Signals, IgnoredOnesStayIgnored) {
  const pid_t child = start_child([]() -> int {
    ::signal(SIGINT, SIG_IGN);
    {
      const StopOnSignal stop;
      ::raise(SIGINT);
      if (stop.signal() != 0) return 1;
      ::raise(SIGTERM);
      ::raise(SIGINT);  // it is still ignored
      if (stop.signal() != SIGTERM) return 2;
    }
    return handler_of(SIGINT) == SIG_IGN ? 0 : 3;
  });
  EXPECT_EQ(end_of(child), 0);
}

TEST(StopOnSignal, LeavesReportsOfOtherEndsAlone) {
  TimeStepping simulation = glider();
  StopOnSignal stop;
  RunReport report = simulation.advance_to(1.0, stop);
  EXPECT_EQ(report.outcome, RunReport::Outcome::Completed);
  report = simulation.advance_to(2.0, observe(stop, [](const State&) { return false; }));
  EXPECT_EQ(report.outcome, RunReport::Outcome::StoppedByObserver);
  EXPECT_TRUE(report.detail.empty());
}

}  // namespace
}  // namespace nonsmooth::run_observers_test
