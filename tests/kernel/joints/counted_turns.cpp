// SPDX-License-Identifier: Apache-2.0
// Angles that count their turns: stops many turns away, a screw to its ends, a gear, and what carries the count on.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "kernel/joint_bodies.hpp"

namespace nonsmooth::counted_turns_test {
namespace {

using jointed::place;

constexpr double kTurn = 2.0 * std::numbers::pi;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero();

/// A rotor on its pin with a stop a number of turns ahead.
struct Rotor {
  NonSmoothDynamicalSystem model;
  SystemHandle rotor;
  InteractionHandle stop;

  explicit Rotor(double spin, double turns, double restitution) {
    rotor = model.add(RigidBody{
        .inertia = Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal(), .angular_velocity = {0.0, 0.0, spin}, .name = "rotor"});
    const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin);
    link_joint(model, {rotor}, HingeJoint{frames}, "pin");
    stop = model.link(rotor, HingeAngle{.frames = frames, .offset = turns * kTurn, .direction = -1.0, .turns = 0},
                      NewtonImpactLaw{.restitution = restitution}, "stop");
  }
  [[nodiscard]] double spin(const State& state) const { return state.v(rotor)[5]; }
};

TEST(CountedTurns, AStopSevenTurnsAwayIsMetOnceByEvents) {
  const Rotor r(20.0, 7.0, 0.5);
  EventDriven simulation(r.model, {});
  const double hit = 7.0 * kTurn / 20.0;
  ASSERT_TRUE(simulation.advance_to(hit - 1e-3));
  // Of the integrator, 1e-10 a step of some 0.1 rad.
  EXPECT_NEAR(r.spin(simulation.state()), 20.0, 1e-7);
  EXPECT_NEAR(simulation.state().y(r.stop)[0], 20.0 * 1e-3, 1e-6);
  ASSERT_TRUE(simulation.advance_to(2.0 * hit));
  EXPECT_NEAR(r.spin(simulation.state()), -10.0, 1e-7);
  EXPECT_NEAR(simulation.state().y(r.stop)[0], 10.0 * hit, 1e-5);
}

TEST(CountedTurns, AStopSevenTurnsAwayIsMetOnceByTimeStepping) {
  // The impact is up to a step early, at 20 rad/s; free rotation about a principal axis is exact.
  const Rotor r(20.0, 7.0, 0.5);
  const double h = 1e-3, hit = 7.0 * kTurn / 20.0;
  TimeStepping simulation(r.model, {.step = h});
  ASSERT_TRUE(simulation.advance_to(hit - 2.0 * h));
  EXPECT_NEAR(r.spin(simulation.state()), 20.0, 1e-9);
  ASSERT_TRUE(simulation.advance_to(2.0 * hit));
  EXPECT_NEAR(r.spin(simulation.state()), -10.0, 1e-9);
  EXPECT_NEAR(simulation.state().y(r.stop)[0], 10.0 * hit, 2.0 * 30.0 * h);
}

TEST(CountedTurns, StepsOfHalfATurnAndMoreAreTold) {
  // 800 rad/s and 5 ms: 4 rad, 0.637 turns a step, which are counted as 4 - 2 pi; 600 rad/s: 3 rad, which is below pi.
  for (const double spin : {600.0, 800.0}) {
    const Rotor r(spin, 1e4, 0.5);
    TimeStepping simulation(r.model, {.step = 5e-3});
    const RunReport report = simulation.advance_to(0.1);
    ASSERT_TRUE(report) << report.message();
    if (spin < 700.0) {
      EXPECT_TRUE(report.findings.empty());
      EXPECT_NEAR(simulation.state().y(r.stop)[0], 1e4 * kTurn - spin * 0.1, 1e-8);
      continue;
    }
    ASSERT_EQ(report.findings.size(), 1u);
    const RunRemark& told = report.findings[0];
    EXPECT_EQ(told.kind, RunRemark::Kind::TurnUnknown);
    EXPECT_EQ(told.subject, "stop");
    EXPECT_EQ(told.count, 20);
    EXPECT_NEAR(told.first_t, 5e-3, 1e-15);
    EXPECT_NEAR(told.worst, 4.0 / kTurn, 1e-12);
    EXPECT_NE(told.message().find("half a turn"), std::string::npos);
  }
}

TEST(CountedTurns, AStepThatTurnsByMoreAndStopsIsTold) {
  // 1600 rad/s, braked to rest in one step of 5 ms by J 1600 / 5 ms: it goes by 4 rad at the mean velocity.
  const double h = 5e-3, spin = 1600.0, inertia = 0.4;
  NonSmoothDynamicalSystem model;
  const GivenLoad brake{.load =
                            [=](double, ConstVectorRef, ConstVectorRef, VectorRef value) {
                              value.setZero();
                              value[5] = -inertia * spin / h;
                            },
                        .moment_axes = LoadAxes::Inertial};
  const auto rotor = model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, inertia).asDiagonal(),
                                         .angular_velocity = {0.0, 0.0, spin},
                                         .loads = {brake},
                                         .name = "rotor"});
  model.link(
      rotor,
      HingeAngle{
          .frames = joint_to_ground(place(kOrigin), kOrigin), .offset = 1e4 * kTurn, .direction = -1.0, .turns = 0},
      NewtonImpactLaw{}, "stop");
  TimeStepping simulation(model, {.step = h});
  ASSERT_TRUE(simulation.step());
  EXPECT_NEAR(simulation.state().v(rotor)[5], 0.0, 1e-9);
  ASSERT_EQ(simulation.findings().size(), 1u);
  EXPECT_EQ(simulation.findings()[0].kind, RunRemark::Kind::TurnUnknown);
  EXPECT_NEAR(simulation.findings()[0].worst, 4.0 / kTurn, 1e-9);
}

TEST(CountedTurns, GoOnFromCopiedStatesInEitherSimulationAndAfterEdits) {
  Rotor r(20.0, 7.0, 0.5);
  TimeStepping whole(r.model, {.step = 1e-3});
  ASSERT_TRUE(whole.advance_to(1.5));
  const State middle = whole.state();
  EXPECT_NEAR(middle.y(r.stop)[0], 7.0 * kTurn - 30.0, 1e-9);
  ASSERT_TRUE(whole.advance_to(3.0));
  TimeStepping second(r.model, {.step = 1e-3});
  second.set_state(middle);
  ASSERT_TRUE(second.advance_to(3.0));
  EXPECT_EQ(second.state().outputs, whole.state().outputs);
  EXPECT_EQ(second.state().unknowns, whole.state().unknowns);
  EventDriven events(r.model, {});
  events.set_state(middle);
  ASSERT_TRUE(events.advance_to(2.0));
  EXPECT_NEAR(events.state().y(r.stop)[0], 7.0 * kTurn - 40.0, 1e-6);
  ASSERT_TRUE(events.advance_to(3.0));
  EXPECT_NEAR(r.spin(events.state()), -10.0, 1e-6);
  // A body that joins makes another revision: what is known of the others goes with it.
  r.model.add(RigidBody{.name = "newcomer"});
  EXPECT_EQ(r.model.migrate(middle).y(r.stop)[0], middle.y(r.stop)[0]);
  EXPECT_NEAR(r.model.initial_state().y(r.stop)[0], 7.0 * kTurn, 1e-14);
}

TEST(CountedTurns, AScrewGoesFiftyTurnsUpAndBackToItsStop) {
  const double pitch = 4e-3, spin = 40.0, rate = pitch / kTurn;
  NonSmoothDynamicalSystem model;
  const auto nut = model.add(RigidBody{.inertia = Eigen::Vector3d(0.01, 0.01, 0.02).asDiagonal(),
                                       .velocity = {0.0, 0.0, rate * spin},
                                       .angular_velocity = {0.0, 0.0, spin},
                                       .name = "nut"});
  const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin);
  link_joint(model, {nut}, ScrewJoint{frames, pitch}, "thread");
  const auto upper =
      model.link(nut, HingeAngle{.frames = frames, .offset = 50.0 * kTurn, .direction = -1.0, .turns = 0},
                 NewtonImpactLaw{.restitution = 1.0}, "upper");
  model.link(nut, HingeAngle{.frames = frames, .offset = -0.75 * kTurn, .turns = 0}, NewtonImpactLaw{}, "lower");
  const double up = 50.0 * kTurn / spin, down = 50.75 * kTurn / spin;
  EventDriven simulation(model, {});
  ASSERT_TRUE(simulation.advance_to(up - 1e-3));
  // Threads hold to round-off; the angle to 1e-10 a step of some 0.1 rad, thousands of them.
  EXPECT_NEAR(simulation.state().q(nut)[2], pitch * (50.0 - 1e-3 * spin / kTurn), 1e-8);
  EXPECT_NEAR(simulation.state().y(upper)[0], 1e-3 * spin, 1e-5);
  ASSERT_TRUE(simulation.advance_to(up + 0.5 * down));
  EXPECT_NEAR(simulation.state().v(nut)[5], -spin, 1e-6);
  ASSERT_TRUE(simulation.advance_to(up + down + 0.1));
  EXPECT_NEAR(simulation.state().v(nut)[5], 0.0, 1e-9);
  EXPECT_NEAR(simulation.state().q(nut)[2], -0.75 * pitch, 1e-8);
}

// A drive of bounded moment, 10 rad/s^2 of its rotor, so stiff that it lets go 0.01 rad before its angle.
constexpr double kSpeedUp = 10.0, kInertia = 0.4;
const SpringDamperLaw kBounded{
    .stiffness = 1e3 * kInertia, .lower = -kSpeedUp * kInertia, .upper = kSpeedUp * kInertia};

/// Its y at t against kSpeedUp t^2 / 2 from the start less `wanted(t)`, in both simulations.
void expect_saturated(const HingeMotor& motor, double T) {
  NonSmoothDynamicalSystem model;
  const auto rotor = model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, kInertia).asDiagonal(), .name = "rotor"});
  link_joint(model, {rotor}, HingeJoint{motor.frames}, "pin");
  const auto drive = model.link(rotor, motor, kBounded, "drive");
  const auto check = [&](const State& state, double tolerance) {
    EXPECT_NEAR(state.v(rotor)[5], kSpeedUp * state.t, tolerance) << state.t;
    EXPECT_NEAR(state.y(drive)[0], 0.5 * kSpeedUp * state.t * state.t - motor.angle(state.t), tolerance) << state.t;
  };
  TimeStepping steps(model, {.step = 1e-3});
  // Constant acceleration is exact: a solver's 1e-10 a step.
  const RunReport report = steps.advance_to(T, [&](const State& state) { check(state, 1e-6); });
  ASSERT_TRUE(report) << report.message();
  EventDriven events(model, {});
  for (const double part : {0.25, 0.5, 0.75, 1.0}) {
    ASSERT_TRUE(events.advance_to(part * T));
    check(events.state(), 1e-6);  // of the integrator, 1e-10 a step
  }
}

TEST(CountedTurns, ADriveThatFallsTurnsBehindKeepsItsMoment) {
  // The angle runs ahead at 20 rad/s, from 0.1 rad on: y falls to -20.1 rad at 2 s, three turns, and comes back to 0 at
  // 4 s.
  expect_saturated(
      {.frames = joint_to_ground(place(kOrigin), kOrigin), .angle = [](double t) { return 0.1 + 20.0 * t; }}, 3.9);
}

TEST(CountedTurns, ADriveMayStartTurnsAway) {
  // 2.5 turns, to within 0.01 rad of them at sqrt(pi) s.
  expect_saturated({.frames = joint_to_ground(place(kOrigin), kOrigin),
                    .angle = [](double) { return 2.5 * kTurn; },
                    .velocity = [](double) { return 0.0; },
                    .reference = 0.0},
                   1.7);
}

TEST(CountedTurns, AMotorThatGivesWayComesBackAllItsTurns) {
  // J y'' = -k y, y = theta - angle(t): from y = 0 at -20 rad/s, and at rest from two turns. w = 2 / s; the force of a
  // step's end is of order 1, y off by w^2 h t / 2 of its size, and by as much for the start of it.
  const double w = 2.0, k = w * w * kInertia, h = 1e-3;
  struct Case {
    std::function<double(double)> angle, y;
    double size;
  };
  const std::vector<Case> cases{
      {[](double t) { return 20.0 * t; }, [=](double t) { return -20.0 / w * std::sin(w * t); }, 20.0 / w},
      {[](double) { return 2.0 * kTurn; }, [=](double t) { return -2.0 * kTurn * std::cos(w * t); }, 2.0 * kTurn}};
  for (const Case& of : cases) {
    NonSmoothDynamicalSystem model;
    const auto rotor = model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, kInertia).asDiagonal()});
    const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin);
    link_joint(model, {rotor}, HingeJoint{frames}, "pin");
    const auto motor =
        model.link(rotor, HingeMotor{.frames = frames, .angle = of.angle, .stiffness = k, .reference = 0.0},
                   EqualityLaw{}, "motor");
    TimeStepping simulation(model, {.step = h});
    State middle;
    const auto check = [&](const State& state) {
      EXPECT_NEAR(state.force(motor)[0], -k * of.y(state.t), k * of.size * (w * w * h * state.t + 2.0 * w * h))
          << state.t;
    };
    const RunReport report = simulation.advance_to(1.5, check);
    ASSERT_TRUE(report) << report.message();
    middle = simulation.state();
    ASSERT_TRUE(simulation.advance_to(3.0, check));
    TimeStepping second(model, {.step = h});
    second.set_state(middle);
    ASSERT_TRUE(second.advance_to(3.0));
    EXPECT_EQ(second.state().unknowns, simulation.state().unknowns);
  }
}

TEST(CountedTurns, AMotorThatJoinsLaterIsNextToItsAngle) {
  // A rotor that made some turns is taken by a motor: it holds it where it is, at most half a turn away.
  NonSmoothDynamicalSystem model;
  const auto rotor = model.add(RigidBody{.angular_velocity = {0.0, 0.0, 20.0}, .name = "rotor"});
  const JointFrames frames = joint_to_ground(place(kOrigin), kOrigin);
  link_joint(model, {rotor}, HingeJoint{frames}, "pin");
  TimeStepping simulation(model, {.step = 1e-3});
  ASSERT_TRUE(simulation.advance_to(1.0));  // 20 rad, or 3 turns and 1.15 rad
  const auto motor = simulation.edit([&](NonSmoothDynamicalSystem& edited) {
    return edited.link(rotor, HingeMotor{.frames = frames, .angle = [](double) { return -2.5; }},
                       SpringDamperLaw{.stiffness = 1.0}, "motor");
  });
  EXPECT_NEAR(simulation.state().y(motor)[0], 20.0 - 4.0 * kTurn + 2.5, 1e-9);
}

TEST(CountedTurns, AKeyAndAPinMeetTheirStopsAfterThreeTurns) {
  const double spin = 10.0, hit = 3.0 * kTurn / spin;
  const JointFrames along_z = joint_to_ground(place(kOrigin), kOrigin);
  const JointFrames cross =
      joint_to_ground(place(kOrigin), kOrigin, Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY());
  for (const bool pin : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto body =
        model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal(),
                            .angular_velocity = spin * (pin ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitZ())});
    InteractionHandle stop;
    if (pin) {
      link_joint(model, {body}, UniversalJoint{cross});
      stop = model.link(body, UniversalAngle{.frames = cross, .offset = 3.0 * kTurn, .direction = -1.0, .turns = 0},
                        NewtonImpactLaw{.restitution = 0.5});
    } else {
      link_joint(model, {body}, CylindricalJoint{along_z});
      stop = model.link(
          body, KeyStop{.frames = along_z, .offset = 3.0 * kTurn, .direction = -1.0, .radius = 0.05, .turns = 0},
          NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.1, .dimension = 2});
    }
    const Index axis = pin ? 3 : 5;
    const double radius = pin ? 1.0 : 0.05;
    EventDriven events(model, {});
    ASSERT_TRUE(events.advance_to(0.9 * hit));
    EXPECT_NEAR(events.state().v(body)[axis], spin, 1e-8) << pin;
    EXPECT_NEAR(events.state().y(stop)[0], radius * 0.3 * kTurn, 1e-7) << pin;
    ASSERT_TRUE(events.advance_to(1.2 * hit));
    EXPECT_NEAR(events.state().v(body)[axis], -0.5 * spin, 1e-8) << pin;
    const double h = 1e-3;
    TimeStepping steps(model, {.step = h});
    ASSERT_TRUE(steps.advance_to(hit - 2.0 * h));
    EXPECT_NEAR(steps.state().v(body)[axis], spin, 1e-9) << pin;
    ASSERT_TRUE(steps.advance_to(1.2 * hit));
    EXPECT_NEAR(steps.state().v(body)[axis], -0.5 * spin, 1e-9) << pin;
  }
}

TEST(CountedTurns, OfTwoWheelsStandInTheRatioOfTheirTeeth) {
  NonSmoothDynamicalSystem model;
  const Eigen::VectorXd places[] = {place(kOrigin), place({0.5, 0.0, 0.0})};
  const double spins[] = {30.0, -20.0};
  std::vector<SystemHandle> wheels;
  std::vector<JointFrames> frames;
  std::vector<InteractionHandle> angles;
  for (int i = 0; i < 2; ++i) {
    wheels.push_back(model.add(RigidBody{.position = places[i].head<3>(), .angular_velocity = {0.0, 0.0, spins[i]}}));
    frames.push_back(joint_to_ground(places[i], places[i].head<3>()));
    link_joint(model, {wheels.back()}, HingeJoint{frames.back()});
    // Never met: their y show the angles.
    angles.push_back(
        model.link(wheels.back(), HingeAngle{.frames = frames.back(), .offset = -1e3, .turns = 0}, NewtonImpactLaw{}));
  }
  link_joint(model, wheels, GearJoint{frames[0], frames[1], 20, 30}, "gear");
  TimeStepping simulation(model, {.step = 2e-3, .projection = {.kind = Projection::Direct}});
  ASSERT_TRUE(simulation.advance_to(10.0));
  const double first = simulation.state().y(angles[0])[0] - 1e3, second = simulation.state().y(angles[1])[0] - 1e3;
  EXPECT_NEAR(first, 300.0, 1e-6);
  // The gear's row is held to 1e-8 [rad of the first wheel].
  EXPECT_NEAR(20.0 * first + 30.0 * second, 0.0, 20.0 * 2e-8);
}

}  // namespace
}  // namespace nonsmooth::counted_turns_test
