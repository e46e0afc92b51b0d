// SPDX-License-Identifier: Apache-2.0
// Ground that moves along itself, by events: u_T -= t . V of the pairs that a source makes.
#include <cmath>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::conveyors_test {
namespace {

using namespace event_log;
using Eigen::Vector2d;
using Eigen::Vector3d;

TEST(ConveyorsByEvents, ABoxIsTakenAlong) {
  // At mu g until t = V / (mu g), with the belt from there on.
  const double mu = 0.4, V = 1.5, t = V / (mu * kGravity), T = 1.0;
  NonSmoothDynamicalSystem model;
  const auto box =
      model.add(PlanarBody{.mass = 2.0, .inertia = 0.1, .position = {0.0, 0.1}, .gravity = {0.0, -kGravity}});
  const ConvexPolygon shape{.vertices = {{-0.4, -0.1}, {0.4, -0.1}, {0.4, 0.1}, {-0.4, 0.1}}};
  const PlanarShapeOnBody belt{.shape = HalfPlane{},
                               .surface_velocity = [=](const Vector2d&, double) { return Vector2d(V, 0.0); }};
  model.detect(PlanarContacts({{box, {{.shape = shape}}}}, {belt}, NewtonImpactFrictionLaw{.friction = mu}));
  EventDriven simulation(model);
  run_to(simulation, T);
  expect_times(times_of(simulation, EventKind::Stick), {t, t}, 1e-12);  // both corners
  EXPECT_LE((simulation.state().v(box) - Vector3d(V, 0.0, 0.0)).norm(), 1e-12);
  EXPECT_LE((simulation.state().q(box) - Vector3d(0.5 * V * t + V * (T - t), 0.1, 0.0)).norm(), 1e-11);
}

TEST(ConveyorsByEvents, ABallComesToRollOnABelt) {
  // v' = mu g and r w' = 5/2 mu g, until V = v + r w: at t = 2 V / (7 mu g), with v = 2/7 V from there on.
  const double mu = 0.2, V = 2.1, r = 0.1, t = 2.0 * V / (7.0 * mu * kGravity), T = 1.0;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(shape_bodies::ball(r, 0.7, {0.0, 0.0, r}, Vector3d::Zero(), kGravity));
  const Vector3d velocity(0.6 * V, 0.8 * V, 0.0);
  const ShapeOnBody belt{.shape = HalfSpace{}, .surface_velocity = [=](const Vector3d&, double) { return velocity; }};
  model.detect(
      BodyContacts({{ball, {{.shape = Sphere{r}}}}}, {belt}, NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  EventDriven simulation(model);
  run_to(simulation, T);
  expect_times(times_of(simulation, EventKind::Stick), {t}, 1e-10);
  EXPECT_LE((simulation.state().v(ball).head<3>() - 2.0 / 7.0 * velocity).norm(), 1e-9);
  const double way = 0.5 * mu * kGravity * t * t + 2.0 / 7.0 * V * (T - t);
  EXPECT_LE((simulation.state().q(ball).head<3>() - Vector3d(0.6 * way, 0.8 * way, r)).norm(), 1e-9);
}

TEST(ConveyorsByEvents, ABallRollsInCirclesOnATurntable) {
  // Without slip its centre turns at 2/7 of the table's rate, W: v' = 2/7 W z x v. From (a, 0) at v across to it.
  const double W = 3.0, r = 0.05, v = 0.4, a = 0.3, T = 2.0, rate = 2.0 / 7.0 * W;
  NonSmoothDynamicalSystem model;
  RigidBody body = shape_bodies::ball(r, 0.3, {a, 0.0, r}, {0.0, v, 0.0}, kGravity);
  body.orientation = {1.0, 0.0, 0.0, 0.0};
  // v + w x (-r z) = W z x p: (v_x - r w_y, v_y + r w_x) = W (-p_y, p_x).
  body.angular_velocity = {(W * a - v) / r, 0.0, 0.0};
  const auto ball = model.add(body);
  const ShapeOnBody table{.shape = HalfSpace{}, .surface_velocity = [=](const Vector3d& p, double) {
                            return Vector3d(-W * p.y(), W * p.x(), 0.0);
                          }};
  model.detect(BodyContacts({{ball, {{.shape = Sphere{r}}}}}, {table},
                            NewtonImpactFrictionLaw{.friction = 1.0, .dimension = 3}));
  EventDriven simulation(model, {.relative_tolerance = 1e-10});
  run_to(simulation, T);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
  // Steps of 1e-10, some ten of them, and V's rate by differences, to 1e-12 of it.
  const double phase = rate * T, radius = v / rate;
  EXPECT_NEAR(simulation.state().q(ball)[0], a - radius + radius * std::cos(phase), 1e-8);
  EXPECT_NEAR(simulation.state().q(ball)[1], radius * std::sin(phase), 1e-8);
  EXPECT_NEAR(simulation.state().v(ball).head<2>().norm(), v, 1e-8);
}

TEST(ConveyorsByEvents, ABeltThatVariesInTimeTakesADiskAlong) {
  // On a level floor V(t) = A sin(w t): a disk of inertia m r^2 / 2 that rolls on it has v' = V' / 3.
  const double A = 0.2, w = 4.0, r = 0.1, T = 1.3;
  NonSmoothDynamicalSystem model;
  const auto disk =
      model.add(PlanarBody{.mass = 1.0, .inertia = 0.5 * r * r, .position = {0.0, r}, .gravity = {0.0, -kGravity}});
  FloorProfile floor{.height = [](double) { return 0.0; },
                     .slope = [](double) { return 0.0; },
                     .curvature = [](double) { return 0.0; }};
  floor.surface_velocity = [=](double, double t) { return A * std::sin(w * t); };
  model.link(disk, DiskOnFloor{{.radius = r}, floor, 2}, NewtonImpactFrictionLaw{.friction = 0.5});
  EventDriven simulation(model, {.relative_tolerance = 1e-10});
  run_to(simulation, T);
  EXPECT_TRUE(events_of(simulation, EventKind::Slip).empty());
  EXPECT_NEAR(simulation.state().v(disk)[0], A * std::sin(w * T) / 3.0, 1e-9);
  EXPECT_NEAR(simulation.state().q(disk)[0], A * (1.0 - std::cos(w * T)) / (3.0 * w), 1e-9);
}

}  // namespace
}  // namespace nonsmooth::conveyors_test
