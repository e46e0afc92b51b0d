// SPDX-License-Identifier: Apache-2.0
// StepReport::at_round_off: of the problem of each step, whichever solver and form it had.
#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::at_round_off_steps_test {
namespace {

/// A disk of 1.3 kg that slides on the floor while it bounces: steps with and without rows, two coupled rows each.
NonSmoothDynamicalSystem sliding_disk() {
  NonSmoothDynamicalSystem model;
  const double radius = 0.1, mass = 1.3, inertia = 0.5 * mass * radius * radius;
  const auto body = model.add(LagrangianLinearSystem{.mass = Eigen::Vector3d(mass, mass, inertia).asDiagonal(),
                                                     .force = {0.0, -9.81 * mass, 0.0},
                                                     .q0 = {0.0, 0.12, 0.0},
                                                     .v0 = {1.0, 0.0, 20.0},
                                                     .name = "disk"});
  model.link(body, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.3, radius}}, .b = {-radius, 0.0}},
             NewtonImpactFrictionLaw{.restitution = 0.6, .friction = 0.3});
  return model;
}

struct Told {
  Index with_rows = 0, at_round_off = 0, solved = 0;
};

Told run(const TimeSteppingOptions& options, double tolerance) {
  const NonSmoothDynamicalSystem model = sliding_disk();
  Workspace workspace;
  State state = model.initial_state();
  Told told;
  for (Index k = 0; k < 300; ++k) {
    const StepReport report = step(model, options, 1e-3, state, workspace);
    EXPECT_TRUE(report.taken) << report.message();
    if (report.rows == 0) {
      EXPECT_FALSE(report.at_round_off);
      continue;
    }
    ++told.with_rows;
    told.solved += report.solver == Status::Solved;
    told.at_round_off += report.at_round_off;
    // A residual of 0 may be told too: its rounding, seen or not, is above the tolerance.
    if (report.solver == Status::Solved && report.certificate.residual > tolerance) {
      EXPECT_TRUE(report.at_round_off);
    }
  }
  return told;
}

TEST(StepAtRoundOff, IsToldOfTheProblemOfTheStep) {
  constexpr double beyond = 1e-300, within_reach = 1e-8;  // below every residual but 0, and above those of two rows
  for (const double tolerance : {beyond, within_reach})
    for (const Form form : {Form::Reduced, Form::Global}) {
      const Told told =
          run({.step = 1e-3, .solver = mixed::Automatic{.tolerance = tolerance}, .form = form}, tolerance);
      EXPECT_GT(told.with_rows, 10);
      EXPECT_EQ(told.solved, told.with_rows);
      EXPECT_EQ(told.at_round_off > 0, tolerance == beyond);
    }
  // The workspace of sweeps keeps its Stalled, and tells all the same.
  const Told told =
      run({.step = 1e-3, .solver = mixed::GaussSeidel{.tolerance = beyond}, .on_failure = OnFailure::Accept}, beyond);
  EXPECT_LT(told.solved, told.with_rows);
  EXPECT_GT(told.at_round_off, 0);
}

}  // namespace
}  // namespace nonsmooth::at_round_off_steps_test
