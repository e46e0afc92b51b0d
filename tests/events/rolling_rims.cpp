// SPDX-License-Identifier: Apache-2.0
// Coins and cylinders on a floor by events: the lowest points of their rims.
#include <algorithm>
#include <cmath>
#include <string>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::rolling_rims_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::turned_by;

/// A thin disk about z.
RigidBody coin(double radius, double mass) {
  const double square = mass * radius * radius;
  return {.mass = mass,
          .inertia = Vector3d(0.25 * square, 0.25 * square, 0.5 * square).asDiagonal().toDenseMatrix(),
          .gravity = {0.0, 0.0, -kGravity}};
}

TEST(RimsByEvents, ACoinRollsOnACircle) {
  // Its axis a at the angle theta to the vertical, d = up along its face, h = a x d level: all three turn about the
  // vertical at W. With the spin w a + W sin(theta) d and the contact -R d at rest, the centre moves at R w h and
  //
  //     W (A W sin(theta) cos(theta) - C w sin(theta)) = m R^2 w W sin(theta) + m g R cos(theta),
  //
  // A = m R^2 / 4, C = m R^2 / 2: the moments about the centre.
  const double R = 0.1, m = 0.3, theta = 0.5, W = 12.0, T = 1.0;
  const double s = std::sin(theta), c = std::cos(theta);
  const double w = (0.25 * W * W * s * c - kGravity / R * c) / (1.5 * W * s);
  NonSmoothDynamicalSystem model;
  RigidBody body = coin(R, m);
  body.orientation = turned_by({theta, 0.0, 0.0});  // a = (0, -s, c), d = (0, c, s), h = (-1, 0, 0)
  body.position = {0.0, 0.0, R * s};
  body.velocity = {-R * w, 0.0, 0.0};
  body.angular_velocity = {0.0, W * s, w};  // d is y of the body
  const auto handle = model.add(body);
  const auto contact = model.link(handle, RimOnHalfSpace{{.radius = R}, {}, 3},
                                  NewtonImpactFrictionLaw{.friction = 5.0, .dimension = 3}, "floor");
  EventDriven simulation(model);
  run_to(simulation, T);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
  // The centre circles at R w / W about a point beside it: (0, y0) + R w / W (-sin(W t), cos(W t)), as h turns to
  // (-cos, -sin). Steps of an error of 1e-10, some hundred of them.
  const State& state = simulation.state();
  const double circle = R * w / W, phase = W * T;
  EXPECT_NEAR(state.q(handle)[0], -circle * std::sin(phase), 1e-8);
  EXPECT_NEAR(state.q(handle)[1], circle * std::cos(phase) - circle, 1e-8);
  EXPECT_NEAR(state.q(handle)[2], R * s, 1e-9);
  EXPECT_NEAR(state.v(handle).tail<3>().squaredNorm(), W * W * s * s + w * w, 1e-6);
  EXPECT_NEAR(state.force(contact)[0], m * kGravity, 1e-6);
}

TEST(RimsByEvents, ACoinThatWobblesKeepsItsEnergy) {
  // Away from steady rolling, over some nods of its axis: to 1e-10 of some hundred steps.
  const double R = 0.1, m = 0.3, theta = 0.7;
  NonSmoothDynamicalSystem model;
  RigidBody body = coin(R, m);
  const Vector3d spin(3.0, 3.0, 12.0);
  body.orientation = turned_by({theta, 0.0, 0.0});
  body.position = {0.0, 0.0, R * std::sin(theta)};
  body.angular_velocity = spin;
  // The contact -R y of the body is at rest: v = -(spin x (-R y)), turned into space.
  const Vector3d in_body(-R * spin[2], 0.0, R * spin[0]);
  body.velocity = {in_body[0], std::cos(theta) * in_body[1] - std::sin(theta) * in_body[2],
                   std::sin(theta) * in_body[1] + std::cos(theta) * in_body[2]};
  const auto handle = model.add(body);
  model.link(handle, RimOnHalfSpace{{.radius = R}, {}, 3}, NewtonImpactFrictionLaw{.friction = 20.0, .dimension = 3});
  EventDriven simulation(model, {.relative_tolerance = 1e-12});
  const auto energy = [&] {
    const auto v = simulation.state().v(handle);
    const Vector3d spins = v.tail<3>();
    return 0.5 * (m * v.head<3>().squaredNorm() + spins.dot(body.inertia * spins)) +
           m * kGravity * simulation.state().q(handle)[2];
  };
  const double before = energy();
  double nod = 0.0;
  for (const double T : {0.3, 0.5, 0.7, 1.0}) {
    run_to(simulation, T);
    EXPECT_NEAR(energy(), before, 1e-10 * before);
    nod = std::max(nod, std::abs(simulation.state().q(handle)[2] - body.position[2]));
  }
  EXPECT_GT(nod, 1e-3);
}

TEST(RimsByEvents, ACylinderSlidesThenRolls) {
  // On both rims: from v0 without spin to 2/3 v0 at t = v0 / (3 mu g), after 5 v0^2 / (18 mu g).
  const double r = 0.1, m = 2.0, mu = 0.2, v0 = 1.2, t = v0 / (3.0 * mu * kGravity), T = 0.8;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = m,
                                        .inertia = Vector3d(0.06, 0.06, 0.5 * m * r * r).asDiagonal().toDenseMatrix(),
                                        .position = {0.0, 0.0, r},
                                        .orientation = turned_by({0.5 * kPi, 0.0, 0.0}),  // along -y
                                        .velocity = {v0, 0.0, 0.0},
                                        .gravity = {0.0, 0.0, -kGravity}});
  model.detect(BodyContacts({{body, {{.shape = Cylinder{r, 0.3}}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  EventDriven simulation(model);
  ASSERT_EQ(simulation.model().num_interactions(), 10);  // of each end the rim and four points
  run_to(simulation, T);
  expect_times(times_of(simulation, EventKind::Stick), {t, t}, 1e-10);  // an event an end
  EXPECT_LE((simulation.state().v(body).head<3>() - Vector3d(2.0 / 3.0 * v0, 0.0, 0.0)).norm(), 1e-10);
  const double way = 5.0 * v0 * v0 / (18.0 * mu * kGravity) + 2.0 / 3.0 * v0 * (T - t);
  EXPECT_LE((simulation.state().q(body).head<3>() - Vector3d(way, 0.0, r)).norm(), 1e-9);
}

TEST(RimsByEvents, AConeRollsOnItsSide) {
  // On a floor that is tilted, from rest, to and fro about its tip, which stays: no slip, and no work but that of
  // gravity, so that the energy is told to 1e-10. What holds along the line of its side is shared by both ends as their
  // normal forces are: shared alike, the tip would leave its cone at t = 0.4874.
  const double radius = 0.3, height = 0.4, m = 0.5, side = std::hypot(radius, height), tilt = 0.4;
  const double half_angle = std::atan2(radius, height);
  const double J = 0.1 * 3.0 * m * radius * radius, K = 3.0 / 80.0 * m * (4.0 * radius * radius + height * height);
  NonSmoothDynamicalSystem model;
  // The line of the side along x in z = 0, tip in the origin, axis up by half_angle; its centre 3/4 of the height off.
  const Vector3d axis(-std::cos(half_angle), 0.0, -std::sin(half_angle));  // from the base to the tip
  const auto body = model.add(RigidBody{.mass = m,
                                        .inertia = Vector3d(K, K, J).asDiagonal().toDenseMatrix(),
                                        .position = -0.75 * height * axis,
                                        .orientation = turned_by({0.0, -0.5 * kPi - half_angle, 0.0}),  // z to the axis
                                        .gravity = kGravity * Vector3d(0.0, -std::sin(tilt), -std::cos(tilt))});
  model.detect(BodyContacts({{body, {{.shape = Cone{radius, height}, .position = {0.0, 0.0, -0.25 * height}}}}},
                            {{.shape = HalfSpace{}}}, NewtonImpactFrictionLaw{.friction = 3.0, .dimension = 3}));
  EventDriven simulation(model, {.relative_tolerance = 1e-12});
  const auto energy = [&] {
    const auto q = simulation.state().q(body), v = simulation.state().v(body);
    const Vector3d spin = v.tail<3>();
    return 0.5 * (m * v.head<3>().squaredNorm() + K * spin.head<2>().squaredNorm() + J * spin[2] * spin[2]) +
           m * kGravity * (std::sin(tilt) * q[1] + std::cos(tilt) * q[2]);
  };
  const double before = energy();
  for (const double T : {0.3, 1.0, 2.0}) {
    run_to(simulation, T);
    EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
    EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty());
    const auto q = simulation.state().q(body);
    EXPECT_NEAR(energy(), before, 1e-10 * m * kGravity * side);
    EXPECT_LT(q[1], -0.05);
    EXPECT_NEAR(q[2], 0.75 * height * std::sin(half_angle), 1e-9);
    EXPECT_NEAR(q.head<2>().norm(), 0.75 * height * std::cos(half_angle), 1e-9);  // about the tip
  }
}

TEST(RimsByEvents, ACoinThatFallsFlatEndsTheRun) {
  // Without spin about the vertical it falls over its lowest point, where no other point follows in time.
  const double R = 0.1, theta = 0.4;
  NonSmoothDynamicalSystem model;
  RigidBody body = coin(R, 0.3);
  body.orientation = turned_by({theta, 0.0, 0.0});
  body.position = {0.0, 0.0, R * std::sin(theta)};
  model.link(model.add(body), RimOnHalfSpace{{.radius = R}, {}, 3},
             NewtonImpactFrictionLaw{.friction = 5.0, .dimension = 3}, "floor");
  EventDriven simulation(model);
  const auto report = simulation.advance_to(2.0);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("lies flat"), std::string::npos) << report.message();
}

}  // namespace
}  // namespace nonsmooth::rolling_rims_test
