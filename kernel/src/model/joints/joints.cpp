// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/relations/joints.hpp>

#include <numbers>

#include "joint_rows.hpp"

namespace nonsmooth {
namespace {

using joints::JointShape;
using joints::make_pair_joint;
using joints::Normals;

constexpr JointShape kFixed{.points = true, .crosses = {{{0, 1}, {1, 2}, {2, 0}}}, .num_crosses = 3};
constexpr JointShape kBall{.points = true};
constexpr JointShape kHinge{.points = true, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2};
constexpr JointShape kSlider{
    .offsets = {0, 1}, .num_offsets = 2, .crosses = {{{0, 1}, {1, 2}, {2, 0}}}, .num_crosses = 3};
constexpr JointShape kCylindrical{.offsets = {0, 1}, .num_offsets = 2, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2};
constexpr JointShape kUniversal{.points = true, .crosses = {{{2, 0}}}, .num_crosses = 1};
constexpr JointShape kPlanar{.offsets = {2}, .num_offsets = 1, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2};
constexpr JointShape kScrew{
    .offsets = {0, 1}, .num_offsets = 2, .crosses = {{{2, 0}, {2, 1}}}, .num_crosses = 2, .thread = true};

}  // namespace

std::shared_ptr<const MechanicalRelation> make_relation(FixedJoint joint) {
  return make_pair_joint(kFixed, "FixedJoint", joint.frames, Normals::Both);
}
std::shared_ptr<const MechanicalRelation> make_relation(BallJoint joint) {
  return make_pair_joint(kBall, "BallJoint", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(HingeJoint joint) {
  return make_pair_joint(kHinge, "HingeJoint", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(SliderJoint joint) {
  return make_pair_joint(kSlider, "SliderJoint", joint.frames, Normals::Both);
}
std::shared_ptr<const MechanicalRelation> make_relation(CylindricalJoint joint) {
  return make_pair_joint(kCylindrical, "CylindricalJoint", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(UniversalJoint joint) {
  return make_pair_joint(kUniversal, "UniversalJoint", joint.frames, Normals::Second);
}
std::shared_ptr<const MechanicalRelation> make_relation(PlanarJoint joint) {
  return make_pair_joint(kPlanar, "PlanarJoint", joint.frames, Normals::Any);
}
std::shared_ptr<const MechanicalRelation> make_relation(ScrewJoint joint) {
  return make_pair_joint({.shape = kScrew,
                          .frames = joints::placed("ScrewJoint::frames", joint.frames, Normals::Both),
                          .advance = joints::not_zero("ScrewJoint::pitch", joint.pitch) / (2.0 * std::numbers::pi)});
}
std::shared_ptr<const MechanicalRelation> make_relation(GearJoint joint) {
  return joints::make_gear("GearJoint", joint, false);
}
std::shared_ptr<const MechanicalRelation> make_relation(RackJoint joint) {
  return joints::make_rack("RackJoint", joint, false);
}

}  // namespace nonsmooth
