// SPDX-License-Identifier: Apache-2.0
// ActuatorLaw and users' forces between two bodies: given in time, fed back, of any shape.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "kernel/mechanics_orders.hpp"
#include "kernel/two_wheels.hpp"

namespace nonsmooth::actuators_test {
namespace {

using namespace closed_forms;
using namespace mechanics;
using jointed::reduced;
using jointed::Wheels;

TEST(Actuator, AMomentBetweenTwoBodiesIsOppositeOnThem) {
  // A constant moment M: J theta'' = M, exact for every theta, and J_1 w_1 + J_2 w_2 stays.
  for (const double theta : {0.5, 1.0}) {
    Wheels wheels;
    const auto motor = wheels.model.link({wheels.first, wheels.second}, HingeAngle{.frames = wheels.frames, .turns = 0},
                                         ActuatorLaw{.force = [](double, double, double) { return 0.6; }}, "motor");
    TimeStepping run(wheels.model, moreau_jean(1e-2, theta));
    const double before = wheels.moment(run.state());
    ASSERT_TRUE(run.advance_to(1.0));
    EXPECT_NEAR(wheels.moment(run.state()), before, 1e-13);
    EXPECT_NEAR(wheels.relative(run.state()), 0.6 / reduced(Wheels::kFirst, Wheels::kSecond), 1e-11);
    EXPECT_NEAR(run.state().force(motor)[0], 0.6, 1e-12);
  }
}

TEST(Actuator, AFunctionOfTimeIsIntegratedByTheThetaRule) {
  // J w = 2 (1 - cos 5 T) / 5 by trapezoids: off by h^2 / 12 of the slope's change, 10 (1 - cos 5 T).
  const double h = 1e-2, T = 1.0, J = reduced(Wheels::kFirst, Wheels::kSecond);
  Wheels wheels;
  wheels.model.link({wheels.first, wheels.second}, HingeAngle{.frames = wheels.frames, .turns = 0},
                    ActuatorLaw{.force = [](double t, double, double) { return 2.0 * std::sin(5.0 * t); }}, "motor");
  TimeStepping run(wheels.model, moreau_jean(h));
  ASSERT_TRUE(run.advance_to(T));
  const double trapezoids = h * h / 12.0 * 10.0 * (std::cos(5.0 * T) - 1.0);
  EXPECT_NEAR(J * wheels.relative(run.state()), 0.4 * (1.0 - std::cos(5.0 * T)) + trapezoids, 1e-7);  // h^4 / 720 125 2
}

TEST(Actuator, AFeedbackIsImplicitInItsSlopes) {
  // -k y - d u given as a function is the spring and damper, to the last bit with its derivatives, and to the
  // differences' 1e-8 of k h without.
  const double k = 500.0, d = 3.0;
  const auto place_after = [&](const Law& law) {
    NonSmoothDynamicalSystem model;
    const auto first = model.add(mass_point(2.0, 0.0, 0.3, 0.0)), second = model.add(mass_point(0.5, 0.0, 0.0, 1.0));
    model.link({first, second}, LagrangianLinearRelation{.H = {{1.0, -1.0}}}, law);
    TimeStepping run(model, moreau_jean(0.1));
    EXPECT_TRUE(run.advance_to(3.0));
    return run.state().q(first)[0];
  };
  const ActuatorLaw::Function f = [=](double, double y, double u) { return -k * y - d * u; };
  const double exact = place_after(SpringDamperLaw{.stiffness = k, .damping = d});
  EXPECT_EQ(place_after(ActuatorLaw{.force = f,
                                    .force_dy = [=](double, double, double) { return -k; },
                                    .force_du = [=](double, double, double) { return -d; }}),
            exact);
  EXPECT_NEAR(place_after(ActuatorLaw{.force = f}), exact, 1e-6);
}

TEST(Actuator, ASpringOfAnyShapeConvergesWithOrderTwo) {
  // x'' = -x^3 from rest at 1: the energy x'^2 / 2 + x^4 / 4 tells the speed at any place.
  const auto error = [](double h) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(1.0, 0.0, 1.0, 0.0));
    model.link(mass, LagrangianLinearRelation{.H = {{1.0}}},
               ActuatorLaw{.force = [](double, double y, double) { return -y * y * y; },
                           .force_dy = [](double, double y, double) { return -3.0 * y * y; },
                           .force_du = [](double, double, double) { return 0.0; }});
    TimeStepping run(model, moreau_jean(h));
    EXPECT_TRUE(run.advance_to(1.5));
    const double x = run.state().q(mass)[0], v = run.state().v(mass)[0];
    return std::abs(0.5 * v * v + 0.25 * x * x * x * x - 0.25);
  };
  EXPECT_NEAR(fitted_order(0.05, 4, error), 2.0, 2.0 * kSmooth);  // |a h| <= 0.2, as the slope of the spring varies
}

TEST(Actuator, WhatDrivesAndWhatPullsAwayIsTakenToo) {
  // x'' = +w^2 x (a pendulum upside down) from rest at 1: cosh(w t), order 2; x'' = +s x' from 1 m/s: order 1.
  const auto run_to_one = [](double h, double k, double d) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(1.0, 0.0, 1.0, d > 0.0 ? 1.0 : 0.0));
    model.link(mass, LagrangianLinearRelation{.H = {{1.0}}},
               ActuatorLaw{.force = [=](double, double y, double u) { return k * y + d * u; },
                           .force_dy = [=](double, double, double) { return k; },
                           .force_du = [=](double, double, double) { return d; }});
    TimeStepping run(model, moreau_jean(h));
    EXPECT_TRUE(run.advance_to(1.0));
    return d > 0.0 ? run.state().v(mass)[0] : run.state().q(mass)[0];
  };
  EXPECT_NEAR(fitted_order(0.05, 4, [&](double h) { return std::abs(run_to_one(h, 4.0, 0.0) - std::cosh(2.0)); }), 2.0,
              2.0 * kSmooth);
  EXPECT_NEAR(fitted_order(0.05, 4, [&](double h) { return std::abs(run_to_one(h, 0.0, 1.0) - std::exp(1.0)); }), 1.0,
              2.0 * kSmooth);
}

TEST(Actuator, ASaturatedOneIsAGivenForceInTheProblemOfTheStep) {
  // 2 tanh(40 (1 - y)) at y = 0 is 2 in doubles, and its slope is 1e-32 or, by differences
  // of a function that was rounded downwards there, some 1e-8. 1 / slope is not to be in q.
  const double f = 2.0, h = 1e-2;
  const auto slope = [](double, double y, double) { return -80.0 / std::pow(std::cosh(40.0 * (1.0 - y)), 2); };
  const auto rounded = [=](double, double y, double) { return y > 0.0 ? f * (1.0 - kEps) : f; };
  const auto none = [](double, double, double) { return 0.0; };
  for (const ActuatorLaw& law :
       {ActuatorLaw{.force = [=](double, double y, double) { return f * std::tanh(40.0 * (1.0 - y)); },
       .force_dy = slope,
       .force_du = none},
        ActuatorLaw{.force = rounded}}) {
    NonSmoothDynamicalSystem model;
    const auto mass = model.add(mass_point(1.0, 0.0, 0.0, 0.0));
    model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, law);
    TimeStepping run(model, moreau_jean(h));
    ASSERT_TRUE(run.step());
    EXPECT_NEAR(run.state().v(mass)[0], f * h, 4.0 * kEps * f * h);
    EXPECT_LE(run.problem().reduced.q.lpNorm<Eigen::Infinity>(), 1.0);
  }
}

/// A user's own: a magnet that pulls a body towards y = 0 as 1 / (y + 1)^2, by differences.
class Magnet final : public ForceLaw {
 public:
  [[nodiscard]] double force(double, double y, double) const override { return -1.0 / ((y + 1.0) * (y + 1.0)); }
};

TEST(Actuator, AUsersForceIsAClass) {
  // v^2 / 2 = 1 / (y + 1) - 1 / 2 from rest at y = 1.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(mass_point(1.0, 0.0, 1.0, 0.0));
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, std::make_shared<const Magnet>());
  TimeStepping run(model, moreau_jean(1e-3));
  ASSERT_TRUE(run.advance_to(1.0));
  const double y = run.state().q(mass)[0], v = run.state().v(mass)[0];
  EXPECT_LT(v, -0.2);
  EXPECT_NEAR(0.5 * v * v, 1.0 / (y + 1.0) - 0.5, 1e-7);  // h^2 times third derivatives of size 0.1
}

TEST(Actuator, AForceThatIsNoNumberFailsTheStepByName) {
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(mass_point(1.0, 0.0, 1.0, -3.0));
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}},
             ActuatorLaw{.force = [](double, double y, double) { return std::sqrt(y); }}, "pump");
  TimeStepping run(model, moreau_jean(0.1));
  const RunReport report = run.advance_to(1.0);
  EXPECT_FALSE(report);
  bad_input::expect_contains(report.message(), {"pump", "ActuatorLaw"});
}

}  // namespace
}  // namespace nonsmooth::actuators_test
