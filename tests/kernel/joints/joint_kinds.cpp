// SPDX-License-Identifier: Apache-2.0
// Every kind of joint in motion for 0.2 s: one check for all of them under each scheme. What free bodies conserve
// (momenta, and energy without motors), the constraint and one another's answers judge the schemes.
#include "joint_kinds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include <support/parameter_name.hpp>

#include "kernel/fitted_order.hpp"

namespace nonsmooth::joint_kinds_test {
namespace {

using jointed::joint_kinds;
using jointed::JointKind;
using jointed::KindOnBodies;

constexpr double kTime = 0.2, kTolerance = 1e-10;

TimeSteppingOptions stepping_of(double h, Projection projection, Form form = Form::Reduced) {
  return {.step = h,
          .solver = mixed::Automatic{.tolerance = 1e-12},
          .newton = {.tolerance = 1e-11},
          .form = form,
          .projection = {.kind = projection, .bilateral_tolerance = kTolerance}};
}

Eigen::VectorXd coordinates(const State& state) {
  return (Eigen::VectorXd(state.positions.size() + state.unknowns.size()) << state.positions, state.unknowns)
      .finished();
}

/// Positions and velocities at kTime.
Eigen::VectorXd end_of_steps(const KindOnBodies& mechanism, double h, Projection projection) {
  TimeStepping simulation(mechanism.model, stepping_of(h, projection));
  const RunReport report = simulation.advance_to(kTime);
  EXPECT_TRUE(report) << report.message();
  return coordinates(simulation.state());
}
Eigen::VectorXd end_of_events(const KindOnBodies& mechanism, const EventDrivenOptions& options) {
  EventDriven simulation(mechanism.model, options);
  const RunReport report = simulation.advance_to(kTime);
  EXPECT_TRUE(report) << report.message();
  return coordinates(simulation.state());
}

const JointKind& without_friction(const JointKind& kind) {
  if (kind.like.empty()) return kind;
  return *std::find_if(joint_kinds().begin(), joint_kinds().end(),
                       [&](const JointKind& other) { return other.name == kind.like; });
}

/// Those with friction in them, which are for TimeStepping alone, or the others.
std::vector<JointKind> kinds_that_rub(bool rub) {
  std::vector<JointKind> result;
  std::copy_if(joint_kinds().begin(), joint_kinds().end(), std::back_inserter(result),
               [rub](const JointKind& kind) { return kind.like.empty() != rub; });
  return result;
}

class JointKinds : public testing::TestWithParam<JointKind> {};
class RigidJointKinds : public testing::TestWithParam<JointKind> {};
class RubbingJointKinds : public testing::TestWithParam<JointKind> {};

TEST_P(JointKinds, HoldAndConserveUnderMoreauJean) {
  const KindOnBodies mechanism(GetParam());
  for (const Projection projection : {Projection::None, Projection::Direct, Projection::Combined}) {
    TimeStepping simulation(mechanism.model, stepping_of(4e-3, projection));
    const Eigen::Vector3d before = mechanism.momenta(simulation.state()).head<3>();
    const RunReport report = simulation.advance_to(kTime, [&](const State& state) {
      // The reactions of a step are opposite to round-off, 4 N s of them at most in 50 steps.
      EXPECT_LE((mechanism.momenta(state).head<3>() - before).norm(), 1e-13);
      if (projection != Projection::None) {
        EXPECT_LE(mechanism.drift(state), kTolerance);
      }
    });
    ASSERT_TRUE(report) << report.message();
    // The midpoint rule leaves h^2 |curvature'| of some 10 m / s^3 a second, and turns of joints as much.
    EXPECT_LE(mechanism.drift(simulation.state()), 4e-3 * 4e-3 * 10.0);
  }
}

TEST_P(JointKinds, MoveUnderMoreauJeanAsByEventsToTheOrderOfTheScheme) {
  const KindOnBodies mechanism(GetParam()), reference(without_friction(GetParam()));
  const Eigen::VectorXd exact = end_of_events(reference, {.relative_tolerance = 1e-11});
  const double order =
      fitted_order(4e-3, 2, [&](double h) { return (end_of_steps(mechanism, h, Projection::Direct) - exact).norm(); });
  EXPECT_GT(order, 0.9);
  EXPECT_LT((end_of_steps(mechanism, 1e-3, Projection::Direct) - exact).norm(), 1e-2);
}

TEST_P(RigidJointKinds, HoldAndConserveByEvents) {
  const KindOnBodies mechanism(GetParam());
  EventDriven simulation(mechanism.model, {.relative_tolerance = 1e-10});
  const auto momenta = mechanism.momenta(simulation.state());
  const double energy = mechanism.energy(simulation.state());
  const RunReport report = simulation.advance_to(kTime, [&](const State& state) {
    // 1e-10 of sizes of 3 a step, some tens of steps; corrections of drift take as much.
    EXPECT_LE(mechanism.drift(state), 1e-8);
    EXPECT_LE((mechanism.momenta(state) - momenta).norm(), 1e-8);
    if (!GetParam().driven) {
      EXPECT_NEAR(mechanism.energy(state), energy, 1e-8);
    }
  });
  ASSERT_TRUE(report) << report.message();
}

TEST_P(RigidJointKinds, HoldUnderGeneralisedAlphaOfOrderTwo) {
  const KindOnBodies mechanism(GetParam());
  const Eigen::VectorXd exact = end_of_events(mechanism, {.relative_tolerance = 1e-11});
  const double order = fitted_order(8e-3, 2, [&](double h) {
    return (end_of_events(mechanism, {.integrator = GeneralisedAlpha{}, .step = h}) - exact).norm();
  });
  EXPECT_NEAR(order, 2.0, 0.2);
  EventDriven simulation(mechanism.model, {.integrator = GeneralisedAlpha{}, .step = 4e-3});
  ASSERT_TRUE(simulation.advance_to(kTime, [&](const State& state) { EXPECT_LE(mechanism.drift(state), 1e-9); }));
}

TEST_P(JointKinds, AreTheSameInBothForms) {
  // Each step of both from the reduced form's state: the solvers' 1e-12 and 1e-10 of velocities of 3.
  const KindOnBodies mechanism(GetParam());
  const TimeSteppingOptions reduced = stepping_of(4e-3, Projection::Direct);
  TimeSteppingOptions global = stepping_of(4e-3, Projection::Direct, Form::Global);
  global.solver = mixed::Automatic{.tolerance = 1e-10};
  State state = mechanism.model.initial_state();
  Workspace of_reduced, of_global;
  for (int k = 0; k < 20; ++k) {
    State other = state;
    const StepReport first = step(mechanism.model, reduced, 4e-3, state, of_reduced);
    const StepReport second = step(mechanism.model, global, 4e-3, other, of_global);
    ASSERT_TRUE(first) << first.message();
    ASSERT_TRUE(second) << second.message();
    ASSERT_LE((coordinates(state) - coordinates(other)).lpNorm<Eigen::Infinity>(), 1e-8) << k;
  }
}

TEST_P(RubbingJointKinds, WithoutFrictionDoAsTheJointThatHasNone) {
  // Newton's 1e-11 and the solver's 1e-12 of velocities of 3 in 50 steps.
  const KindOnBodies mechanism(GetParam()), other(without_friction(GetParam()));
  EXPECT_LE((end_of_steps(mechanism, 4e-3, Projection::Direct) - end_of_steps(other, 4e-3, Projection::Direct))
                .lpNorm<Eigen::Infinity>(),
            1e-8);
}

INSTANTIATE_TEST_SUITE_P(All, JointKinds, testing::ValuesIn(joint_kinds()), test::parameter_name);
INSTANTIATE_TEST_SUITE_P(All, RigidJointKinds, testing::ValuesIn(kinds_that_rub(false)), test::parameter_name);
INSTANTIATE_TEST_SUITE_P(All, RubbingJointKinds, testing::ValuesIn(kinds_that_rub(true)), test::parameter_name);

}  // namespace
}  // namespace nonsmooth::joint_kinds_test
