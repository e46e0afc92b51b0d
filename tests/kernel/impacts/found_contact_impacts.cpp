// SPDX-License-Identifier: Apache-2.0
// Poisson's impacts and those of Liu, Zhao and Brogliato at contacts of bodies in space, in steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/body_on_ground.hpp"

namespace nonsmooth::found_contact_impacts_test {
namespace {

using Eigen::Vector3d;
using test::BodyOnGround;

constexpr double h = test::kBodyStep, R = 0.1, g = 9.81;
/// Problems of iterations to 1e-10 of speeds of 1 m/s, two an impact.
constexpr double kAgree = 1e-8;

/// Balls of unit mass in contact, in a row along n; the first comes with 1 m/s.
struct Cradle {
  const Vector3d n = Vector3d(2.0, -1.0, 2.0) / 3.0;
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> balls;

  Cradle(int size, const Law& law) {
    for (int i = 0; i < size; ++i) {
      const Vector3d velocity = i == 0 ? n : Vector3d(Vector3d::Zero());
      balls.push_back({model.add(RigidBody{.inertia = 0.4 * R * R * Eigen::Matrix3d::Identity(),
                                           .position = 2.0 * R * i * n,
                                           .velocity = velocity}),
                       {{.shape = Sphere{R}}}});
    }
    model.detect(BodyContacts(balls, {}, law));
  }
  /// Along n after a step; nothing else moves.
  [[nodiscard]] Eigen::VectorXd after_a_step() const {
    TimeStepping stepping(model, {.step = h});
    const StepReport report = stepping.step();
    EXPECT_TRUE(report) << report.message();
    Eigen::VectorXd along(static_cast<Index>(balls.size()));
    for (std::size_t i = 0; i < balls.size(); ++i) {
      const auto v = stepping.state().v(balls[i].body);
      along[static_cast<Index>(i)] = n.dot(v.head<3>());
      EXPECT_NEAR((v.head<3>() - along[static_cast<Index>(i)] * n).norm(), 0.0, kAgree) << i;
      EXPECT_NEAR(v.tail<3>().norm(), 0.0, kAgree / R) << i;
    }
    return along;
  }
};

TEST(FoundContactImpacts, PoissonsLawGivesTheBallsOfACradleTheirClosedForms) {
  // As linked ones (PoissonInSteps), central impacts whatever the friction.
  for (const Index dimension : {1, 3}) {
    const PoissonImpactLaw law{.restitution = 1.0, .friction = dimension == 3 ? 0.4 : 0.0, .dimension = dimension};
    EXPECT_LT((Cradle(3, law).after_a_step() - Eigen::Vector3d(-1, 2, 2) / 3.0).norm(), kAgree) << dimension;
    const Eigen::VectorXd five = (Eigen::VectorXd(5) << -3, 2, 2, 2, 2).finished() / 5.0;
    EXPECT_LT((Cradle(5, law).after_a_step() - five).norm(), kAgree) << dimension;
  }
}

TEST(FoundContactImpacts, WavesThroughThreeBallsOfLinearSprings) {
  // k = m = 1, d1 + d2 = sin t, d1 - d2 = sin(sqrt3 t) / sqrt3 until d1 = 0 again; then 2 and 3 alone: d2'' = -2 d2.
  double t = 2.57;
  const double root = std::sqrt(3.0);
  for (int k = 0; k < 10; ++k) t -= (std::sin(t) + std::sin(root * t) / root) / (std::cos(t) + std::cos(root * t));
  const double d2 = 0.5 * (std::sin(t) - std::sin(root * t) / root), rate1 = 0.5 * (std::cos(t) + std::cos(root * t));
  const double rate2 = 0.5 * (std::cos(t) - std::cos(root * t));
  const double v1 = (1.0 + 2.0 * rate1 + rate2) / 3.0, pair = 1.0 - v1;
  const double apart = std::sqrt(rate2 * rate2 + 2.0 * d2 * d2);
  const Eigen::Vector3d expected(v1, 0.5 * (pair - apart), 0.5 * (pair + apart));
  EXPECT_LT(
      (Cradle(3, LiuZhaoBrogliatoImpactLaw{.restitution = 1.0, .exponent = 1.0}).after_a_step() - expected).norm(),
      1e-9);  // as WavesInSteps says
}

/// A capsule whose lower end touches the ground, 30 degrees off upright: its point r of contact moves by W.
struct Corner {
  static constexpr double J = 0.02, kHalfLength = 0.3;
  const double rx = 0.5 * kHalfLength, rz = -(std::sqrt(0.75) * kHalfLength + R);
  const Eigen::Matrix2d W{{1.0 + rx * rx / J, -rx* rz / J}, {-rx * rz / J, 1.0 + rz* rz / J}};

  /// (u_N, u_T) of the point after it came with (-1, slip).
  [[nodiscard]] Eigen::Vector2d after(double slip, double e, double mu) const {
    const Eigen::Quaterniond lean(Eigen::AngleAxisd(-std::atan2(rx, -rz - R), Vector3d::UnitY()));
    const BodyOnGround scene({.inertia = J * Eigen::Matrix3d::Identity(),
                              .position = {0.0, 0.0, -rz},
                              .orientation = {lean.w(), lean.x(), lean.y(), lean.z()},
                              .velocity = {slip, 0.0, -1.0}},
                             Capsule{.radius = R, .half_length = kHalfLength}, {.shape = HalfSpace{}},
                             PoissonImpactLaw{.restitution = e, .friction = mu, .dimension = 3});
    TimeStepping run(scene.model, {.step = h});
    const StepReport report = run.step();
    EXPECT_TRUE(report) << report.message();
    const auto v = run.state().v(scene.body);
    EXPECT_NEAR(Vector3d(v[1], v[3], v[5]).norm(), 0.0, kAgree / R);
    return {v[2] - v[4] * rx, v[0] + v[4] * rz};
  }
};

TEST(FoundContactImpacts, PoissonsLawKnowsFrictionInBothPhases) {
  // As the linked rod of PoissonInSteps, in the plane of a capsule's lean.
  const Corner corner;
  const Eigen::Matrix2d& W = corner.W;
  const double e = 0.7;
  // Sticks in both phases: u_N+ = e (-u_N- + u_T- W_NT / W_TT), not Newton's -e u_N-.
  const double slow = 0.3;
  const Eigen::Vector2d stuck = corner.after(slow, e, 0.9);
  EXPECT_NEAR(stuck[0], e * (1.0 + slow * W(0, 1) / W(1, 1)), kAgree);
  EXPECT_NEAR(stuck[1], 0.0, kAgree);
  // Slides in both: p_N = (1 + e) / (W_NN - mu W_NT).
  const double mu = 0.3, p = (1.0 + e) / (W(0, 0) - mu * W(0, 1));
  const Eigen::Vector2d slid = corner.after(2.0, e, mu);
  EXPECT_NEAR(slid[0], e, kAgree);
  EXPECT_NEAR(slid[1], 2.0 + p * (W(0, 1) - mu * W(1, 1)), kAgree);
}

TEST(FoundContactImpacts, BallsThatFallOnEachOtherComeToRest) {
  // One on the other from 1 cm; at rest the contacts carry what is above them, g h and 2 g h of unit masses.
  const std::vector<Law> laws{PoissonImpactLaw{.restitution = 0.5},
                              PoissonImpactLaw{.restitution = 0.5, .friction = 0.3, .dimension = 3},
                              LiuZhaoBrogliatoImpactLaw{.restitution = 0.5}};
  for (std::size_t l = 0; l < laws.size(); ++l) {
    NonSmoothDynamicalSystem model;
    std::vector<BodyShapes> balls;
    for (const double z : {R + 0.01, 3.0 * R + 0.01}) {
      balls.push_back({model.add(RigidBody{.inertia = 0.4 * R * R * Eigen::Matrix3d::Identity(),
                                           .position = {0.0, 0.0, z},
                                           .gravity = {0.0, 0.0, -g}}),
                       {{.shape = Sphere{R}}}});
    }
    model.detect(BodyContacts(balls, {{.shape = HalfSpace{}}}, laws[l]));
    TimeStepping run(model, {.step = h});
    double rise = 0.0;
    const RunReport report =
        run.advance_to(1.0, [&](const State& state) { rise = std::max(rise, state.v(balls[0].body)[2]); });
    ASSERT_TRUE(report) << report.message();
    EXPECT_GT(rise, 0.1) << l << ": nothing bounced";
    EXPECT_LT(run.state().unknowns.lpNorm<Eigen::Infinity>(), kAgree) << l;
    ASSERT_EQ(run.state().contacts.size(), 2u) << l;
    double least = run.state().contacts[0].impulse[0], most = run.state().contacts[1].impulse[0];
    if (least > most) std::swap(least, most);
    EXPECT_NEAR(least, g * h, kAgree) << l;
    EXPECT_NEAR(most, 2.0 * g * h, kAgree) << l;
  }
}

}  // namespace
}  // namespace nonsmooth::found_contact_impacts_test
