// SPDX-License-Identifier: Apache-2.0
// Joints under GeneralisedAlpha: reactions of the smooth motion as forces, so that positions, velocities and forces are
// of order 2, and impulses for what contacts, loads and contradictions do.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>

#include <nonsmooth/kernel.hpp>

#include "kernel/closed_forms.hpp"
#include "kernel/fitted_order.hpp"

namespace nonsmooth::generalised_alpha_joints_test {
namespace {

using closed_forms::kGravity;

constexpr double kClosed = 1e-11;  ///< ProjectionOptions' tolerances in these runs
constexpr double kMass = 2.0, kArm = 0.5, kInertia = 0.3;
constexpr Projection kProjections[] = {Projection::None, Projection::WithinStep, Projection::All};

TimeSteppingOptions alpha(double rho, double h, Projection kind = Projection::None) {
  TimeSteppingOptions options{.integrator = GeneralisedAlpha{rho}, .step = h};
  options.projection = {.kind = kind, .unilateral_tolerance = kClosed, .bilateral_tolerance = kClosed};
  options.solver = mixed::Automatic{.tolerance = 1e-11};
  options.newton.tolerance = 1e-12;
  return options;
}

/// A body on a hinge at the origin, its centre kArm away: (J + m l^2) theta'' = -m g l sin(theta), theta from straight
/// down, from one state on. With k^2 = sin^2(theta/2) + theta'^2 / (4 w^2) and w^2 = m g l / (J + m l^2),
/// sin(theta/2) = k sn(w t + F), theta' = 2 w k cn(w t + F), as long as k < 1.
class Swing {
 public:
  Swing(double theta, double rate) {
    const double s = std::sin(0.5 * theta), c = 0.5 * rate / w_;
    k_ = std::hypot(s, c);
    const double F = boost::math::ellint_1(k_, std::asin(s / k_));
    start_ = rate >= 0.0 ? F : 2.0 * boost::math::ellint_1(k_) - F;
  }
  [[nodiscard]] double angle(double t) const { return 2.0 * std::asin(k_ * sn(t).s); }
  [[nodiscard]] double rate(double t) const { return 2.0 * w_ * k_ * sn(t).c; }
  [[nodiscard]] Eigen::Vector2d position(double t) const {
    return kArm * Eigen::Vector2d(std::sin(angle(t)), -std::cos(angle(t)));
  }
  [[nodiscard]] Eigen::Vector2d velocity(double t) const {
    return kArm * rate(t) * Eigen::Vector2d(std::cos(angle(t)), std::sin(angle(t)));
  }
  /// Of the hinge on the body: m (a - g).
  [[nodiscard]] Eigen::Vector2d force(double t) const {
    const double a = angle(t), spin = rate(t), change = -w_ * w_ * std::sin(a);
    const Eigen::Vector2d along(std::cos(a), std::sin(a)), across(-std::sin(a), std::cos(a));
    return kMass * (kArm * (change * along + spin * spin * across) + Eigen::Vector2d(0.0, kGravity));
  }

 private:
  struct Jacobi {
    double s, c;
  };
  [[nodiscard]] Jacobi sn(double t) const {
    double c = 0.0, d = 0.0;
    const double s = boost::math::jacobi_elliptic(k_, w_ * t + start_, &c, &d);
    return {s, c};
  }

  double w_ = std::sqrt(kMass * kGravity * kArm / (kInertia + kMass * kArm * kArm)), k_ = 0.0, start_ = 0.0;
};

struct Pendulum {
  NonSmoothDynamicalSystem model;
  SystemHandle body;
  InteractionHandle hinge, wall;
};

PlanarBody pendulum_body(double theta) {
  return {.mass = kMass,
          .inertia = kInertia,
          .position = {kArm * std::sin(theta), -kArm * std::cos(theta)},
          .angle = theta,
          .gravity = {0.0, -kGravity}};
}

void hang(const PlanarBody& body, const Eigen::Vector2d& at, Pendulum& pendulum) {
  pendulum.body = pendulum.model.add(body);
  const auto q = pendulum.model.initial_state().q(pendulum.body);
  pendulum.hinge =
      pendulum.model.link({pendulum.body}, PlanarHinge{planar_joint_to_ground(q, at)}, EqualityLaw{}, "hinge");
}

/// In the plane, from rest; with a wall that its centre meets at x = -0.2.
Pendulum flat_pendulum(double theta, double restitution = -1.0) {
  Pendulum pendulum;
  hang(pendulum_body(theta), Eigen::Vector2d::Zero(), pendulum);
  if (restitution < 0.0) return pendulum;
  pendulum.wall = pendulum.model.link(pendulum.body, LagrangianLinearRelation{.H = {{1.0, 0.0, 0.0}}, .b = {0.2}},
                                      NewtonImpactLaw{restitution}, "wall");
  return pendulum;
}

/// In space, about the y axis.
Pendulum pendulum_in_space(double theta) {
  Pendulum pendulum;
  pendulum.body = pendulum.model.add(RigidBody{.mass = kMass,
                                               .inertia = Eigen::Vector3d(0.2, kInertia, 0.25).asDiagonal(),
                                               .position = {kArm * std::sin(theta), 0.0, -kArm * std::cos(theta)},
                                               .orientation = {std::cos(0.5 * theta), 0.0, -std::sin(0.5 * theta), 0.0},
                                               .gravity = {0.0, 0.0, -kGravity}});
  const auto q = pendulum.model.initial_state().q(pendulum.body);
  pendulum.hinge = pendulum.model.link(
      {pendulum.body}, HingeJoint{joint_to_ground(q, Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitY())},
      EqualityLaw{});
  return pendulum;
}

/// Largest errors at the ends of steps, of the mean force against that in the middle of the step.
struct Errors {
  double position = 0.0, velocity = 0.0, force = 0.0;
};

TEST(GeneralisedAlphaJoints, APendulumIsOfOrderTwoInPositionsVelocitiesAndForces) {
  const Swing exact(1.5, 0.0);
  const auto errors = [&](double rho, Projection kind, double h) {
    const Pendulum pendulum = pendulum_in_space(1.5);
    TimeStepping run(pendulum.model, alpha(rho, h, kind));
    Errors worst;
    while (run.state().t < 1.0 - 0.5 * h) {
      EXPECT_TRUE(run.step());
      const double t = run.state().t;
      const auto q = run.state().q(pendulum.body);
      const auto v = run.state().v(pendulum.body);
      const Eigen::Vector3d F = reaction_wrench(run, pendulum.hinge, pendulum.body, Eigen::Vector3d::Zero()).force;
      worst.position = std::max(worst.position, (Eigen::Vector2d(q[0], q[2]) - exact.position(t)).norm());
      worst.velocity = std::max(worst.velocity, (Eigen::Vector2d(v[0], v[2]) - exact.velocity(t)).norm());
      worst.force = std::max(worst.force, (Eigen::Vector2d(F[0], F[2]) - exact.force(t - 0.5 * h)).norm());
    }
    return worst;
  };
  // Terms of the next order are below a twentieth at h = 0.01.
  for (const Projection kind : kProjections) {
    for (const double rho : {0.0, 0.8, 1.0}) {
      const auto order = [&](double Errors::*what) {
        return fitted_order(0.01, 2, [&](double h) { return errors(rho, kind, h).*what; });
      };
      EXPECT_NEAR(order(&Errors::position), 2.0, 0.05) << rho;
      EXPECT_NEAR(order(&Errors::velocity), 2.0, 0.05) << rho;
      EXPECT_NEAR(order(&Errors::force), 2.0, 0.05) << rho;
    }
  }
}

/// Three rods in the plane, 0.5 m, 1.2 m and 0.9 m long, between grounds 1 m apart: no parallelogram. The first turns
/// with 4 rad/s.
NonSmoothDynamicalSystem four_bar() {
  NonSmoothDynamicalSystem model;
  const double a = 0.5, b = 1.2, c = 0.9, spin = 4.0;
  const Eigen::Vector2d A(0.0, 0.0), D(1.0, 0.0), B(0.0, a);
  // C is b from B and c from D.
  const Eigen::Vector2d BD = D - B;
  const double d = BD.norm(), x = (b * b - c * c + d * d) / (2.0 * d), y = std::sqrt(b * b - x * x);
  const Eigen::Vector2d e = BD / d, C = B + x * e + y * Eigen::Vector2d(-e.y(), e.x());
  const auto turned = [](const Eigen::Vector2d& r) { return Eigen::Vector2d(-r.y(), r.x()); };
  // v_B + w_b turned(C - B) = w_c turned(C - D).
  const Eigen::Vector2d v_B = spin * turned(B - A);
  Eigen::Matrix2d rates;
  rates << turned(C - B), -turned(C - D);
  const double determinant = rates(0, 0) * rates(1, 1) - rates(0, 1) * rates(1, 0);
  const double w_b = (-v_B.x() * rates(1, 1) + v_B.y() * rates(0, 1)) / determinant;
  const double w_c = (-v_B.y() * rates(0, 0) + v_B.x() * rates(1, 0)) / determinant;
  const auto rod = [&](const Eigen::Vector2d& from, const Eigen::Vector2d& to, const Eigen::Vector2d& v_from,
                       double w) {
    const double length = (to - from).norm();
    return model.add(PlanarBody{.mass = length,
                                .inertia = length * length * length / 12.0,
                                .position = 0.5 * (from + to),
                                .velocity = v_from + w * turned(0.5 * (to - from)),
                                .angular_velocity = w,
                                .gravity = {0.0, -kGravity}});
  };
  const Eigen::Vector2d still = Eigen::Vector2d::Zero();
  const auto crank = rod(A, B, still, spin), coupler = rod(B, C, v_B, w_b), rocker = rod(D, C, still, w_c);
  const State start = model.initial_state();
  model.link({crank}, PlanarHinge{planar_joint_to_ground(start.q(crank), A)}, EqualityLaw{});
  model.link({crank, coupler}, PlanarHinge{planar_joint_between(start.q(crank), start.q(coupler), B)}, EqualityLaw{});
  model.link({coupler, rocker}, PlanarHinge{planar_joint_between(start.q(coupler), start.q(rocker), C)}, EqualityLaw{});
  model.link({rocker}, PlanarHinge{planar_joint_to_ground(start.q(rocker), D)}, EqualityLaw{});
  return model;
}

TEST(GeneralisedAlphaJoints, AFourBarIsOfOrderTwo) {
  // Against D1MinusLinear with steps of 2.5e-5: its own error is h^2 of the motion too, (2.5e-5 / 2.5e-3)^2 = 1e-4 of
  // the finest one that is compared.
  const NonSmoothDynamicalSystem model = four_bar();
  TimeStepping reference(model, {.integrator = D1MinusLinear{}, .step = 2.5e-5});
  ASSERT_TRUE(reference.advance_to(0.5));
  for (const Projection kind : {Projection::None, Projection::WithinStep}) {
    for (const double rho : {0.8, 1.0}) {
      const auto error = [&](double h) {
        TimeStepping run(model, alpha(rho, h, kind));
        EXPECT_TRUE(run.advance_to(0.5));
        return std::max((run.state().positions - reference.state().positions).norm(),
                        (run.state().unknowns - reference.state().unknowns).norm());
      };
      EXPECT_NEAR(fitted_order(1e-2, 2, error), 2.0, 0.1) << rho;
    }
  }
}

TEST(GeneralisedAlphaJoints, BetweenImpactsOnAStopTheOrderIsTwo) {
  // The wall takes l cos(theta) p = I (1 + e) |theta'-| of the body's angular momentum about the hinge, which has the
  // rest of m l (1 + e) |theta'-| cos(theta); the force in the hinge jumps there, and is that of the flight from the
  // next step on.
  const double e = 0.7, moment = kInertia + kMass * kArm * kArm;
  for (const Projection kind : {Projection::None, Projection::WithinStep}) {
    for (const double rho : {0.8, 1.0}) {
      const auto errors = [&](double h) {
        const Pendulum pendulum = flat_pendulum(1.2, e);
        TimeStepping run(pendulum.model, alpha(rho, h, kind));
        Swing flight(1.2, 0.0);
        double since = 0.0;
        int impacts = 0;
        Errors worst;
        while (run.state().t < 2.0 - 0.5 * h) {
          const Eigen::Vector3d before = run.state().v(pendulum.body);
          EXPECT_TRUE(run.step());
          const State& state = run.state();
          const Eigen::Vector3d q = state.q(pendulum.body), v = state.v(pendulum.body);
          EXPECT_LE(state.u(pendulum.hinge).cwiseAbs().maxCoeff(), 1e-10);
          if (state.percussion(pendulum.wall)[0] > 0.0) {
            ++impacts;
            since = state.t;
            flight = Swing(std::atan2(q[0], -q[1]), v[2]);
            const double p = state.percussion(pendulum.wall)[0], arm = kArm * std::cos(q[2]);
            const double change = (1.0 + e) * std::abs(before[2]);
            EXPECT_NEAR(p, moment * change / arm, 20.0 * h);
            EXPECT_NEAR(state.impulse(pendulum.hinge)[0] + p, kMass * arm * change, 40.0 * h);
            continue;
          }
          const double t = state.t - since;
          worst.position = std::max(worst.position, (q.head<2>() - flight.position(t)).norm());
          worst.velocity = std::max(worst.velocity, (v.head<2>() - flight.velocity(t)).norm());
          worst.force = std::max(worst.force, (state.force(pendulum.hinge) - flight.force(t - 0.5 * h)).norm());
        }
        EXPECT_GE(impacts, 2);
        return worst;
      };
      const auto order = [&](double Errors::*what) {
        return fitted_order(0.01, 3, [&](double h) { return errors(h).*what; });
      };
      EXPECT_NEAR(order(&Errors::position), 2.0, 0.2) << rho;
      EXPECT_NEAR(order(&Errors::velocity), 2.0, 0.2) << rho;
      EXPECT_GE(order(&Errors::force), 0.9) << rho;
    }
  }
}

TEST(GeneralisedAlphaJoints, AStopCarriesItsShareAtRest) {
  // Above the hinge and pressed onto the wall: about the hinge F y = m g |x| at the place where it has come to rest. In
  // each step the solver leaves 1e-11 of v, 1e-9 of a force over 0.01 s, and Newton's iteration 1e-12 of what moves.
  Pendulum pendulum = flat_pendulum(std::asin(0.2 / kArm) + std::acos(-1.0), 0.0);
  TimeStepping run(pendulum.model, alpha(0.8, 0.01));
  for (int step = 0; step < 50; ++step) {
    ASSERT_TRUE(run.step());
    if (step < 10) continue;
    const Eigen::Vector3d q = run.state().q(pendulum.body);
    const double F = kMass * kGravity * std::abs(q[0]) / q[1];
    EXPECT_NEAR(run.state().force(pendulum.wall)[0], F, 1e-6);
    EXPECT_NEAR(run.state().force(pendulum.hinge)[0], -F, 1e-6);
    EXPECT_NEAR(run.state().force(pendulum.hinge)[1], kMass * kGravity, 1e-6);
  }
  EXPECT_LE(run.state().v(pendulum.body).norm(), 1e-8);
}

TEST(GeneralisedAlphaJoints, LoadsAndContradictionsAreImpulses) {
  // A body on a hinge at its centre, which starts with 1.5 m/s and is hit by 3 N s: both are impulses of the hinge, to
  // rounding, and its force is the weight before, between and behind.
  const double h = 0.01, speed = 1.5, hit = 3.0;
  Pendulum pendulum;
  PlanarBody body = pendulum_body(0.0);
  body.velocity = {speed, 0.0};
  body.impulses = {{.instant = 0.055, .impulse = {0.0, hit, 0.0}}};
  hang(body, body.position, pendulum);
  TimeStepping run(pendulum.model, alpha(1.0, h));
  for (int step = 0; step < 10; ++step) {
    ASSERT_TRUE(run.step());
    const auto p = run.state().impulse(pendulum.hinge);
    EXPECT_NEAR(p[0], step == 0 ? -kMass * speed : 0.0, 1e-11) << step;
    EXPECT_NEAR(p[1], kMass * kGravity * h - (step == 5 ? hit : 0.0), 1e-11) << step;
  }
}

TEST(GeneralisedAlphaJoints, AStateIsAllThatTheNextStepDependsOn) {
  const Pendulum pendulum = flat_pendulum(1.2, 0.7);
  for (const Projection kind : {Projection::None, Projection::WithinStep}) {
    TimeStepping run(pendulum.model, alpha(0.8, 0.01, kind));
    for (int step = 0; step < 80; ++step) {
      TimeStepping fresh(pendulum.model, alpha(0.8, 0.01, kind));
      fresh.set_state(run.state());
      ASSERT_TRUE(run.step());
      ASSERT_TRUE(fresh.step());
      ASSERT_EQ(hash_of(run.state()), hash_of(fresh.state())) << step;
    }
  }
}

TEST(GeneralisedAlphaJoints, StepsOfChangingLengthKeepTheOrder) {
  const Swing exact(1.5, 0.0);
  const auto error = [&](double h) {
    const Pendulum pendulum = flat_pendulum(1.5);
    State state = pendulum.model.initial_state();
    Workspace workspace;
    const TimeSteppingOptions options = alpha(0.8, h);
    double worst = 0.0;
    for (int k = 0; state.t < 1.0 - 0.25 * h; ++k) {
      EXPECT_TRUE(step(pendulum.model, options, k % 2 == 0 ? h : 0.5 * h, state, workspace));
      worst = std::max(worst, (state.v(pendulum.body).head<2>() - exact.velocity(state.t)).norm());
    }
    return worst;
  };
  EXPECT_NEAR(fitted_order(0.01, 3, error), 2.0, 0.1);
}

}  // namespace
}  // namespace nonsmooth::generalised_alpha_joints_test
