// SPDX-License-Identifier: Apache-2.0
// What a step's interactions did to bodies, by the H that the step used: momentum balances to round-off, body by body,
// in a closed loop.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include <nonsmooth/kernel.hpp>
#include <problems/mechanisms.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/fitted_order.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joint_reactions_test {
namespace {

using problems::Mechanism;

/// The largest difference of J (w_{k+1} - w_k) from the gyroscopic moments' and the joints' impulses about a bar's
/// centre, in its axes, and of m (v_{k+1} - v_k) from its weight's and theirs, in steps of Bricard's loop until T; by
/// the simulation's H, q* being weighted, or by that of the state at the step's end.
struct Imbalance {
  double momentum = 0.0, spin = 0.0;
};
Imbalance imbalance(double h, double T, double weight, bool own_h) {
  const Mechanism loop = problems::bricard_loop();
  TimeStepping simulation(loop.model, {.integrator = MoreauJean{.configuration_weight = weight},
                                       .step = h,
                                       .newton = {.tolerance = 1e-12},
                                       .projection = {.kind = Projection::Direct}});
  Imbalance worst;
  double fastest = 0.0;
  while (simulation.state().t < T - 0.5 * h) {
    const State before = simulation.state();
    const StepReport report = simulation.step();
    EXPECT_TRUE(report) << report.message();
    if (!report) break;
    const State& after = simulation.state();
    for (std::size_t b = 0; b < loop.bodies.size(); ++b) {
      const SystemHandle body = loop.bodies[b];
      const Eigen::Vector3d bar = problems::bricard_bars()[b + 1];
      const Eigen::Vector3d J = Eigen::Vector3d::Constant(1.01 / 12.0) + (0.01 / 6.0 - 1.01 / 12.0) * bar.cwiseAbs();
      const auto gyroscopic = [&](const Eigen::Vector3d& w) { return jointed::cross(J.cwiseProduct(w), w); };
      const Eigen::Vector3d w0 = before.v(body).tail<3>(), w1 = after.v(body).tail<3>();
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(6);
      sum[1] = -9.81 * h;
      sum.tail<3>() = 0.5 * h * (gyroscopic(w0) + gyroscopic(w1));
      for (const InteractionHandle joint : {loop.joints[b], loop.joints[b + 1]}) {
        if (own_h) {
          sum += simulation.reaction(joint, body).impulse;
          continue;
        }
        const Eigen::VectorXd q = after.q(body);
        const Wrench there = reaction_impulse(loop.model, after, joint, body, q.head<3>());
        const Eigen::Vector4d back(q[3], -q[4], -q[5], -q[6]);
        sum.head<3>() += there.force;
        sum.tail<3>() += jointed::turned(back, there.moment);
      }
      worst.momentum = std::max(worst.momentum, (after.v(body) - before.v(body) - sum).head<3>().norm());
      worst.spin = std::max(worst.spin, (J.cwiseProduct(w1 - w0) - sum.tail<3>()).norm());
      fastest = std::max(fastest, w1.norm());
    }
  }
  EXPECT_GT(fastest, 1.0) << "it moved";
  return worst;
}

TEST(StepReactions, BalanceMomentumAndSpinToRoundOff) {
  // Some thirty terms a body, of 1 N s at most; gyroscopic terms are those of Newton's last iterate, to 1e-12 of rates
  // of 10 rad/s times h.
  for (const double weight : {0.5, 1.0}) {
    const Imbalance found = imbalance(4e-3, 0.4, weight, true);
    EXPECT_LE(found.momentum, 1e-14) << weight;
    EXPECT_LE(found.spin, 1e-14) << weight;
  }
}

TEST(StepReactions, OfTheStateAreOffByTheOrderOfTheStep) {
  // H turns by h |w| / 2 from the step's middle to its end, and impulses are of size h: order 2 a step.
  EXPECT_NEAR(fitted_order(8e-3, 2, [](double h) { return imbalance(h, 0.4, 0.5, false).spin; }), 2.0, 0.1);
}

TEST(StepReactions, AreOppositeOnTheTwoBodiesOfAJoint) {
  // Rows of a joint do not see a translation of both bodies as one: forces add up to nothing. A rotation is seen by the
  // gap of the two points, within a step h^2 / 8 times an acceleration of 30 m/s^2 at most: moments add up to force
  // times gap.
  const double h = 2e-3;
  const Mechanism loop = problems::bricard_loop();
  TimeStepping simulation(loop.model, {.step = h, .projection = {.kind = Projection::Direct}});
  ASSERT_TRUE(simulation.advance_to(0.4));
  const Eigen::Vector3d point(0.3, -0.2, 1.1);
  for (std::size_t j = 1; j < loop.bodies.size(); ++j) {
    const Wrench one = reaction_wrench(simulation, loop.joints[j], loop.bodies[j - 1], point);
    const Wrench other = reaction_wrench(simulation, loop.joints[j], loop.bodies[j], point);
    EXPECT_GT(one.force.norm() + one.moment.norm(), 1.0) << j;
    EXPECT_LE((one.force + other.force).norm(), 1e-14 * one.force.norm()) << j;
    EXPECT_LE((one.moment + other.moment).norm(), h * h / 8.0 * 30.0 * one.force.norm() + 1e-12) << j;
  }
}

TEST(StepReactions, BalanceMomentsOfASpinningWheel) {
  // A wheel on its axle, z, that a motor speeds up: J w' about it, no gyroscopic moment; the motor's moment is all.
  const Eigen::VectorXd start = jointed::place(Eigen::Vector3d::Zero());
  const double J = 0.3, h = 1e-2;
  NonSmoothDynamicalSystem model;
  const auto wheel = model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.2, J).asDiagonal(), .name = "wheel"});
  const JointFrames frames = joint_to_ground(start, Eigen::Vector3d::Zero());
  const auto axle = link_joint(model, {wheel}, HingeJoint{frames}, "axle");
  const auto motor = model.link(wheel, HingeMotor{.frames = frames, .velocity = [](double t) { return 3.0 * t; }},
                                EqualityLaw{}, "motor");
  TimeStepping simulation(model, {.step = h});
  ASSERT_TRUE(simulation.advance_to(0.5));
  const double before = simulation.state().v(wheel)[5];
  ASSERT_TRUE(simulation.step());
  const double gained = J * (simulation.state().v(wheel)[5] - before);
  const StepReaction by_motor = simulation.reaction(motor, wheel), by_axle = simulation.reaction(axle, wheel);
  EXPECT_NEAR(by_motor.impulse[5] + by_axle.impulse[5], gained, 1e-15);
  EXPECT_NEAR(gained, 3.0 * J * h, 1e-9);  // of differences of the velocity
  EXPECT_EQ(by_motor.positions.size(), 7);
}

TEST(StepReactions, AreRefusedWhereTheStateIsNotTheEndOfAStep) {
  const Eigen::VectorXd start = jointed::place(Eigen::Vector3d::Zero());
  bool fails = false;
  NonSmoothDynamicalSystem model;
  const auto wheel = model.add(RigidBody{.name = "wheel"});
  const JointFrames frames = joint_to_ground(start, Eigen::Vector3d::Zero());
  link_joint(model, {wheel}, HingeJoint{frames}, "axle");
  const auto speed = [&fails](double t) {
    if (fails) throw std::runtime_error("no current");
    return 3.0 * t;
  };
  const auto motor = model.link(wheel, HingeMotor{.frames = frames, .velocity = speed}, EqualityLaw{}, "motor");
  TimeStepping simulation(model, {.step = 1e-2});
  const auto ask = [&] { (void)simulation.reaction(motor, wheel); };
  const auto expect_none = [&] {
    bad_input::expect_refused(ask, {"TimeStepping::reaction", "no step that was taken to the present state"});
  };
  const auto step = [&] {
    EXPECT_TRUE(simulation.step());
    EXPECT_NO_THROW(ask());
  };
  step();
  fails = true;
  EXPECT_FALSE(simulation.step().taken);
  expect_none();
  fails = false;
  step();
  const State earlier = std::as_const(simulation).state();
  step();
  simulation.set_state(earlier);
  expect_none();
  step();
  const double place = simulation.state().positions[0];
  simulation.state().positions[0] = place + 1e-3;
  expect_none();
  simulation.state().positions[0] = place;
  EXPECT_NO_THROW(ask());
  step();
}

TEST(StepReactions, AreRefusedWhereThereAreNone) {
  using bad_input::expect_refused;
  const Mechanism loop = problems::bricard_loop();
  TimeStepping simulation(loop.model, {.step = 2e-3});
  expect_refused([&] { (void)simulation.reaction(loop.joints[0], loop.bodies[0]); },
                 {"TimeStepping::reaction", "step"});
  ASSERT_TRUE(simulation.step());
  EXPECT_NO_THROW((void)simulation.reaction(loop.joints[0], loop.bodies[0]));
  expect_refused([&] { (void)simulation.reaction(loop.joints[0], loop.bodies[2]); }, {"hinge 0 does not act on bar 3"});
  expect_refused(
      [&] {
        (void)reaction_wrench(simulation, loop.joints[0], loop.bodies[0], {bad_input::kNaN, 0.0, 0.0});
      },
      {"point"});
}

}  // namespace
}  // namespace nonsmooth::joint_reactions_test
