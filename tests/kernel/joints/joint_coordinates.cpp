// SPDX-License-Identifier: Apache-2.0
// Angles and ways of joints: derivatives, stops, motors.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joint_coordinates_test {
namespace {

using jointed::exponential;
using jointed::place;

constexpr double kPi = std::numbers::pi;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero();

Eigen::VectorXd about_z(double angle, double z = 0.0) { return place({0.0, 0.0, z}, exponential({0.0, 0.0, angle})); }

double value_of(const MechanicalRelation& relation, const Eigen::VectorXd& q, double t = 0.0) {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(1);
  relation.h(t, q, y);
  return y[0];
}

JointFrames pin() { return joint_to_ground(about_z(0.0), kOrigin); }

TEST(JointCoordinates, AnAngleIsThatOfTheHingeInItsRange) {
  // The ground's frame reached from a start that is turned, by either quaternion: the angle counts from the start.
  for (const double sign : {1.0, -1.0}) {
    Eigen::VectorXd start = about_z(2.5);
    start.tail<4>() *= sign;
    const JointFrames frames = joint_to_ground(start, kOrigin);
    const auto one = make_relation(HingeAngle{.frames = frames, .reference = 1.0, .offset = 0.5});
    const auto back = make_relation(HingeAngle{.frames = frames, .offset = 0.5, .direction = -1.0});
    const auto two = make_relation(HingeAngle{.frames = frames, .reference = 1.0, .offset = 0.5, .turns = 2});
    for (int k = -60; k <= 60; ++k) {
      const double angle = 0.1 * k;
      Eigen::VectorXd q = about_z(2.5 + angle);
      q.tail<4>() *= sign;
      // Angles to some eps of 10.
      if (std::abs(angle - 1.0) < kPi) {
        EXPECT_NEAR(value_of(*one, q), angle - 0.5, 1e-14) << k;
      }
      if (std::abs(angle) < kPi) {
        EXPECT_NEAR(value_of(*back, q), 0.5 - angle, 1e-14) << k;
      }
      if (std::abs(angle - 1.0) < 2.0 * kPi) {
        EXPECT_NEAR(value_of(*two, q), angle - 0.5, 1e-14) << k;
      }
    }
  }
}

TEST(JointCoordinates, RatesAndCurvatureAreThoseOfTheMotion) {
  // A body that turns about its pin and slides along it at constant rates, from any place.
  const Eigen::Vector3d axis = Eigen::Vector3d(1.0, 2.0, -2.0) / 3.0;
  const Eigen::VectorXd q = place({0.3, -0.2, 0.5}, exponential({0.4, 0.1, -0.7}));
  const JointFrames frames = joint_to_ground(q, q.head<3>(), axis);
  const Eigen::Vector4d back(q[3], -q[4], -q[5], -q[6]);
  const Eigen::VectorXd v = (Eigen::VectorXd(6) << 0.6 * axis, 1.7 * jointed::turned(back, axis)).finished();
  const auto angle = make_relation(HingeAngle{.frames = frames});
  const auto way = make_relation(SliderPosition{.frames = frames});
  const auto motor = make_relation(HingeMotor{.frames = frames, .angle = [](double t) { return std::sin(3.0 * t); }});
  const auto given = make_relation(SliderMotor{.frames = frames,
                                               .position = [](double t) { return std::sin(3.0 * t); },
                                               .velocity = [](double t) { return 3.0 * std::cos(3.0 * t); },
                                               .acceleration = [](double t) { return -9.0 * std::sin(3.0 * t); }});
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(1, 6);
  Eigen::VectorXd value = Eigen::VectorXd::Zero(1);
  angle->H(0.0, q, H);
  EXPECT_NEAR((H * v)[0], 1.7, 1e-15 * 10);
  way->H(0.0, q, H);
  EXPECT_NEAR((H * v)[0], 0.6, 1e-15 * 10);
  for (const auto& relation : {angle, way}) {
    relation->curvature(0.0, q, v, value);
    EXPECT_NEAR(value[0], 0.0, 1e-14);
    EXPECT_FALSE(relation->depends_on_time());
  }
  const double t = 0.4;
  EXPECT_NEAR(value_of(*motor, q, t), -std::sin(1.2), 1e-15 * 10);
  motor->h_t(t, q, value);
  // s = 6e-6: s^2 27 / 6 and eps / s.
  EXPECT_NEAR(value[0], -3.0 * std::cos(1.2), 3e-10);
  motor->curvature(t, q, v, value);
  // s = 1.2e-4: s^2 81 / 12 and 4 eps / s^2.
  EXPECT_NEAR(value[0], 9.0 * std::sin(1.2), 2e-7);
  given->h_t(t, q, value);
  EXPECT_EQ(value[0], -3.0 * std::cos(3.0 * t));
  given->curvature(t, q, v, value);
  EXPECT_NEAR(value[0], 9.0 * std::sin(1.2), 1e-14);
}

TEST(JointCoordinates, DifferencesOfAMotorStayFineInLongRuns) {
  const double t = 1e4;
  const auto motor = make_relation(HingeMotor{.frames = pin(), .angle = [](double at) { return std::sin(10.0 * at); }});
  const Eigen::VectorXd q = about_z(0.0), v = Eigen::VectorXd::Zero(6);
  Eigen::VectorXd value = Eigen::VectorXd::Zero(1);
  motor->h_t(t, q, value);
  // s = cbrt(eps t) = 1.3e-4: s^2 1000 / 6 is 2.9e-6; the argument is off by eps 10 t / 2 and t by eps t / 2, which
  // leaves 2 * 1e-11 * 2 / (2 s), 1.7e-7.
  EXPECT_NEAR(value[0], -10.0 * std::cos(10.0 * t), 4e-6);
  motor->curvature(t, q, v, value);
  // s = (eps t)^(1/4) = 1.2e-3: s^2 10^4 / 12 is 1.25e-3; the same round-off leaves 4 * 2.2e-11 / s^2, 6e-5.
  EXPECT_NEAR(value[0], 100.0 * std::sin(10.0 * t), 1.4e-3);
}

struct Rotor {
  NonSmoothDynamicalSystem model;
  SystemHandle rotor;
  JointFrames frames = pin();
  InteractionHandle hinge;

  explicit Rotor(double spin) {
    rotor = model.add(
        RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal(), .angular_velocity = {0.0, 0.0, spin}});
    hinge = link_joint(model, {rotor}, HingeJoint{frames}, "hinge");
  }
};

TEST(JointCoordinates, AMotorTurnsItsHingeThroughManyTurns) {
  // theta = 10 t + sin t; the moment is J thetaddot, to the order of the step.
  Rotor r(11.0);
  const auto motor =
      r.model.link(r.rotor, HingeMotor{.frames = r.frames, .angle = [](double t) { return 10.0 * t + std::sin(t); }},
                   EqualityLaw{}, "motor");
  const double h = 1e-3;
  TimeStepping simulation(r.model, {.step = h});
  double worst_drift = 0.0, worst_moment = 0.0;
  const RunReport report = simulation.advance_to(3.0, [&](const State& state) {
    worst_drift = std::max(worst_drift, std::abs(state.y(motor)[0]));
    worst_moment = std::max(worst_moment, std::abs(state.force(motor)[0] + 0.4 * std::sin(state.t - 0.5 * h)));
  });
  ASSERT_TRUE(report) << report.message();
  // v_k is exact up to the error of h_t, 1e-10 (differences with s = 6e-6 cbrt(t) of 10 t); the trapezoidal rule is off
  // by h^2 / 12 |thetadot(T) - thetadot(0)| at most, 2 h^2 / 12.
  EXPECT_LE(worst_drift, 2.0 * h * h / 12.0 + 3e-9);
  // The mean of -0.4 sin over a step against its middle: 0.4 h^2 / 24; errors of h_t, some 1e-9 at t = 3, over h.
  EXPECT_LE(worst_moment, 2e-6);
}

TEST(JointCoordinates, AVelocityMotorOfBoundedMomentSpeedsUpAtIt) {
  // J thetaddot = 2 N m until thetadot = 5 rad/s, at t = 1 s; then as fast.
  Rotor r(0.0);
  const auto motor = r.model.link(r.rotor, HingeMotor{.frames = r.frames, .velocity = [](double) { return 5.0; }},
                                  RelayLaw{.lower = -2.0, .upper = 2.0}, "motor");
  TimeStepping simulation(r.model, {.step = 1e-2});
  ASSERT_TRUE(simulation.advance_to(0.5));
  EXPECT_NEAR(simulation.state().v(r.rotor)[5], 2.5, 1e-8);  // 50 steps of a solver's 1e-10 or so
  EXPECT_NEAR(simulation.state().force(motor)[0], 2.0, 1e-8);
  ASSERT_TRUE(simulation.advance_to(2.0));
  EXPECT_NEAR(simulation.state().v(r.rotor)[5], 5.0, 1e-8);
  EXPECT_NEAR(simulation.state().force(motor)[0], 0.0, 1e-6);
  EXPECT_EQ(simulation.state().y(motor)[0], 0.0);
}

TEST(JointCoordinates, ADriveOfTwoGainsIsADampedSpring) {
  // J thetaddot = -k (theta - 1) - d thetadot from rest at 0: 1 - theta = exp(-a t) (cos b t + a / b sin b t).
  const double J = 0.4, k = 40.0, d = 1.6, a = d / (2.0 * J), b = std::sqrt(k / J - a * a), T = 0.7;
  const auto at = [&](double h) {
    Rotor r(0.0);
    const double slope = 1.0 / d;
    r.model.link(r.rotor, HingeMotor{.frames = r.frames, .angle = [](double) { return 1.0; }, .stiffness = k},
                 EqualityLaw{}, "proportional");
    r.model.link(r.rotor, HingeMotor{.frames = r.frames, .velocity = [](double) { return 0.0; }},
                 PiecewiseLinearLaw{.slope_before = slope, .slope_after = slope}, "derivative");
    TimeStepping simulation(r.model, {.step = h});
    const RunReport report = simulation.advance_to(T);
    EXPECT_TRUE(report) << report.message();
    const auto q = simulation.state().q(r.rotor);
    return 2.0 * std::atan2(q[6], q[3]);
  };
  const double exact = 1.0 - std::exp(-a * T) * (std::cos(b * T) + a / b * std::sin(b * T));
  // The force at the end of a step: order 1, of a motion of rate 10 / s; halved steps halve the error.
  const double coarse = at(1e-3) - exact, fine = at(5e-4) - exact;
  EXPECT_LE(std::abs(coarse), 10.0 * 10.0 * T * 1e-3);
  EXPECT_NEAR(coarse / fine, 2.0, 0.1);
}

TEST(JointCoordinates, StopsHoldAHingeBetweenThem) {
  // Free rotation at 4 rad/s between stops at -2 and 2.5 rad, e = 0.5: speeds are halved at each.
  Rotor r(4.0);
  const HingeAngle lower{.frames = r.frames, .reference = 0.25, .offset = -2.0};
  const HingeAngle upper{.frames = r.frames, .reference = 0.25, .offset = 2.5, .direction = -1.0};
  r.model.link(r.rotor, lower, NewtonImpactLaw{.restitution = 0.5}, "lower stop");
  r.model.link(r.rotor, upper, NewtonImpactLaw{.restitution = 0.5}, "upper stop");
  EventDriven simulation(r.model, {});
  // The first impact at 2.5 / 4 = 0.625, the second 4.5 / 2 = 2.25 later, at 2.875.
  ASSERT_TRUE(simulation.advance_to(0.6));
  EXPECT_NEAR(simulation.state().v(r.rotor)[5], 4.0, 1e-9);  // of the integrator, 1e-10 a step
  ASSERT_TRUE(simulation.advance_to(2.8));
  EXPECT_NEAR(simulation.state().v(r.rotor)[5], -2.0, 1e-9);
  ASSERT_TRUE(simulation.advance_to(3.0));
  EXPECT_NEAR(simulation.state().v(r.rotor)[5], 1.0, 1e-9);
}

TEST(JointCoordinates, BadInputIsRefusedByItsField) {
  using bad_input::expect_refused;
  expect_refused([] { (void)make_relation(HingeAngle{.frames = pin(), .offset = 4.0}); }, {"HingeAngle::offset", "4"});
  expect_refused([] { (void)make_relation(HingeAngle{.frames = pin(), .turns = 3}); }, {"HingeAngle::turns", "3"});
  expect_refused([] { (void)make_relation(HingeAngle{.frames = pin(), .offset = bad_input::kNaN, .turns = 0}); },
                 {"HingeAngle::offset"});
  expect_refused([] { (void)make_relation(HingeAngle{.frames = pin(), .direction = 0.5}); },
                 {"HingeAngle::direction", "1 or -1"});
  expect_refused([] { (void)make_relation(HingeAngle{}); }, {"HingeAngle::frames.first.normal"});
  expect_refused([] { (void)make_relation(HingeMotor{.frames = pin()}); }, {"HingeMotor", "angle or its velocity"});
  expect_refused([] { (void)make_relation(SliderMotor{.frames = pin()}); }, {"SliderMotor", "position"});
  const auto rest = [](double) { return 0.0; };
  expect_refused([&] { (void)make_relation(HingeMotor{.frames = pin(), .angle = rest, .stiffness = -1.0}); },
                 {"HingeMotor::stiffness", "-1"});
  expect_refused([&] { (void)make_relation(SliderMotor{.frames = pin(), .velocity = rest, .stiffness = 1.0}); },
                 {"SliderMotor::stiffness", "position"});
  expect_refused([] { (void)make_relation(SliderPosition{.frames = pin(), .offset = bad_input::kNaN}); },
                 {"SliderPosition::offset"});
}

}  // namespace
}  // namespace nonsmooth::joint_coordinates_test
