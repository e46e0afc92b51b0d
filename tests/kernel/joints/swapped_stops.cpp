// SPDX-License-Identifier: Apache-2.0
// Stops whose lower one is above the upper one leave no room: the examination tells the pair.
#include <string>

#include <gtest/gtest.h>

#include "kernel/joint_bodies.hpp"

namespace nonsmooth::swapped_stops_test {
namespace {

/// The remarks on pairs of rows of a model that does not move.
Remarks pairs_of(const NonSmoothDynamicalSystem& model) {
  TimeStepping run(model, {.step = 1e-2, .examination = Examination::Report});
  Remarks pairs;
  for (const Remark& remark : run.examination())
    if (remark.subject.find(" and ") != std::string::npos) pairs.push_back(remark);
  return pairs;
}

/// A wheel at an angle of the plane with stops at `lower` and `upper`.
Remarks of_wheel(double angle, double lower, double upper) {
  NonSmoothDynamicalSystem model;
  const auto wheel = model.add(PlanarBody{.angle = angle});
  link_joint(model, {wheel}, PlanarHinge{}, "hinge");
  model.link({wheel}, PlanarAngle{.offset = lower}, NewtonImpactLaw{}, "lower");
  model.link({wheel}, PlanarAngle{.offset = upper, .direction = -1.0}, NewtonImpactLaw{}, "upper");
  return pairs_of(model);
}

TEST(SwappedStops, AreToldTogetherWhicheverIsPassed) {
  // y_1 + y_2 = upper - lower = -1 wherever the wheel is: between both, past one alone, and past the other.
  for (const double angle : {0.0, 0.7, -0.7}) {
    const Remarks pairs = of_wheel(angle, 0.5, -0.5);
    ASSERT_EQ(pairs.size(), 1u) << angle;
    EXPECT_NE(pairs[0].subject.find("row 0 of lower"), std::string::npos) << pairs[0].message();
    EXPECT_NE(pairs[0].subject.find("row 0 of upper"), std::string::npos) << pairs[0].message();
    EXPECT_EQ(pairs[0].kind, Remark::Kind::Interpenetration);
    EXPECT_NEAR(pairs[0].value, 1.0, 1e-15);
    EXPECT_FALSE(pairs[0].refused);
  }
}

TEST(SwappedStops, AreToldOfHingesAndSlidersInSpace) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{});
  const JointFrames frames = joint_to_ground(jointed::place(Eigen::Vector3d::Zero()), Eigen::Vector3d::Zero(),
                                             Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX());
  link_joint(model, {body}, CylindricalJoint{frames}, "sleeve");
  model.link({body}, HingeAngle{.frames = frames, .offset = 0.5}, NewtonImpactLaw{}, "turn lower");
  model.link({body}, HingeAngle{.frames = frames, .offset = -0.5, .direction = -1.0}, NewtonImpactLaw{}, "turn upper");
  model.link({body}, SliderPosition{.frames = frames, .offset = 0.2}, NewtonImpactLaw{}, "way lower");
  model.link({body}, SliderPosition{.frames = frames, .offset = -0.1, .direction = -1.0}, NewtonImpactLaw{},
             "way upper");
  const Remarks pairs = pairs_of(model);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].subject, "row 0 of turn lower and row 0 of turn upper");
  EXPECT_EQ(pairs[1].subject, "row 0 of way lower and row 0 of way upper");
  EXPECT_NEAR(pairs[0].value, 1.0, 1e-14);
  EXPECT_NEAR(pairs[1].value, 0.3, 1e-14);
}

TEST(SwappedStops, NothingIsToldOfStopsThatLeaveRoom) {
  // Past one of them, which is told alone, with room between both, and with none to spare.
  EXPECT_TRUE(of_wheel(0.7, -0.5, 0.5).empty());
  EXPECT_TRUE(of_wheel(0.7, 0.5, 0.5).empty());
}

}  // namespace
}  // namespace nonsmooth::swapped_stops_test
