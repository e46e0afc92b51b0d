// SPDX-License-Identifier: Apache-2.0
// Laws of contacts in space: rolling, spinning and elliptic friction, surfaces that move, all against closed forms;
// rolling and spinning with cohesion too, and in both forms of a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/body_on_ground.hpp"

namespace nonsmooth::body_contact_laws_test {
namespace {

using Eigen::Vector3d;
using test::BodyOnGround;

constexpr double g = 9.81, kStep = test::kBodyStep, kMass = 2.0, kRadius = 0.1, kSide = 0.2;
/// Velocities of some 1 m/s, solved to 1e-12 in each of up to 1000 steps.
constexpr double kAgree = 1e-8;
const Vector3d kDown(0.0, 0.0, -g);

RigidBody ball(const Vector3d& velocity, const Vector3d& spin) {
  return {.mass = kMass,
          .inertia = 0.4 * kMass * kRadius * kRadius * Eigen::Matrix3d::Identity(),
          .position = {0.0, 0.0, kRadius},
          .velocity = velocity,
          .angular_velocity = spin,
          .gravity = kDown};
}
RigidBody cube(const Vector3d& gravity) {
  return {.mass = kMass,
          .inertia = kMass * kSide * kSide / 6.0 * Eigen::Matrix3d::Identity(),
          .position = {0.3, -0.2, 0.5 * kSide},
          .gravity = gravity};
}

/// Where a step is solved, and what contacts pull with.
struct Variant {
  Form form = Form::Reduced;
  double cohesion = 0.0;  ///< F [N]
};
std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const Form form : {Form::Reduced, Form::Global})
    for (const double part : {0.0, 0.6}) all.push_back({form, part * kMass * g});
  return all;
}

TEST(BodyContactLaws, ARollingBallStopsByRollingFriction) {
  // m v' = -F, J v' / r = F r - rolling (m g + cohesion) with J = 2/5 m r^2: v' = -5/7 rolling (g + cohesion / m) / r,
  // which the step takes exactly, in both forms. The way is v^2 / (2 a); the last step ends with a speed below a h, and
  // moves by at most a h^2 / 8 more.
  const double rolling = 0.004, speed = 0.1;
  for (const Variant& variant : variants()) {
    const double a = 5.0 / 7.0 * rolling * (g + variant.cohesion / kMass) / kRadius;
    for (const Index rows : {Index{5}, Index{6}}) {
      const NewtonImpactRollingFrictionLaw law{.friction = 0.3,
                                               .rolling = rolling,
                                               .spinning = rows == 6 ? 0.002 : 0.0,
                                               .cohesion = variant.cohesion,
                                               .rows = rows};
      const BodyOnGround scene(ball({0.6 * speed, 0.8 * speed, 0.0}, Vector3d(-0.8, 0.6, 0.0) * speed / kRadius),
                               Sphere{kRadius}, {.shape = HalfSpace{}}, law);
      TimeStepping simulation = scene.simulation({}, variant.form);
      for (int k = 1; k <= 400; ++k) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report) << report.message();
        const auto v = simulation.state().v(scene.body);
        const double expected = std::max(0.0, speed - a * kStep * k);
        ASSERT_NEAR(v[0], 0.6 * expected, kAgree) << k;
        ASSERT_NEAR(v[1], 0.8 * expected, kAgree) << k;
        ASSERT_NEAR(v.tail<3>().norm(), expected / kRadius, kAgree / kRadius) << k;
      }
      const auto q = simulation.state().q(scene.body);
      EXPECT_NEAR(std::hypot(q[0], q[1]), speed * speed / (2.0 * a), a * kStep * kStep / 8.0 + kAgree) << rows;
    }
  }
}

TEST(BodyContactLaws, ASpinningBallSlowsBySpinningFriction) {
  // J w' = -spinning (m g + cohesion) about the normal; nothing slides and nothing rolls.
  const double spinning = 0.002, spin = 3.0;
  for (const Variant& variant : variants()) {
    const double rate = spinning * (g + variant.cohesion / kMass) / (0.4 * kRadius * kRadius);
    for (const Index rows : {Index{4}, Index{6}}) {
      const NewtonImpactRollingFrictionLaw law{.friction = 0.3,
                                               .rolling = rows == 6 ? 0.001 : 0.0,
                                               .spinning = spinning,
                                               .cohesion = variant.cohesion,
                                               .rows = rows};
      const BodyOnGround scene(ball(Vector3d::Zero(), {0.0, 0.0, spin}), Sphere{kRadius}, {.shape = HalfSpace{}}, law);
      TimeStepping simulation = scene.simulation({}, variant.form);
      for (int k = 1; k <= 700; ++k) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report) << report.message();
        const auto v = simulation.state().v(scene.body);
        ASSERT_NEAR(v[5], std::max(0.0, spin - rate * kStep * k), kAgree / kRadius) << k;
        ASSERT_NEAR(v.head<3>().norm(), 0.0, kAgree) << k;
      }
    }
  }
}

TEST(BodyContactLaws, AConveyorCarriesABoxToItsSpeed) {
  // From rest at mu g until V / (mu g), at V after; the faces of the ground are a half-space and a box.
  const double mu = 0.4, V = 0.5;
  const SurfaceField belt = [=](const Vector3d&, double) { return Vector3d(0.6 * V, 0.8 * V, 0.0); };
  const ShapeOnBody plane{.shape = HalfSpace{}, .surface_velocity = belt};
  const ShapeOnBody plate{
      .shape = Box{Vector3d(2.0, 2.0, 0.1)}, .position = {0.0, 0.0, -0.1}, .surface_velocity = belt};
  for (const ShapeOnBody& ground : {plane, plate}) {
    const BodyOnGround scene(cube(kDown), Box{Vector3d::Constant(0.5 * kSide)}, ground,
                             NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
    TimeStepping simulation = scene.simulation();
    for (int k = 1; k <= 200; ++k) {
      ASSERT_TRUE(simulation.step());
      const auto v = simulation.state().v(scene.body);
      const double expected = std::min(V, mu * g * kStep * k);
      ASSERT_NEAR(v[0], 0.6 * expected, kAgree) << k;
      ASSERT_NEAR(v[1], 0.8 * expected, kAgree) << k;
      ASSERT_NEAR(v.tail<4>().norm(), 0.0, kAgree / kSide) << k;
    }
  }
}

TEST(BodyContactLaws, ATurntableTakesABallAlong) {
  // In the middle of the table: J w' = spinning m g until both turn alike.
  const double spinning = 0.002, turning = 2.0, rate = spinning * g / (0.4 * kRadius * kRadius);
  const Vector3d axis(0.0, 0.0, turning);
  const ShapeOnBody table{.shape = HalfSpace{},
                          .surface_velocity = [=](const Vector3d& at, double) -> Vector3d { return axis.cross(at); },
                          .surface_spin = [=](const Vector3d&, double) { return axis; }};
  const BodyOnGround scene(ball(Vector3d::Zero(), Vector3d::Zero()), Sphere{kRadius}, table,
                           NewtonImpactRollingFrictionLaw{.friction = 0.3, .spinning = spinning, .rows = 4});
  TimeStepping simulation = scene.simulation();
  for (int k = 1; k <= 500; ++k) {
    ASSERT_TRUE(simulation.step());
    const auto v = simulation.state().v(scene.body);
    ASSERT_NEAR(v[5], std::min(turning, rate * kStep * k), kAgree / kRadius) << k;
    ASSERT_NEAR(v.head<3>().norm(), 0.0, kAgree) << k;
  }
}

TEST(BodyContactLaws, ABlockSlidesObliquelyOnAnEllipticPlank) {
  // Pulled by a weight g_T along the plank it starts along s = (cos a, sin a) of the grain and keeps that direction:
  // v = A t s where g_T = A s + g (mu^2 cos a, mu_2^2 sin a) / |(mu cos a, mu_2 sin a)|. The resultant of the reactions
  // goes through the centre of mass, so that nothing turns.
  const double mu = 0.5, mu_2 = 0.2, A = 1.0, c = std::cos(0.7), s = std::sin(0.7), grain = 0.4;
  const double length = std::hypot(mu * c, mu_2 * s);
  const Vector3d along(std::cos(grain), std::sin(grain), 0.0), across(-std::sin(grain), std::cos(grain), 0.0);
  const Vector3d pull = (A * c + g * mu * mu * c / length) * along + (A * s + g * mu_2 * mu_2 * s / length) * across;
  // The grain is given in the plank's axes: of a half-space along its x, which is turned, then of one that is not.
  const ShapeOnBody turned{.shape = HalfSpace{},
                           .orientation = {std::cos(0.5 * grain), 0.0, 0.0, std::sin(0.5 * grain)},
                           .grain = {3.0, 0.0, 0.5}};
  for (const ShapeOnBody& plank : {turned, ShapeOnBody{.shape = HalfSpace{}, .grain = along}}) {
    const BodyOnGround scene(cube(kDown + pull), Box{Vector3d::Constant(0.5 * kSide)}, plank,
                             NewtonImpactFrictionLaw{.friction = mu, .dimension = 3, .second_friction = mu_2});
    TimeStepping simulation = scene.simulation();
    for (int k = 1; k <= 200; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      const auto v = simulation.state().v(scene.body);
      const double t = kStep * k;
      ASSERT_NEAR(along.dot(v.head<3>()), A * c * t, kAgree) << k;
      ASSERT_NEAR(across.dot(v.head<3>()), A * s * t, kAgree) << k;
      ASSERT_NEAR(v.tail<4>().norm(), 0.0, kAgree / kSide) << k;
    }
  }
}

TEST(BodyContactLaws, MaterialsMixLawsOfAllRows) {
  // Two balls that touch each other and the ground: rows of each pair are those of its law, and u = H v + h_t is the
  // relative velocity of the points and of the bodies, to some roundings of terms of 5 m/s.
  const std::vector<Law> laws{
      NewtonImpactLaw{}, NewtonImpactRollingFrictionLaw{.friction = 0.1, .rolling = 0.1, .spinning = 0.1, .rows = 6},
      NewtonImpactRollingFrictionLaw{.friction = 0.1, .rolling = 0.1, .rows = 5}};
  ContactMaterials pairs(3, 0);
  pairs.set_law(0, 1, 1).set_law(1, 2, 2);
  const Vector3d belt(0.3, -0.7, 0.2), turning(0.1, 0.5, -0.4), v1(1.0, 2.0, -0.5), v2(0.4, -0.3, 0.1);
  const Vector3d w1(2.0, -1.0, 0.5), w2(-0.6, 1.5, 0.2);
  NonSmoothDynamicalSystem model;
  RigidBody first = ball(v1, w1), second = ball(v2, w2);
  second.position = {0.05, 0.18, kRadius};
  const Eigen::Quaterniond tilt(Eigen::AngleAxisd(0.8, Vector3d(1.0, 2.0, -1.0).normalized()));
  first.orientation = {tilt.w(), tilt.x(), tilt.y(), tilt.z()};
  const auto one = model.add(first), other = model.add(second);
  const BodyContacts source(
      {{one, {{.shape = Sphere{kRadius}, .material = 0}}}, {other, {{.shape = Sphere{kRadius}, .material = 1}}}},
      {{.shape = HalfSpace{},
        .material = 2,
        .surface_velocity = [=](const Vector3d&, double) { return belt; },
        .surface_spin = [=](const Vector3d&, double) { return turning; }}},
      laws, pairs);
  const State state = model.initial_state();
  std::vector<Index> found;
  for (const ContactBatch& batch : contacts_at(state, source, 0.01)) {
    ASSERT_EQ(batch.size(), batch.contacts.empty() ? 0 : 1);
    if (batch.contacts.empty()) continue;
    const DetectedContact& contact = batch.contacts[0];
    const bool pair = contact.second >= 0;
    found.push_back(batch.rows);
    EXPECT_EQ(batch.rows, pair ? 6 : contact.first == 0 ? 1 : 5);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;
    const Eigen::Map<const Rows> H(batch.H_first(0), batch.rows, 6), H_other(batch.H_second(0), batch.rows, 6);
    const Vector3d w_one = tilt * w1;  // in space
    Eigen::VectorXd u = H * state.v(contact.first == 0 ? one : other);
    if (pair) u += H_other * state.v(other);
    if (const double* h_t = batch.h_t_of(0)) u += Eigen::Map<const Eigen::VectorXd>(h_t, batch.rows);
    // N, T1 and T2 as the columns of velocities have them.
    const Vector3d N = H.block<1, 3>(0, 0);
    const auto at = [&](const Vector3d& v, const Vector3d& w, double side) -> Vector3d {
      return v + w.cross(side * kRadius * N);
    };
    const Vector3d slip = pair                 ? Vector3d(at(v1, w_one, -1.0) - at(v2, w2, 1.0))
                          : contact.first == 0 ? at(v1, w_one, -1.0)
                                               : Vector3d(at(v2, w2, -1.0) - (belt - N * N.dot(belt)));
    const Vector3d spin = pair ? Vector3d(w_one - w2) : Vector3d(w2 - turning);
    EXPECT_NEAR(u[0], N.dot(slip), 1e-14);
    if (batch.rows == 1) continue;
    const Vector3d T1 = H.block<1, 3>(1, 0), T2 = H.block<1, 3>(2, 0);
    EXPECT_NEAR((N.cross(T1) - T2).norm(), 0.0, 1e-15);
    EXPECT_NEAR(u[1], T1.dot(slip), 1e-14);
    EXPECT_NEAR(u[2], T2.dot(slip), 1e-14);
    EXPECT_NEAR(u[3], T1.dot(spin), 1e-14);
    EXPECT_NEAR(u[4], T2.dot(spin), 1e-14);
    if (pair) {
      EXPECT_NEAR(u[5], N.dot(spin), 1e-14);
    }
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<Index>{1, 5, 6}));
}

}  // namespace
}  // namespace nonsmooth::body_contact_laws_test
