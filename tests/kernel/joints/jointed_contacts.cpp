// SPDX-License-Identifier: Apache-2.0
// Bodies that joints link and shapes that overlap there: what their sources leave out when they are asked to.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::jointed_contacts_test {
namespace {

using bad_input::expect_refused;
using jointed::place;

const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero(), kUp = Eigen::Vector3d::UnitZ();
const Eigen::Vector3d kAcross = Eigen::Vector3d(1.0, 1.0, 0.0).normalized();
constexpr double kHalf = 0.2, kRadius = 0.05, kOverlap = 0.04;
const Eigen::Vector3d kPin(0.25 * kRadius, 0.0, 0.5 * kOverlap - kHalf), kBelow = 2.0 * kPin;

/// Two links, capsules along z side by side whose ends overlap about the pin between them, and a third one that stands
/// beside.
struct Arm {
  static constexpr double kSpin = 2.0;
  NonSmoothDynamicalSystem model;
  SystemHandle upper, lower, beside;
  std::vector<BodyShapes> bodies;
  std::vector<ShapeOnBody> ground{{.shape = HalfSpace{.normal = kUp, .offset = kBelow[2] - kHalf - kRadius + 0.01}}};

  explicit Arm(const AnyRelation& joint, const Law& law = EqualityLaw{}) {
    upper = add(kOrigin, "upper");
    lower = add(kBelow, "lower", kSpin);
    beside = add({1.5 * kRadius, 0.0, 0.0}, "beside");
    model.link({upper, lower}, joint, law, "pin");
  }
  [[nodiscard]] static JointFrames pin() { return joint_between(place(kOrigin), place(kBelow), kPin, kAcross, kUp); }
  /// The lower link turns about the pin.
  SystemHandle add(const Eigen::Vector3d& at, const std::string& name, double spin = 0.0) {
    const SystemHandle body = model.add(RigidBody{.inertia = Eigen::Vector3d(0.02, 0.02, 0.002).asDiagonal(),
                                                  .position = at,
                                                  .velocity = spin * jointed::cross(kAcross, at - kPin),
                                                  .angular_velocity = spin * kAcross,
                                                  .name = name});
    bodies.push_back({body, {{.shape = Capsule{kRadius, kHalf}}}});
    return body;
  }
  [[nodiscard]] BodyContacts source() const { return {bodies, ground, NewtonImpactLaw{}}; }
  [[nodiscard]] std::size_t overlaps(const BodyContacts& source) const {
    return interpenetrations(model.initial_state(), source).size();
  }
};

TEST(JointedContacts, LinksOfAPinLeaveEachOtherAloneAndMeetWhatElseThereIs) {
  const Arm arm(HingeJoint{Arm::pin()});
  // Upper and lower at the pin, both at the one beside, the lower one in the ground.
  EXPECT_EQ(arm.overlaps(arm.source()), 4u);
  const BodyContacts source = arm.source().exclude_jointed(arm.model);
  const auto left = interpenetrations(arm.model.initial_state(), source);
  ASSERT_EQ(left.size(), 3u);
  for (const Interpenetration& pair : left) EXPECT_FALSE(pair.first.body == 0 && pair.second.body == 1);
  EXPECT_EQ(arm.overlaps(arm.source().exclude_jointed(arm.model).exclude_ground(arm.lower)), 2u);
  EXPECT_EQ(arm.overlaps(arm.source().exclude_ground(arm.upper)), 4u);                  // which is not in it
  EXPECT_EQ(source.pairs(arm.model).size() + 1, arm.source().pairs(arm.model).size());  // by events
}

TEST(JointedContacts, ArmMovesAsOneWithoutShapes) {
  // The two links alone: where they are left out, no bit is another than without a source; else their contacts on both
  // sides of the pin are against the spin, which a step stops, if Newton's iteration ends at all.
  const auto end_of = [](bool shapes, bool excluded) {
    Arm arm(HingeJoint{Arm::pin()});
    arm.model.remove(arm.beside);
    arm.bodies.pop_back();
    arm.ground.clear();
    BodyContacts source = arm.source();
    if (excluded) source.exclude_jointed(arm.model);
    if (shapes) arm.model.detect(std::make_shared<const BodyContacts>(source));
    TimeStepping simulation(arm.model, {.step = 1e-2});
    const RunReport report = simulation.advance_to(0.5);
    EXPECT_TRUE(report || (shapes && !excluded)) << report.message();
    return simulation.state();
  };
  const State alone = end_of(false, false), excluded = end_of(true, true), fighting = end_of(true, false);
  EXPECT_EQ(excluded.positions, alone.positions);
  EXPECT_EQ(excluded.unknowns, alone.unknowns);
  EXPECT_EQ(excluded.multipliers, alone.multipliers);
  EXPECT_GT((fighting.positions - alone.positions).norm(), 0.1);
}

TEST(JointedContacts, JointsAreWhatHoldsRows) {
  const auto pair_is_left_out = [](const Arm& arm) {
    return arm.overlaps(arm.source().exclude_jointed(arm.model)) + 1 == arm.overlaps(arm.source());
  };
  EXPECT_TRUE(pair_is_left_out(Arm(FixedJoint{Arm::pin()}, SpringDamperLaw{.stiffness = 1e3})));  // a bushing
  EXPECT_TRUE(pair_is_left_out(Arm(FrictionalHinge{Arm::pin()}, HingeFrictionLaw{})));
  EXPECT_TRUE(pair_is_left_out(Arm(GearJoint{Arm::pin(), Arm::pin()})));
  EXPECT_FALSE(pair_is_left_out(Arm(DistanceJoint{.length = kBelow.norm()})));
  EXPECT_FALSE(pair_is_left_out(Arm(HingeMotor{.frames = Arm::pin(), .velocity = [](double) { return 0.0; }})));
  EXPECT_FALSE(pair_is_left_out(Arm(HingeAngle{.frames = Arm::pin(), .offset = -1.0}, NewtonImpactLaw{})));
}

/// Of a user, whose rows say nothing.
class OwnJoint final : public MechanicalRelation {
 public:
  explicit OwnJoint(bool joins) : joins_(joins) {}
  [[nodiscard]] Index rows() const override { return 1; }
  void h(double, ConstVectorRef q, VectorRef y) const override { y[0] = q[0] - q[7]; }
  void H(double, ConstVectorRef, MatrixRef jacobian) const override { jacobian(0, 0) = 1.0, jacobian(0, 6) = -1.0; }
  [[nodiscard]] bool is_joint() const override { return joins_; }

 private:
  bool joins_;
};

TEST(JointedContacts, UsersRelationIsAJointWhereItSaysSo) {
  for (const bool joins : {false, true}) {
    const Arm arm{std::make_shared<const OwnJoint>(joins)};
    EXPECT_EQ(arm.overlaps(arm.source().exclude_jointed(arm.model)), joins ? 3u : 4u);
  }
}

TEST(JointedContacts, BodiesThatAreNotThereAreRefused) {
  Arm arm(HingeJoint{Arm::pin()});
  BodyContacts source = arm.source();
  expect_refused([&] { source.exclude_ground(SystemHandle{}); }, {"BodyContacts::exclude", "not of this source"});
  NonSmoothDynamicalSystem other;
  EXPECT_THROW(source.exclude_jointed(other), InvalidArgument);
  // Joints of bodies without shapes are passed over.
  const auto motor = arm.model.add(RigidBody{.name = "motor"});
  link_joint(arm.model, {motor, arm.upper}, FixedJoint{joint_between(place(kOrigin), place(kOrigin), kOrigin)});
  EXPECT_EQ(arm.overlaps(arm.source().exclude_jointed(arm.model)), 3u);
}

TEST(JointedContacts, OfThePlaneToo) {
  NonSmoothDynamicalSystem model;
  std::vector<PlanarBodyShapes> bodies;
  for (int b = 0; b < 3; ++b) {
    const Eigen::Vector2d at(0.5 * b, 0.1);
    bodies.push_back({model.add(PlanarBody{.position = at}), {{.shape = Disk{0.3}}}});
  }
  const std::vector<PlanarShapeOnBody> ground{{.shape = HalfPlane{.normal = {0.0, 1.0}}}};
  const auto overlaps = [&](const PlanarContacts& source) {
    return interpenetrations(model.initial_state(), source).size();
  };
  PlanarContacts source(bodies, ground, NewtonImpactLaw{});
  EXPECT_EQ(overlaps(source), 5u);  // neighbours, and each with the ground
  const auto q = [&](int b) { return Eigen::Vector3d(0.5 * b, 0.1, 0.0); };
  link_joint(model, {bodies[0].body, bodies[1].body}, PlanarHinge{planar_joint_between(q(0), q(1), {0.25, 0.1})});
  link_joint(model, {bodies[2].body}, PlanarHinge{planar_joint_to_ground(q(2), {1.0, 0.1})});
  EXPECT_EQ(overlaps(source.exclude_jointed(model)), 4u);
  EXPECT_EQ(overlaps(source.exclude_ground(bodies[2].body)), 3u);
  expect_refused([&] { source.exclude_ground(SystemHandle{}); }, {"PlanarContacts::exclude"});
}

}  // namespace
}  // namespace nonsmooth::jointed_contacts_test
