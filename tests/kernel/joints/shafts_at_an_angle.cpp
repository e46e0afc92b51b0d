// SPDX-License-Identifier: Apache-2.0
// Two shafts that meet at an angle beta, one on a hinge, one in a cylindrical bearing, with a universal joint between
// them: one freedom, 13 rows of rank 11. With theta_1 from where the pin of the first stands across both shafts,
//     tan theta_2 = cos(beta) tan(theta_1),   omega_2 = omega_1 cos(beta) / (cos^2 theta_1 + cos^2 beta sin^2 theta_1),
// as the pins pinA and pinB of the cross stay at right angles. Frames lie along axes: rows have no curvature at the
// start but the rounding of it, which rows that depend on one another must not take for a contradiction.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::shafts_at_an_angle_test {
namespace {

using Eigen::Vector3d;

constexpr double kSpin = 5.0;  // omega_1 [rad/s]
constexpr double kEnd = 0.25;  // [s]; theta_1 is 1.25 then

struct Shafts {
  NonSmoothDynamicalSystem model;
  SystemHandle first, second;

  explicit Shafts(double beta) {
    const Vector3d e_1 = Vector3d::UnitX(), e_2(std::cos(beta), std::sin(beta), 0.0), pin_1 = Vector3d::UnitZ();
    const Vector3d pin_2 = e_2.cross(pin_1);
    RigidBody one{.mass = 2.0, .inertia = Vector3d(0.01, 0.02, 0.02).asDiagonal(), .position = -0.5 * e_1};
    RigidBody other{.mass = 3.0, .inertia = Vector3d(0.03, 0.05, 0.05).asDiagonal(), .position = 0.5 * e_2};
    other.orientation = {std::cos(0.5 * beta), 0.0, 0.0, std::sin(0.5 * beta)};
    one.angular_velocity = {kSpin, 0.0, 0.0};
    other.angular_velocity = {kSpin * std::cos(beta), 0.0, 0.0};
    first = model.add(one);
    second = model.add(other);
    const State start = model.initial_state();
    const auto ground = [&](SystemHandle body, const Vector3d& at, const Vector3d& axis) {
      return joint_to_ground(start.q(body), at, axis);
    };
    link_joint(model, {first}, HingeJoint{ground(first, -0.5 * e_1, e_1)}, "hinge");
    link_joint(model, {second}, CylindricalJoint{ground(second, 0.5 * e_2, e_2)}, "bearing");
    link_joint(model, {first, second},
               UniversalJoint{joint_between(start.q(first), start.q(second), Vector3d::Zero(), pin_1, pin_2)}, "cross");
    model.link({first},
               HingeMotor{.frames = joint_to_ground(start.q(first), -0.5 * e_1, e_1, Vector3d::UnitZ()),
                          .angle = [](double t) { return kSpin * t; },
                          .velocity = [](double) { return kSpin; },
                          .acceleration = [](double) { return 0.0; }},
               EqualityLaw{}, "motor");
  }
};

double spin_of_second(double beta) {
  const double c = std::cos(kSpin * kEnd), s = std::sin(kSpin * kEnd), b = std::cos(beta);
  return kSpin * b / (c * c + b * b * s * s);
}

class AtAnAngle : public testing::TestWithParam<double> {};

TEST_P(AtAnAngle, TurnTheSecondShaftUnderEvents) {
  const double beta = GetParam();
  const Shafts shafts(beta);
  EventDriven simulation(shafts.model);
  const RunReport report = simulation.advance_to(kEnd);
  ASSERT_TRUE(report) << report.message();
  // The integrator's tolerance is 1e-8 of what it integrates, over some tens of steps; omega_2 changes by 4 omega_1 a
  // radian at most.
  EXPECT_NEAR(simulation.state().v(shafts.second)[3], spin_of_second(beta), 1e-6 * kSpin);
}

TEST_P(AtAnAngle, TurnTheSecondShaftUnderGeneralisedAlpha) {
  const double beta = GetParam();
  const Shafts shafts(beta);
  TimeSteppingOptions options{.step = 1e-3};
  options.integrator = GeneralisedAlpha{};
  TimeStepping simulation(shafts.model, options);
  const RunReport report = simulation.advance_to(kEnd);
  ASSERT_TRUE(report) << report.message();
  // Second order: (omega h)^2 = 2.5e-5 of the rates at which omega_2 changes, of at most 4 omega_1 each.
  EXPECT_NEAR(simulation.state().v(shafts.second)[3], spin_of_second(beta), 1e-4 * kSpin);
}

INSTANTIATE_TEST_SUITE_P(Shafts, AtAnAngle, testing::Values(0.05, 0.1, 0.5, 0.85, 0.9, 0.95, 1.25),
                         [](const auto& each) { return std::to_string(std::lround(100.0 * each.param)); });

}  // namespace
}  // namespace nonsmooth::shafts_at_an_angle_test
