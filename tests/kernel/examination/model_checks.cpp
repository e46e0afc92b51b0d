// SPDX-License-Identifier: Apache-2.0
// Jacobians that differences do not confirm and constraints that say the same twice are named.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::model_checks_test {
namespace {

/// A pendulum of length 1 in its angle, with everything given.
LagrangianSystem pendulum() {
  LagrangianSystem system;
  system.internal = [](double, ConstVectorRef q, ConstVectorRef v, VectorRef F) { F[0] = std::sin(q[0]) + 0.1 * v[0]; };
  system.internal_dq = [](double, ConstVectorRef q, ConstVectorRef, MatrixRef J) { J(0, 0) = std::cos(q[0]); };
  system.internal_dv = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 0.1; };
  system.q0 = {0.7};
  system.v0 = {0.3};
  system.name = "pendulum";
  return system;
}

TEST(ModelChecks, RightJacobiansPass) {
  NonSmoothDynamicalSystem model;
  const auto bob = model.add(pendulum());
  model.link(bob,
             RheonomousRelation{.h = [](double t, ConstVectorRef q, VectorRef y) { y[0] = std::cos(q[0] - t); },
                                .H = [](double t, ConstVectorRef q, MatrixRef H) { H(0, 0) = -std::sin(q[0] - t); },
                                .h_t = [](double t, ConstVectorRef q, VectorRef v) { v[0] = std::sin(q[0] - t); }},
             NewtonImpactLaw{});
  model.add(FirstOrderSystem{.f = [](double t, ConstVectorRef x, VectorRef f) { f[0] = t * x[0] * x[0]; },
                             .f_dx = [](double t, ConstVectorRef x, MatrixRef J) { J(0, 0) = 2.0 * t * x[0]; },
                             .x0 = {2.0}});
  EXPECT_TRUE(compare_jacobians(model, model.initial_state(0.4)).empty());
  EXPECT_NO_THROW(verify_jacobians(model, model.initial_state(0.4)));
}

TEST(ModelChecks, RowsOfAVelocityAloneHaveNoGradient) {
  // y = 0 there, whatever the coordinates, so that H and h_t are not its derivatives.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = {0.3, 0.0, 0.0}, .angular_velocity = {0.1, 0.2, 0.3}});
  const JointFrames frames = joint_to_ground(model.initial_state().q(body), Eigen::Vector3d::Zero());
  const auto speed = [](double t) { return 1.0 + t; };
  model.link(body, HingeMotor{.frames = frames, .velocity = speed}, EqualityLaw{}, "motor");
  model.link(body, SliderMotor{.frames = frames, .velocity = speed}, EqualityLaw{}, "drive");
  model.link(body, FrictionalBall{frames}, BallFrictionLaw{.friction = 0.1, .radius = 0.1}, "ball");
  EXPECT_NO_THROW(verify_jacobians(model, model.initial_state(0.4)));
}

TEST(ModelChecks, AWrongJacobianIsNamed) {
  auto wrong = pendulum();
  wrong.internal_dq = [](double, ConstVectorRef q, ConstVectorRef, MatrixRef J) { J(0, 0) = -std::cos(q[0]); };
  NonSmoothDynamicalSystem model;
  const auto bob = model.add(wrong);
  model.link(bob,
             ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = std::cos(q[0]); },
                                  .H = [](ConstVectorRef q, MatrixRef H) { H(0, 0) = std::sin(q[0]); }},
             NewtonImpactLaw{}, "stop");
  const auto mismatches = compare_jacobians(model, model.initial_state());
  ASSERT_EQ(mismatches.size(), 2u);
  EXPECT_EQ(mismatches[0].function, "force_dq of pendulum");
  EXPECT_NEAR(mismatches[0].given, std::cos(0.7), 1e-15);
  EXPECT_NEAR(mismatches[0].difference, -std::cos(0.7), 1e-9);  // centred differences: eps^(2/3) = 4e-11
  EXPECT_EQ(mismatches[1].function, "H of stop");
  EXPECT_NE(mismatches[1].message().find("differences give"), std::string::npos);
  bad_input::expect_refused([&] { verify_jacobians(model, model.initial_state()); },
                            {"force_dq of pendulum", "entry (0, 0)", "differences", "1 more"});
}

TEST(ModelChecks, FirstOrderRelationsAreLookedAt) {
  NonSmoothDynamicalSystem model;
  const auto x = model.add(FirstOrderSystem{.x0 = {1.0}});
  model.link(x,
             FirstOrderRelation{
                 .h = [](double, ConstVectorRef at, ConstVectorRef l, VectorRef y) { y[0] = at[0] * at[0] + l[0]; },
                 .h_dx = [](double, ConstVectorRef at, ConstVectorRef, MatrixRef J) { J(0, 0) = 2.0 * at[0]; },
                 .h_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef J) { J(0, 0) = 2.0; },
                 .g = [](double, ConstVectorRef, ConstVectorRef l, VectorRef r) { r[0] = l[0]; }},
             ComplementarityLaw{}, "valve");
  const auto mismatches = compare_jacobians(model, model.initial_state());
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].function, "h_dlambda of valve");
}

TEST(ModelChecks, RedundantConstraintsAreNamed) {
  NonSmoothDynamicalSystem model;
  const auto point = model.add(LagrangianLinearSystem{.q0 = {0.0, 0.0, 0.0}});
  const auto first = model.link(point, LagrangianLinearRelation{.H = {{1.0, 1.0, 0.0}}}, EqualityLaw{});
  model.link(point, LagrangianLinearRelation{.H = {{1.0, -1.0, 0.0}}}, EqualityLaw{});
  EXPECT_TRUE(redundant_constraints(model, model.initial_state()).empty());
  const auto third = model.link(point, LagrangianLinearRelation{.H = {{3.0, 0.5, 0.0}}}, EqualityLaw{});
  const auto found = redundant_constraints(model, model.initial_state());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0] == third);
  EXPECT_FALSE(found[0] == first);
}

TEST(ModelChecks, RowsThatJointsWithFrictionHoldAreLookedAt) {
  // A door on two hinges of one axis, upright: the upper one holds again what the lower one does.
  const Eigen::Vector3d up = Eigen::Vector3d::UnitZ();
  NonSmoothDynamicalSystem model;
  const auto door = model.add(RigidBody{.mass = 20.0, .inertia = 2.0 * Eigen::Matrix3d::Identity(), .name = "door"});
  const auto hinge = [&](double height) {
    const JointFrames axis = joint_to_ground(model.initial_state().q(door), {-0.45, 0.0, height}, up);
    return model.link(door, FrictionalHinge{axis}, HingeFrictionLaw{.friction = 0.1, .radius = 0.02});
  };
  hinge(-0.8);
  EXPECT_TRUE(redundant_constraints(model, model.initial_state()).empty());
  const auto upper = hinge(0.8);
  const auto found = redundant_constraints(model, model.initial_state());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0] == upper);
}

TEST(ModelChecks, BodiesWhoseVelocitiesArePrescribedCountAsTheGround) {
  const Eigen::Vector3d up = Eigen::Vector3d::UnitZ();
  RigidBody post{.name = "post"};
  for (const bool held : {false, true}) {
    for (Index component = 0; held && component < 6; ++component)
      post.prescribed.push_back({component, [](double) { return 0.0; }});
    NonSmoothDynamicalSystem model;
    const auto on = model.add(post), door = model.add(RigidBody{.position = {0.45, 0.0, 0.0}, .name = "door"});
    const State state = model.initial_state();
    model.link(door, HingeJoint{joint_to_ground(state.q(door), {0.0, 0.0, -0.8}, up)}, EqualityLaw{});
    const auto upper = model.link(
        {on, door}, HingeJoint{joint_between(state.q(on), state.q(door), {0.0, 0.0, 0.8}, up)}, EqualityLaw{});
    const auto found = redundant_constraints(model, model.initial_state());
    ASSERT_EQ(found.size(), held ? 1u : 0u);
    if (held) {
      EXPECT_TRUE(found[0] == upper);
    }
  }
}

TEST(ModelChecks, RedundancyIsIndependentOfUnits) {
  // The second coordinate in units of s, so that its mass is s^2 times as large and its columns s times.
  for (const double s : {1e-12, 1.0, 1e12}) {
    NonSmoothDynamicalSystem model;
    const auto body =
        model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(1.0, s * s).asDiagonal(), .q0 = {0.0, 0.0}});
    model.link(body, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, EqualityLaw{});
    model.link(body, LagrangianLinearRelation{.H = {{1.0, s}}}, EqualityLaw{});
    EXPECT_TRUE(redundant_constraints(model, model.initial_state()).empty()) << s;
    const auto third = model.link(body, LagrangianLinearRelation{.H = {{2.0, s}}}, EqualityLaw{});
    const auto found = redundant_constraints(model, model.initial_state());
    ASSERT_EQ(found.size(), 1u) << s;
    EXPECT_TRUE(found[0] == third);
  }
}

TEST(ModelChecks, AStepThatRedundantConstraintsSpoilNamesThem) {
  // Two walls that close in on a rod from both sides at different speeds: no velocity satisfies both.
  NonSmoothDynamicalSystem model;
  const auto rod = model.add(LagrangianLinearSystem{.q0 = {0.0}});
  const auto wall = [&](double speed, const char* name) {
    model.link(rod,
               RheonomousRelation{.h = [speed](double t, ConstVectorRef q, VectorRef y) { y[0] = q[0] - speed * t; },
                                  .H = [](double, ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; },
                                  .h_t = [speed](double, ConstVectorRef, VectorRef v) { v[0] = -speed; }},
               EqualityLaw{}, name);
  };
  wall(1.0, "left guide");
  wall(2.0, "right guide");
  TimeStepping simulation(model, {.step = 0.1});
  const auto report = simulation.step();
  EXPECT_FALSE(report);
  EXPECT_FALSE(report.taken);
  EXPECT_NE(report.message().find("right guide"), std::string::npos) << report.message();
  EXPECT_NE(report.message().find("redundant"), std::string::npos);
}

}  // namespace
}  // namespace nonsmooth::model_checks_test
