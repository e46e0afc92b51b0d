// SPDX-License-Identifier: Apache-2.0
// Joints whose anchors do not meet where their bodies start: refused by both simulations and by link_joint, with names,
// the gap and what was expected. What is no gap is not told: the freedoms of joints that rub.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::open_joints_test {
namespace {

using bad_input::expect_contains;
using bad_input::expect_refused;
using jointed::exponential;
using jointed::place;

constexpr double kGap = 1e-3;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kUp = Eigen::Vector3d::UnitZ();

/// A crank on the ground and a coupler on it, the coupler's pin off by a gap along it: y of row 2 is the gap.
struct OpenCrank {
  NonSmoothDynamicalSystem model;
  SystemHandle crank, coupler;
  InteractionHandle pin;
  JointFrames at_pin;
  static constexpr double kLength = 0.4;

  explicit OpenCrank(double gap, bool rubs = false) {
    const Eigen::Vector3d elbow(kLength, 0.0, 0.0);
    crank = model.add(RigidBody{.name = "crank"});
    coupler = model.add(RigidBody{.position = elbow - gap * kUp, .name = "coupler"});
    model.link(crank, HingeJoint{joint_to_ground(place(kOrigin), kOrigin, kUp)}, EqualityLaw{}, "bearing");
    at_pin = joint_between(place(kOrigin), place(elbow), elbow, kUp);
    pin = rubs ? model.link({crank, coupler}, FrictionalHinge{at_pin},
                            HingeFrictionLaw{.friction = 0.1, .radius = 0.01}, "pin A")
               : model.link({crank, coupler}, HingeJoint{at_pin}, EqualityLaw{}, "pin A");
  }
};

TEST(OpenJoint, IsRefusedByNameWithItsGap) {
  for (const bool rubs : {false, true}) {
    const OpenCrank open(kGap, rubs);
    TimeSteppingOptions options{.step = 1e-2};
    expect_refused([&] { TimeStepping(open.model, options); },
                   {"row 2 of pin A", "crank and coupler", "starts open, with y = 0.001", "y = 0 within 1e-09",
                    "repair_initial_state"});
    options.projection.kind = Projection::Direct;
    expect_refused([&] { TimeStepping(open.model, options); }, {"row 2 of pin A", "0.001"});
    options.examination = Examination::Report;
    const TimeStepping told(open.model, options);
    ASSERT_EQ(told.examination().size(), 1u);
    EXPECT_TRUE(told.examination()[0].refused);
    EXPECT_EQ(told.examination()[0].kind, Remark::Kind::Interpenetration);
    EXPECT_NEAR(told.examination()[0].value, kGap, 1e-15);
    options.examination = Examination::Refuse;
    options.repair_initial_state = true;
    const TimeStepping repaired(open.model, options);
    EXPECT_TRUE(repaired.examination().empty());
    EXPECT_LE(repaired.state().y(open.pin).head(5).lpNorm<Eigen::Infinity>(), 1e-8);  // ProjectionOptions
  }
  expect_refused([] { EventDriven{OpenCrank(kGap).model}; }, {"y = 0.001 of pin A", "y = 0", "repair_initial_state"});
}

TEST(OpenJoint, IsClosedWithinWhatIsWrittenDown) {
  for (const double gap : {0.0, 0.9 * closed_joint}) {
    const TimeStepping simulation(OpenCrank(gap).model, {.step = 1e-2});
    for (const Remark& remark : simulation.examination()) EXPECT_FALSE(remark.refused) << remark.message();
  }
  EXPECT_THROW(TimeStepping(OpenCrank(10.0 * closed_joint).model, {.step = 1e-2}), InvalidArgument);
}

TEST(OpenJoint, ThatCountsAsClosedIsTakenByEventsAndByStepsAlike) {
  // By events the coupler's pin would be open by five times what they allow a gap and more: they close it before they
  // start. The crank is held along its pin, so that the coupler goes all the way.
  for (const double gap : {0.5 * closed_joint, -0.9 * closed_joint}) {
    const OpenCrank open(gap);
    EXPECT_NO_THROW(TimeStepping(open.model, {.step = 1e-2}));
    EventDriven simulation(open.model);
    ASSERT_TRUE(simulation.advance_to(0.1));
    const State& state = simulation.state();
    EXPECT_LE(state.y(open.pin).lpNorm<Eigen::Infinity>(), 1e-12);  // absolute_tolerance
    EXPECT_NEAR(state.q(open.crank)[2], 0.0, 1e-12);
    EXPECT_NEAR(state.q(open.coupler)[2], 0.0, 1e-12);
  }
  // The same on a machine of 1 cm that spins as one about its bearing: as its pin is closed the crank turns by up to
  // 1e-7, and what was a consistent velocity is off by as much, a hundred times what events take for rest.
  const double spin = 3.0, arm = 0.01;
  const Eigen::Vector3d elbow(arm, 0.0, 0.0), off(0.0, 0.9 * closed_joint, 0.0);
  NonSmoothDynamicalSystem model;
  const auto crank = model.add(RigidBody{.angular_velocity = {0.0, 0.0, spin}, .name = "crank"});
  const auto coupler = model.add(RigidBody{.position = elbow + off,
                                           .velocity = {0.0, spin * arm, 0.0},
                                           .angular_velocity = {0.0, 0.0, spin},
                                           .name = "coupler"});
  link_joint(model, {crank}, HingeJoint{joint_to_ground(place(kOrigin), kOrigin, kUp)}, "bearing");
  const auto pin =
      link_joint(model, {crank, coupler}, HingeJoint{joint_between(place(kOrigin), place(elbow), elbow, kUp)}, "pin");
  EventDriven simulation(model);
  ASSERT_TRUE(simulation.advance_to(0.1));
  EXPECT_LE(simulation.state().y(pin).lpNorm<Eigen::Infinity>(), 2e-12);
  EXPECT_NEAR(simulation.state().v(crank)[5], spin, 1e-6);
  // Beyond, and where velocities do not fit a closed joint, both are refused as ever.
  expect_refused([] { EventDriven{OpenCrank(1.1 * closed_joint).model}; }, {"of pin A", "repair_initial_state"});
  const auto drifting = model.add(RigidBody{.velocity = {1e-3, 0.0, 0.0}, .name = "drifting"});
  model.link(drifting, BallJoint{joint_to_ground(place(off), off)}, EqualityLaw{}, "socket");
  expect_refused([&] { EventDriven{model}; }, {"u = 0.001", "socket", "repair_initial_state"});
}

TEST(OpenJoint, OfThePlaneARodAndAMotorAreRefusedToo) {
  const auto refused = [](const AnyRelation& relation, const std::vector<std::string>& parts) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(PlanarBody{.position = {kGap, 0.0}, .angle = 0.3, .name = "bar"});
    model.link(body, relation, EqualityLaw{}, "joint");
    expect_refused([&] { TimeStepping(model, {.step = 1e-2}); }, parts);
  };
  refused(PlanarHinge{}, {"row 0 of joint", "bar and the ground", "y = 0.001"});
  refused(DistanceJoint{.first_point = {1.0, 0.0, 0.0}, .length = 0.9}, {"row 0 of joint", "y = 0.10"});
  refused(PlanarHingeMotor{.angle = [](double t) { return t; }}, {"row 0 of joint", "y = 0.3"});
}

TEST(OpenJoint, OfAUsersOwnRelationIsTold) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = {0.1, 0.0, 0.0}, .name = "bead"});
  model.link(body,
             ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[0]; },
                                  .H = [](ConstVectorRef, MatrixRef H) { H(0, 0) = 1.0; }},
             EqualityLaw{}, "wall");
  const TimeStepping simulation(model, {.step = 1e-2});
  ASSERT_EQ(simulation.examination().size(), 1u);
  EXPECT_FALSE(simulation.examination()[0].refused);
  expect_contains(simulation.examination()[0].message(), {"row 0 of wall", "0.1 off its constraint"});
}

TEST(OpenJoint, ThatIsAddedWhileRunningIsRefusedAndThoseThatDriftedStay) {
  // A pendulum on a ball joint under steps so long that it drifts by more than any start may be open.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = {0.5, 0.0, 0.0}, .gravity = {0.0, 0.0, -9.81}, .name = "pendulum"});
  const auto pivot = link_joint(model, {body}, BallJoint{.frames = {.first = {.point = {-0.5, 0.0, 0.0}}}}, "pivot");
  TimeStepping simulation(model, {.step = 1e-2});
  ASSERT_TRUE(simulation.advance_to(0.3));
  ASSERT_GT(simulation.state().y(pivot).lpNorm<Eigen::Infinity>(), 1e3 * closed_joint);
  EXPECT_NO_THROW(simulation.edit([](NonSmoothDynamicalSystem& edited) { edited.add(RigidBody{.name = "other"}); }));
  const State before = simulation.state();
  expect_refused(
      [&] {
        simulation.edit([&](NonSmoothDynamicalSystem& edited) {
          edited.link(body, DistanceJoint{.second_point = {0.0, 2.0, 0.0}, .length = 0.1}, EqualityLaw{}, "rod");
        });
      },
      {"row 0 of rod", "pendulum and the ground", "starts open"});
  EXPECT_EQ(simulation.state().positions, before.positions);
  EXPECT_EQ(simulation.model().num_interactions(), 1);
}

TEST(OpenJoint, WaysAndTurnsThatRubAreNoGaps) {
  // At a way of 0.3 m and a turn of 0.5 rad from where the frames coincide.
  const Eigen::Vector4d turned = exponential(0.5 * kUp);
  const auto remarks = [&](const Eigen::Vector3d& at, const AnyRelation& joint, const Law& law) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.position = at, .orientation = turned, .name = "body"});
    link_joint(model, {body}, joint, law, "joint");
    std::string all;
    const TimeStepping simulation(model, {.step = 1e-2});
    for (const Remark& remark : simulation.examination()) all += remark.message() + "; ";
    return all;
  };
  const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin, kUp);
  EXPECT_EQ(remarks({0.0, 0.0, 0.3}, FrictionalCylindrical{frames, 0.1}, CylindricalFrictionLaw{}), "");
  EXPECT_EQ(remarks({0.3, 0.2, 0.0}, FrictionalPlanar{frames, 0.1}, PlanarJointFrictionLaw{}), "");
  EXPECT_EQ(remarks(kOrigin, FrictionalHinge{frames}, HingeFrictionLaw{}), "");
  EXPECT_EQ(remarks(kOrigin, FrictionalBall{frames}, BallFrictionLaw{}), "");
}

TEST(LinkJoint, TakesALawAndLooksAtTheRowsThatItHolds) {
  const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin, kUp);
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = {0.0, kGap, 0.3}, .name = "shaft"});
  expect_refused(
      [&] {
        link_joint(model, {body}, FrictionalCylindrical{frames, 0.1}, CylindricalFrictionLaw{}, "bush");
      },
      {"row 1 of bush", "0.001", "closed"});
  EXPECT_EQ(model.num_interactions(), 0);
  link_joint(model, {body}, FrictionalCylindrical{frames, 0.1}, CylindricalFrictionLaw{}, "bush", 2.0 * kGap);
  link_joint(model, {body}, SliderPosition{.frames = frames, .offset = -1.0}, NewtonImpactLaw{}, "stop");
  EXPECT_EQ(model.num_interactions(), 2);
  // While running: at the state's positions.
  State state = model.initial_state();
  state.q(body)[1] = 0.0;
  link_joint(model, {body}, FrictionalCylindrical{frames, 0.1}, CylindricalFrictionLaw{}, state, "second bush");
  expect_refused([&] { link_joint(model, {body}, FrictionalSlider{frames}, SliderFrictionLaw{}, "guide"); },
                 {"row 1 of guide", "0.001"});
}

}  // namespace
}  // namespace nonsmooth::open_joints_test
