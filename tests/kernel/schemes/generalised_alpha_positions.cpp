// SPDX-License-Identifier: Apache-2.0
// GeneralisedAlpha with positions held within the step: gaps and velocities of joints at once, complementarity of
// contacts at both levels, and what the method promises between and in contacts.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/reference.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/closed_forms.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::generalised_alpha_positions_test {
namespace {

using bad_input::expect_refused;
using closed_forms::kEps;
using closed_forms::kGravity;

constexpr double kClosed = 1e-11;  ///< ProjectionOptions' tolerances in these runs

TimeSteppingOptions alpha(double rho, double h, bool hold) {
  TimeSteppingOptions options{.integrator = GeneralisedAlpha{rho}, .step = h};
  if (hold)
    options.projection = {
        .kind = Projection::WithinStep, .unilateral_tolerance = kClosed, .bilateral_tolerance = kClosed};
  options.solver = mixed::Automatic{.tolerance = 1e-11};
  options.newton.tolerance = 1e-12;
  return options;
}

/// Largest |y| and |u| of an interaction over a run.
struct Worst {
  double gap = 0.0, velocity = 0.0;
  Index turns = 0;  ///< the most of a step
};
Worst worst_of(const NonSmoothDynamicalSystem& model, const std::vector<InteractionHandle>& joints,
               const TimeSteppingOptions& options, double T) {
  TimeStepping run(model, options);
  Worst worst;
  while (run.state().t < T - 0.5 * options.step) {
    const StepReport report = run.step();
    EXPECT_TRUE(report) << report.message();
    if (!report) break;
    worst.turns = std::max(worst.turns, report.projections);
    for (const InteractionHandle joint : joints) {
      worst.gap = std::max(worst.gap, run.state().y(joint).cwiseAbs().maxCoeff());
      worst.velocity = std::max(worst.velocity, run.state().u(joint).cwiseAbs().maxCoeff());
    }
  }
  return worst;
}

struct Hung {
  NonSmoothDynamicalSystem model;
  std::vector<InteractionHandle> joints;
  SystemHandle last;  ///< of its bodies
};

/// A body that tumbles about a point 0.5 m beside its centre.
Hung hung_body() {
  Hung hung;
  const auto body = hung.model.add(RigidBody{.mass = 2.0,
                                             .inertia = Eigen::Vector3d(0.2, 0.3, 0.4).asDiagonal(),
                                             .position = {0.5, 0.0, 0.0},
                                             .velocity = {0.0, 0.5, -0.25},
                                             .angular_velocity = {2.0, 0.5, 1.0},
                                             .gravity = {0.0, 0.0, -kGravity}});
  const auto q = hung.model.initial_state().q(body);
  hung.joints = {hung.model.link({body}, BallJoint{joint_to_ground(q, Eigen::Vector3d::Zero())}, EqualityLaw{})};
  return hung;
}

/// A parallelogram of three rods in space, on hinges that are parallel: of 20 rows three depend on the others.
Hung parallelogram() {
  Hung loop;
  const Eigen::Vector3d axis = Eigen::Vector3d::UnitY();
  const auto rod = [&](const Eigen::Vector3d& at, const Eigen::Vector3d& v, double spin, bool upright) {
    const double along = 1e-3, across = 0.1;
    return loop.model.add(
        RigidBody{.mass = 1.0,
                  .inertia = Eigen::Vector3d(upright ? across : along, across, upright ? along : across).asDiagonal(),
                  .position = at,
                  .velocity = v,
                  .angular_velocity = {0.0, spin, 0.0},
                  .gravity = {0.0, 0.0, -kGravity}});
  };
  // Both cranks turn about y at 3 rad/s: v = 3 y x r.
  const auto left = rod({0.0, 0.0, 0.5}, {1.5, 0.0, 0.0}, 3.0, true);
  const auto right = rod({2.0, 0.0, 0.5}, {1.5, 0.0, 0.0}, 3.0, true);
  const auto bar = loop.last = rod({1.0, 0.0, 1.0}, {3.0, 0.0, 0.0}, 0.0, false);
  const State start = loop.model.initial_state();
  const auto ground = [&](SystemHandle body, const Eigen::Vector3d& point) {
    loop.joints.push_back(
        loop.model.link({body}, HingeJoint{joint_to_ground(start.q(body), point, axis)}, EqualityLaw{}));
  };
  const auto between = [&](SystemHandle one, SystemHandle other, const Eigen::Vector3d& point) {
    loop.joints.push_back(loop.model.link(
        {one, other}, HingeJoint{joint_between(start.q(one), start.q(other), point, axis)}, EqualityLaw{}));
  };
  ground(left, {0.0, 0.0, 0.0});
  ground(right, {2.0, 0.0, 0.0});
  between(left, bar, {0.0, 0.0, 1.0});
  between(right, bar, {2.0, 0.0, 1.0});
  return loop;
}

TEST(GeneralisedAlphaPositions, JointsAreClosedAndAtRestAtOnce) {
  // Velocities are some 3, of which the solver's 1e-11 leaves 3e-11. Without, y drifts by O(h^2) over the run; a
  // projection after the step leaves u off by (H(q) - H(q*)) v, h^2 |v|^3 and less. The parallelogram is flat at 0.4 s.
  for (const Hung& hung : {hung_body(), parallelogram()}) {
    const double h = 5e-3, T = 0.3;
    const Worst held = worst_of(hung.model, hung.joints, alpha(0.8, h, true), T);
    EXPECT_LE(held.gap, kClosed);
    EXPECT_LE(held.velocity, 1e-10);
    EXPECT_LE(held.turns, 6);
    TimeSteppingOptions projected = alpha(0.8, h, false);
    EXPECT_GE(worst_of(hung.model, hung.joints, projected, T).gap, 1e-6);
    projected.projection = {.kind = Projection::All, .bilateral_tolerance = kClosed};
    const Worst after = worst_of(hung.model, hung.joints, projected, T);
    EXPECT_LE(after.gap, kClosed);
    EXPECT_GE(after.velocity, 1e3 * held.velocity);
  }
}

TEST(GeneralisedAlphaPositions, AJointConvergesToTheMotionByEvents) {
  // Of order 2; no more than twice as far off as without (tests/kernel/schemes/generalised_alpha_joints.cpp has closed
  // forms).
  const Hung hung = hung_body();
  EventDriven events(hung.model);
  ASSERT_TRUE(events.advance_to(0.5));
  const auto error = [&](double h, bool hold) {
    TimeStepping run(hung.model, alpha(0.8, h, hold));
    EXPECT_TRUE(run.advance_to(0.5));
    return std::max((run.state().positions - events.state().positions).norm(),
                    (run.state().unknowns - events.state().unknowns).norm());
  };
  EXPECT_NEAR(fitted_order(1e-2, 3, [&](double h) { return error(h, true); }), 2.0, 0.1);
  EXPECT_LE(error(1e-2, true), 2.0 * error(1e-2, false));
}

TEST(GeneralisedAlphaPositions, AnImpactEndsOnTheFloorWithItsRestitution) {
  // A ball from 1 m: under a constant force q_{k+1} - q_k = h v_k - h^2 g / 2 + mu / m, mu >= 0 where the floor is
  // touched alone, to roundings of 1 m. At rest mu is what lifts the way of a step from rest, m g h^2 / 2.
  const double m = 2.0, e = 0.8, h = 5e-3;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.mass = {{m}}, .force = {-m * kGravity}, .q0 = {1.0}});
  const auto floor = model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{e});
  TimeStepping run(model, alpha(0.8, h, true));
  int impacts = 0, lifted = 0;
  for (int k = 0; k < 2000; ++k) {
    const State before = run.state();
    ASSERT_TRUE(run.step());
    const State& after = run.state();
    const double y = after.y(floor)[0], mu = after.projection(floor)[0], p = after.impulse(floor)[0];
    ASSERT_GE(y, -kClosed) << k;
    ASSERT_GE(mu, 0.0) << k;
    if (mu > 0.0) {
      ASSERT_LE(y, kClosed) << k;
    }
    const double moved = after.q(ball)[0] - before.q(ball)[0] - h * before.v(ball)[0] + 0.5 * h * h * kGravity;
    ASSERT_NEAR(moved, mu / m, 64.0 * kEps) << k;
    if (before.v(ball)[0] < -2.0 * h * kGravity && p > 0.0) {
      EXPECT_NEAR(after.v(ball)[0], -e * before.v(ball)[0], 1e-9) << k;  // u_k is that of the law
      ++impacts;
    }
    lifted += mu > 0.0;
  }
  EXPECT_GE(impacts, 5);
  EXPECT_GE(lifted, 1);
  EXPECT_NEAR(run.state().v(ball)[0], 0.0, 1e-9);
  EXPECT_NEAR(run.state().projection(floor)[0], 0.5 * m * kGravity * h * h, 4.0 * m * kClosed);
  EXPECT_NEAR(run.state().impulse(floor)[0], m * kGravity * h, 1e-9);
}

TEST(GeneralisedAlphaPositions, WhatSlidesGoesTheWayOfItsMeanSpeed) {
  // A puck of 2 kg from 3 m/s, mu = 0.3: x = 3 t - mu g t^2 / 2 until it stops, which a step has exactly, as v falls
  // evenly. A step leaves 1e-11 of v and kClosed of x, 50 steps of 0.01 s add 50 kClosed and 50 * 0.5 * 1e-11.
  const double m = 2.0, mu = 0.3, h = 0.01;
  for (const double rho : {0.0, 0.8, 1.0}) {
    NonSmoothDynamicalSystem model;
    const auto puck = model.add(LagrangianLinearSystem{
        .mass = {{m, 0.0}, {0.0, m}}, .force = {0.0, -m * kGravity}, .q0 = {0.0, 0.0}, .v0 = {3.0, 0.0}});
    const auto floor = model.link(puck, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}},
                                  NewtonImpactFrictionLaw{.friction = mu});
    TimeStepping run(model, alpha(rho, h, true));
    for (int k = 1; k <= 200; ++k) {
      const StepReport report = run.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_LE(std::abs(run.state().y(floor)[0]), kClosed);
      const double t = run.state().t;
      if (k <= 50) {
        ASSERT_NEAR(run.state().q(puck)[0], t * (3.0 - 0.5 * mu * kGravity * t), 1e-9) << k;
      }
    }
    // It stops within a step, whose last part is the scheme's: v_k^2 / (2 mu g) against h v_k / 2, below mu g h^2 / 8.
    EXPECT_NEAR(run.state().q(puck)[0], 4.5 / (mu * kGravity), 0.125 * mu * kGravity * h * h + 1e-9);
    EXPECT_LE(run.state().v(puck).norm(), 1e-9);
  }
}

TEST(GeneralisedAlphaPositions, ForcesThatAStepDoesNotResolveCostNoTurns) {
  // Two masses on a spring of 1e6 N/m, w h = 14, that land on the floor with 1 m/s and rest there: U is answered by
  // h^2 beta K / m = 31 times as much, which each turn knows. Gaps are linear: one turn finds mu, and one that the
  // lower mass acts on velocities, where it did not before.
  const double k = 1e6, h = 0.01;
  NonSmoothDynamicalSystem model;
  const auto masses = model.add(LagrangianLinearSystem{.mass = {{1.0, 0.0}, {0.0, 1.0}},
                                                       .stiffness = {{k, -k}, {-k, k}},
                                                       .force = {-kGravity, -kGravity},
                                                       .q0 = {0.03, 0.03},
                                                       .v0 = {-1.0, -1.0}});
  const auto floor = model.link(masses, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{});
  auto options = alpha(0.8, h, true);
  options.projection.unilateral_tolerance = 1e-9;
  TimeStepping run(model, options);
  Index most = 0;
  for (int step = 0; step < 200; ++step) {
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_GE(run.state().y(floor)[0], -1e-9);
    most = std::max(most, report.projections);
  }
  EXPECT_LE(most, 3);
}

TEST(GeneralisedAlphaPositions, ABeadStaysInItsBowl) {
  // y = z - x^2 / 2, e = 0: pressed all the time, so that gap and velocity are 0 after each step. The speed at the
  // bottom is that of the energy, sqrt(2 g / 2), to order h.
  NonSmoothDynamicalSystem model;
  const auto bead = model.add(LagrangianLinearSystem{
      .mass = {{1.0, 0.0}, {0.0, 1.0}}, .force = {0.0, -kGravity}, .q0 = {1.0, 0.5}, .v0 = {0.0, 0.0}});
  const auto bowl =
      model.link(bead,
                 ScleronomousRelation{.h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] - 0.5 * q[0] * q[0]; },
                                      .H = [](ConstVectorRef q, MatrixRef H) { H << -q[0], 1.0; }},
                 NewtonImpactLaw{});
  const auto fastest = [&](double h) {
    TimeStepping run(model, alpha(0.8, h, true));
    double speed = 0.0;
    for (int k = 0; k * h < 1.0; ++k) {
      EXPECT_TRUE(run.step());
      EXPECT_LE(std::abs(run.state().y(bowl)[0]), kClosed) << k;
      EXPECT_LE(std::abs(run.state().u(bowl)[0]), 1e-10) << k;
      EXPECT_GT(run.state().impulse(bowl)[0], 0.0) << k;
      speed = std::max(speed, run.state().v(bead).norm());
    }
    return std::abs(speed - std::sqrt(kGravity));
  };
  EXPECT_NEAR(fitted_order(1e-2, 3, fastest), 1.0, 0.2);
}

TEST(GeneralisedAlphaPositions, BetweenImpactsTheOrderIsTwo) {
  // A mass on a spring beside a wall, x'' + 9 x = 0, x >= -0.4, e = 0.7, from x = 1: an impact costs order 1, as it is
  // late by up to a step. From the state that an impact left, the exact oscillation until the next one is kept to order
  // 2, at whatever step that impact came.
  const double w = 3.0;
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.stiffness = {{w * w}}, .q0 = {1.0}});
  const auto wall = model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {0.4}}, NewtonImpactLaw{0.7});
  for (const bool hold : {false, true}) {
    for (const double rho : {0.0, 0.8, 1.0}) {
      const auto error = [&](double h) {
        TimeStepping run(model, alpha(rho, h, hold));
        Eigen::Vector2d start(1.0, 0.0);
        double since = 0.0, worst = 0.0;
        int impacts = 0;
        while (run.state().t < 4.0 - 0.5 * h) {
          EXPECT_TRUE(run.step());
          const State& state = run.state();
          const Eigen::Vector2d now(state.q(mass)[0], state.v(mass)[0] / w);
          if (state.percussion(wall)[0] > 0.0) {
            start = now, since = state.t, ++impacts;
            continue;
          }
          const double angle = w * (state.t - since);
          const Eigen::Vector2d exact(start[0] * std::cos(angle) + start[1] * std::sin(angle),
                                      start[1] * std::cos(angle) - start[0] * std::sin(angle));
          worst = std::max(worst, (now - exact).norm());
        }
        EXPECT_GE(impacts, 2);
        return worst;
      };
      EXPECT_NEAR(fitted_order(0.02, 4, error), 2.0, 0.1) << rho << ' ' << hold;
    }
  }
}

TEST(GeneralisedAlphaPositions, WhatContactHoldsIsDampedByRhoAlone) {
  // Two masses on a spring, the lower pressed onto the floor by 100 N, and the upper one alone on a wall: after 20 s
  // the swings of both have the same energy, whatever rho took of it, to what the lower mass moves (see
  // GeneralisedAlphaSteps.WhatContactHoldsIsNotDamped); held, it does not move at all.
  const double k = 50.0, h = 0.01, x = 0.3, T = 20.0;
  for (const double rho : {0.0, 0.8, 1.0}) {
    NonSmoothDynamicalSystem pair, alone;
    const auto masses = pair.add(LagrangianLinearSystem{
        .mass = {{4.0, 0.0}, {0.0, 1.0}}, .stiffness = {{k, -k}, {-k, k}}, .force = {-100.0, 0.0}, .q0 = {0.0, x}});
    const auto floor = pair.link(masses, LagrangianLinearRelation{.H = {{1.0, 0.0}}}, NewtonImpactLaw{0.5});
    alone.add(LagrangianLinearSystem{.stiffness = {{k}}, .q0 = {x}});
    TimeStepping held(pair, alpha(rho, h, true)), free(alone, alpha(rho, h, false));
    while (held.state().t < T - 0.5 * h) {
      ASSERT_TRUE(held.step());
      ASSERT_TRUE(free.step());
      ASSERT_LE(std::abs(held.state().q(masses)[0]), 2.0 * kClosed) << rho;
      ASSERT_LE(std::abs(held.state().u(floor)[0]), 1e-11) << rho;
    }
    // 2000 steps, each off by kClosed of the lower mass at most, w h of which reaches the upper.
    EXPECT_NEAR(held.state().q(masses)[1], free.state().positions[0], 2000.0 * kClosed * std::sqrt(k) * h) << rho;
  }
}

TEST(GeneralisedAlphaPositions, ContactsThatAreFoundAreHeldToo) {
  // A ball from 0.3 m above the floor, e = 0.5: each impact ends on the floor, and rest is on it.
  const double h = 5e-3, radius = 0.1;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.position = {0.0, 0.0, 0.4}, .gravity = {0.0, 0.0, -kGravity}});
  model.detect(BodyContacts({{ball, {{.shape = Sphere{radius}}}}}, {{.shape = HalfSpace{}}}, NewtonImpactLaw{0.5}));
  TimeStepping run(model, alpha(0.8, h, true));
  int impacts = 0;
  for (int k = 0; k < 400; ++k) {
    const double before = run.state().v(ball)[2];
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    const double gap = run.state().q(ball)[2] - radius, after = run.state().v(ball)[2];
    ASSERT_GE(gap, -kClosed) << k;
    if (before < -2.0 * h * kGravity && after > 0.0) {
      EXPECT_NEAR(after, -0.5 * before, 1e-9) << k;
      ++impacts;
    }
  }
  EXPECT_GE(impacts, 3);
  EXPECT_NEAR(run.state().q(ball)[2], radius, 2.0 * kClosed);
  EXPECT_NEAR(run.state().v(ball)[2], 0.0, 1e-9);
}

TEST(GeneralisedAlphaPositions, ABoxSlidesOnItsCorners) {
  // Flat, so that four corners share its weight, from 3 m/s with mu = 0.3: the way of a puck, to what a step leaves,
  // see WhatSlidesGoesTheWayOfItsMeanSpeed.
  const double h = 0.01, mu = 0.3;
  NonSmoothDynamicalSystem model;
  const auto box = model.add(RigidBody{.mass = 2.0,
                                       .inertia = Eigen::Vector3d(0.1, 0.1, 0.1).asDiagonal(),
                                       .position = {0.0, 0.0, 0.05},
                                       .velocity = {3.0, 0.0, 0.0},
                                       .gravity = {0.0, 0.0, -kGravity}});
  model.detect(BodyContacts({{box, {{.shape = Box{{0.2, 0.2, 0.05}}}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  TimeStepping run(model, alpha(0.8, h, true));
  for (int k = 1; k <= 50; ++k) {
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    const auto q = run.state().q(box);
    const double t = run.state().t;
    EXPECT_NEAR(q[0], t * (3.0 - 0.5 * mu * kGravity * t), 1e-8) << k;
    EXPECT_NEAR(q[2], 0.05, 1e-9) << k;
  }
}

TEST(GeneralisedAlphaPositions, AHingedBoxComesToRestOnItsEdge) {
  // Two corners share the edge's load with the hinge in more ways than one, so that neither p nor the way of friction
  // is unique: where the box is, is, and a turn that finds it there is the last.
  for (const double rho : {0.0, 0.8, 1.0}) {
    NonSmoothDynamicalSystem model;
    const auto box = model.add(RigidBody{
        .inertia = 0.1 * Eigen::Matrix3d::Identity(), .position = {0.8, 0.0, 0.6}, .gravity = {0.0, 0.0, -kGravity}});
    const auto q = model.initial_state().q(box);
    const auto hinge = model.link(
        {box}, HingeJoint{joint_to_ground(q, Eigen::Vector3d(0.0, 0.0, 0.6), Eigen::Vector3d::UnitY())}, EqualityLaw{});
    model.detect(BodyContacts({{box, {{.shape = Box{{0.2, 0.2, 0.1}}}}}}, {{.shape = HalfSpace{}}},
                              NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.4, .dimension = 3}));
    TimeStepping run(model, alpha(rho, 5e-3, true));
    for (int k = 0; k < 400; ++k) {
      const StepReport report = run.step();
      ASSERT_TRUE(report) << report.message();
      EXPECT_LE(report.projections, 6);
      EXPECT_LE(run.state().y(hinge).cwiseAbs().maxCoeff(), kClosed) << k;
    }
    // A corner of the box, (0.2, +-0.2, -0.1) from its centre and 0.8 m beside the hinge's axis, is on the floor.
    const double angle = std::asin(0.6 / std::hypot(1.0, 0.1)) - std::atan2(0.1, 1.0);
    EXPECT_NEAR(run.state().q(box)[2], 0.6 - 0.8 * std::sin(angle), 4.0 * kClosed);
    EXPECT_LE(run.state().v(box).norm(), 1e-9);
  }
}

TEST(GeneralisedAlphaPositions, AMechanismComesToRestOnTheFloor) {
  // The parallelogram lets its bar down flat onto a floor at 0.4 m, where it is at rest from 1.31 s on. A turn that
  // lifts it leaves it above the floor by what its joints bend on the way, where bodies at rest look for no contact.
  Hung loop = parallelogram();
  loop.model.detect(BodyContacts({{loop.last, {{.shape = Box{{0.5, 0.1, 0.05}}}}}},
                                 {{.shape = HalfSpace{}, .position = {0.0, 0.0, 0.4}}},
                                 NewtonImpactFrictionLaw{.restitution = 0.5, .friction = 0.4, .dimension = 3}));
  TimeStepping run(loop.model, alpha(0.8, 5e-3, true));
  for (int k = 0; k < 280; ++k) {
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_LE(report.projections, 6) << k;
    for (const InteractionHandle joint : loop.joints)
      EXPECT_LE(run.state().y(joint).cwiseAbs().maxCoeff(), kClosed) << k;
  }
  EXPECT_NEAR(run.state().q(loop.last)[2], 0.45, 4.0 * kClosed);
  EXPECT_LE(run.state().v(loop.last).norm(), 1e-9);
}

TEST(GeneralisedAlphaPositions, BoxesThatLandTogetherNeedFewTurns) {
  // Four boxes, one above the other and off it by up to 2 cm, with speeds up to 0.3 m/s, through the first landings: a
  // corner that presses in one turn and not in the next is not forgotten, or turns would go round in a circle.
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> shapes;
  for (int i = 0; i < 4; ++i) {
    const double x = 0.02 * part(generator), y = 0.02 * part(generator);
    const double v = 0.3 * part(generator), w = 0.3 * part(generator);
    const auto box = model.add(RigidBody{.inertia = 4e-3 * Eigen::Matrix3d::Identity(),
                                         .position = {x, y, 0.15 + 0.25 * i},
                                         .velocity = {v, w, 0.0},
                                         .gravity = {0.0, 0.0, -kGravity}});
    shapes.push_back({box, {{.shape = Box{{0.1, 0.1, 0.1}}}}});
  }
  model.detect(BodyContacts(shapes, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.restitution = 0.4, .friction = 0.5, .dimension = 3}));
  TimeSteppingOptions options{.integrator = GeneralisedAlpha{0.8}, .step = 2e-3};
  options.projection.kind = Projection::WithinStep;
  TimeStepping run(model, options);
  for (int k = 0; k < 115; ++k) {
    const StepReport report = run.step();
    ASSERT_TRUE(report) << report.message();
    EXPECT_LE(report.projections, 10) << k;
  }
}

TEST(GeneralisedAlphaPositions, RefusesOtherSchemes) {
  NonSmoothDynamicalSystem model;
  model.add(RigidBody{.position = {0.0, 0.0, 1.0}, .name = "body"});
  auto others = alpha(0.8, 0.1, true);
  others.integrator = MoreauJean{};
  expect_refused([&] { TimeStepping(model, others); },
                 {"ProjectionOptions::kind", "WithinStep with MoreauJean for body", "GeneralisedAlpha"});
}

TEST(GeneralisedAlphaPositions, EndsWhereNoPositionsSatisfyAllRows) {
  // Two joints that want y = 0 and y = 1 of the same mass.
  NonSmoothDynamicalSystem model;
  const auto mass = model.add(LagrangianLinearSystem{.q0 = {0.0}, .name = "mass"});
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}}, EqualityLaw{}, "here");
  model.link(mass, LagrangianLinearRelation{.H = {{1.0}}, .b = {-1.0}}, EqualityLaw{}, "there");
  auto options = alpha(0.8, 0.1, true);
  options.examination = Examination::Off;
  TimeStepping run(model, options);
  const State before = run.state();
  const StepReport report = run.step();
  EXPECT_FALSE(report.taken);
  EXPECT_EQ(report.outcome, StepReport::Outcome::ProjectionLimit);
  EXPECT_NE(report.detail.find("here"), std::string::npos) << report.detail;
  EXPECT_EQ(hash_of(run.state()), hash_of(before));
}

}  // namespace
}  // namespace nonsmooth::generalised_alpha_positions_test
