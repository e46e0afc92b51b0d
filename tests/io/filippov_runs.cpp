// SPDX-License-Identifier: Apache-2.0
// Runs of a FilippovSystem: recorded and read back, kept as checkpoints and gone on from with the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nonsmooth/io/checkpoint.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/kernel.hpp>
#include <support/filippov_systems.hpp>

#include "problem_files.hpp"

namespace nonsmooth::filippov_runs_test {
namespace {

using problem_files_test::complaint;
using problem_files_test::contains;
using FilippovRuns = problem_files_test::Files;

NonSmoothDynamicalSystem model_of(const FilippovSystem& system) {
  NonSmoothDynamicalSystem model;
  (void)link_filippov(model, system);
  return model;
}

const TimeSteppingOptions kSteps{.integrator = EulerMoreau{.theta = 1.0}, .step = 1e-2};

/// Recorded to T, every state as it was shown; a checkpoint half way goes on as the whole run did.
template <class Make>
void keep(const std::filesystem::path& run_path, const std::filesystem::path& kept, Make&& make, double T) {
  auto whole = make();
  std::vector<State> shown{whole.state()};
  {
    Recorder recorder(run_path, whole);
    const auto report = whole.advance_to(T, [&](const State& state, const StepReport& step) {
      recorder(state, step);
      shown.push_back(state);
    });
    ASSERT_TRUE(report) << report.message();
    recorder.close();
  }
  const RunFile run(run_path);
  std::vector<double> instants;  // each recorded once, in order, at the step that it belongs to
  for (Index k = 0; k < run.num_steps(); ++k) {
    for (const RunEvent& one : run.events(k)) {
      instants.push_back(one.t);
      EXPECT_LE(one.t, shown[static_cast<std::size_t>(k)].t);
      EXPECT_GE(one.t, shown[static_cast<std::size_t>(std::max<Index>(k, 1)) - 1].t);
    }
  }
  if constexpr (requires { whole.events(); }) {
    ASSERT_EQ(instants.size(), whole.events().size());
    for (std::size_t i = 0; i < instants.size(); ++i) EXPECT_EQ(instants[i], whole.events()[i].t);
  } else {
    EXPECT_TRUE(instants.empty());
  }
  ASSERT_EQ(run.num_steps(), static_cast<Index>(shown.size()));
  for (std::size_t k = 0; k < shown.size(); ++k) {
    ASSERT_EQ(run.unknowns(static_cast<Index>(k)), shown[k].unknowns);
    ASSERT_EQ(run.multipliers(static_cast<Index>(k)), shown[k].multipliers);
  }
  auto half = make(), again = make(), straight = make();
  ASSERT_TRUE(half.advance_to(0.5 * T));
  save_checkpoint(kept, half);
  restore(again, kept);
  ASSERT_TRUE(again.advance_to(T));
  ASSERT_TRUE(straight.advance_to(0.5 * T));
  ASSERT_TRUE(straight.advance_to(T));
  EXPECT_EQ(hash_of(again.state()), hash_of(straight.state()));
}

TEST_F(FilippovRuns, OfSteps) {
  const auto model = model_of(filippov_systems::spiral(0.4, 0.3));
  keep(
      file("steps.h5"), file("steps.state"), [&] { return TimeStepping(model, kSteps); }, 0.6);
}

TEST_F(FilippovRuns, OfEvents) {
  const auto sliding = model_of(filippov_systems::sliding_and_exit());
  keep(
      file("events.h5"), file("events.state"), [&] { return EventDriven(sliding); }, 2.0);
  const auto line = model_of(filippov_systems::line_in_space());
  const EventDrivenOptions options{.on_ambiguity = OnAmbiguity::Utkin};
  keep(
      file("line.h5"), file("line.state"), [&] { return EventDriven(line, options); }, 1.0);
}

TEST_F(FilippovRuns, OfElements) {
  const auto model = model_of(filippov_systems::sliding_and_exit());
  keep(
      file("elements.h5"), file("elements.state"), [&] { return FiniteElementStepping(model, {.step = 0.1}); }, 2.0);
  // It meets the surface, slides along it and leaves it: two switches at least, of row 0.
  const RunFile run(file("elements.h5"));
  Index switches = 0;
  for (Index k = 0; k < run.num_steps(); ++k) {
    for (const RunEvent& one : run.events(k)) {
      EXPECT_EQ(one.kind, static_cast<Index>(EventKind::Switch));
      EXPECT_EQ(one.row, 0);
      ++switches;
    }
  }
  EXPECT_GE(switches, 2);
  FiniteElementStepping simulation(model, {.step = 0.1, .stages = 2});
  const std::string complaint_of = complaint<InvalidArgument>([&] { restore(simulation, file("elements.state")); });
  EXPECT_TRUE(contains(complaint_of, "stages")) << complaint_of;
}

// Their modes are numbers of the state; transitions are events of the file, by the number of their system.
TEST_F(FilippovRuns, OfAutomata) {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.x0 = {0.0}});
  const auto towards = [](const std::string& name, double target) {
    return AutomatonMode{.name = name, .f = [=](double, ConstVectorRef x, VectorRef f) { f[0] = target - x[0]; }};
  };
  const auto passes = [](double sign, double level) {
    return SwitchingFunction{.value = [=](double, ConstVectorRef x) { return sign * (x[0] - level); }};
  };
  model.add(HybridAutomaton{.x0 = {18.0},
                            .modes = {towards("heats", 30.0), towards("rests", 0.0)},
                            .transitions = {{.from = "heats", .to = "rests", .guard = passes(1.0, 21.0)},
                                            {.from = "rests", .to = "heats", .guard = passes(-1.0, 19.0)}},
                            .name = "room"});
  keep(
      file("automata.h5"), file("automata.state"), [&] { return EventDriven(model); }, 1.0);
  const RunFile run(file("automata.h5"));
  std::vector<RunEvent> events;
  for (Index k = 0; k < run.num_steps(); ++k)
    for (const RunEvent& one : run.events(k)) events.push_back(one);
  ASSERT_EQ(events.size(), 6u);  // at log(12 / 9), then log(21 / 19) and log(11 / 9) by turns
  EXPECT_EQ(events[1].kind, static_cast<Index>(EventKind::Transition));
  EXPECT_EQ(events[1].interaction, 1);
  EXPECT_EQ(events[1].row, 1);
  EXPECT_EQ(events[1].value, 0.0);
}

// Other fields, and another choice among motions, are other runs.
TEST_F(FilippovRuns, NameWhatDiffers) {
  EventDriven simulation(model_of(filippov_systems::sign(1.0)));
  ASSERT_TRUE(simulation.advance_to(0.5));
  save_checkpoint(file("kept.state"), simulation);
  EventDriven faster(model_of(filippov_systems::sign(1.0, 2.0)));
  const std::string fields = complaint<InvalidArgument>([&] { restore(faster, file("kept.state")); });
  EXPECT_TRUE(contains(fields, "region 0")) << fields;
  EventDriven choosing(model_of(filippov_systems::sign(1.0)), {.on_ambiguity = OnAmbiguity::LeastNorm});
  const std::string choice = complaint<InvalidArgument>([&] { restore(choosing, file("kept.state")); });
  EXPECT_TRUE(contains(choice, "on_ambiguity")) << choice;
}

}  // namespace
}  // namespace nonsmooth::filippov_runs_test
