// SPDX-License-Identifier: Apache-2.0
// A run goes on from a checkpoint with the options that it had: those that differ are named.
#include <filesystem>
#include <string>
#include <utility>

#include <nonsmooth/io/checkpoint.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/kernel/adaptive_time_stepping.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/integrators.hpp>
#include <nonsmooth/kernel/real_time_stepping.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

#include "../../io/src/known_solver.hpp"
#include "checkpoint_scenes.hpp"
#include "problem_files.hpp"

namespace nonsmooth::checkpoint_options_test {
namespace {

using checkpoint_tests::bouncing_ball;
using problem_files_test::complaint;
using problem_files_test::contains;

TEST(CheckpointOptions, AndSimulationsThatDifferAreNamed) {
  TimeStepping simulation(bouncing_ball(), {.step = 1e-3});
  ASSERT_TRUE(simulation.advance_to(0.1));
  const Checkpoint checkpoint = checkpoint_of(simulation);
  TimeStepping coarse(bouncing_ball(), {.step = 2e-3});
  const std::string step = complaint<InvalidArgument>([&] { restore(coarse, checkpoint); });
  EXPECT_TRUE(contains(step, "step = 0.002 s (in the checkpoint step = 0.001 s)")) << step;
  restore(coarse, checkpoint, {.other_options = true});
  EXPECT_EQ(hash_of(std::as_const(coarse).state()), hash_of(std::as_const(simulation).state()));
  // Of the same tolerance, by another algorithm.
  TimeStepping sweeps(bouncing_ball(),
                      {.step = 1e-3, .solver = mixed::GaussSeidel{.tolerance = mixed::Automatic{}.tolerance}});
  const std::string solver = complaint<InvalidArgument>([&] { restore(sweeps, checkpoint); });
  EXPECT_TRUE(contains(solver,
                       "solver: algorithm = nonsmooth::mixed::GaussSeidel (in the checkpoint algorithm = "
                       "nonsmooth::mixed::Automatic)"))
      << solver;
  TimeStepping threads(bouncing_ball(), {.step = 1e-3, .threads = 2});
  EXPECT_NO_THROW(restore(threads, checkpoint));
  // All digits count.
  TimeStepping halves(bouncing_ball(), {.integrator = MoreauJean{.theta = 0.5}, .step = 1e-3});
  TimeStepping beside(bouncing_ball(), {.integrator = MoreauJean{.theta = 0.5 + 0x1p-30}, .step = 1e-3});
  const std::string theta = complaint<InvalidArgument>([&] { restore(beside, checkpoint_of(halves)); });
  EXPECT_TRUE(contains(theta, "integrator: theta = 0.50000000093132257 (in the checkpoint theta = 0.5)")) << theta;
  EventDriven events(bouncing_ball());
  const std::string kind = complaint<InvalidArgument>([&] { restore(events, checkpoint); });
  EXPECT_TRUE(contains(kind, "restore: simulation: found EventDriven, expected TimeStepping")) << kind;
  ASSERT_TRUE(events.advance_to(1.0));
  const Checkpoint of_events = checkpoint_of(events);
  EventDriven loose(bouncing_ball(), {.relative_tolerance = 1e-6});
  const std::string tolerance = complaint<InvalidArgument>([&] { restore(loose, of_events); });
  EXPECT_TRUE(contains(tolerance, "relative_tolerance = ")) << tolerance;
  restore(loose, of_events, {.other_options = true});
  EXPECT_EQ(loose.state().t, 1.0);
  EXPECT_TRUE(loose.advance_to(2.0));
}

TEST(CheckpointOptions, OfSolversAreNamedOneByOne) {
  const auto complaint_about = [](const AnySolver& now, const AnySolver& before) {
    TimeStepping simulation(bouncing_ball(), {.step = 1e-3, .solver = before});
    TimeStepping again(bouncing_ball(), {.step = 1e-3, .solver = now});
    const Checkpoint checkpoint = checkpoint_of(simulation);
    return complaint<InvalidArgument>([&] { restore(again, checkpoint); });
  };
  const std::string sweeps = complaint_about(friction::GaussSeidel{.relaxation = 1.25, .freeze = false},
                                             friction::GaussSeidel{.relaxation = 1.0});
  EXPECT_TRUE(contains(sweeps,
                       "solver: relaxation = 1.25 (in the checkpoint relaxation = 1), freeze = 0 (in the "
                       "checkpoint freeze = 1)"))
      << sweeps;
  const std::string newton = complaint_about(
      friction::SemismoothNewton{.formulation = friction::SemismoothNewton::Formulation::JeanMoreau, .memory = 1},
      friction::SemismoothNewton{});
  EXPECT_TRUE(contains(newton,
                       "memory = 1 (in the checkpoint memory = 5), formulation = 1 (in the checkpoint "
                       "formulation = 0)"))
      << newton;
  const std::string order =
      complaint_about(friction::GaussSeidel{.order = friction::GaussSeidel::Order::User, .user_order = {0, 2, 1}},
                      friction::GaussSeidel{.order = friction::GaussSeidel::Order::User, .user_order = {0, 1, 2}});
  EXPECT_TRUE(contains(order, "user_order = [0 2 1] (in the checkpoint user_order = [0 1 2])")) << order;
  const std::string limit = complaint_about(mixed::Automatic{.max_iterations = 7}, mixed::Automatic{});
  EXPECT_TRUE(contains(limit, "max_iterations = 7 (in the checkpoint max_iterations = 0)")) << limit;
  // What no answer depends on may differ.
  EXPECT_EQ(complaint_about(friction::Admm{.start = Eigen::VectorXd::Ones(3)}, friction::Admm{}), "no such exception");
}

TEST(CheckpointOptions, OfSchemesOfStagesAreTheirTables) {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {1.0}});
  const TimeStepping two(model, {.integrator = ImplicitRadau{2}, .step = 1e-3});
  const Checkpoint checkpoint = checkpoint_of(two);
  const auto complaint_about = [&](const Integrator& integrator) {
    TimeStepping simulation(model, {.integrator = integrator, .step = 1e-3});
    return complaint<InvalidArgument>([&] { restore(simulation, checkpoint); });
  };
  EXPECT_EQ(complaint_about(ImplicitRadau{2}), "no such exception");
  const std::string three = complaint_about(ImplicitRadau{3}), located = complaint_about(ImplicitRadau{2, true});
  EXPECT_TRUE(contains(three, "stages = 3 (in the checkpoint stages = 2)")) << three;
  EXPECT_TRUE(contains(located, "locates = 1 (in the checkpoint locates = 0)")) << located;
  const std::string steps = complaint_about(Bdf2{});
  EXPECT_TRUE(contains(steps, "scheme = Bdf2 (in the checkpoint scheme = ImplicitRadau)")) << steps;
}

TEST(CheckpointOptions, OfGeneralisedAlphaSayWhatItKeeps) {
  // A checkpoint without it has A in the place of (A - a) / h, and is not gone on with unasked.
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "nonsmooth_alpha_options.h5";
  const TimeStepping simulation(bouncing_ball(), {.integrator = GeneralisedAlpha{}, .step = 1e-3});
  Recorder(path, simulation, {.file = {.overwrite = true}}).close();
  const std::string options = RunFile(path).about().options;
  EXPECT_TRUE(contains(options, "generalised_alpha = 1; keeps = (A - a) / h\n")) << options;
  std::filesystem::remove(path);
}

TEST(CheckpointOptions, OfEachAlgorithmOfTheRegistriesAreKnown) {
  const auto look = [](const auto& entries) {
    for (const auto& entry : entries) {
      const auto options = options_of(entry.within({.tolerance = 0.125}));
      ASSERT_FALSE(options.empty()) << entry.name;
      EXPECT_EQ(options.front(), std::pair(std::string("tolerance"), std::string("0.125"))) << entry.name;
    }
  };
  look(mixed::registry());
  look(friction::registry());
  look(friction::global_registry());
}

AdaptiveOptions asking(double position) {
  return {.stepping = {.step = 0.05},
          .accuracy = {.position = {position}, .velocity = {1e-2}, .span = 1.0},
          .instants = {0.25}};
}

TEST(CheckpointOptions, OfAdaptiveStepsAreInTheRunsFile) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "nonsmooth_adaptive_options.h5";
  const AdaptiveTimeStepping simulation(bouncing_ball(), asking(1e-3));
  Recorder(path, simulation, {.file = {.overwrite = true}}).close();
  const RunAbout about = RunFile(path).about();
  EXPECT_EQ(about.simulation, "AdaptiveTimeStepping");
  for (const char* line :
       {"accuracy of positions: absolute = 0.001; relative = 0", "accuracy of velocities: absolute = 0.01;",
        "accuracy of states: absolute = 0;", "span = 1 s", "events = 100", "halvings = 30", "instants = 0.25"})
    EXPECT_TRUE(contains(about.options, line)) << line << " in\n" << about.options;
  std::filesystem::remove(path);
}

TEST(CheckpointOptions, OfAdaptiveStepsAreTheAccuracyToo) {
  AdaptiveTimeStepping whole(bouncing_ball(), asking(1e-3));
  ASSERT_TRUE(whole.advance_to(0.4));  // behind the impact at 0.32 s
  const Checkpoint checkpoint = checkpoint_of(whole);
  AdaptiveTimeStepping again(bouncing_ball(), asking(1e-3));
  restore(again, checkpoint);
  EXPECT_EQ(again.next_step(), whole.next_step());
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(whole.step());
    ASSERT_TRUE(again.step());
    ASSERT_EQ(hash_of(again.state()), hash_of(whole.state())) << k;
    ASSERT_EQ(again.state().events.of, whole.state().events.of) << k;
  }

  const auto refused = [&](const AdaptiveOptions& options) {
    AdaptiveTimeStepping other(bouncing_ball(), options);
    return complaint<InvalidArgument>([&] { restore(other, checkpoint); });
  };
  const std::string accuracy = refused(asking(0.5));
  EXPECT_TRUE(contains(accuracy, "accuracy of positions: absolute = 0.5 (in the checkpoint absolute = 0.001)"))
      << accuracy;
  AdaptiveOptions others = asking(1e-3);
  others.instants = {0.5};
  EXPECT_TRUE(contains(refused(others), "instants = 0.5 (in the checkpoint instants = 0.25)")) << refused(others);
  others = asking(1e-3);
  others.halvings = 20;
  EXPECT_TRUE(contains(refused(others), "halvings = 20 (in the checkpoint halvings = 30)")) << refused(others);

  TimeStepping fixed(bouncing_ball(), {.step = 0.05});
  const std::string kind = complaint<InvalidArgument>([&] { restore(fixed, checkpoint); });
  EXPECT_TRUE(contains(kind, "found TimeStepping, expected AdaptiveTimeStepping")) << kind;
}

// The clock writes another time limit for each problem: what is compared is the budget.
TEST(CheckpointOptions, OfRealTimeAreTheBudgetAndNotWhatTheClockLeftOfIt) {
  const auto options = [](double budget) { return RealTimeOptions{.stepping = {.step = 1e-3}, .budget = budget}; };
  RealTimeStepping whole(bouncing_ball(), options(1e6));
  ASSERT_TRUE(whole.advance_to(0.4));
  const Checkpoint checkpoint = checkpoint_of(whole);
  RealTimeStepping again(bouncing_ball(), options(1e6));
  restore(again, checkpoint);
  ASSERT_TRUE(whole.advance_to(0.8));
  ASSERT_TRUE(again.advance_to(0.8));
  EXPECT_EQ(hash_of(again.state()), hash_of(whole.state()));  // nothing was limited
  RealTimeStepping hasty(bouncing_ball(), options(2e6));
  const std::string budget = complaint<InvalidArgument>([&] { restore(hasty, checkpoint); });
  EXPECT_TRUE(contains(budget, "budget = 2000000 s (in the checkpoint budget = 1000000 s)")) << budget;
}

}  // namespace
}  // namespace nonsmooth::checkpoint_options_test
