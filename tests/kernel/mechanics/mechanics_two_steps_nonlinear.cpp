// SPDX-License-Identifier: Apache-2.0
// Schatzman-Paoli time-stepping of systems whose mass and forces vary, and of bodies that turn.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

#include "kernel/closed_forms.hpp"
#include "kernel/fitted_order.hpp"
#include "kernel/scheme_motions.hpp"

namespace nonsmooth::mechanics_two_steps_nonlinear_test {
namespace {

using namespace closed_forms;

TimeSteppingOptions two_steps(double h, double theta = 0.5) {
  return {.integrator = SchatzmanPaoli{.theta = theta}, .step = h};
}

/// A bead on z = x^2 / 2 by its x: (1 + x^2) x'' = -x (g + x'^2).
LagrangianSystem bead(double x, double speed) {
  return {
      .mass = [](ConstVectorRef q, MatrixRef M) { M(0, 0) = 1.0 + q[0] * q[0]; },
      .force = [](double, ConstVectorRef q, ConstVectorRef v, VectorRef F) { F[0] = -q[0] * (kGravity + v[0] * v[0]); },
      .force_dq = [](double, ConstVectorRef, ConstVectorRef v, MatrixRef J) { J(0, 0) = -kGravity - v[0] * v[0]; },
      .force_dv = [](double, ConstVectorRef q, ConstVectorRef v, MatrixRef J) { J(0, 0) = -2.0 * q[0] * v[0]; },
      .q0 = {x},
      .v0 = {speed},
      .name = "bead"};
}

TEST(SchatzmanPaoliNonlinear, ABeadWhoseMassVariesIsOfOrderOne) {
  const auto rate = [](double, ConstVectorRef z, VectorRef dz) {
    dz << z[1], -z[0] * (kGravity + z[1] * z[1]) / (1.0 + z[0] * z[0]);
  };
  const Eigen::VectorXd exact = problems::solve_ode(rate, Eigen::Vector2d(1.0, 0.5), 0.0, 1.0);
  for (const double theta : {0.0, 0.5, 1.0}) {
    const auto error = [&](double h) {
      NonSmoothDynamicalSystem model;
      const auto body = model.add(bead(1.0, 0.5));
      TimeStepping run(model, two_steps(h, theta));
      EXPECT_TRUE(run.advance_to(1.0));
      return std::max(std::abs(run.state().q(body)[0] - exact[0]), std::abs(run.state().v(body)[0] - exact[1]));
    };
    EXPECT_NEAR(fitted_order(5e-3, 3, error), 1.0, 0.15) << theta;
  }
}

TEST(SchatzmanPaoliNonlinear, ABeadNeverGoesThroughItsStop) {
  // x >= 0.2, plastic: it comes to the stop and stays, the force being the tangential weight, x g / (1 + x^2) of the
  // generalised coordinate's F = x g; q is solved to Newton's tolerance, 1e-8 of it.
  const double h = 2e-3;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(bead(1.0, 0.0));
  const auto stop = model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {-0.2}}, NewtonImpactLaw{0.0});
  TimeStepping run(model, two_steps(h));
  ASSERT_TRUE(run.advance_to(2.0, [&](const State& x) { EXPECT_GE(x.y(stop)[0], -1e-8); }));
  EXPECT_NEAR(run.state().y(stop)[0], 0.0, 1e-8);
  EXPECT_NEAR(run.state().force(stop)[0], 0.2 * kGravity, 1e-4);
}

TEST(SchatzmanPaoliNonlinear, ATopThatTurnsFreelyIsOfOrderOne) {
  EXPECT_NEAR(fitted_order(1e-2, 3, [](double h) { return scheme_motions::error_of_free_top(two_steps(h)); }), 1.0,
              0.15);
}

TEST(SchatzmanPaoliNonlinear, ABodyOnABallJointStaysOnIt) {
  // The joint is closed at positions, to Newton's tolerance of z times h; the motion is of order one against events.
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = 2.0,
                                        .inertia = Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal(),
                                        .position = {0.5, 0.0, 0.0},
                                        .velocity = {0.0, 0.5, -0.25},
                                        .angular_velocity = {2.0, 0.5, 1.0},
                                        .gravity = {0.0, 0.0, -kGravity},
                                        .name = "body"});
  const Eigen::VectorXd q = model.initial_state().q(body);
  link_joint(model, {body}, BallJoint{joint_to_ground(q, Eigen::Vector3d::Zero())}, "joint");
  EventDriven events(model);
  ASSERT_TRUE(events.advance_to(0.5));
  const auto error = [&](double h) {
    TimeStepping run(model, two_steps(h));
    EXPECT_TRUE(run.advance_to(0.5, [&](const State& x) { EXPECT_LE(x.outputs.norm(), 1e-8); }));
    return (run.state().positions - events.state().positions).norm();
  };
  EXPECT_NEAR(fitted_order(5e-3, 3, error), 1.0, 0.2);
}

TEST(SchatzmanPaoliNonlinear, ASpinningBallLandsAndBounces) {
  // A ball whose masses are not even falls on the floor, turning; y_{k+1} + e y_{k-1} >= 0: with e = 0 it never enters,
  // with e = 0.5 by no more than e of the gap two steps before, which is above -1e-8 or the way of two steps.
  for (const double e : {0.0, 0.5}) {
    const double h = 1e-3;
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.inertia = Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal(),
                                          .position = {0.0, 0.0, 1.0},
                                          .angular_velocity = {2.0, 0.5, 1.0},
                                          .gravity = {0.0, 0.0, -kGravity},
                                          .name = "body"});
    model.detect(BodyContacts({{body, {{.shape = Sphere{0.1}}}}}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{e}));
    model.link_sources();
    TimeStepping run(model, two_steps(h));
    double deepest = 0.0, fastest = 0.0;
    ASSERT_TRUE(run.advance_to(1.0, [&](const State& x) {
      deepest = std::max(deepest, -x.outputs[0]);
      fastest = std::max(fastest, std::abs(x.velocities[0]));
    }));
    EXPECT_LE(deepest, e == 0.0 ? 1e-8 : e * 2.0 * h * fastest);
    EXPECT_GE(fastest, 4.0);  // it fell 0.9 m
  }
}

}  // namespace
}  // namespace nonsmooth::mechanics_two_steps_nonlinear_test
