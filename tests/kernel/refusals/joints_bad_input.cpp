// SPDX-License-Identifier: Apache-2.0
// Joints that are refused, by name.
#include <gtest/gtest.h>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joints_bad_input_test {
namespace {

using bad_input::expect_refused;
using bad_input::kInfinity;
using bad_input::kNaN;
using jointed::place;

const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero();

TEST(JointsBadInput, FramesAreRefusedByTheirFields) {
  JointFrames frames = joint_to_ground(place(kOrigin), kOrigin);
  frames.first.axis.setZero();
  expect_refused([&] { (void)make_relation(HingeJoint{frames}); }, {"HingeJoint::frames.first.axis", "zero"});
  frames = joint_to_ground(place(kOrigin), kOrigin);
  frames.second.axis[1] = kNaN;
  expect_refused([&] { (void)make_relation(SliderJoint{frames}); }, {"SliderJoint::frames.second.axis"});
  frames = joint_to_ground(place(kOrigin), kOrigin);
  frames.first.point[2] = kInfinity;
  expect_refused([&] { (void)make_relation(BallJoint{frames}); }, {"BallJoint::frames.first.point"});
  frames = joint_to_ground(place(kOrigin), kOrigin);
  frames.second.normal = 3.0 * frames.second.axis;
  expect_refused([&] { (void)make_relation(FixedJoint{frames}); }, {"frames.second.normal", "along the axis"});
  frames.second.normal.setZero();
  expect_refused([&] { (void)make_relation(UniversalJoint{frames}); },
                 {"UniversalJoint::frames.second.normal", "zero"});
}

TEST(JointsBadInput, NumbersAreRefusedByTheirFields) {
  const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin);
  expect_refused([&] { (void)make_relation(ScrewJoint{frames, 0.0}); }, {"ScrewJoint::pitch", "0"});
  expect_refused([&] { (void)make_relation(ScrewJoint{frames, kNaN}); }, {"ScrewJoint::pitch"});
  expect_refused([&] { (void)make_relation(GearJoint{frames, frames, 0, 3}); }, {"GearJoint::teeth_first"});
  expect_refused([&] { (void)make_relation(GearJoint{frames, frames, 3, 2'000'000}); }, {"GearJoint::teeth_second"});
  expect_refused([&] { (void)make_relation(RackJoint{frames, frames, 0.0}); }, {"RackJoint::radius"});
  expect_refused([&] { (void)make_relation(DistanceJoint{kOrigin, kOrigin, 0.0}); }, {"DistanceJoint::length"});
  expect_refused(
      [&] {
        (void)make_relation(PlanarSlider{{{{0.0, kNaN}, 0.0}, {}}});
      },
      {"PlanarSlider::frames.first.point"});
}

TEST(JointsBadInput, MakersRefuseWhatIsNoBody) {
  expect_refused([] { (void)joint_to_ground(Eigen::VectorXd::Zero(6), kOrigin); }, {"joint_to_ground: q_first", "6"});
  expect_refused(
      [] {
        (void)joint_between(place(kOrigin), place(kOrigin, {0.5, 0.5, 0.5, 0.0}), kOrigin);
      },
      {"joint_between: q_second", "length 0.866", "unit quaternion"});
  expect_refused([] { (void)joint_to_ground(place(kOrigin), kOrigin, Eigen::Vector3d::Zero()); },
                 {"joint_to_ground.axis", "zero"});
  expect_refused([] { (void)planar_joint_to_ground(Eigen::VectorXd::Zero(2), Eigen::Vector2d::Zero()); },
                 {"planar joint: q", "2"});
}

TEST(JointsBadInput, LinksAreRefusedWithTheModelLeftAsItWas) {
  NonSmoothDynamicalSystem model;
  const SystemHandle first = model.add(RigidBody{});
  const SystemHandle point = model.add(LagrangianLinearSystem{.q0 = {0.0, 0.0}});
  const HingeJoint hinge{joint_to_ground(place(kOrigin), {0.5, 0.0, 0.0})};
  expect_refused([&] { link_joint(model, {first, first}, hinge); }, {"system 0 twice", "each system once"});
  expect_refused([&] { link_joint(model, {point}, hinge); },
                 {"a joint's bodies", "system 1 of 2 coordinates and 2 velocities", "bodies in space"});
  HingeJoint apart = hinge;
  apart.frames.second.point[1] += 0.25;
  expect_refused([&] { link_joint(model, {first}, apart, "pin"); }, {"row 1 of pin", "y = -0.25", "closed"});
  EXPECT_EQ(model.num_interactions(), 0);
  EXPECT_NO_THROW(link_joint(model, {first}, apart, "pin", 0.3));
  // A body with as many velocities, whose coordinates are others.
  const SystemHandle six = model.add(LagrangianLinearSystem{.q0 = Eigen::VectorXd::Zero(6)});
  expect_refused([&] { link_joint(model, {six}, hinge); }, {"a joint's bodies", "6 coordinates"});
  // Two bodies in the plane have as many velocities as one in space.
  const SystemHandle left = model.add(PlanarBody{}), right = model.add(PlanarBody{.position = {1.0, 0.0}});
  expect_refused(
      [&] {
        model.link({left, right}, hinge, EqualityLaw{}, "elbow");
      },
      {"elbow: a joint's bodies", "3 coordinates", "of 7 and 6"});
  expect_refused(
      [&] {
        link_joint(model, {left, right}, DistanceJoint{kOrigin, {0.0, 0.0, 0.5}, 1.0}, "rod");
      },
      {"rod: DistanceJoint::second_point", "plane"});
  EXPECT_NO_THROW(link_joint(model, {left, right}, DistanceJoint{kOrigin, kOrigin, 1.0}));
  HingeAngle opposite{.frames = joint_to_ground(place(kOrigin), kOrigin)};
  opposite.frames.second.axis *= -1.0;
  expect_refused([&] { link_joint(model, {first}, opposite, "angle"); }, {"angle: ", "axes opposite"});
}

TEST(JointsBadInput, SystemsThatAreNoBodiesAreRefusedByName) {
  NonSmoothDynamicalSystem model;
  const SystemHandle body = model.add(RigidBody{.name = "arm"});
  const SystemHandle flat = model.add(PlanarBody{.name = "flat"}), other = model.add(PlanarBody{.name = "other"});
  const SystemHandle six = model.add(LagrangianLinearSystem{.q0 = Eigen::VectorXd::Zero(6), .name = "six"});
  const HingeJoint hinge{joint_to_ground(place(kOrigin), kOrigin)};
  const DistanceJoint rod{kOrigin, Eigen::Vector3d::UnitX(), 1.0};
  // Each has as many velocities in all as the joint's bodies would have.
  const auto refused = [&](std::vector<SystemHandle> systems, const AnyRelation& joint, const std::string& found,
                           const std::string& expected) {
    expect_refused([&] { model.link(systems, joint, EqualityLaw{}); }, {"bodies", found, expected});
    expect_refused([&] { link_joint(model, systems, joint); }, {"bodies", found, expected});
  };
  refused({six}, hinge, "six of 6 coordinates and 6 velocities", "in space, of 7 and 6");
  refused({flat, other}, hinge, "flat of 3 coordinates and 3 velocities", "in space, of 7 and 6");
  refused({body}, PlanarHinge{}, "arm of 7 coordinates and 6 velocities", "in the plane, of 3 and 3");
  refused({six}, rod, "six of 6 coordinates", "in space, of 7 and 6, or in the plane");
  refused({six}, HingeAngle{.frames = joint_to_ground(place(kOrigin), kOrigin)}, "six of 6 coordinates", "in space");
  EXPECT_EQ(model.num_interactions(), 0);
  EXPECT_NO_THROW(link_joint(model, {body}, rod));
  EXPECT_NO_THROW(link_joint(model, {flat}, rod));
  EXPECT_NO_THROW(link_joint(model, {flat, other}, PlanarHinge{}));
}

TEST(JointsBadInput, AJointAddedWhileRunningIsClosedAtTheState) {
  // The body moves by 1 m in 1 s; another starts 0.5 m ahead of it then.
  NonSmoothDynamicalSystem model;
  const SystemHandle first = model.add(RigidBody{.velocity = {1.0, 0.0, 0.0}});
  State state = model.initial_state();
  state.t = 1.0;
  state.q(first)[0] = 1.0;
  const SystemHandle second = model.add(RigidBody{.position = {1.5, 0.0, 0.0}});
  const BallJoint joint{{.first = {.point = {0.5, 0.0, 0.0}}}};
  expect_refused([&] { link_joint(model, {first, second}, joint, "ball"); }, {"row 0 of ball", "y = -1"});
  const InteractionHandle ball = link_joint(model, {first, second}, joint, state, "ball");
  EXPECT_EQ(model.migrate(state).q(first)[0], 1.0);
  model.remove(ball);
  state.q(first)[0] = 1.25;
  expect_refused([&] { link_joint(model, {first, second}, joint, state, "ball"); }, {"row 0 of ball", "y = 0.25"});
  EXPECT_EQ(model.num_interactions(), 0);
}

TEST(JointsBadInput, ReactionsAreAskedOfBodiesThatAJointActsOn) {
  NonSmoothDynamicalSystem model;
  const SystemHandle first = model.add(RigidBody{});
  const SystemHandle second = model.add(RigidBody{});
  const SystemHandle point = model.add(LagrangianLinearSystem{.q0 = {0.0, 0.0}});
  const auto pin = link_joint(model, {first}, HingeJoint{joint_to_ground(place(kOrigin), kOrigin)}, "pin");
  const auto rail = model.link(point, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, EqualityLaw{}, "rail");
  const State state = model.initial_state();
  EXPECT_NO_THROW((void)reaction_wrench(model, state, pin, first, kOrigin));
  expect_refused([&] { (void)reaction_wrench(model, state, pin, second, kOrigin); }, {"pin does not act on system 1"});
  expect_refused([&] { (void)reaction_impulse(model, state, rail, point, kOrigin); }, {"2 coordinates"});
  expect_refused([&] { (void)reaction_wrench(model, state, pin, first, {kNaN, 0.0, 0.0}); }, {"point"});
  model.remove(rail);
  expect_refused([&] { (void)reaction_wrench(model, state, pin, first, kOrigin); }, {"another revision"});
}

}  // namespace
}  // namespace nonsmooth::joints_bad_input_test
