// SPDX-License-Identifier: Apache-2.0
// Friction in joints of several freedoms by their own reactions, against closed forms: a ball joint's moment, and the
// force around and along a shaft in its bushing.
//
// In closed forms forces are constant, so that every step is exact but for the bound, which Newton's iteration gives to
// 1e-9 of itself, and the solver's 1e-10 of the impulses: velocities to 1e-8 of what friction took.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::joint_friction_vectors_test {
namespace {

using jointed::place;

constexpr double kGravity = 9.81, kClose = 1e-8;
const Eigen::Vector3d kOrigin = Eigen::Vector3d::Zero();

TEST(BallFriction, ASpinAboutAnyAxisDecaysLinearlyAndStops) {
  // A ball hung at its centre: |R| = m g, so that J w' = -mu r m g w / |w|.
  const double m = 2.0, J = 0.05, mu = 0.3, r = 0.04, preload = 0.02, spin = 6.0;
  const Eigen::Vector3d axis = Eigen::Vector3d(1.0, -2.0, 2.0) / 3.0;
  const double deceleration = (mu * r * m * kGravity + preload) / J, stop = spin / deceleration;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(RigidBody{.mass = m,
                                        .inertia = J * Eigen::Matrix3d::Identity(),
                                        .angular_velocity = spin * axis,
                                        .gravity = {0.0, 0.0, -kGravity},
                                        .name = "ball"});
  const auto joint = model.link(ball, FrictionalBall{joint_to_ground(place(kOrigin), kOrigin)},
                                BallFrictionLaw{.friction = mu, .radius = r, .preload = preload}, "joint");
  TimeStepping simulation(model, {.step = 1e-3});
  Ledger ledger(simulation);
  double worst = 0.0, after = 0.0;
  const RunReport report = simulation.advance_to(1.5 * stop, [&](const State& state) {
    ledger.record(state);
    const Eigen::Vector3d w = state.v(ball).tail<3>();
    if (state.t < stop) worst = std::max(worst, (w - (spin - deceleration * state.t) * axis).norm());
    if (state.t > stop + 1e-3) after = std::max(after, w.norm());
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE(worst, kClose * spin);
  EXPECT_LE(after, kClose * spin);
  EXPECT_NEAR(simulation.state().force(joint)[2], m * kGravity, 1e-6);
  // All of it is gone, into the joint.
  EXPECT_NEAR(ledger.total().friction, -0.5 * J * spin * spin, 1e-8);
  EXPECT_LE(std::abs(ledger.total().constraint), 1e-8);
}

TEST(BallFriction, ASwingingPendulumStaysOnItsPointAndRubsByItsReaction) {
  // A conical swing: the bound is that of the step's own reaction in every step, and the moment is opposed to the rate.
  const double m = 1.5, l = 0.5, mu = 0.4, r = 0.03, h = 1e-3;
  const Eigen::Vector4d turn = jointed::exponential({0.9, 0.0, 0.0});
  const Eigen::Vector3d centre = jointed::turned(turn, {0.0, 0.0, -l});
  for (const Projection kind : {Projection::None, Projection::Direct}) {
    NonSmoothDynamicalSystem model;
    const Eigen::Vector3d w(0.0, 1.5, 0.0);  // in the body's axes
    const Eigen::Vector3d velocity = jointed::turned(turn, jointed::cross(w, {0.0, 0.0, -l}));
    const auto body = model.add(RigidBody{.mass = m,
                                          .inertia = Eigen::Vector3d(0.02, 0.03, 0.01).asDiagonal(),
                                          .position = centre,
                                          .orientation = turn,
                                          .velocity = velocity,
                                          .angular_velocity = w,
                                          .gravity = {0.0, 0.0, -kGravity},
                                          .name = "bob"});
    const auto joint = model.link(body, FrictionalBall{joint_to_ground(place(centre, turn), kOrigin)},
                                  BallFrictionLaw{.friction = mu, .radius = r}, "joint");
    TimeStepping simulation(model, {.step = h, .projection = {.kind = kind, .bilateral_tolerance = 1e-9}});
    Ledger ledger(simulation);
    double bound_error = 0.0, against = 0.0, drift = 0.0;
    const RunReport report = simulation.advance_to(0.3, [&](const State& state) {
      ledger.record(state);
      const auto p = state.impulse(joint);
      const auto u = state.u(joint);
      const double bound = mu * r * p.head<3>().norm(), rate = u.tail<3>().norm();
      bound_error = std::max(bound_error, std::abs(p.tail<3>().norm() - bound));
      // The rate of the step's own H, at its middle: off by h |w| of its direction, |w| <= 8 rad/s.
      against = std::max(against, p.tail<3>().dot(u.tail<3>()) / (bound * rate) + 1.0);
      drift = std::max(drift, state.y(joint).head<3>().lpNorm<Eigen::Infinity>());
    });
    ASSERT_TRUE(report) << report.message();
    // Impulses of some 0.03 N s times mu r: bounds repeat to 1e-9 of 1e-3, and the solver's 1e-10 of 0.03.
    EXPECT_LE(bound_error, 1e-11);
    EXPECT_LE(against, 0.5 * std::pow(8.0 * h, 2) + 1e-8);
    EXPECT_LE(drift, kind == Projection::Direct ? 1e-9 : h * h * kGravity);
    EXPECT_LT(ledger.total().friction, -1e-3);
    EXPECT_LE(std::abs(ledger.total().constraint), h * 2.0 * kGravity);
  }
}

TEST(BallFriction, ItsRatesAreAngularVelocitiesInSpace) {
  const Eigen::VectorXd one = place({0.3, -0.2, 0.5}, jointed::exponential({0.4, 0.1, -0.7}));
  const Eigen::VectorXd other = place({-0.1, 0.7, 0.2}, jointed::exponential({-0.2, 0.9, 0.3}));
  const auto joint = make_relation(FrictionalBall{joint_between(one, other, {0.1, 0.2, 0.3})});
  ASSERT_EQ(joint->rows(), 6);
  const Eigen::VectorXd q = (Eigen::VectorXd(14) << one, other).finished();
  Eigen::VectorXd v(12), y = Eigen::VectorXd::Ones(6), bias = Eigen::VectorXd::Ones(6);
  v << 0.0, 0.0, 0.0, 0.3, -0.4, 1.1, 0.0, 0.0, 0.0, -0.6, 0.2, 0.5;
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(6, 12);
  joint->h(0.0, q, y);
  joint->H(0.0, q, H);
  joint->curvature(0.0, q, v, bias);
  const Eigen::Vector3d w =
      jointed::turned(one.tail<4>(), v.segment<3>(3)) - jointed::turned(other.tail<4>(), v.tail<3>());
  EXPECT_LE(y.lpNorm<Eigen::Infinity>(), 1e-15);
  EXPECT_LE(((H * v).tail<3>() - w).norm(), 1e-14);
  // A body whose velocity along its own axes stays keeps its angular velocity in space.
  EXPECT_LE(bias.tail<3>().norm(), 1e-15);
}

/// A shaft along x in a bushing at the origin under its weight, pulled along the axis and twisted about it.
struct Shaft {
  static constexpr double kMass = 3.0, kRadius = 0.05, kFriction = 0.2;
  static constexpr double kBound = kFriction * kMass * kGravity;
  NonSmoothDynamicalSystem model;
  SystemHandle shaft;
  InteractionHandle bushing;

  /// Slip starts at (around, along). J = m r^2: slip around and slip along have one mass.
  explicit Shaft(double around, double along, double twist, double pull, double overhang = 0.0,
                 double bearing_length = 0.0) {
    const GivenLoad load{.load =
                             [twist, pull](double, ConstVectorRef, ConstVectorRef, VectorRef value) {
                               value.head<3>() << pull, 0.0, 0.0;
                               value.tail<3>() << twist, 0.0, 0.0;
                             },
                         .moment_axes = LoadAxes::Inertial};
    const double J = kMass * kRadius * kRadius;
    shaft = model.add(RigidBody{.mass = kMass,
                                .inertia = Eigen::Vector3d(J, 0.02, 0.02).asDiagonal(),
                                .velocity = {along, 0.0, 0.0},
                                .angular_velocity = {around / kRadius, 0.0, 0.0},
                                .gravity = {0.0, 0.0, -kGravity},
                                .loads = {load},
                                .name = "shaft"});
    const JointFrames frames = joint_to_ground(place(kOrigin), {-overhang, 0.0, 0.0}, Eigen::Vector3d::UnitX());
    bushing = model.link(shaft, FrictionalCylindrical{frames, kRadius},
                         CylindricalFrictionLaw{.friction = kFriction, .bearing_length = bearing_length}, "bushing");
  }
  [[nodiscard]] Eigen::Vector2d slip(const State& state) const {
    return {kRadius * state.v(shaft)[3], state.v(shaft)[0]};
  }
};

TEST(CylindricalFriction, APulledShaftSticksBelowItsFrictionAndSlipsAboveIt) {
  const double T = 0.1, bound = Shaft::kBound;
  // Twist and pull together, of one bound: hypot(0.8, 0.5) < 1, hypot(0.8, 0.7) > 1.
  for (const auto& [twist, pull] : {std::pair{0.0, 0.9}, {0.0, 1.3}, {0.8, 0.5}, {0.8, 0.7}, {1.3, 0.0}}) {
    const Shaft one(0.0, 0.0, twist * bound * Shaft::kRadius, pull * bound);
    TimeStepping simulation(one.model, {.step = 1e-3});
    const RunReport report = simulation.advance_to(T);
    ASSERT_TRUE(report) << report.message();
    const double whole = std::hypot(twist, pull), left = std::max(0.0, whole - 1.0) / whole;
    const Eigen::Vector2d expected = left * bound / Shaft::kMass * T * Eigen::Vector2d(twist, pull);
    EXPECT_LE((one.slip(simulation.state()) - expected).norm(), kClose) << twist << ' ' << pull;
  }
}

TEST(CylindricalFriction, ATurningAndSlidingShaftStopsBothAtOnce) {
  // m s' = -mu m g s / |s| of the slip s: along its line, until it ends.
  const double around = 0.6, along = -0.8, stop = Shaft::kMass / Shaft::kBound;
  const Shaft one(around, along, 0.0, 0.0);
  TimeStepping simulation(one.model, {.step = 1e-3});
  Ledger ledger(simulation);
  double worst = 0.0;
  const RunReport report = simulation.advance_to(1.2 * stop, [&](const State& state) {
    ledger.record(state);
    const double left = std::max(0.0, 1.0 - state.t / stop);
    if (std::abs(state.t - stop) > 1e-3)
      worst = std::max(worst, (one.slip(state) - left * Eigen::Vector2d(around, along)).norm());
  });
  ASSERT_TRUE(report) << report.message();
  EXPECT_LE(worst, kClose);
  EXPECT_NEAR(ledger.total().friction, -0.5 * Shaft::kMass, 1e-7);
}

TEST(CylindricalFriction, ATurningShaftCreepsUnderASlightPull) {
  // |around| >> |along|: m v' = F - mu m g v / (r w) with r w nearly constant, of which T takes mu g T = 0.02 of 20.
  const double pull = 0.01 * Shaft::kBound, around = 20.0, T = 0.01;
  const Shaft one(around, 0.0, 0.0, pull);
  TimeStepping simulation(one.model, {.step = 1e-4});
  const RunReport report = simulation.advance_to(T);
  ASSERT_TRUE(report) << report.message();
  const double v = pull * T / Shaft::kMass;  // friction takes mu g T / (2 r w) = 5e-4 of it
  EXPECT_NEAR(one.slip(simulation.state())[1], v, 6e-4 * v);
  EXPECT_NEAR(one.slip(simulation.state())[0], around - Shaft::kBound / Shaft::kMass * T, 1e-6);
}

TEST(CylindricalFriction, BearingsCarryAnOverhangByStatics) {
  // |N_1| + |N_2| = m g max(1, 2 overhang / length) = 3 m g: 2.9 sticks, 3.3 slips by 0.3.
  for (const double pull : {2.9, 3.3}) {
    const Shaft one(0.0, 0.0, 0.0, pull * Shaft::kBound, 0.15, 0.1);
    TimeStepping simulation(one.model, {.step = 1e-3});
    const RunReport report = simulation.advance_to(0.01);
    ASSERT_TRUE(report) << report.message();
    const double expected = std::max(0.0, pull - 3.0) * Shaft::kBound / Shaft::kMass * 0.01;
    EXPECT_NEAR(one.slip(simulation.state())[1], expected, 1e-4 * expected + kClose) << pull;
  }
}

TEST(JointFrictionVectors, AreRefusedWhereTheyHaveNoMeaning) {
  using bad_input::expect_refused;
  const auto ball = [](const BallFrictionLaw& law) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.name = "ball"});
    model.link(body, FrictionalBall{joint_to_ground(place(kOrigin), kOrigin)}, law, "joint");
  };
  expect_refused([&] { ball({.friction = -0.1}); }, {"BallFrictionLaw::friction", "-0.1"});
  expect_refused([&] { ball({.friction = 0.1, .radius = -1.0}); }, {"BallFrictionLaw::radius", "-1"});
  const auto shaft = [](double radius, const CylindricalFrictionLaw& law) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.name = "shaft"});
    model.link(body, FrictionalCylindrical{joint_to_ground(place(kOrigin), kOrigin), radius}, law, "bushing");
  };
  expect_refused([&] { shaft(0.0, {}); }, {"FrictionalCylindrical::radius", "0"});
  expect_refused([&] { shaft(0.1, {.bearing_length = -0.1}); }, {"CylindricalFrictionLaw::bearing_length", "-0.1"});
  expect_refused([&] { shaft(0.1, {.preload = bad_input::kNaN}); }, {"CylindricalFrictionLaw::preload"});
}

}  // namespace
}  // namespace nonsmooth::joint_friction_vectors_test
