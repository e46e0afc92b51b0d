// SPDX-License-Identifier: Apache-2.0
// Bodies that touch by their shapes: closed forms that time-stepping has to rounding. Steps of 1/240 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel.hpp>

namespace nonsmooth::exact_contacts_test {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

constexpr double kDown = 9.81, kFrame = 1.0 / 240.0;

RigidBody box_of(double mass, const Vector3d& half, const Vector3d& position, const Vector3d& velocity = {0, 0, 0}) {
  return {.mass = mass,
          .inertia = MassProperties::of_mass(Box{half}, mass).inertia,
          .position = position,
          .velocity = velocity,
          .gravity = {0.0, 0.0, -kDown}};
}

TimeSteppingOptions exact_options(double tolerance = 1e-12) {
  return {.step = kFrame, .solver = mixed::Automatic{.tolerance = tolerance}};
}

NewtonImpactFrictionLaw friction_of(double mu, double restitution = 0.0) {
  return {.restitution = restitution, .friction = mu, .dimension = 3};
}

TEST(ExactContacts, ABlockSlidesStraightInEveryDirection) {
  // v_0 - mu g t along v_0, whose last step ends at rest: a (h / 8) h of way at most. The resultant of friction meets
  // the centre's vertical whatever corners carry, so that nothing turns. A step is solved to 1e-13 of 1 m/s, 100 of
  // them over a way of 0.4 m: 1e-10 of an angle.
  const double mu = 0.5, speed = 2.0;
  const Vector3d half(0.1, 0.1, 0.05);
  for (int k = 0; k <= 12; ++k) {
    const double angle = k * std::numbers::pi / 24.0;
    const Vector3d along(std::cos(angle), std::sin(angle), 0.0), across(-along[1], along[0], 0.0);
    NonSmoothDynamicalSystem model;
    const auto block = model.add(box_of(1.0, half, {0.0, 0.0, half[2]}, speed * along));
    model.detect(BodyContacts({{block, {{.shape = Box{half}}}}}, {{.shape = HalfSpace{}}}, friction_of(mu)));
    TimeStepping run(model, exact_options(1e-13));
    const RunReport report = run.advance_to(0.6, [&](const State& x) {
      const double expected = std::max(0.0, speed - mu * kDown * x.t);
      EXPECT_NEAR(x.v(block).head<3>().dot(along), expected, 1e-10) << k << ' ' << x.t;
    });
    ASSERT_TRUE(report) << report.message();
    const auto q = run.state().q(block);
    EXPECT_NEAR(q.head<3>().dot(along), speed * speed / (2.0 * mu * kDown), mu * kDown * kFrame * kFrame / 8.0 + 1e-10);
    EXPECT_NEAR(q.head<3>().dot(across) / q.head<3>().dot(along), 0.0, 1e-10) << k;
    EXPECT_LE(q.tail<3>().norm(), 1e-10) << k;  // half its turn
    EXPECT_NEAR(q[2], half[2], 1e-12) << k;     // no dilation: it does not lift
  }
}

TEST(ExactContacts, ABlockOnASlopeSticksForTenSeconds) {
  // 1.4 times what holds it: rest is the solution of every step. 5 % less than what holds it slides with g (sin a - mu
  // cos a).
  const double slope = std::numbers::pi / 9.0, c = std::cos(slope), s = std::sin(slope);
  const Vector3d half(0.1, 0.1, 0.05), normal(s, 0.0, c), downhill(c, 0.0, -s);
  for (const double margin : {1.4, 0.95}) {
    NonSmoothDynamicalSystem model;
    RigidBody body = box_of(1.0, half, half[2] * normal);
    body.orientation = {std::cos(0.5 * slope), 0.0, std::sin(0.5 * slope), 0.0};
    const auto block = model.add(body);
    const double mu = margin * s / c;
    model.detect(
        BodyContacts({{block, {{.shape = Box{half}}}}}, {{.shape = HalfSpace{.normal = normal}}}, friction_of(mu)));
    TimeStepping run(model, exact_options(1e-13));
    const Eigen::VectorXd before = run.state().q(block);
    const double T = margin > 1.0 ? 10.0 : 1.0;
    const RunReport report = run.advance_to(T);
    ASSERT_TRUE(report) << report.message();
    const Eigen::VectorXd way = run.state().q(block) - before;
    if (margin > 1.0) {
      EXPECT_LE(way.cwiseAbs().maxCoeff(), 1e-12);
    } else {
      EXPECT_NEAR(way.head<3>().dot(downhill), 0.5 * kDown * (s - mu * c) * T * T, 1e-9);
      EXPECT_NEAR(way.head<3>().dot(normal), 0.0, 1e-11);
    }
  }
}

/// A capsule of 45 g, mu = 0.7, between two jaws that are pressed on it and moved up and down.
struct Grasp {
  static constexpr double kMass = 0.045, kMu = 0.7, kRadius = 0.02, kHalf = 0.04;
  NonSmoothDynamicalSystem model;
  SystemHandle held;
  std::array<SystemHandle, 2> jaws;

  Grasp(double force, double amplitude, double frequency) {
    const double r2 = kRadius * kRadius;
    held = model.add(
        RigidBody{.mass = kMass,
                  .inertia = kMass * Vector3d(kHalf * kHalf / 2.0, kHalf * kHalf / 2.0, r2 / 2.0).asDiagonal(),
                  .gravity = {0.0, 0.0, -kDown}});
    const double w = 2.0 * std::numbers::pi * frequency, jaw_mass = 0.3;
    const auto up = [=](double t) { return amplitude * w * std::sin(w * t); };
    const auto zero = [](double) { return 0.0; };
    std::vector<BodyShapes> shapes{{held, {{.shape = Capsule{kRadius, kHalf}}}}};
    for (const int side : {0, 1}) {
      const double out = side == 0 ? -1.0 : 1.0;
      const Vector3d half(0.01, 0.03, 0.06);
      RigidBody jaw = box_of(jaw_mass, half, {out * (kRadius + half[0]), 0.0, 0.0});
      jaw.gravity = {-out * force / jaw_mass, 0.0, 0.0};  // what presses it on
      jaw.prescribed = {{1, zero}, {2, up}, {3, zero}, {4, zero}, {5, zero}};
      jaws[static_cast<std::size_t>(side)] = model.add(jaw);
      shapes.push_back({jaws[static_cast<std::size_t>(side)], {{.shape = Box{half}}}});
    }
    model.detect(BodyContacts(shapes, {}, friction_of(kMu)));
  }
};

TEST(ExactContacts, AGraspNeverSlips) {
  // Shaken with 0.1 m at 2 Hz, 15.8 m/s^2, where 2 mu F holds 12 N / 45 g = 373 m/s^2. All three have one velocity at
  // the end of each step, to what is solved: 1e-12 of 1 m/s in 480 steps of 4 ms.
  for (const double force : {12.0, 60.0}) {
    const Grasp grasp(force, 0.1, 2.0);
    TimeStepping run(grasp.model, exact_options());
    double highest = 0.0;
    const RunReport report = run.advance_to(2.0, [&](const State& x) {
      const auto q = x.q(grasp.held);
      highest = std::max(highest, q[2]);
      EXPECT_NEAR(q[2], x.q(grasp.jaws[0])[2], 1e-11) << x.t;
      EXPECT_LE(q.head<2>().norm(), 1e-11) << x.t;
      EXPECT_LE(q.tail<3>().norm(), 1e-11) << x.t;
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(highest, 0.2, 1e-3);  // 2 A, sampled and summed by trapezia of 2 pi / 120 each: (2 pi / 120)^2 / 12
  }
}

TEST(ExactContacts, AGraspHoldsUpToItsFriction) {
  // 2 mu F carries m g, or lets it fall with g - 2 mu F / m.
  for (const double part : {1.02, 0.98}) {
    const double weight = Grasp::kMass * kDown;
    const Grasp grasp(part * weight / (2.0 * Grasp::kMu), 0.0, 0.0);
    TimeStepping run(grasp.model, exact_options());
    const RunReport report = run.advance_to(0.5);
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(run.state().v(grasp.held)[2], -0.5 * kDown * std::max(0.0, 1.0 - part), 1e-9) << part;
  }
}

/// m g z + m v^2 / 2 + Omega . J Omega / 2.
double energy_of(const RigidBody& body, ConstVectorRef q, ConstVectorRef v) {
  const Vector3d spin = v.tail<3>();
  return body.mass * (kDown * q[2] + 0.5 * v.head<3>().squaredNorm()) + 0.5 * spin.dot(body.inertia * spin);
}

/// A ball that falls 1 m onto the ground with e = 0.9, spinning where there is friction.
struct BouncingBall {
  static constexpr double e = 0.9, radius = 0.1, drop = 1.0;
  RigidBody body;
  NonSmoothDynamicalSystem model{};
  SystemHandle ball;
  InteractionHandle contact;

  explicit BouncingBall(double mu)
      : body{.inertia = 0.4 * radius * radius * Eigen::Matrix3d::Identity(),
             .position = {0.0, 0.0, radius + drop},
             .angular_velocity = mu > 0.0 ? Vector3d(3.0, 10.0, 1.0) : Vector3d::Zero(),
             .gravity = {0.0, 0.0, -kDown}},
        ball(model.add(body)),
        contact(link_contacts(model, BodyContacts({{ball, {{.shape = Sphere{radius}}}}}, {{.shape = HalfSpace{}}},
                                                  friction_of(mu, e)))[0]
                    .interaction) {}
  [[nodiscard]] double energy(const State& x) const { return energy_of(body, x.q(ball), x.v(ball)); }
};

TEST(ExactContacts, ABouncingBallNeverGainsEnergy) {
  // Free flight keeps energy to rounding, an impact takes it. Each is met up to half a step off, g h v / 2 of energy
  // v^2 / 2: apex n has 0.81^n of the drop, to the sum of these. Near rest, after 8.3 s, a closed gap may open slower
  // than gravity closes it within the step: u+ = -e u- then pushes with u- > 0, which adds (1 - e) (g h - (1 + e) u-)
  // u- / 2, at most (1 - e) (g h)^2 / (8 (1 + e)), of the size of the last hops themselves. A generalised law, which
  // asks for nothing there, stops it, u+ = 0: that adds (g h - u-) u- / 2, at most (g h)^2 / 8, and then it rests.
  const double square = std::pow(kDown * kFrame, 2), e = BouncingBall::e, drop = BouncingBall::drop;
  for (const double mu : {0.0, 0.3}) {
    for (const bool generalised : {false, true}) {
      BouncingBall scene(mu);
      if (generalised)
        scene.model.add(GeneralisedNewtonImpact{.contacts = {scene.contact}, .restitution = Eigen::MatrixXd{{e}}});
      const double at_rest = generalised ? square / 8.0 : (1.0 - e) * square / (8.0 * (1.0 + e));
      TimeStepping run(scene.model, exact_options());
      double before = scene.energy(run.state()), last = 0.0, off = 0.0;
      int apex = 0, gains = 0;
      const RunReport report = run.advance_to(12.0, [&](const State& x) {
        const auto v = x.v(scene.ball);
        const double now = scene.energy(x);
        EXPECT_LE(now, before + (x.t < 6.0 ? 0.0 : at_rest) + 1e-12) << x.t;
        if (now > before + 1e-12) ++gains;
        before = now;
        if (x.t < 6.0 && last > 0.0 && v[2] <= 0.0) {
          ++apex;
          const double arrives = std::sqrt(2.0 * kDown * drop) * std::pow(e, apex - 1);
          off += kDown * kFrame / arrives;
          const double height = x.q(scene.ball)[2] - scene.radius + 0.5 * v[2] * v[2] / kDown;
          EXPECT_NEAR(height / (drop * std::pow(e, 2 * apex)), 1.0, off) << apex;
        }
        last = v[2];
      });
      ASSERT_TRUE(report) << report.message();
      EXPECT_GE(apex, 10);
      if (generalised) {
        EXPECT_LE(gains, 1);
        EXPECT_EQ(run.state().v(scene.ball)[2], 0.0);
      }
    }
  }
}

TEST(ExactContacts, ABouncingBallGainsNothingByEvents) {
  // Up to its rest and in it: instants are exact there. Rounding of 10 J, some hundreds of instants.
  for (const double mu : {0.0, 0.3}) {
    const BouncingBall scene(mu);
    EventDriven run(scene.model);
    double before = scene.energy(run.state());
    const auto look = [&](const State& x) {
      EXPECT_LE(scene.energy(x), before + 1e-12) << x.t;
      before = std::min(before, scene.energy(x));
    };
    const RunReport report = run.advance_to(12.0, look);
    ASSERT_TRUE(report) << report.message();
    EXPECT_NEAR(run.state().q(scene.ball)[2], scene.radius, 1e-12);
  }
}

TEST(ExactContacts, ATumblingCubeNeverGainsEnergy) {
  // Several corners at once under one e, without friction: p (u+ + u-) = (1 - e) p u- <= 0. J is a multiple of the
  // identity, so that a spin keeps its energy. Until contacts last: H of a corner turns while it does, and the work of
  // its reaction is zero to order h alone.
  for (const double e : {0.8, 0.9, 1.0}) {
    const Vector3d half(0.1, 0.1, 0.1);
    NonSmoothDynamicalSystem model;
    RigidBody body = box_of(1.0, half, {0.0, 0.0, 0.8}, {1.0, 0.3, 0.0});
    body.angular_velocity = {3.0, -2.0, 5.0};
    const auto cube = model.add(body);
    model.detect(BodyContacts({{cube, {{.shape = Box{half}}}}}, {{.shape = HalfSpace{}}}, friction_of(0.0, e)));
    TimeStepping run(model, exact_options());
    double before = energy_of(body, run.state().q(cube), run.state().v(cube)), most = -1.0;
    const double first = before;
    const RunReport report = run.advance_to(2.0, [&](const State& x) {
      const double now = energy_of(body, x.q(cube), x.v(cube));
      most = std::max(most, now - before);
      before = now;
    });
    ASSERT_TRUE(report) << report.message();
    EXPECT_LE(most, 1e-11) << e;
    if (e == 1.0) {
      EXPECT_NEAR(before, first, 1e-9);
    } else {
      EXPECT_LT(before, first - 0.5) << e;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::exact_contacts_test
