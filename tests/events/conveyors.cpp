// SPDX-License-Identifier: Apache-2.0
// Surfaces that move along themselves, by events: u_T = t . (s + A_1 V_1 - A_2 V_2) of the pairs that a source makes.
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

TEST(ConveyorsByEvents, ABlockInSpaceIsTakenAlongObliquely) {
  // On four corners of a box across the belt, which comes with a velocity of its own: it slides straight with mu g
  // against what it has against the belt, until t = |v0 - V| / (mu g), and rides.
  const double mu = 0.35, T = 0.8;
  const Vector3d V(0.9, -1.3, 0.0), v0(-0.4, 0.2, 0.0), slip = v0 - V;
  const double t = slip.norm() / (mu * kGravity);
  NonSmoothDynamicalSystem model;
  const auto block = model.add(RigidBody{.mass = 3.0,
                                         .inertia = Vector3d(0.1, 0.12, 0.15).asDiagonal(),
                                         .position = {0.0, 0.0, 0.05},
                                         .velocity = v0,
                                         .gravity = {0.0, 0.0, -kGravity}});
  const ShapeOnBody belt{.shape = HalfSpace{}, .surface_velocity = [=](const Vector3d&, double) { return V; }};
  model.detect(BodyContacts({{block, {{.shape = Box{{0.3, 0.2, 0.05}}}}}}, {belt},
                            NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
  EventDriven simulation(model);
  run_to(simulation, 0.5 * t);
  const State half = simulation.state();
  EXPECT_LE((half.v(block).head<3>() - (v0 - 0.5 * slip)).norm(), 1e-10);
  run_to(simulation, T);
  const std::vector<double> sticks = times_of(simulation, EventKind::Stick);
  EXPECT_FALSE(sticks.empty());
  for (const double stick : sticks) EXPECT_NEAR(stick, t, 1e-10);
  EXPECT_LE((simulation.state().v(block).head<3>() - V).norm(), 1e-10);
  EXPECT_LE(simulation.state().v(block).tail<3>().norm(), 1e-10);
  const Vector3d way = v0 * t - 0.5 * slip * t + V * (T - t);
  EXPECT_LE((simulation.state().q(block).head<3>() - way - Vector3d(0.0, 0.0, 0.05)).norm(), 1e-10);
}

TEST(ConveyorsByEvents, ABeltOnACartTakesABlockAlong) {
  // v' = mu g of the block, -mu g m / M of the cart, until v = v_cart + V: at t = V / (mu g (1 + m / M)).
  const double m = 2.0, M = 8.0, mu = 0.3, V = 0.5, t = V / (mu * kGravity * (1.0 + m / M)), T = 0.4;
  const auto box = [](double length, double height) {
    return ConvexPolygon{{{-length, -height}, {length, -height}, {length, height}, {-length, height}}};
  };
  for (const bool cart_is_first : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto cart =
        model.add(PlanarBody{.mass = M, .inertia = 3.0, .position = {0.0, 0.1}, .gravity = {0.0, -kGravity}});
    const auto block =
        model.add(PlanarBody{.mass = m, .inertia = 0.02, .position = {0.0, 0.3}, .gravity = {0.0, -kGravity}});
    const PlanarBodyShapes on_block{block, {{.shape = box(0.1, 0.1), .material = 1}}};
    const PlanarBodyShapes on_cart{
        cart,
        {{.shape = box(1.0, 0.1), .surface_velocity = [=](const Vector2d&, double) { return Vector2d(V, 0.0); }}}};
    model.detect(PlanarContacts(cart_is_first ? std::vector{on_cart, on_block} : std::vector{on_block, on_cart},
                                {{.shape = HalfPlane{}}}, {NewtonImpactLaw{}, NewtonImpactFrictionLaw{.friction = mu}},
                                ContactMaterials(2).set_law(0, 0, 0).set_law(0, 1, 1)));
    EventDriven simulation(model);
    run_to(simulation, T);
    const double v = mu * kGravity * t;
    expect_times(times_of(simulation, EventKind::Stick), {t, t}, 1e-11);  // both corners
    EXPECT_LE((simulation.state().v(block) - Vector3d(v, 0.0, 0.0)).norm(), 1e-10) << cart_is_first;
    EXPECT_LE((simulation.state().v(cart) - Vector3d(-m / M * v, 0.0, 0.0)).norm(), 1e-10) << cart_is_first;
    const double way = 0.5 * v * t + v * (T - t);
    EXPECT_NEAR(simulation.state().q(block)[0], way, 1e-10);
    EXPECT_NEAR(simulation.state().q(cart)[0], -m / M * way, 1e-10);
  }
}

TEST(ConveyorsByEvents, ABeltOnACartThatIsTurnedRollsABallUp) {
  // v' = mu g along the belt, r w' = 5/2 mu g, v_cart' = -mu g m / M: no slip from t = V / (mu g (7/2 + m / M)) on.
  const double m = 0.7, M = 5.0, r = 0.1, mu = 0.2, V = 1.4, t = V / (mu * kGravity * (3.5 + m / M)), T = 0.5;
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(shape_bodies::ball(r, m, {0.0, 0.0, 0.4 + r}, Vector3d::Zero(), kGravity));
  const auto cart = model.add(RigidBody{.mass = M,
                                        .inertia = Vector3d(0.3, 0.3, 0.5).asDiagonal(),
                                        .position = {0.0, 0.0, 0.2},
                                        .orientation = shape_bodies::turned_by({0.0, 0.0, 0.7}),
                                        .gravity = {0.0, 0.0, -kGravity}});
  // On top, along (3, 4) / 5 of the cart's axes.
  const auto velocity = [=](const Vector3d& at, double) {
    EXPECT_NEAR(at.z(), 0.2, 1e-9);
    return Vector3d(0.6 * V, 0.8 * V, 0.0);
  };
  model.detect(BodyContacts({{ball, {{.shape = Sphere{r}, .material = 1}}},
                             {cart, {{.shape = Box{{0.5, 0.5, 0.2}}, .surface_velocity = velocity}}}},
                            {{.shape = HalfSpace{}}},
                            {NewtonImpactLaw{}, NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}},
                            ContactMaterials(2).set_law(0, 0, 0).set_law(0, 1, 1)));
  EventDriven simulation(model);
  run_to(simulation, T);
  expect_times(times_of(simulation, EventKind::Stick), {t}, 1e-9);
  const double angle = 0.7 + std::atan2(0.8, 0.6), v = mu * kGravity * t, way = 0.5 * v * t + v * (T - t);
  const Vector3d along(std::cos(angle), std::sin(angle), 0.0);
  EXPECT_LE((simulation.state().v(ball).head<3>() - v * along).norm(), 1e-9);
  EXPECT_LE((simulation.state().v(cart).head<3>() + m / M * v * along).norm(), 1e-9);
  EXPECT_LE((simulation.state().q(ball).head<3>() - way * along - Vector3d(0.0, 0.0, 0.4 + r)).norm(), 1e-9);
  EXPECT_LE((simulation.state().q(cart).head<3>() + m / M * way * along - Vector3d(0.0, 0.0, 0.2)).norm(), 1e-9);
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

TEST(ConveyorsByEvents, ABeltWhoseVelocityJumpsTakesNothingAlongAtOnce) {
  // What rides on it would follow without a force: the run ends, and says what for.
  for (const double after : {1.0, 0.5, -0.3}) {
    NonSmoothDynamicalSystem model;
    const auto block = model.add(RigidBody{.mass = 3.0,
                                           .inertia = Vector3d(0.1, 0.12, 0.15).asDiagonal(),
                                           .position = {0.0, 0.0, 0.05},
                                           .velocity = {0.2, 0.0, 0.0},
                                           .gravity = {0.0, 0.0, -kGravity}});
    const ShapeOnBody belt{.shape = HalfSpace{}, .surface_velocity = [=](const Vector3d&, double t) {
                             return Vector3d(t < 0.7123 ? 0.2 : after, 0.0, 0.0);
                           }};
    model.detect(BodyContacts({{block, {{.shape = Box{{0.3, 0.2, 0.05}}}}}}, {belt},
                              NewtonImpactFrictionLaw{.friction = 0.4, .dimension = 3}));
    EventDriven simulation(model);
    const auto report = simulation.advance_to(1.0);
    EXPECT_FALSE(report);
    EXPECT_NE(report.message().find("continuous in time"), std::string::npos) << report.message();
    EXPECT_NEAR(simulation.state().v(block)[0], 0.2, 1e-9) << after;
  }
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

TEST(ConveyorsByEvents, ABoxThatAlwaysSlipsFollowsABeltThatReverses) {
  // V = A sin(w t + phi) with A w > mu g: v goes to and fro at mu g between -+ v_m, v_m = mu g pi / (2 w), and turns
  // where V is v: at k pi / w for A sin(phi) = -v_m.
  const double mu = 0.2, w = 10.0, A = 1.0, most = 0.5 * mu * kGravity * kPi / w, phi = std::asin(-most / A);
  for (const bool in_space : {false, true}) {
    NonSmoothDynamicalSystem model;
    const auto V = [=](double t) { return A * std::sin(w * t + phi); };
    SystemHandle box;
    if (in_space) {
      box = model.add(RigidBody{.mass = 3.0,
                                .inertia = Vector3d(0.1, 0.12, 0.15).asDiagonal(),
                                .position = {0.0, 0.0, 0.05},
                                .velocity = {-most, 0.0, 0.0},
                                .gravity = {0.0, 0.0, -kGravity}});
      const ShapeOnBody belt{.shape = HalfSpace{},
                             .surface_velocity = [=](const Vector3d&, double t) { return Vector3d(V(t), 0.0, 0.0); }};
      model.detect(BodyContacts({{box, {{.shape = Box{{0.3, 0.2, 0.05}}}}}}, {belt},
                                NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}));
    } else {
      box = model.add(PlanarBody{
          .mass = 2.0, .inertia = 0.1, .position = {0.0, 0.1}, .velocity = {-most, 0.0}, .gravity = {0.0, -kGravity}});
      const ConvexPolygon shape{.vertices = {{-0.4, -0.1}, {0.4, -0.1}, {0.4, 0.1}, {-0.4, 0.1}}};
      const PlanarShapeOnBody belt{.shape = HalfPlane{},
                                   .surface_velocity = [=](const Vector2d&, double t) { return Vector2d(V(t), 0.0); }};
      model.detect(PlanarContacts({{box, {{.shape = shape}}}}, {belt}, NewtonImpactFrictionLaw{.friction = mu}));
    }
    EventDriven simulation(model);
    run_to(simulation, 3.25 * kPi / w);
    // Each turn is found to 1e-10 of the time, some ten steps of 1e-10 of the way.
    EXPECT_NEAR(simulation.state().v(box)[0], most * 0.5, 1e-8) << in_space;
    for (const double t : times_of(simulation, EventKind::Slip))
      EXPECT_NEAR(t * w / kPi, std::round(t * w / kPi), 1e-8) << in_space;
    EXPECT_TRUE(times_of(simulation, EventKind::Stick).empty()) << in_space;
  }
}

}  // namespace
}  // namespace nonsmooth::conveyors_test
