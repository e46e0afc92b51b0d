// SPDX-License-Identifier: Apache-2.0
// GeneralisedAlpha on systems whose configuration is on a manifold: its order, joints, impacts, dense output.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include <Eigen/Geometry>
#include <problems/point_on_the_circle.hpp>

#include "../kernel/fitted_order.hpp"
#include "event_log.hpp"

namespace nonsmooth::lie_group_alpha_test {
namespace {

using namespace event_log;

constexpr double kSpectralRadii[] = {0.0, 0.8, 1.0};

Eigen::Matrix3d rotation_of(ConstVectorRef q) { return Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix(); }

Eigen::Vector4d turn(const Eigen::Vector3d& w) {
  const Eigen::Quaterniond Q(Eigen::AngleAxisd(w.norm(), w.normalized()));
  return {Q.w(), Q.x(), Q.y(), Q.z()};
}

/// Positions and velocities at T of all systems.
Eigen::VectorXd end_of(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options, double T) {
  EventDriven simulation(model, options);
  run_to(simulation, T);
  const State& state = simulation.state();
  return (Eigen::VectorXd(state.positions.size() + state.unknowns.size()) << state.positions, state.unknowns)
      .finished();
}

Eigen::VectorXd reference_of(const NonSmoothDynamicalSystem& model, double T) {
  return end_of(model, {.integrator = DormandPrince{}, .relative_tolerance = 1e-12}, T);
}

/// Of the method, measured at the end against DormandPrince, whose errors of 1e-12 a step are below 1e-4 of those here.
double order_of(const NonSmoothDynamicalSystem& model, double rho, double first, double T) {
  const Eigen::VectorXd exact = reference_of(model, T);
  return fitted_order(first, 3, [&](double h) {
    return (end_of(model, {.integrator = GeneralisedAlpha{rho}, .step = h}, T) - exact).norm();
  });
}

RigidBody tumbling_body() {
  return {.mass = 1.5,
          .inertia = Eigen::Vector3d(1.0, 2.0, 2.5).asDiagonal(),
          .velocity = {0.3, -0.2, 0.1},
          .angular_velocity = {0.4, 1.5, 0.3}};
}

// Terms of the next order are less than a twentieth of the error at the first step.
TEST(LieGroupAlpha, AFreeAsymmetricBodyIsIntegratedToOrderTwo) {
  NonSmoothDynamicalSystem model;
  model.add(tumbling_body());
  for (const double rho : kSpectralRadii) EXPECT_NEAR(order_of(model, rho, 0.05, 2.0), 2.0, 0.1) << rho;
}

TEST(LieGroupAlpha, TheQuaternionStaysAUnitAndTheMotionOfTheCentreIsExact) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(tumbling_body());
  EventDriven simulation(model, {.integrator = GeneralisedAlpha{}, .step = 0.01});
  run_to(simulation, 10.0);
  const Eigen::VectorXd q = simulation.state().q(body);
  EXPECT_NEAR(q.tail<4>().norm(), 1.0, 8.0 * std::numeric_limits<double>::epsilon());
  // A thousand steps, each of which rounds.
  EXPECT_LE((q.head<3>() - 10.0 * tumbling_body().velocity).norm(), 1e3 * 4.0 * 1e-15);
}

/// A body that hangs on a ball joint at the origin, `joints` of them at the same point.
struct SphericalPendulum {
  const Eigen::Vector3d point{0.0, 0.0, 0.5};  ///< of the body, which the joint holds
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle joint;

  explicit SphericalPendulum(int joints = 1) {
    const Eigen::Vector4d Q = turn({1.0, 0.3, 0.0});
    const Eigen::Vector3d Omega(0.5, 1.0, 2.0);
    Eigen::VectorXd q0 = Eigen::VectorXd::Zero(7);
    q0.tail<4>() = Q;
    const Eigen::Matrix3d R = rotation_of(q0);
    q0.head<3>() = -R * point;
    body = model.add(RigidBody{.mass = 1.5,
                               .inertia = Eigen::Vector3d(0.1, 0.2, 0.15).asDiagonal(),
                               .position = q0.head<3>(),
                               .orientation = Q,
                               .velocity = -R * Omega.cross(point),
                               .angular_velocity = Omega,
                               .gravity = {0.0, 0.0, -kGravity}});
    for (int k = 0; k < joints; ++k)
      joint = model.link(body, make_relation(BallJoint{joint_to_ground(q0, Eigen::Vector3d::Zero())}), EqualityLaw{});
  }
};

TEST(LieGroupAlpha, ASphericalPendulumIsIntegratedToOrderTwo) {
  const SphericalPendulum pendulum;
  for (const double rho : kSpectralRadii) EXPECT_NEAR(order_of(pendulum.model, rho, 0.0125, 1.0), 2.0, 0.1) << rho;
}

TEST(LieGroupAlpha, AJointIsHeldToRoundOffAtAnyStep) {
  const SphericalPendulum pendulum;
  for (const double h : {0.1, 0.01}) {  // turns of up to half a radian a step
    EventDriven simulation(pendulum.model, {.integrator = GeneralisedAlpha{}, .step = h});
    run_to(simulation, 1.0);
    const State& state = simulation.state();
    // Drift is removed to 8 eps of |H||q|, 2 m, and of |H||v|, 10 m/s.
    EXPECT_LE(state.y(pendulum.joint).norm(), 1e-13) << h;
    EXPECT_LE(state.u(pendulum.joint).norm(), 1e-12) << h;
  }
}

// Newton's iteration leaves 16 eps |q| / (beta h^2) of accelerations, 1e-10 here, 1e-12 of velocities a step; eighty
// steps, amplified by less than 100 on the way.
TEST(LieGroupAlpha, JointsThatDependOnOneAnotherMoveAsOne) {
  const SphericalPendulum one, three(3);
  const EventDrivenOptions options{.integrator = GeneralisedAlpha{}, .step = 0.0125};
  EXPECT_LE((end_of(one.model, options, 1.0) - end_of(three.model, options, 1.0)).norm(), 1e-8);
}

/// A ball whose centre of mass is off its middle, over a floor: the lowest point of the sphere.
struct EccentricBall {
  NonSmoothDynamicalSystem model;
  SystemHandle ball;

  EccentricBall() {
    const Eigen::Vector3d middle(0.05, -0.03, 0.08);
    constexpr double kRadius = 0.3;
    ball = model.add(RigidBody{.inertia = Eigen::Vector3d(0.04, 0.05, 0.06).asDiagonal(),
                               .position = {0.0, 0.0, 0.8},
                               .velocity = {0.3, 0.0, 0.0},
                               .angular_velocity = {2.0, -1.0, 3.0},
                               .gravity = {0.0, 0.0, -kGravity}});
    model.link(ball,
               ScleronomousRelation{
                   .h = [=](ConstVectorRef q, VectorRef y) { y[0] = q[2] + (rotation_of(q) * middle)[2] - kRadius; },
                   .H =
                       [=](ConstVectorRef q, MatrixRef H) {
                         const Eigen::Vector3d up = rotation_of(q).row(2).transpose();
                         H(0, 2) = 1.0;
                         H.row(0).tail<3>() = middle.cross(up).transpose();
                       },
                   .curvature =
                       [=](ConstVectorRef q, ConstVectorRef v, VectorRef c) {
                         const Eigen::Vector3d Omega = v.tail<3>();
                         c[0] = (rotation_of(q) * Omega.cross(Omega.cross(middle)))[2];
                       }},
               NewtonImpactLaw{0.7});
  }
};

// Steps end at impacts, so that the grids differ behind them: by terms of order three.
TEST(LieGroupAlpha, ABodyThatBouncesHasItsImpactsAndMotionToOrderTwo) {
  const EccentricBall scene;
  constexpr double kEnd = 1.2;
  EventDriven exact(scene.model, {.relative_tolerance = 1e-12});
  run_to(exact, kEnd);
  const std::vector<double> instants = times_of(exact, EventKind::Impact);
  ASSERT_EQ(instants.size(), 4U);
  const Eigen::VectorXd reference = reference_of(scene.model, kEnd);
  const auto error_of_impacts = [&](double h) {
    EventDriven simulation(scene.model, {.integrator = GeneralisedAlpha{}, .step = h});
    run_to(simulation, kEnd);
    const std::vector<double> found = times_of(simulation, EventKind::Impact);
    EXPECT_EQ(found.size(), instants.size());
    return std::abs(found.at(0) - instants[0]) + std::abs(found.at(1) - instants[1]);
  };
  const auto error = [&](double h) {
    return (end_of(scene.model, {.integrator = GeneralisedAlpha{}, .step = h}, kEnd) - reference).norm();
  };
  EXPECT_NEAR(fitted_order(0.02, 3, error_of_impacts), 2.0, 0.15);
  EXPECT_NEAR(fitted_order(0.02, 3, error), 2.0, 0.15);
}

/// A ball on a floor that rolls under g = (2, 0, -9.81) from (0, 0.7) and spins about the vertical: rows of friction
/// stick.
struct RollingBall {
  static constexpr double kRadius = 0.3, kMass = 2.0, kInertia = 0.4 * kMass * kRadius * kRadius;
  static constexpr double kPull = 2.0, kSpeed = 0.7;
  NonSmoothDynamicalSystem model;
  SystemHandle ball;

  RollingBall() {
    ball = model.add(RigidBody{.mass = kMass,
                               .inertia = kInertia * Eigen::Matrix3d::Identity(),
                               .position = {0.0, 0.0, kRadius},
                               .velocity = {0.0, kSpeed, 0.0},
                               .angular_velocity = {-kSpeed / kRadius, 0.0, 5.0},
                               .gravity = {kPull, 0.0, -kGravity}});
    // Velocities of the lowest point, v - radius (R Omega) x up.
    model.link(ball,
               ScleronomousRelation{.rows = 3,
                                    .h = [](ConstVectorRef q, VectorRef y) { y << q[2] - kRadius, q[0], q[1]; },
                                    .H =
                                        [](ConstVectorRef q, MatrixRef H) {
                                          const Eigen::Matrix3d R = rotation_of(q);
                                          H(0, 2) = H(1, 0) = H(2, 1) = 1.0;
                                          H.row(1).tail<3>() = -kRadius * R.row(1);
                                          H.row(2).tail<3>() = kRadius * R.row(0);
                                        },
                                    .curvature = [](ConstVectorRef, ConstVectorRef, VectorRef) {}},
               NewtonImpactFrictionLaw{.restitution = 0.0, .friction = 0.5, .dimension = 3});
  }
};

// A ball that rolls has 7/5 of its mass.
TEST(LieGroupAlpha, ABallThatRollsIsIntegratedToOrderTwo) {
  const RollingBall scene;
  for (const double rho : kSpectralRadii) {
    const auto error = [&](double h) {
      EventDriven simulation(scene.model, {.integrator = GeneralisedAlpha{rho}, .step = h});
      run_to(simulation, 1.0);
      EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
      const State& state = simulation.state();
      const double speed = RollingBall::kPull / 1.4;
      return (state.q(scene.ball).head<2>() - Eigen::Vector2d(0.5 * speed, RollingBall::kSpeed)).norm() +
             (state.v(scene.ball).head<2>() - Eigen::Vector2d(speed, RollingBall::kSpeed)).norm();
    };
    EXPECT_NEAR(fitted_order(0.01, 3, error), 2.0, 0.1) << rho;
  }
}

TEST(LieGroupAlpha, ASystemBesideABodyMovesAsItDoesAlone) {
  const LagrangianLinearSystem oscillator{.stiffness = {{30.0}}, .q0 = {1.0}, .v0 = {0.5}};
  NonSmoothDynamicalSystem alone, beside;
  const auto a = alone.add(oscillator);
  beside.add(tumbling_body());
  const auto b = beside.add(oscillator);
  const EventDrivenOptions options{.integrator = GeneralisedAlpha{}, .step = 0.01};
  EventDriven first(alone, options), second(beside, options);
  run_to(first, 1.0);
  run_to(second, 1.0);
  // 16 eps of accelerations, 30, where Newton's iteration ends, in velocities of a hundred steps; round-off of sums.
  EXPECT_NEAR(first.state().q(a)[0], second.state().q(b)[0], 1e-11);
  EXPECT_NEAR(first.state().v(a)[0], second.state().v(b)[0], 1e-11);
}

// The angle swings as angle'' = -g sin(angle), q = (cos, sin), v = angle': the same scheme moves both.
TEST(LieGroupAlpha, APointOnTheCircleMovesAsItsAngleDoes) {
  NonSmoothDynamicalSystem circle, line;
  const auto a = circle.add(std::make_shared<const problems::PointOnTheCircle>(1.0, kGravity));
  const auto b = line.add(LagrangianSystem{
      .force = [](double, ConstVectorRef q, ConstVectorRef, VectorRef F) { F[0] = -kGravity * std::sin(q[0]); },
      .q0 = {1.0},
      .v0 = {0.0}});
  const EventDrivenOptions options{.integrator = GeneralisedAlpha{}, .step = 0.01};
  EventDriven first(circle, options), second(line, options);
  run_to(first, 2.0);
  run_to(second, 2.0);
  const double angle = second.state().q(b)[0];
  // 16 eps of accelerations, 10, in 200 steps, amplified by exp(sqrt(g) t) = 500 at most.
  EXPECT_NEAR(first.state().q(a)[0], std::cos(angle), 1e-9);
  EXPECT_NEAR(first.state().q(a)[1], std::sin(angle), 1e-9);
  EXPECT_NEAR(first.state().v(a)[0], second.state().v(b)[0], 1e-9);
}

TEST(LieGroupAlpha, DenseOutputFollowsTheManifold) {
  // A steady spin, which the scheme has exactly at the ends of steps. Between them a cubic would be off Q by at most
  // max |Q^(4)| h^4 / 384 = (w / 2)^4 h^4 / 384, and off the sphere; what is handed out is on it.
  const double w = 2.0, h = 0.1, most = std::pow(0.5 * w * h, 4) / 384.0;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.angular_velocity = {0.0, 0.0, w}});
  EventDriven simulation(model, {.integrator = GeneralisedAlpha{}, .step = h});
  State inside = simulation.state();
  const auto report =
      simulation.advance_to(1.0, {.segment = [&](const SmoothSegment& segment) {
                              for (const double part : {0.25, 0.5, 0.75}) {
                                const double t = segment.start() + part * (segment.end() - segment.start());
                                segment.evaluate(t, inside);
                                const Eigen::Vector4d Q = inside.q(body).tail<4>();
                                EXPECT_NEAR(Q.norm(), 1.0, 1e-15);  // a square root and a quotient of doubles
                                EXPECT_NEAR(Q[0], std::cos(0.5 * w * t), most + 1e-13);
                                EXPECT_NEAR(Q[3], std::sin(0.5 * w * t), most + 1e-13);
                              }
                              return true;
                            }});
  EXPECT_TRUE(report) << report.message();
}

}  // namespace
}  // namespace nonsmooth::lie_group_alpha_test
