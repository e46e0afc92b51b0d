// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones on triangle meshes and height fields by events: a coin that rolls on a circle over inner edges, a
// cylinder that rolls down a slope, one that falls across a ridge, on a peak, and stands, a cone that falls on its tip;
// least gaps against contacts that are found.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "coins.hpp"
#include "event_log.hpp"
#include "kernel/mesh_of_solids.hpp"
#include "shape_bodies.hpp"
#include "surface_grounds.hpp"

namespace nonsmooth::frusta_on_surfaces_test {
namespace {

using namespace event_log;
using namespace surface_grounds;
using coins::CircleOfCoin;
using coins::Coin;
using shape_bodies::turned_by;
using test::mesh_of;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens to hundreds of steps.
constexpr double kIntegrated = 1e-8;

TEST(FrustaOnSurfacesByEvents, ACoinRollsOnACircleOverInnerEdges) {
  // Its circle is 0.3 m wide about, through the origin, where six triangles meet.
  const CircleOfCoin circle;
  constexpr double T = 1.0;
  Scene scene(circle.start(), circle.coin.shape(), {.shape = flat()},
              NewtonImpactFrictionLaw{.friction = 5.0, .dimension = 3});
  // A rim and 4 points of either end on the face; 4 ridges and 4 corners.
  EXPECT_EQ(scene.contacts.size(), 10u + 8u);
  EventDriven simulation(scene.model);
  run_to(simulation, T);
  for (const EventKind kind : {EventKind::Impact, EventKind::Opening, EventKind::Slip})
    EXPECT_TRUE(events_of(simulation, kind).empty());
  circle.expect_at(T, simulation.state(), scene.body, kIntegrated);
  EXPECT_NEAR(scene.load(simulation.state()), circle.coin.m * kGravity, 1e-6);
}

TEST(FrustaOnSurfacesByEvents, ACylinderSlipsDownASlopeAsItTurns) {
  // On a line of its side, both rims, over inner edges of a mesh and over none: mu < tan / 3, so that it slips,
  // a = g (sin - mu cos) down the slope, and turns by mu m g cos R / C.
  const Coin log{0.1, 0.2, 1.5};
  const double slope = 0.6, mu = 0.1, T = 0.4, a = kGravity * (std::sin(slope) - mu * std::cos(slope)),
               turns = mu * log.m * kGravity * std::cos(slope) * log.R / log.along();
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(slope, Vector3d::UnitY()).toRotationMatrix();
  const Vector3d start = turn * Vector3d(-0.5, 0.1, log.R), down = turn.col(0);
  const TriangleMesh square(
      {turn * Vector3d(-1, -1, 0), turn * Vector3d(1, -1, 0), turn * Vector3d(1, 1, 0), turn * Vector3d(-1, 1, 0)},
      {{0, 1, 2}, {0, 2, 3}});
  for (const TriangleMesh& mesh : {flat(turn), square}) {
    RigidBody moving = log.body();
    moving.position = start;
    moving.orientation = turned_by({-0.5 * kPi, 0.0, 0.0});  // its axis along y
    Scene scene(moving, log.shape(), {.shape = mesh}, NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
    EventDriven simulation(scene.model);
    run_to(simulation, T);
    EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
    const auto v = simulation.state().v(scene.body);
    EXPECT_LE((simulation.state().q(scene.body).head<3>() - (start + 0.5 * a * T * T * down)).norm(), kIntegrated);
    EXPECT_LE((v.head<3>() - a * T * down).norm(), kIntegrated);
    EXPECT_LE((v.tail<3>() - Vector3d(0.0, 0.0, turns * T)).norm(), 10.0 * kIntegrated);
    EXPECT_NEAR(scene.load(simulation.state()), log.m * kGravity * std::cos(slope), 1e-7);
  }
}

TEST(FrustaOnSurfacesByEvents, ACylinderRollsWithoutSlip) {
  // On a line of its side, both rims, whose rows of friction depend on one another: a = g sin / (1 + C / (m R^2)), and
  // all points of the line at rest. On a plane, a box's top and a mesh with inner edges, all turned somehow, at an
  // angle to them too. A bound of mu m g cos is more than the m (g sin - a) that it takes.
  const Coin log{0.1, 0.2, 0.8};
  const double mu = 0.5, speed = 0.5, T = 1.0;
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.9, Vector3d(0.3, -0.5, 0.8).normalized()).toRotationMatrix();
  const Eigen::Vector4d turned = turned_by(0.9 * Vector3d(0.3, -0.5, 0.8).normalized());
  const ShapeOnBody plane{.shape = HalfSpace{.normal = turn.col(2)}}, mesh{.shape = flat(turn)},
      table{.shape = Box{{1.2, 1.2, 0.1}}, .position = -0.1 * turn.col(2), .orientation = turned};
  for (const ShapeOnBody& ground : {plane, table, mesh}) {
    for (const double slope : {0.0, 0.2}) {
      for (const double yaw : {0.0, 0.3}) {
        const double a = kGravity * std::sin(slope) / (1.0 + log.along() / (log.m * log.R * log.R));
        const Vector3d ahead = turn * Vector3d(std::cos(yaw), std::sin(yaw), 0.0), up = turn.col(2);
        const Eigen::Quaterniond axis_aside(
            Eigen::Matrix3d(turn * Eigen::AngleAxisd(yaw, Vector3d::UnitZ()).toRotationMatrix() *
                            Eigen::AngleAxisd(-0.5 * kPi, Vector3d::UnitX()).toRotationMatrix()));
        RigidBody moving = log.body();
        moving.position = turn * Vector3d(-0.4, 0.1, log.R);
        moving.orientation = {axis_aside.w(), axis_aside.x(), axis_aside.y(), axis_aside.z()};
        moving.velocity = speed * ahead;
        moving.angular_velocity = {0.0, 0.0, speed / log.R};
        moving.gravity = kGravity * (std::sin(slope) * ahead - std::cos(slope) * up);
        Scene scene(moving, log.shape(), ground, NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
        EventDriven simulation(scene.model);
        run_to(simulation, T);
        EXPECT_EQ(times_of(simulation, EventKind::Slip).size() + times_of(simulation, EventKind::Opening).size(), 0u);
        const auto v = simulation.state().v(scene.body);
        const Vector3d way = simulation.state().q(scene.body).head<3>() - moving.position;
        EXPECT_LE((way - (speed * T + 0.5 * a * T * T) * ahead).norm(), kIntegrated) << slope << ", " << yaw;
        EXPECT_LE((v.head<3>() - (speed + a * T) * ahead).norm(), kIntegrated) << slope << ", " << yaw;
        EXPECT_LE((v.tail<3>() - Vector3d(0.0, 0.0, (speed + a * T) / log.R)).norm(), 10.0 * kIntegrated);
        EXPECT_NEAR(scene.load(simulation.state()), log.m * kGravity * std::cos(slope), 1e-7);
      }
    }
  }
}

TEST(FrustaOnSurfacesByEvents, ACylinderFallsAcrossARidge) {
  // Its axis along x, on the ridge along y at d from its middle: p (1 / m + d^2 / A) = (1 + e) v.
  const Coin log{0.1, 0.4, 1.5};
  const double e = 0.5, h = 0.2, d = 0.15, t1 = std::sqrt(2.0 * h / kGravity), v = kGravity * t1, after = 0.01;
  RigidBody moving = log.body();
  moving.position = {-d, 0.05, log.R + h};
  moving.orientation = turned_by({0.0, 0.5 * kPi, 0.0});
  Scene scene(moving, log.shape(), {.shape = roof()}, NewtonImpactLaw{e});
  EventDriven simulation(scene.model);
  run_to(simulation, t1 + after);
  expect_times(times_of(simulation, EventKind::Impact), {t1}, kIntegrated);
  const double p = (1.0 + e) * v / (1.0 / log.m + d * d / log.across());
  const Vector3d velocity = simulation.state().v(scene.body).head<3>();
  EXPECT_LE((velocity - Vector3d(0.0, 0.0, p / log.m - v - kGravity * after)).norm(), kIntegrated);
  EXPECT_NEAR(simulation.state().v(scene.body).tail<3>().norm(), d * p / log.across(), 10.0 * kIntegrated);
}

TEST(FrustaOnSurfacesByEvents, ACylinderFallsWithItsSideOnAPeak) {
  // The same, at a point: of the peak and of the ridges that end in it, all with one normal.
  const Coin log{0.1, 0.4, 1.5};
  const double e = 0.5, h = 0.2, d = 0.05, t1 = std::sqrt(2.0 * h / kGravity), v = kGravity * t1, after = 0.01;
  RigidBody moving = log.body();
  moving.position = {-d, 0.0, log.R + h};
  moving.orientation = turned_by({0.0, 0.5 * kPi, 0.0});
  Scene scene(moving, log.shape(), peak(), NewtonImpactLaw{e});
  EventDriven simulation(scene.model);
  run_to(simulation, t1 + after);
  const std::vector<double> times = times_of(simulation, EventKind::Impact);
  EXPECT_FALSE(times.empty());
  for (const double t : times) EXPECT_NEAR(t, t1, kIntegrated);
  const double p = (1.0 + e) * v / (1.0 / log.m + d * d / log.across());
  EXPECT_NEAR(simulation.state().v(scene.body)[2], p / log.m - v - kGravity * after, kIntegrated);
  EXPECT_NEAR(simulation.state().v(scene.body).tail<3>().norm(), d * p / log.across(), 10.0 * kIntegrated);
}

TEST(FrustaOnSurfacesByEvents, AConeFallsOnASlopeWithItsTip) {
  // Tip down over (0.3, 0.2) of the peak's side z = -0.6 x - 0.2 y, 3/4 of its height from its middle.
  const double e = 0.4, h = 0.25, x = 0.3, y = 0.2, height = 0.4, after = 0.01, ground = -0.6 * x - 0.2 * y;
  const double t1 = std::sqrt(2.0 * h / kGravity), m = 0.8, J = 0.03;
  const RigidBody moving{.mass = m,
                         .inertia = J * Eigen::Matrix3d::Identity(),
                         .position = {x, y, ground + 0.75 * height + h},
                         .orientation = turned_by({kPi, 0.0, 0.0}),
                         .gravity = {0.0, 0.0, -kGravity}};
  NonSmoothDynamicalSystem model;
  const auto body = model.add(moving);
  model.detect(BodyContacts({{body, {{.shape = Cone{0.1, height}, .position = {0.0, 0.0, -0.25 * height}}}}}, {peak()},
                            NewtonImpactLaw{e}));
  EventDriven simulation(model);
  run_to(simulation, t1 + after);
  expect_times(times_of(simulation, EventKind::Impact), {t1}, 1e-12);
  const Vector3d n = Vector3d(0.6, 0.2, 1.0).normalized(), r(0.0, 0.0, -0.75 * height), v(0.0, 0.0, -kGravity * t1);
  const double p = -(1.0 + e) * n.dot(v) / (1.0 / m + r.cross(n).squaredNorm() / J);
  const Vector3d up = v + p / m * n - Vector3d(0.0, 0.0, kGravity * after);
  EXPECT_LE((simulation.state().v(body).head<3>() - up).norm(), kIntegrated);
}

TEST(FrustaOnSurfacesByEvents, ACylinderComesToStandOnItsEnd) {
  // Dropped upright on its points, 1e-6 radii out of its end: bounces to a stop at t1 (1 + e) / (1 - e).
  const Coin post{0.1, 0.2, 1.5};
  const double h = 0.05, e = 0.3, out = 1e-6 * post.R, t1 = std::sqrt(2.0 * h / kGravity);
  RigidBody moving = post.body();
  moving.position = {0.1, 0.05, post.half + out + h};
  Scene scene(moving, post.shape(), {.shape = flat()}, NewtonImpactLaw{e});
  EventDriven simulation(scene.model);
  run_to(simulation, t1 * (1.0 + e) / (1.0 - e) + 0.1);
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - Vector3d(0.1, 0.05, post.half + out)).norm(), kIntegrated);
  EXPECT_NEAR(scene.load(simulation.state()), post.m * kGravity, 1e-7);
}

TEST(FrustaOnSurfacesByEvents, ARimThatRollsOverAnEdgeEndsTheRun) {
  // A wheel upright on its rims, without friction, over the rim of the mesh at x = 1.2.
  const Coin wheel{0.1, 0.02, 0.5};
  RigidBody moving = wheel.body();
  moving.position = {1.1, 0.0, wheel.R};
  moving.orientation = turned_by({-0.5 * kPi, 0.0, 0.0});
  moving.velocity = {1.0, 0.0, 0.0};
  Scene scene(moving, wheel.shape(), {.shape = flat()}, NewtonImpactLaw{});
  EventDriven simulation(scene.model);
  const auto report = simulation.advance_to(0.3);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("a rim's lowest point"), std::string::npos) << report.message();
  EXPECT_NEAR(report.t, 0.1, 1e-6);
}

/// Triangles of all faces.
TEST(FrustaOnSurfacesByEvents, TheLeastGapIsThatFoundOnAPolyhedron) {
  // Apart; what an end stands on is 1e-6 radii out of it, and the side goes on by as much. Sizes of 1 m: 1e-12.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto any = [&] { return Vector3d(number(random), number(random), number(random)); };
  const ConvexPolyhedron wedge(
      {{-0.5, -0.4, -0.2}, {0.5, -0.4, -0.2}, {0.5, 0.4, -0.2}, {-0.5, 0.4, -0.2}, {0.0, -0.4, 0.3}, {0.0, 0.4, 0.3}});
  const std::vector<Shape> shapes{Cylinder{0.15, 0.2}, Cone{0.2, 0.4}, Cone{0.2, 0.3, 0.1}};
  int compared = 0, of_ridges = 0, of_corners = 0, of_faces = 0;
  for (std::size_t trial = 0; trial < 400; ++trial) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.position = any(), .orientation = turned_by(3.0 * any())});
    const auto on = [&](const Shape& ground) {
      return BodyContacts({{body, {{.shape = shapes[trial % 3]}}}}, {{.shape = ground}}, NewtonImpactLaw{});
    };
    const auto linked = link_contacts(model, on(mesh_of(wedge)));
    const State state = model.initial_state();
    const double found = nearest_found(state, on(wedge)).gap;
    if (found < 1e-3 || found > 1e3) continue;
    const auto nearest = std::min_element(linked.begin(), linked.end(), [&](const auto& one, const auto& other) {
      return state.y(one.interaction)[0] < state.y(other.interaction)[0];
    });
    const std::string& name = model.interactions()[nearest->interaction.slot].name;
    const double gap = state.y(nearest->interaction)[0];
    EXPECT_LE(gap, found + 1e-12) << trial << name;
    EXPECT_GE(gap, found - 2e-6 * 0.2) << trial << name;
    ++compared;
    of_ridges += name.find("on ridge") != std::string::npos ? 1 : 0;
    of_corners += name.find("on corner") != std::string::npos ? 1 : 0;
    of_faces += name.find("on face") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(compared, 150);
  EXPECT_GT(of_ridges, 10);
  EXPECT_GT(of_corners, 5);
  EXPECT_GT(of_faces, 10);
}

}  // namespace
}  // namespace nonsmooth::frusta_on_surfaces_test
