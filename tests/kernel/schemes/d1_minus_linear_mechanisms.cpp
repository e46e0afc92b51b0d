// SPDX-License-Identifier: Apache-2.0
// D1MinusLinear on mechanisms and bodies, against event-driven simulation of the same models and closed forms.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <nonsmooth/kernel.hpp>
#include <problems/mechanics.hpp>

#include "kernel/closed_forms.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::d1_minus_linear_mechanisms_test {
namespace {

using namespace closed_forms;

TimeSteppingOptions by(double h, D1MinusLinear::Forces forces = D1MinusLinear::Forces::ByVelocities) {
  return {.integrator = D1MinusLinear{forces}, .step = h};
}

/// The energy of a slider-crank but for its gravity's, which is below 0.3 J and changes by as little for all.
double kinetic_energy(const State& state) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(3, 3);
  problems::SliderCrank::mechanism().mass(state.positions, M);
  return 0.5 * state.unknowns.dot(M * state.unknowns);
}

TEST(D1MinusLinearMechanisms, ASliderCrankWithClearanceMovesAsByEvents) {
  // The slider lands at 2.69 ms. Before: order two, from 2e-6 rad at h = 2e-5 on.
  const problems::Model m = problems::slider_crank();
  const auto apart = [&](const State& state, double h) {
    TimeStepping run(m.system, by(h));
    EXPECT_TRUE(run.advance_to(state.t));
    return Eigen::Vector2d((run.state().positions - state.positions).norm(),
                           (run.state().unknowns - state.unknowns).norm());
  };
  EventDriven events(m.system);
  ASSERT_TRUE(events.advance_to(2e-3));
  EXPECT_NEAR(fitted_order(2e-5, 2, [&](double h) { return apart(events.state(), h)[0]; }), 2.0, 0.05);
  EXPECT_NEAR(fitted_order(2e-5, 2, [&](double h) { return apart(events.state(), h)[1]; }), 2.0, 0.05);
  EXPECT_LE(apart(events.state(), 2e-5)[0], 3e-6);
  // It lands flat: by impacts of two corners in turn, of which a step tells the first few (the next test). What the
  // motions behind it have in common is the energy but for what each loses in impacts and by friction: as the
  // loss of either is within [0, 2] times that of the run by events, so is their difference, and the crank's speed
  // differs by its share in 2 E / v, the angle by T times that at most.
  const double before = kinetic_energy(events.state()), T = 2e-2, v = 150.0;
  ASSERT_TRUE(events.advance_to(T));
  const double lost = before - kinetic_energy(events.state()), slower = lost / (2.0 * before) * v;
  EXPECT_LE(lost, 0.02 * before);
  for (const double h : {2e-5, 1e-5, 5e-6}) {
    TimeStepping run(m.system, by(h));
    ASSERT_TRUE(run.advance_to(T));
    EXPECT_NEAR(run.state().unknowns[0], events.state().unknowns[0], slower) << h;
    EXPECT_NEAR(run.state().positions[0], events.state().positions[0], T * slower) << h;
    for (const double gap : {run.state().outputs[0], run.state().outputs[2], run.state().outputs[4]})
      EXPECT_GE(gap, -h * 10.0) << h;  // corners are no faster than 10 m/s across the guide
  }
}

TEST(D1MinusLinearMechanisms, NoStepResolvesTheLandingOfTheSlider) {
  // Two corners of one side hit the guide in turn, u -> u - (1 + e) u_i W_i / W_ii, with k = W_12 / W_11 near -1 as the
  // slider turns easily. In the order (that hits, the other) an impact is the map ((-(1 + e) k, 1), (-e, 0)), whose
  // eigenvalues z^2 + (1 + e) k z + e = 0 are real where (1 + e)^2 k^2 > 4 e: speeds fall by the larger one, z1, and
  // the times between impacts by e / z1^2. A step of h tells as many impacts as last longer than it, and what of the
  // speeds is left then goes as h^p, p = ln z1 / ln(e / z1^2): where p is a fifteenth, as here, no h gets to the end.
  using S = problems::SliderCrank;
  const problems::Model m = problems::slider_crank();
  EventDriven events(m.system);
  ASSERT_TRUE(events.advance_to(2.9e-3));
  std::vector<double> instants, impulses;
  for (const Event& event : events.events()) {
    if (event.kind != EventKind::Impact) continue;
    instants.push_back(event.t);
    impulses.push_back(event.value);
  }
  ASSERT_GE(instants.size(), 13u);
  const Eigen::VectorXd q = events.state().positions;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(3, 3), rear = Eigen::MatrixXd::Zero(2, 3), front = rear;
  S::mechanism().mass(q, M);
  S::corner(0).H(q, rear);
  S::corner(1).H(q, front);
  const Eigen::Vector3d n1 = rear.row(0).transpose(), n2 = front.row(0).transpose();
  const double e = 0.4, W11 = n1.dot(M.llt().solve(n1)), k = n1.dot(M.llt().solve(n2)) / W11;
  const double z1 = 0.5 * (-(1.0 + e) * k + std::sqrt((1.0 + e) * (1.0 + e) * k * k - 4.0 * e));
  EXPECT_LE(std::log(z1) / std::log(e / (z1 * z1)), 0.08);
  // From the eighth impact on, when the other eigenvalue's part has fallen below 1e-3. Friction, mu b / a = 0.5 % of an
  // impulse, helps one corner and hinders the other, so that pairs are looked at.
  for (std::size_t i = 8; i < 11; ++i) {
    const double pair = (instants[i + 2] - instants[i + 1]) / (instants[i] - instants[i - 1]);
    EXPECT_NEAR(std::sqrt(pair), e / (z1 * z1), 0.02 * e / (z1 * z1)) << i;
    EXPECT_NEAR(std::sqrt(impulses[i + 1] / impulses[i - 1]), z1, 0.02 * z1) << i;
  }
  // All of it within 2 us; steps of a fifth of a microsecond tell four or five.
  EXPECT_LE(instants[12] - instants[0], 2e-6);
}

TEST(D1MinusLinearMechanisms, ABodyOnABallJointIsOfOrderTwo) {
  // A body that turns about a point 0.5 m beside its centre, spun about three axes, against events at 1e-10: the
  // joint's rows turn with it. The joint opens by O(h^2), and a projection closes it.
  const auto model = [] {
    NonSmoothDynamicalSystem system;
    const auto body = system.add(RigidBody{.mass = 2.0,
                                           .inertia = Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal(),
                                           .position = {0.5, 0.0, 0.0},
                                           .velocity = {0.0, 0.5, -0.25},
                                           .angular_velocity = {2.0, 0.5, 1.0},
                                           .gravity = {0.0, 0.0, -kGravity},
                                           .name = "body"});
    const auto q = system.initial_state().q(body);
    link_joint(system, {body}, BallJoint{joint_to_ground(q, Eigen::Vector3d::Zero())}, "joint");
    return system;
  };
  const NonSmoothDynamicalSystem system = model();
  EventDriven events(system);
  ASSERT_TRUE(events.advance_to(0.5));
  const auto error = [&](double h) {
    TimeStepping run(system, by(h));
    EXPECT_TRUE(run.advance_to(0.5));
    return std::max((run.state().positions - events.state().positions).norm(),
                    (run.state().unknowns - events.state().unknowns).norm());
  };
  const auto open = [&](double h) {
    TimeStepping run(system, by(h));
    EXPECT_TRUE(run.advance_to(0.5));
    return run.state().outputs.norm();
  };
  EXPECT_NEAR(fitted_order(2e-2, 3, error), 2.0, 0.2);
  EXPECT_NEAR(fitted_order(2e-2, 3, open), 2.0, 0.3);
  TimeSteppingOptions projected = by(1e-2);
  projected.projection = {.kind = Projection::Direct, .bilateral_tolerance = 1e-12};
  TimeStepping run(system, projected);
  ASSERT_TRUE(run.advance_to(0.5));
  EXPECT_LE(run.state().outputs.norm(), 1e-11);
}

TEST(D1MinusLinearMechanisms, ABallThatSlidesOnAFloorRolls) {
  // v = 5/7 v0 from t = 2 v0 / (7 mu g) on; H of the contact turns with nothing, as the ball's velocity at its lowest
  // point is v + r w x n in space: w in body axes, which turn.
  const double v0 = 2.0, mu = 0.3, r = 0.1, rolls = 2.0 * v0 / (7.0 * mu * kGravity);
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.mass = 1.0,
                                        .inertia = 0.4 * r * r * Eigen::Matrix3d::Identity(),
                                        .position = {0.0, 0.0, r},
                                        .velocity = {v0, 0.0, 0.0},
                                        .gravity = {0.0, 0.0, -kGravity},
                                        .name = "ball"});
  model.detect(BodyContacts({{ball, {{.shape = Sphere{r}}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.restitution = 0.5, .friction = mu, .dimension = 3}));
  model.link_sources();
  for (const auto forces : {D1MinusLinear::Forces::ByVelocities, D1MinusLinear::Forces::ByAccelerations}) {
    TimeStepping run(model, by(1e-3, forces));
    ASSERT_TRUE(run.advance_to(0.5 * rolls));
    // Constant forces: exact but for what the solver leaves.
    EXPECT_NEAR(run.state().v(ball)[0], v0 - mu * kGravity * run.state().t, 1e-7);
    ASSERT_TRUE(run.advance_to(2.0 * rolls));
    // The step of the change takes up to a step's friction too much or too little of the way, none of the speed: spin
    // and slide change in a fixed ratio.
    EXPECT_NEAR(run.state().v(ball)[0], 5.0 / 7.0 * v0, 1e-6);
    EXPECT_NEAR(run.state().q(ball)[2], r, 1e-9);
    EXPECT_NEAR(run.state().q(ball)[0], 12.0 * v0 * v0 / (49.0 * mu * kGravity) + 5.0 / 7.0 * v0 * rolls,
                mu * kGravity * 1e-6 + 1e-6);
  }
}

TEST(D1MinusLinearMechanisms, ADiskRollsDownASlope) {
  // In the plane, on a slope of 0.3 rad: x'' = 2/3 g sin, rolling, of which steps are exact.
  const double slope = 0.3, r = 0.1, h = 1e-2;
  NonSmoothDynamicalSystem model;
  const auto disk = model.add(PlanarBody{.mass = 2.0,
                                         .inertia = 0.5 * 2.0 * r * r,
                                         .position = {0.0, r},
                                         .gravity = kGravity * Eigen::Vector2d(std::sin(slope), -std::cos(slope)),
                                         .name = "disk"});
  const auto floor = model.link(disk, LagrangianLinearRelation{.H = {{0.0, 1.0, 0.0}, {1.0, 0.0, r}}, .b = {-r, 0.0}},
                                NewtonImpactFrictionLaw{.friction = 0.4});
  TimeStepping run(model, by(h));
  for (int k = 1; k <= 100; ++k) {
    ASSERT_TRUE(run.step());
    const double a = 2.0 / 3.0 * kGravity * std::sin(slope), t = k * h;
    ASSERT_NEAR(run.state().v(disk)[0], a * t, 1e-7);
    ASSERT_NEAR(run.state().q(disk)[0], 0.5 * a * t * t, 1e-7);
    ASSERT_NEAR(run.state().force(floor)[1], -2.0 * kGravity * std::sin(slope) / 3.0, 1e-6);
  }
}

TEST(D1MinusLinearMechanisms, WhatAnotherHitsKeepsItsForces) {
  // A ball falls on the second of two blocks in a stack, 1 kg each, restitution 0 below and 0.5 above: the floor
  // carries 2 g before, a percussion in the step of the impact, and 3 g when all rest.
  const double h = 1e-3;
  NonSmoothDynamicalSystem model;
  const auto low = model.add(mass_point(1.0, -kGravity, 0.0, 0.0));
  const auto high = model.add(mass_point(1.0, -kGravity, 0.0, 0.0));
  const auto ball = model.add(mass_point(1.0, -kGravity, 0.1, 0.0));
  const auto floor = model.link(low, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{0.0});
  const auto stack = model.link({low, high}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{0.0});
  const auto hit = model.link({high, ball}, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{0.5});
  TimeStepping run(model, by(h));
  const double lands = std::sqrt(0.2 / kGravity);
  bool struck = false;
  while (run.state().t < 2.0) {
    ASSERT_TRUE(run.step());
    const State& x = run.state();
    if (x.t < lands) {
      ASSERT_NEAR(x.force(floor)[0], 2.0 * kGravity, 1e-6);
      ASSERT_NEAR(x.force(stack)[0], kGravity, 1e-6);
    }
    struck = struck || x.percussion(hit)[0] > 0.0;
    ASSERT_GE(x.u(floor)[0], -1e-8);
    ASSERT_GE(x.u(stack)[0], -1e-8);
  }
  EXPECT_TRUE(struck);
  EXPECT_NEAR(run.state().force(floor)[0], 3.0 * kGravity, 1e-6);
  EXPECT_NEAR(run.state().force(hit)[0], kGravity, 1e-6);
}

}  // namespace
}  // namespace nonsmooth::d1_minus_linear_mechanisms_test
