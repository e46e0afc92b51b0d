// SPDX-License-Identifier: Apache-2.0
// Laws on rows that they are not for are refused when they are linked, with the law, the row and what would fit; what
// says nothing of its rows, a relation or a law of a user's, is linked as ever.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/row_kinds.hpp>

#include "bad_input.hpp"
#include "joint_bodies.hpp"

namespace nonsmooth::row_kinds_test {
namespace {

using bad_input::expect_refused;
using jointed::place;

const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kRight = Eigen::Vector3d::UnitX();

/// Two bodies one on the other, for joints that are closed there.
class RowKindsOf : public testing::Test {
 protected:
  NonSmoothDynamicalSystem model;
  SystemHandle first = model.add(RigidBody{.name = "first"}), second = model.add(RigidBody{.name = "second"});
  SystemHandle wheel = model.add(PlanarBody{.name = "wheel"}), rack = model.add(PlanarBody{.name = "rack"});
  JointFrames frames = joint_between(place(kOrigin), place(kOrigin), kOrigin, Eigen::Vector3d::UnitZ(), kRight);
  PlanarFrames flat = planar_joint_between(Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), Eigen::Vector2d::Zero());

  void refuse(const AnyRelation& relation, const Law& law, const std::vector<std::string>& parts) {
    refuse({first, second}, relation, law, parts);
  }
  void refuse(const std::vector<SystemHandle>& bodies, const AnyRelation& relation, const Law& law,
              const std::vector<std::string>& parts) {
    expect_refused([&] { model.link(bodies, relation, law, "pin"); }, parts);
    EXPECT_EQ(model.num_interactions(), 0);
  }
  void take(const AnyRelation& relation, const Law& law) { take({first, second}, relation, law); }
  void take(const std::vector<SystemHandle>& bodies, const AnyRelation& relation, const Law& law) {
    EXPECT_NO_THROW(model.remove(model.link(bodies, relation, law, "pin")));
  }
};

TEST_F(RowKindsOf, JointWithFrictionIsNoWeldWhereItsLawIsForgotten) {
  expect_refused(
      [&] {
        link_joint(model, {first, second}, FrictionalHinge{frames}, "pin");
      },
      {"Interaction::law of pin", "EqualityLaw on row 5", "a freedom of a joint, which rubs",
       "HingeFrictionLaw, the law of this joint"});
  EXPECT_EQ(model.num_interactions(), 0);
  refuse(FrictionalBall{frames}, EqualityLaw{}, {"EqualityLaw on row 3", "BallFrictionLaw, the law of this joint"});
  refuse({wheel, rack}, PlanarFrictionalSlider{flat}, EqualityLaw{}, {"row 2", "PlanarSliderFrictionLaw"});
  refuse({wheel, rack}, PlanarFrictionalGear{flat, flat, 2.0}, EqualityLaw{}, {"row 1", "MeshFrictionLaw"});
  refuse(FrictionalHinge{frames}, MixedComplementarityLaw{.equalities = 5, .inequalities = 1},
         {"MixedComplementarityLaw on row 5", "HingeFrictionLaw"});
}

TEST_F(RowKindsOf, LawOfFrictionIsOfItsJointAlone) {
  // A held row would be set free.
  refuse(FixedJoint{frames}, HingeFrictionLaw{},
         {"Interaction::law of pin", "HingeFrictionLaw on row 5, a held row of a joint",
          "HingeFrictionLaw on a freedom of a joint, which rubs there"});
  // As many rows, of other multipliers.
  refuse(FrictionalSlider{frames}, HingeFrictionLaw{},
         {"HingeFrictionLaw on row 5", "SliderFrictionLaw, the law of this joint"});
  refuse(FrictionalScrew{frames, 0.01, 0.02}, HingeFrictionLaw{}, {"ScrewFrictionLaw"});
  refuse(FrictionalUniversal{frames}, CylindricalFrictionLaw{}, {"row 4", "UniversalFrictionLaw"});
  refuse(FrictionalBall{frames}, PlanarJointFrictionLaw{}, {"row 3", "BallFrictionLaw"});
  refuse({wheel, rack}, PlanarFrictionalSlider{flat}, PlanarHingeFrictionLaw{}, {"row 2", "PlanarSliderFrictionLaw"});
  refuse({wheel, rack}, PlanarFixed{flat}, PlanarHingeFrictionLaw{}, {"row 2, a held row"});
  refuse({wheel, rack}, PlanarHinge{flat}, MeshFrictionLaw{}, {"row 1, a held row"});
}

TEST_F(RowKindsOf, SlipIsNotUnilateral) {
  const SpherePair spheres{.first = {.radius = 0.1}, .second = {.radius = 0.1}, .rows = 3};
  for (const Law& law : {Law(NewtonImpactLaw{}), Law(PoissonImpactLaw{}), Law(LiuZhaoBrogliatoImpactLaw{}),
                         Law(SpringDashpotLaw{.stiffness = 1.0})}) {
    refuse(spheres, law, {law.pointer()->name() + " on row 1, the slip of a contact", "a gap"});
    refuse(CollarStop{.frames = frames, .radius = 0.1}, law, {"row 1, the slip of a contact"});
  }
  // Three rows of one disk that rolls are not two tangents.
  refuse(spheres, NewtonImpactRollingFrictionLaw{.rows = 3}, {"row 2, the slip of a contact", "the rolling"});
}

TEST_F(RowKindsOf, HeldRowIsNotUnilateral) {
  refuse(BallJoint{frames}, NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3}, {"row 0, a held row of a joint"});
  refuse(HingeJoint{frames}, NewtonImpactLaw{}, {"row 0, a held row of a joint", "a coordinate"});
}

TEST_F(RowKindsOf, WhatFitsIsLinked) {
  take(FrictionalHinge{frames}, HingeFrictionLaw{});
  take(FrictionalSlider{frames}, SliderFrictionLaw{});
  take(FrictionalBall{frames}, BallFrictionLaw{});
  take(FrictionalCylindrical{frames, 0.1}, CylindricalFrictionLaw{});
  take(FrictionalScrew{frames, 0.01, 0.02}, ScrewFrictionLaw{});
  take(FrictionalUniversal{frames}, UniversalFrictionLaw{});
  take(FrictionalPlanar{frames, 0.1}, PlanarJointFrictionLaw{});
  take(FrictionalGear{frames, frames, 1, 2}, MeshFrictionLaw{});
  take(FrictionalRack{frames, frames, 0.1}, MeshFrictionLaw{});
  take({wheel, rack}, PlanarFrictionalHinge{flat}, PlanarHingeFrictionLaw{});
  take({wheel, rack}, PlanarFrictionalSlider{flat}, PlanarSliderFrictionLaw{});
  take({wheel, rack}, PlanarFrictionalGear{flat, flat, 2.0}, MeshFrictionLaw{});
  take({wheel, rack}, PlanarFrictionalRack{flat, flat, 0.1}, MeshFrictionLaw{});
  const SpherePair spheres{.first = {.radius = 0.1}, .second = {.radius = 0.1}, .rows = 3};
  take(spheres, NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3});
  take(spheres, EqualityLaw{});  // a ball that rolls and stays
  take(CollarStop{.frames = frames, .radius = 0.1}, NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 2});
  take(DistanceJoint{.length = 1.0}, NewtonImpactLaw{});  // of a rope
  const auto still = [](double) { return 0.0; };
  take(HingeMotor{.frames = frames, .velocity = still}, NewtonImpactLaw{});  // a freewheel
  take(HingeAngle{.frames = frames}, RelayLaw{});
  take(FixedJoint{frames}, SpringDamperLaw{.stiffness = 10.0});  // a bushing
}

/// Of a user: what it holds of each body's x is a joint of its own kind of friction.
class OwnJoint : public MechanicalRelation {
 public:
  [[nodiscard]] Index rows() const override { return 6; }
  void h(double, ConstVectorRef q, VectorRef y) const override { y = q.head(6); }
  void H(double, ConstVectorRef, MatrixRef jacobian) const override { jacobian.leftCols(6).setIdentity(); }
};
class OwnJointOfRows final : public OwnJoint, public RelationOfRows {
 public:
  [[nodiscard]] RowMeaning row_meaning(Index row) const override {
    return row < 5 ? RowMeaning{RowKind::Held} : RowMeaning{RowKind::Rubbing, "HingeFrictionLaw"};
  }
};
/// Six rows of forces of zero.
class OwnLaw : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse) const override { return {.size = 6}; }
  void block(const LawContext&, LawBlock& block) const override {
    BlockSet set;
    set.kind = SetKind::Box;
    set.lower = set.upper = 0.0;
    block.parts.assign(6, {set, 1});
  }
};
class OwnLawOfRows final : public OwnLaw, public LawOfRows {
 public:
  [[nodiscard]] std::string name() const override { return "OwnLawOfRows"; }
  [[nodiscard]] std::vector<RowKinds> row_kinds(LawUse) const override {
    return std::vector<RowKinds>(6, RowKinds{RowKind::Held});
  }
};

TEST_F(RowKindsOf, UsersSayWhatTheirsAreOrNothing) {
  const auto silent = std::make_shared<const OwnJoint>();
  const auto joint = std::make_shared<const OwnJointOfRows>();
  const Law own = std::make_shared<const OwnLaw>(), asking = std::make_shared<const OwnLawOfRows>();
  for (const Law& law :
       {Law(EqualityLaw{}), Law(HingeFrictionLaw{}), Law(SliderFrictionLaw{}), Law(NewtonImpactLaw{}), own, asking})
    take({first}, silent, law);
  take({first}, joint, HingeFrictionLaw{});
  take({first}, joint, own);
  take(FrictionalSlider{frames}, own);
  take(FixedJoint{frames}, asking);
  refuse({first}, joint, SliderFrictionLaw{},
         {"SliderFrictionLaw on row 5", "HingeFrictionLaw, the law of this joint"});
  refuse({first}, joint, asking, {"OwnLawOfRows on row 5", "OwnLawOfRows on a held row of a joint there"});
  refuse({first}, joint, NewtonImpactLaw{}, {"NewtonImpactLaw on row 0, a held row"});
}

}  // namespace
}  // namespace nonsmooth::row_kinds_test
