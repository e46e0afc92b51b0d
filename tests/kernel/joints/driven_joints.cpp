// SPDX-License-Identifier: Apache-2.0
// Motors, drives and what they exert, for every joint of one freedom that they drive: hinges, sliders, screws, in space
// and in the plane.
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/joint_bodies.hpp"

namespace nonsmooth::driven_joints_test {
namespace {

using Function = std::function<double(double)>;

constexpr double kMass = 2.0, kInertia = 0.4, kPitch = 3.0;
const Eigen::Vector3d kAxis = Eigen::Vector3d(1.0, 2.0, 2.0) / 3.0;
constexpr double kPlaneAxis = 0.5;  // of a slider in the plane [rad]

enum class Driven : unsigned char { Hinge, Cylindrical, Screw, Planar, Slider, PlaneHinge, PlaneSlider };

/// A body of 2 kg, 0.4 kg m^2 about every axis, on a joint with the ground through its centre, at rest.
struct DrivenBody {
  Driven kind;
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle joint;
  JointFrames frames;
  PlanarFrames plane;

  explicit DrivenBody(Driven of) : kind(of) {
    if (in_plane()) {
      body = model.add(PlanarBody{.mass = kMass, .inertia = kInertia});
      plane = planar_joint_to_ground(Eigen::Vector3d::Zero(), Eigen::Vector2d::Zero(), kPlaneAxis);
      joint = kind == Driven::PlaneHinge ? link_joint(model, {body}, PlanarHinge{plane}, "joint")
                                         : link_joint(model, {body}, PlanarSlider{plane}, "joint");
      return;
    }
    body = model.add(RigidBody{.mass = kMass, .inertia = kInertia * Eigen::Matrix3d::Identity()});
    frames = joint_to_ground(jointed::place(Eigen::Vector3d::Zero()), Eigen::Vector3d::Zero(), kAxis, {2.0, 1.0, -2.0});
    const auto link = [&](const AnyRelation& relation) { joint = link_joint(model, {body}, relation, "joint"); };
    if (kind == Driven::Hinge) link(HingeJoint{frames});
    if (kind == Driven::Cylindrical) link(CylindricalJoint{frames});
    if (kind == Driven::Screw) link(ScrewJoint{frames, kPitch});
    if (kind == Driven::Planar) link(PlanarJoint{frames});
    if (kind == Driven::Slider) link(SliderJoint{frames});
  }

  [[nodiscard]] bool in_plane() const { return kind == Driven::PlaneHinge || kind == Driven::PlaneSlider; }
  [[nodiscard]] bool slides() const { return kind == Driven::Slider || kind == Driven::PlaneSlider; }
  /// Of the coordinate: m, J, or J + m (pitch / 2 pi)^2.
  [[nodiscard]] double inertia() const {
    if (slides()) return kMass;
    const double advance = kPitch / (2.0 * std::numbers::pi);
    return kInertia + (kind == Driven::Screw ? kMass * advance * advance : 0.0);
  }
  [[nodiscard]] AnyRelation motor(const Function& position, const Function& velocity, const Function& second = {},
                                  double k = 0.0) const {
    if (kind == Driven::PlaneHinge) return PlanarHingeMotor{plane, position, velocity, second, k};
    if (kind == Driven::PlaneSlider) return PlanarSliderMotor{plane, position, velocity, second, k};
    if (kind == Driven::Slider) return SliderMotor{frames, position, velocity, second, k};
    return HingeMotor{frames, position, velocity, second, k};
  }
  /// The rate of the coordinate, from the body's own velocities.
  [[nodiscard]] double rate(const State& state) const {
    const Eigen::VectorXd v = state.v(body);
    if (kind == Driven::PlaneHinge) return v[2];
    if (kind == Driven::PlaneSlider) return v[0] * std::cos(kPlaneAxis) + v[1] * std::sin(kPlaneAxis);
    return kind == Driven::Slider ? kAxis.dot(v.head<3>()) : kAxis.dot(v.tail<3>());
  }
  /// What a wrench does along the freedom's own axis: its moment, or its force.
  [[nodiscard]] double along(const Wrench& wrench) const {
    if (kind == Driven::PlaneHinge) return wrench.moment[2];
    if (kind == Driven::PlaneSlider)
      return wrench.force[0] * std::cos(kPlaneAxis) + wrench.force[1] * std::sin(kPlaneAxis);
    return kind == Driven::Slider ? kAxis.dot(wrench.force) : kAxis.dot(wrench.moment);
  }
};

class DrivenJoints : public testing::TestWithParam<Driven> {};

// y'' = -w^2 (y - 1) - 2 a y' from rest at 0, w^2 = 100, a = 2: 1 - exp(-a t) (cos b t + a / b sin b t).
constexpr double kW2 = 100.0, kA = 2.0, kEnd = 0.7;
double driven_place(double t) {
  const double b = std::sqrt(kW2 - kA * kA);
  return 1.0 - std::exp(-kA * t) * (std::cos(b * t) + kA / b * std::sin(b * t));
}
double driven_rate(double t) {
  const double b = std::sqrt(kW2 - kA * kA);
  return std::exp(-kA * t) * kW2 / b * std::sin(b * t);
}

TEST_P(DrivenJoints, ADriveOfTwoGainsIsADampedSpring) {
  for (const bool by_events : {false, true}) {
    DrivenBody driven(GetParam());
    const double M = driven.inertia();
    const auto drive = driven.model.link(driven.body, driven.motor([](double) { return 1.0; }, {}),
                                         SpringDamperLaw{.stiffness = kW2 * M, .damping = 2.0 * kA * M}, "drive");
    const auto check = [&](const State& state, double tolerance) {
      EXPECT_NEAR(1.0 + state.y(drive)[0], driven_place(kEnd), tolerance);
      EXPECT_NEAR(driven.rate(state), driven_rate(kEnd), 10.0 * tolerance);
    };
    if (by_events) {
      EventDriven run(driven.model, {.relative_tolerance = 1e-10});
      const RunReport report = run.advance_to(kEnd);
      ASSERT_TRUE(report) << report.message();
      check(run.state(), 1e-8);
    } else {
      // Order 2: (w h)^2 / 12 of a phase w t = 7, and of the same size in the damping.
      TimeStepping run(driven.model, {.step = 1e-3});
      const RunReport report = run.advance_to(kEnd);
      ASSERT_TRUE(report) << report.message();
      check(run.state(), 1e-4);
    }
  }
}

TEST_P(DrivenJoints, AMotorOfBoundedForceSpeedsUpAtIt) {
  // y'' = 2 until y' = 1, at 0.5 s; then as fast, at no force. By a relay, and by a damper so strong that it is one to
  // 2 M / d = 1e-6 m/s.
  DrivenBody relay(GetParam()), damper(GetParam());
  const double limit = 2.0 * relay.inertia();
  const auto unit = [](double) { return 1.0; };
  const auto motor = relay.model.link(relay.body, relay.motor({}, unit), RelayLaw{.lower = -limit, .upper = limit});
  damper.model.link(damper.body, damper.motor({}, unit),
                    SpringDamperLaw{.damping = 1e6 * limit, .lower = -limit, .upper = limit});
  TimeStepping run(relay.model, {.step = 1e-2}), other(damper.model, {.step = 1e-2});
  ASSERT_TRUE(run.advance_to(0.25));
  ASSERT_TRUE(other.advance_to(0.25));
  EXPECT_NEAR(relay.rate(run.state()), 0.5, 1e-8);  // 25 steps of a solver's 1e-10
  EXPECT_NEAR(damper.rate(other.state()), 0.5, 1e-8);
  EXPECT_NEAR(run.state().force(motor)[0], limit, 1e-7);
  ASSERT_TRUE(run.advance_to(1.0));
  ASSERT_TRUE(other.advance_to(1.0));
  EXPECT_NEAR(relay.rate(run.state()), 1.0, 1e-8);
  EXPECT_NEAR(damper.rate(other.state()), 1.0, 2e-6);
  EXPECT_NEAR(run.state().force(motor)[0], 0.0, 1e-6);
}

TEST_P(DrivenJoints, AMotorTakesWhatTheMotionAsksFor) {
  // y = 1 - cos 3 t from rest: the motor's M y'' = 9 M cos 3 t.
  DrivenBody driven(GetParam());
  const auto motor = driven.model.link(
      driven.body,
      driven.motor([](double t) { return 1.0 - std::cos(3.0 * t); }, [](double t) { return 3.0 * std::sin(3.0 * t); },
                   [](double t) { return 9.0 * std::cos(3.0 * t); }),
      EqualityLaw{}, "motor");
  EventDriven run(driven.model, {.relative_tolerance = 1e-10});
  const RunReport report = run.advance_to(2.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(driven.rate(run.state()), 3.0 * std::sin(6.0), 1e-9);
  EXPECT_NEAR(run.state().force(motor)[0], 9.0 * driven.inertia() * std::cos(6.0), 1e-7);
}

TEST_P(DrivenJoints, WrenchesOfMotorAndJointAreWhatMovesTheBody) {
  DrivenBody driven(GetParam());
  const double M = driven.inertia();
  const auto drive = driven.model.link(driven.body, driven.motor([](double) { return 1.0; }, {}),
                                       SpringDamperLaw{.stiffness = kW2 * M, .damping = 2.0 * kA * M}, "drive");
  TimeStepping run(driven.model, {.step = 1e-3});
  ASSERT_TRUE(run.advance_to(0.1));
  const Eigen::VectorXd before = run.state().v(driven.body);
  ASSERT_TRUE(run.step());
  const Eigen::VectorXd change = (run.state().v(driven.body) - before) / run.state().last_step;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
  // Of bodies in space, a screw's among them, H is where the step ended.
  const Eigen::VectorXd place = run.state().q(driven.body);
  at.head(driven.in_plane() ? 2 : 3) = place.head(driven.in_plane() ? 2 : 3);
  const Wrench by_drive = reaction_wrench(run, drive, driven.body, at);
  const Wrench by_joint = reaction_wrench(run, driven.joint, driven.body, at);
  EXPECT_NEAR(driven.along(by_drive), run.state().force(drive)[0], 1e-10);
  EXPECT_GT(std::abs(run.state().force(drive)[0]), 5.0 * M);
  // Inertias about all axes are one number, so that no gyroscopic moment is there: m a and J w', of 100 N at most, by
  // differences of velocities over 1e-3 s.
  const Eigen::Vector3d force = by_drive.force + by_joint.force, moment = by_drive.moment + by_joint.moment;
  if (driven.in_plane()) {
    EXPECT_LE((force.head<2>() - kMass * change.head<2>()).norm(), 1e-9);
    EXPECT_EQ(force[2], 0.0);
    EXPECT_NEAR(moment[2], kInertia * change[2], 1e-9);
  } else {
    EXPECT_LE((force - kMass * change.head<3>()).norm(), 1e-9);
    // Spins are in the body's axes; about its axis of turn these are those of space.
    EXPECT_NEAR(kAxis.dot(moment), kInertia * kAxis.dot(change.tail<3>()), 1e-9);
    EXPECT_LE((moment - kAxis * kAxis.dot(moment)).norm(), 1e-9);
  }
}

std::string name_of(const testing::TestParamInfo<Driven>& info) {
  const char* const names[] = {"Hinge", "Cylindrical", "Screw", "Planar", "Slider", "PlaneHinge", "PlaneSlider"};
  return names[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(All, DrivenJoints,
                         testing::Values(Driven::Hinge, Driven::Cylindrical, Driven::Screw, Driven::Planar,
                                         Driven::Slider, Driven::PlaneHinge, Driven::PlaneSlider),
                         name_of);

// The gains as a compliant motor and a damper, of hinges and sliders: backward in time, order 1.
class CompliantMotors : public testing::TestWithParam<Driven> {};

TEST_P(CompliantMotors, AreTheSameDriveOfOrderOne) {
  const auto error = [](double h) {
    DrivenBody driven(GetParam());
    const double M = driven.inertia(), slope = 1.0 / (2.0 * kA * M);
    const auto one = [](double) { return 1.0; };
    const auto rest = [](double) { return 0.0; };
    driven.model.link(driven.body, driven.motor(one, {}, {}, kW2 * M), EqualityLaw{});
    driven.model.link(driven.body, driven.motor({}, rest),
                      PiecewiseLinearLaw{.slope_before = slope, .slope_after = slope});
    TimeStepping run(driven.model, {.step = h});
    const RunReport report = run.advance_to(kEnd);
    EXPECT_TRUE(report) << report.message();
    return driven.rate(run.state()) - driven_rate(kEnd);
  };
  const double coarse = error(1e-3), fine = error(5e-4);
  EXPECT_LE(std::abs(coarse), 10.0 * 10.0 * kEnd * 1e-2);
  EXPECT_NEAR(coarse / fine, 2.0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, CompliantMotors,
                         testing::Values(Driven::Hinge, Driven::Screw, Driven::Slider, Driven::PlaneHinge,
                                         Driven::PlaneSlider),
                         name_of);

}  // namespace
}  // namespace nonsmooth::driven_joints_test
