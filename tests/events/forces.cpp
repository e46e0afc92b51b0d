// SPDX-License-Identifier: Apache-2.0
// Springs, dampers, drives and actuators (ForceLaw) by events: forces of the smooth motion, and what events meet them.
#include <cmath>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "event_log.hpp"

namespace nonsmooth::forces_test {
namespace {

using event_log::kPi;

/// Two wheels on one hinge about z, free in space otherwise, the first turning at 1 rad/s against the second.
struct Wheels {
  NonSmoothDynamicalSystem model;
  SystemHandle first, second;
  JointFrames frames;

  Wheels() {
    const Eigen::VectorXd start = (Eigen::VectorXd(7) << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0).finished();
    first = model.add(RigidBody{.inertia = Eigen::Vector3d(0.3, 0.3, 0.4).asDiagonal(), .angular_velocity = {0, 0, 1}});
    second = model.add(RigidBody{.inertia = Eigen::Vector3d(0.08, 0.08, 0.1).asDiagonal()});
    frames = joint_between(start, start, Eigen::Vector3d::Zero());
    link_joint(model, {first, second}, HingeJoint{frames}, "hinge");
  }
};

// J theta'' = -k theta - d theta', J = 0.4 0.1 / 0.5, theta(0) = 0, theta'(0) = 1: theta = exp(-s t) sin(w t) / w.
struct Torsion {
  double J = 0.08, k = 2.0, d = 0.04, s = 0.5 * d / J, w = std::sqrt(k / J - s * s);
  [[nodiscard]] double angle(double t) const { return std::exp(-s * t) * std::sin(w * t) / w; }
  [[nodiscard]] double rate(double t) const { return std::exp(-s * t) * (std::cos(w * t) - s / w * std::sin(w * t)); }
};

TEST(Forces, ATorsionSpringIsPartOfTheSmoothMotion) {
  const Torsion exact;
  const SmoothIntegrator all[] = {DormandPrince{}, RadauIIA{}};
  for (const SmoothIntegrator& integrator : all) {
    Wheels wheels;
    const auto spring =
        wheels.model.link({wheels.first, wheels.second}, HingeAngle{.frames = wheels.frames, .turns = 0},
                          SpringDamperLaw{.stiffness = exact.k, .damping = exact.d}, "spring");
    EventDriven run(wheels.model, {.integrator = integrator, .relative_tolerance = 1e-10});
    const RunReport report = run.advance_to(2.0);
    ASSERT_TRUE(report) << report.message();
    const State& state = run.state();
    // 1e-10 a step, some hundred steps.
    EXPECT_NEAR(state.y(spring)[0], exact.angle(2.0), 1e-8);
    EXPECT_NEAR(state.u(spring)[0], exact.rate(2.0), 1e-8);
    EXPECT_NEAR(state.force(spring)[0], -exact.k * exact.angle(2.0) - exact.d * exact.rate(2.0), 1e-7);
    EXPECT_EQ(state.impulse(spring)[0], 0.0);
    EXPECT_NEAR(0.4 * state.v(wheels.first)[5] + 0.1 * state.v(wheels.second)[5], 0.4, 1e-12);
    // vdot = M^-1 (F + H^T lambda) of the model, by the state's forces, is the rate of the mode.
    EXPECT_NEAR(rates_of(run.model(), state, wheels.first)[5], run.rates(wheels.first)[5], 1e-12);
    EXPECT_TRUE(run.events().empty());
  }
}

TEST(Forces, AStiffSpringTakesTheStepsOfAnImplicitMethod) {
  // A mode of 1e6 rad/s that is damped out beside a motion at 1 m/s: RadauIIA's steps do not see it.
  NonSmoothDynamicalSystem model;
  const auto first = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {0.0}, .v0 = {1.0}});
  const auto second = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {0.0}, .v0 = {1.0}});
  model.link({first, second}, LagrangianLinearRelation{.H = {{1.0, -1.0}}},
             SpringDamperLaw{.stiffness = 5e11, .damping = 1e6});
  EventDriven run(model, {.integrator = RadauIIA{}});
  const RunReport report = run.advance_to(10.0);
  ASSERT_TRUE(report) << report.message();
  EXPECT_NEAR(run.state().q(second)[0], 10.0, 1e-8);
  EXPECT_LE(report.steps, 200);
}

TEST(Forces, ADriveTurnsAHingeAgainstItsStop) {
  // J theta'' = -k (theta - 2): from rest at 0 to the stop at 1, reached at w t = pi / 3 with theta' = w 2 sin(pi / 3),
  // left with e = 1/2 of it.
  const double J = 0.4, k = 10.0, w = std::sqrt(k / J);
  NonSmoothDynamicalSystem model;
  const auto rotor = model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, J).asDiagonal()});
  const JointFrames frames =
      joint_to_ground((Eigen::VectorXd(7) << 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0).finished(), Eigen::Vector3d::Zero());
  link_joint(model, {rotor}, HingeJoint{frames}, "hinge");
  model.link(rotor, HingeMotor{.frames = frames, .angle = [](double) { return 2.0; }}, SpringDamperLaw{.stiffness = k},
             "drive");
  const auto stop = model.link(rotor, HingeAngle{.frames = frames, .offset = 1.0, .direction = -1.0},
                               NewtonImpactLaw{.restitution = 0.5}, "stop");
  EventDriven run(model, {.relative_tolerance = 1e-10});
  ASSERT_TRUE(run.advance_to(1.1 * kPi / 3.0 / w));
  ASSERT_EQ(run.events().size(), 1U);
  EXPECT_EQ(run.events()[0].kind, EventKind::Impact);
  EXPECT_NEAR(run.events()[0].t, kPi / 3.0 / w, 1e-8);
  // Reaction of the impact: J (1 + e) theta'.
  EXPECT_NEAR(run.events()[0].value, 1.5 * J * 2.0 * w * std::sin(kPi / 3.0), 1e-7);
  EXPECT_GT(run.state().y(stop)[0], 0.0);
}

TEST(Forces, ABallThatASpringPullsDownBouncesToRest) {
  // m x'' = -k (x + 1) on a floor at 0, e = 1/2: an accumulation, and then the floor carries k.
  for (const bool anchored : {true, false}) {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {0.1}, .v0 = {0.0}, .name = "ball"});
    const auto floor =
        model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 0.5}, "floor");
    const SpringDamperLaw law{.stiffness = 5.0};
    if (anchored) {
      model.link(ball, LagrangianLinearRelation{.H = {{1.0}}, .b = {1.0}}, law, "spring");
    } else {
      // To a mass so heavy that it does not move: 1e-9 of the ball's way.
      const auto heavy = model.add(LagrangianLinearSystem{.mass = {{1e9}}, .q0 = {-1.0}, .v0 = {0.0}});
      model.link({ball, heavy}, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, law, "spring");
    }
    EventDriven run(model, {});
    const RunReport report = run.advance_to(3.0);
    ASSERT_TRUE(report) << report.message();
    EXPECT_EQ(event_log::events_of(run, EventKind::Accumulation).size(), 1U) << anchored;
    EXPECT_NEAR(run.state().force(floor)[0], 5.0, 1e-6) << anchored;
    EXPECT_NEAR(run.state().q(ball)[0], 0.0, 1e-9) << anchored;
  }
}

TEST(Forces, ARunGoesOnFromItsStateWithTheSameBits) {
  // A counted angle through many turns, with a feedback about it.
  const auto make = [](Wheels& wheels) {
    return wheels.model.link(
        {wheels.first, wheels.second}, HingeAngle{.frames = wheels.frames, .turns = 0},
        ActuatorLaw{.force = [](double t, double y, double u) { return 0.5 * std::cos(t) + 0.01 * y - 0.02 * u; }},
        "actuator");
  };
  Wheels wheels, others;
  const auto actuator = make(wheels);
  make(others);
  EventDriven run(wheels.model, {});
  ASSERT_TRUE(run.advance_to(4.0));
  const State half_way = run.state();
  EventDriven again(wheels.model, {});
  again.set_state(half_way);
  ASSERT_TRUE(run.advance_to(8.0));
  ASSERT_TRUE(again.advance_to(8.0));
  EXPECT_GT(std::abs(run.state().y(actuator)[0]), 2.0 * kPi);
  EXPECT_EQ(hash_of(run.state()), hash_of(again.state()));
}

TEST(Forces, AComplianceIsRefusedWithWhatToTake) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0}, .v0 = {0.0}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .compliance = {{1.0}}}, EqualityLaw{}, "spring");
  try {
    EventDriven run(model, {});
    FAIL();
  } catch (const InvalidArgument& refusal) {
    const std::string message = refusal.what();
    EXPECT_NE(message.find("compliance of spring"), std::string::npos) << message;
    EXPECT_NE(message.find("SpringDamperLaw"), std::string::npos) << message;
  }
}

TEST(Forces, AForceThatIsInfiniteIsNotItsLimit) {
  // Neither simulation takes it for the limit of 1 N: both end where it begins.
  const auto model_of = [] {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0}, .v0 = {1.0}});
    model.link(
        mass, LagrangianLinearRelation{.H = {{1.0}}},
        ActuatorLaw{
            .force = [](double t, double, double) { return t > 0.5 ? HUGE_VAL : 0.0; }, .lower = -1.0, .upper = 1.0},
        "motor");
    return model;
  };
  EventDriven run(model_of(), {});
  const RunReport report = run.advance_to(1.0);
  EXPECT_FALSE(report) << report.message();
  EXPECT_LE(run.state().t, 0.5 + 1e-9);
  TimeStepping steps(model_of(), {.step = 0.01});
  EXPECT_FALSE(steps.advance_to(1.0));
  EXPECT_LE(steps.state().t, 0.5 + 1e-9);
}

TEST(Forces, AForceThatThrowsEndsTheRunByName) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {1.0}, .v0 = {1.0}});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, ActuatorLaw{.force = [](double t, double, double) -> double {
               if (t > 0.5) throw std::runtime_error("no current");
               return 0.0;
             }},
             "motor");
  EventDriven run(model, {});
  const RunReport report = run.advance_to(1.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("motor"), std::string::npos) << report.message();
  EXPECT_NE(report.message().find("no current"), std::string::npos) << report.message();
}

}  // namespace
}  // namespace nonsmooth::forces_test
