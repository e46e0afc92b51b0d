// SPDX-License-Identifier: Apache-2.0
// What must not go wrong silently: steps of changing length, several contact sources, reused workspaces, mixed units.
#include <cmath>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::robustness_test {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

LagrangianLinearSystem disk(double x, double y, double vx) {
  return {.mass = Eigen::Vector3d(1.0, 1.0, 0.005).asDiagonal(), .q0 = {x, y, 0.0}, .v0 = {vx, 0.0, 0.0}};
}

TEST(Robustness, AStepOfAnotherLengthStartsANewGrid) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  State state = model.initial_state();
  Workspace workspace;
  TimeSteppingOptions options{.step = 0.1};
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(step(model, options, 0.1, state, workspace));
  ASSERT_TRUE(step(model, options, 0.05, state, workspace));
  // Six roundings of numbers below 1.
  EXPECT_NEAR(state.t, 0.55, 6.0 * kEps);
  EXPECT_NEAR(state.q(body)[0], 0.55, 6.0 * kEps);
  // A state handed to a simulation with a finer grid goes on from its own time.
  TimeStepping fine(model, {.step = 0.01});
  fine.set_state(state);
  EXPECT_EQ(fine.advance_to(1.0).steps, 45);
}

TEST(Robustness, ThePresentRevisionIsKnownByNumber) {
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.q0 = {0.0}, .v0 = {1.0}});
  TimeStepping simulation(model, {.step = 0.1});
  EXPECT_NO_THROW(simulation.set_state(model.initial_state()));
  NonSmoothDynamicalSystem other = model;
  const auto first = model.add(LagrangianLinearSystem{.q0 = {0.0}});
  const auto second = other.add(LagrangianLinearSystem{.q0 = {0.0, 0.0}});
  EXPECT_FALSE(first == second);
  EXPECT_THROW((void)other.initial_state().q(first), InvalidArgument);
}

/// Two pairs of disks of radius 0.1, each pair with its own source; pair B meets later than pair A.
TEST(Robustness, TwoContactSourcesDoNotShareFeatures) {
  NonSmoothDynamicalSystem model;
  const auto a1 = model.add(disk(0.0, 0.0, 1.0)), a2 = model.add(disk(0.25, 0.0, -1.0));
  const auto b1 = model.add(disk(0.0, 5.0, 1.0)), b2 = model.add(disk(0.29, 5.0, -1.0));
  const NewtonImpactFrictionLaw law{.restitution = 1.0};
  model.detect(std::make_shared<DiskContacts>(std::vector{a1, a2}, std::vector{0.1, 0.1}, law));
  model.detect(std::make_shared<DiskContacts>(std::vector{b1, b2}, std::vector{0.1, 0.1}, law));
  TimeStepping simulation(model, {.step = 0.02});
  ASSERT_TRUE(simulation.advance_to(0.4));
  // Equal masses, elastic: velocities are exchanged, up to the certified tolerance of 1e-10.
  for (const auto body : {a1, b1}) EXPECT_NEAR(simulation.state().v(body)[0], -1.0, 1e-9);
  for (const auto body : {a2, b2}) EXPECT_NEAR(simulation.state().v(body)[0], 1.0, 1e-9);
}

TEST(Robustness, AWorkspaceKeepsNoContactOfAnotherModel) {
  NonSmoothDynamicalSystem touching, apart;
  const auto l = touching.add(disk(0.0, 0.0, 1.0)), r = touching.add(disk(0.19, 0.0, -1.0));
  touching.detect(std::make_shared<DiskContacts>(std::vector{l, r}, std::vector{0.1, 0.1}, NewtonImpactFrictionLaw{}));
  const auto left = apart.add(disk(0.0, 0.0, 1.0));
  apart.add(disk(9.0, 0.0, -1.0));
  Workspace workspace;
  State first = touching.initial_state(), second = apart.initial_state();
  const TimeSteppingOptions options{.step = 0.01};
  ASSERT_TRUE(step(touching, options, 0.01, first, workspace));
  EXPECT_EQ(first.contacts.size(), 1u);
  ASSERT_TRUE(step(apart, options, 0.01, second, workspace));
  EXPECT_EQ(second.v(left)[0], 1.0);
}

TEST(Robustness, ARestingBallIsNotLostBesideAHugeCircuit) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-9.81}, .q0 = {0.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{});
  const auto charge = model.add(FirstOrderLinearSystem{.A = {{-1.0}}, .x0 = {-1e14}});
  model.link(charge, FirstOrderLinearRelation{.C = {{1.0}}, .D = {{1.0}}, .B = {{1.0}}}, ComplementarityLaw{});
  TimeStepping simulation(model, {.step = 1e-3});
  ASSERT_TRUE(simulation.advance_to(0.1));
  EXPECT_NEAR(simulation.state().impulse(floor)[0], 9.81e-3, 1e-9 * 9.81e-3);
  EXPECT_NEAR(simulation.state().q(ball)[0], 0.0, 1e-12);
}

TEST(Robustness, AFailedPreparationIsNotTakenForACache) {
  NonSmoothDynamicalSystem model;
  model.add(FirstOrderLinearSystem{.mass = {{0.0}}, .x0 = {1.0}});
  State state = model.initial_state();
  Workspace workspace;
  for (int attempt = 0; attempt < 3; ++attempt)
    EXPECT_THROW((void)step(model, {.step = 0.1}, 0.1, state, workspace), InvalidArgument);
  EXPECT_EQ(state.t, 0.0);
}

TEST(Robustness, AStateThatIsNotFiniteIsRefused) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.q0 = {0.0}});
  TimeStepping simulation(model, {.step = 0.1});
  simulation.state().q(body)[0] = std::nan("");
  EXPECT_THROW((void)simulation.step(), InvalidArgument);
}

TEST(Robustness, StraysDoNotSpoilTheGrid) {
  // Two disks at rest against each other, one a thousand kilometres away: three disks, not 10^20 cells.
  NonSmoothDynamicalSystem model;
  const auto a = model.add(disk(0.0, 0.0, 1.0)), b = model.add(disk(0.0021, 0.0, -1.0)),
             far = model.add(disk(1e6, -1e6, 0.0));
  model.detect(std::make_shared<DiskContacts>(std::vector{a, b, far}, std::vector{1e-3, 1e-3, 1e-3},
                                              NewtonImpactFrictionLaw{.restitution = 1.0}));
  TimeStepping simulation(model, {.step = 1e-4});
  ASSERT_TRUE(simulation.advance_to(1e-3));
  EXPECT_NEAR(simulation.state().v(a)[0], -1.0, 1e-9);
}

}  // namespace
}  // namespace nonsmooth::robustness_test
