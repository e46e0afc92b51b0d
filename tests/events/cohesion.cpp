// SPDX-License-Identifier: Apache-2.0
// Cohesion by events: 0 <= y ⟂ lambda_N + F >= 0 while a contact is closed, friction of lambda_N + F.
#include <cmath>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::cohesion_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;

constexpr double kMass = 2.0, kPull = 10.0, kWeight = kMass * kGravity;  // F

Law sticky(double friction, Index dimension) {
  return NewtonImpactFrictionLaw{.friction = friction, .dimension = dimension, .cohesion = kPull};
}

TEST(CohesionByEvents, AGrowingForceTearsOffWhatItsWeightAndCohesionHold) {
  // Up with r t: lambda_N = m g - r t, down to -F at t1; then v = r (t^2 - t1^2) / (2 m) - g (t - t1).
  const double r = 40.0, t1 = (kWeight + kPull) / r, T = 1.0;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(
      LagrangianLinearSystem{.mass = {{kMass, 0.0}, {0.0, kMass}},
                             .force = [r](double t, VectorRef F) { F = Eigen::Vector2d(0.0, r * t - kWeight); },
                             .q0 = {0.0, 0.0},
                             .v0 = {0.0, 0.0}});
  const auto floor = model.link(body, on_floor(2), sticky(0.0, 2));
  EventDriven simulation(model);
  run_to(simulation, 0.7);
  EXPECT_NEAR(simulation.state().force(floor)[0], kWeight - 0.7 * r, 1e-10);
  run_to(simulation, T);
  expect_times(times_of(simulation, EventKind::Opening), {t1}, 1e-9);
  EXPECT_NEAR(simulation.state().v(body)[1], 0.5 * r * (T * T - t1 * t1) / kMass - kGravity * (T - t1), 1e-9);
  EXPECT_EQ(simulation.state().force(floor)[0], 0.0);
}

TEST(CohesionByEvents, WhatSlidesIsBrakedByItsCohesionToo) {
  // At mu (g + F / m), to rest; in space along its direction.
  const double mu = 0.3, v0 = 1.2, stop = v0 / (mu * (kGravity + kPull / kMass));
  NonSmoothDynamicalSystem model;
  const auto body = model.add(LagrangianLinearSystem{.mass = (kMass * Vector3d::Ones()).asDiagonal(),
                                                     .force = {0.0, 0.0, -kWeight},
                                                     .q0 = {0.0, 0.0, 0.0},
                                                     .v0 = {0.6 * v0, 0.8 * v0, 0.0}});
  const auto floor = model.link(body, on_floor(3), sticky(mu, 3));
  EventDriven simulation(model);
  run_to(simulation, 0.5 * stop);
  const auto force = simulation.state().force(floor);
  EXPECT_NEAR(force[0], kWeight, 1e-10);
  EXPECT_NEAR(force.tail<2>().norm(), mu * (kWeight + kPull), 1e-9);
  run_to(simulation, 1.0);
  expect_times(times_of(simulation, EventKind::Stick), {stop}, 1e-10);
  EXPECT_LE((simulation.state().q(body) - 0.5 * v0 * stop * Vector3d(0.6, 0.8, 0.0)).norm(), 1e-9);
}

TEST(CohesionByEvents, ABallThatIsFoundHangsAtTheCeilingOrFalls) {
  for (const double mass : {0.9, 1.1}) {  // m g is below F or above
    const double r = 0.1, T = 0.3;
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(shape_bodies::ball(r, mass, {0.0, 0.0, -r}, Vector3d::Zero(), kGravity));
    model.detect(
        BodyContacts({{ball, {{.shape = Sphere{r}}}}}, {{.shape = HalfSpace{{0.0, 0.0, -1.0}, 0.0}}}, sticky(0.5, 3)));
    EventDriven simulation(model);
    run_to(simulation, T);
    const double fallen = mass * kGravity > kPull ? 0.5 * kGravity * T * T : 0.0;
    EXPECT_NEAR(simulation.state().q(ball)[2], -r - fallen, 1e-10) << mass;
  }
}

TEST(CohesionByEvents, OneFootLetsGoAndTheOtherHoldsWhatIsLeft) {
  // q = (y, theta), feet at +b and -b, P t up at +b: N_1 = m g / 2 - P t. From N_1 = -F on the other alone holds, with
  // N_2 (1 / m + b^2 / J) = b^2 P t / J - (P t - m g) / m.
  const double J = 0.3, b = 0.5, P = 30.0, t1 = (0.5 * kWeight + kPull) / P;
  NonSmoothDynamicalSystem model;
  const auto beam = model.add(
      LagrangianLinearSystem{.mass = {{kMass, 0.0}, {0.0, J}},
                             .force = [=](double t, VectorRef F) { F = Eigen::Vector2d(P * t - kWeight, P * t * b); },
                             .q0 = {0.0, 0.0},
                             .v0 = {0.0, 0.0}});
  // Rows (N, T); T does not move, and nothing rubs.
  const auto near = model.link(beam, LagrangianLinearRelation{.H = {{1.0, b}, {0.0, 0.0}}}, sticky(0.0, 2));
  const auto far = model.link(beam, LagrangianLinearRelation{.H = {{1.0, -b}, {0.0, 0.0}}}, sticky(0.0, 2));
  EventDriven simulation(model);
  run_to(simulation, 0.99 * t1);
  EXPECT_NEAR(simulation.state().force(near)[0], 0.5 * kWeight - 0.99 * P * t1, 1e-9);
  EXPECT_NEAR(simulation.state().force(far)[0], 0.5 * kWeight, 1e-9);
  const double T = t1 + 1e-6;
  run_to(simulation, T);
  expect_times(times_of(simulation, EventKind::Opening), {t1}, 1e-9);
  const double up = P * T, held = (b * b * up / J - (up - kWeight) / kMass) / (1.0 / kMass + b * b / J);
  EXPECT_EQ(simulation.state().force(near)[0], 0.0);
  EXPECT_NEAR(simulation.state().force(far)[0], held, 1e-8);
}

TEST(CohesionByEvents, ABoxIsTornOffAlongAnEdgeAndSlipsAtTheOther) {
  // It hangs at four corners, (+-a, +-a, c) from its middle, under a moment t about y and a push s t along x, which
  // stick: the pair at +a lets go where it pulls by m g / 2 + (1 - s c) t / (2 a) = 2 F. Then
  //
  //     lambda = m (a alpha - g) + 2 F,  J alpha = t - a (lambda - 2 F) + c T,  m dv_x = s t + T
  //
  // at the other, whose T = -m c alpha - s t sticks if that is no more than mu lambda, and else is -mu lambda.
  const double a = 0.3, c = 0.1, J = 0.02, m = 1.0, F = 4.0, mu = 0.4;
  for (const double s : {0.5, 0.1, -0.5, 0.0}) {
    SCOPED_TRACE(s);
    NonSmoothDynamicalSystem model;
    const GivenLoad load{
        .load = [s](double t, ConstVectorRef, ConstVectorRef, VectorRef f) { f << s * t, 0.0, 0.0, 0.0, t, 0.0; }};
    const auto box = model.add(RigidBody{.mass = m,
                                         .inertia = J * Eigen::Matrix3d::Identity(),
                                         .position = {0.0, 0.0, -c},
                                         .gravity = {0.0, 0.0, -kGravity},
                                         .loads = {load}});
    model.detect(BodyContacts({{box, {{.shape = Box{{a, a, c}}}}}},
                              {{.shape = HalfSpace{.normal = -Vector3d::UnitZ()}}},
                              NewtonImpactFrictionLaw{.friction = mu, .dimension = 3, .cohesion = F}));
    EventDriven simulation(model);
    const double torn = (2.0 * F - 0.5 * m * kGravity) * 2.0 * a / (1.0 - s * c), after = 1e-6;
    run_to(simulation, torn + after);
    const std::vector<double> openings = times_of(simulation, EventKind::Opening);
    ASSERT_EQ(openings.size(), 2);
    for (const double t : openings) EXPECT_NEAR(t, torn, 1e-10);
    double alpha = ((1.0 - s * c) * torn + m * a * kGravity) / (J + m * (a * a + c * c)), along = -c * alpha;
    const double holds = std::abs(m * along - s * torn), bound = mu * (m * (a * alpha - kGravity) + 2.0 * F);
    if (holds > bound) {
      alpha = (torn + m * a * kGravity + mu * c * (m * kGravity - 2.0 * F)) / (J + m * a * (a + mu * c));
      along = (s * torn - mu * (m * (a * alpha - kGravity) + 2.0 * F)) / m;
    }
    EXPECT_EQ(times_of(simulation, EventKind::Slip).size(), holds > bound ? 2 : 0);
    // Rates change by some hundred of themselves in a second.
    const Eigen::VectorXd rates = simulation.rates(box);
    EXPECT_NEAR(rates[4], alpha, 1e3 * after);
    EXPECT_NEAR(rates[2], -a * alpha, 1e3 * after);
    EXPECT_NEAR(rates[0], along, 1e3 * after);
  }
}

}  // namespace
}  // namespace nonsmooth::cohesion_test
