// SPDX-License-Identifier: Apache-2.0
// A run goes on from a checkpoint with the options that it had: those that differ are named.
#include <string>
#include <utility>

#include <nonsmooth/io/checkpoint.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/integrators.hpp>
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

}  // namespace
}  // namespace nonsmooth::checkpoint_options_test
