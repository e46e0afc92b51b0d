// SPDX-License-Identifier: Apache-2.0
// Angles that count their turns: stops many turns away, a screw to its ends, a gear, and what carries the count on.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "joint_bodies.hpp"

namespace nonsmooth {
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
}  // namespace nonsmooth
