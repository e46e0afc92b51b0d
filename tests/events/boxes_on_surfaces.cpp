// SPDX-License-Identifier: Apache-2.0
// Boxes and polyhedra on triangle meshes and height fields by events: over inner edges, down a slope, on a ridge, on a
// peak, in a valley, over a rim of several edges, against closed forms and half-spaces, and least gaps against contacts
// that are found.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "event_log.hpp"
#include "shape_bodies.hpp"
#include "surface_grounds.hpp"

namespace nonsmooth::boxes_on_surfaces_test {
namespace {

using namespace event_log;
using namespace surface_grounds;
using shape_bodies::turned_by;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;
constexpr double kMass = 0.8;
const Vector3d kInertia(0.02, 0.03, 0.04), kHalf(0.3, 0.2, 0.15);

RigidBody body_at(const Vector3d& position, const Eigen::Vector4d& orientation, const Vector3d& velocity) {
  return {.mass = kMass,
          .inertia = kInertia.asDiagonal(),
          .position = position,
          .orientation = orientation,
          .velocity = velocity,
          .gravity = {0.0, 0.0, -kGravity}};
}

const Eigen::Vector4d kUpright(1.0, 0.0, 0.0, 0.0);

TEST(BoxesOnSurfacesByEvents, OneSlidesOverInnerEdgesAsOnAPlane) {
  // Over inner edges of both directions; turns while it slides, on a mesh and on a half-space alike. Steps are the
  // same, gaps to rounding: what one run and the other differ by is some 1e-15 a step with factors of ten.
  const auto run = [](const ShapeOnBody& ground) {
    RigidBody moving = body_at({-0.5, -0.25, kHalf.z()}, kUpright, {1.7, 0.9, 0.0});
    moving.angular_velocity = {0.0, 0.0, 2.0};
    Scene scene(moving, Box{kHalf}, ground, NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3});
    EventDriven simulation(scene.model);
    run_to(simulation, 0.6);
    EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
    EXPECT_TRUE(events_of(simulation, EventKind::Opening).empty());
    Eigen::VectorXd end(13);
    end << simulation.state().q(scene.body), simulation.state().v(scene.body);
    EXPECT_GT(end[0] + 0.5, 0.4) << "over an edge";
    return end;
  };
  const Eigen::VectorXd on_mesh = run({.shape = flat()}), on_plane = run({.shape = HalfSpace{}}),
                        on_field = run({.shape = HeightField(Eigen::MatrixXd::Zero(7, 7), {0.4, 0.4}),
                                        .position = {-1.2, -1.2, 0.0}});
  EXPECT_LE((on_mesh - on_plane).lpNorm<Eigen::Infinity>(), 1e-10);
  EXPECT_LE((on_field - on_plane).lpNorm<Eigen::Infinity>(), 1e-10);
}

TEST(BoxesOnSurfacesByEvents, OneSlidesDownASlopeByFriction) {
  // a = g (sin - mu cos) along the slope of 0.5 rad: flat, as a box that is low enough does not tip.
  const double mu = 0.3, slope = 0.5, T = 0.5, a = kGravity * (std::sin(slope) - mu * std::cos(slope));
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(slope, Vector3d::UnitY()).toRotationMatrix();
  const Vector3d start = turn * Vector3d(-0.5, 0.1, kHalf.z()), down = turn.col(0);
  Scene scene(body_at(start, turned_by({0.0, slope, 0.0}), Vector3d::Zero()), Box{kHalf}, {.shape = flat(turn)},
              NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
  EventDriven simulation(scene.model);
  run_to(simulation, T);
  EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - (start + 0.5 * a * T * T * down)).norm(), kIntegrated);
  EXPECT_LE((simulation.state().v(scene.body).head<3>() - a * T * down).norm(), kIntegrated);
  EXPECT_NEAR(scene.load(simulation.state()), kMass * kGravity * std::cos(slope), 1e-8);
}

TEST(BoxesOnSurfacesByEvents, AnOctahedronFallsOnAHeightField) {
  // Its tip is 0.4 below its middle, which spins about the vertical: over (0.3, 0.2) the peak's side through (0, 0, 0),
  // (1, 0, -0.6), (1, 1, -0.8) is at z = -0.6 x - 0.2 y. Along the tip's way p (n . n / m + |r x n|^2 / J) = (1 + e) n
  // . v.
  const double e = 0.4, h = 0.25, x = 0.3, y = 0.2, after = 0.02, ground = -0.6 * x - 0.2 * y;
  const double t1 = std::sqrt(2.0 * h / kGravity);
  const ConvexPolyhedron octahedron({{0.3, 0, 0}, {-0.3, 0, 0}, {0, 0.3, 0}, {0, -0.3, 0}, {0, 0, 0.4}, {0, 0, -0.4}});
  RigidBody moving = body_at({x, y, ground + 0.4 + h}, kUpright, Vector3d::Zero());
  moving.inertia = 0.03 * Eigen::Matrix3d::Identity();
  Scene scene(moving, octahedron, peak(), NewtonImpactLaw{e});
  EventDriven simulation(scene.model);
  run_to(simulation, t1 + after);
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NEAR(impacts.front().t, t1, 1e-12);
  const Vector3d n = Vector3d(0.6, 0.2, 1.0).normalized(), r(0.0, 0.0, -0.4), v(0.0, 0.0, -kGravity * t1);
  const Vector3d arm = r.cross(n);
  const double p = -(1.0 + e) * n.dot(v) / (1.0 / kMass + arm.squaredNorm() / 0.03);
  const Vector3d up = v + p / kMass * n - Vector3d(0.0, 0.0, kGravity * after), spin = p / 0.03 * arm;
  EXPECT_LE((simulation.state().v(scene.body).head<3>() - up).norm(), kIntegrated);
  EXPECT_LE((simulation.state().v(scene.body).tail<3>() - spin).norm(), 10.0 * kIntegrated);  // rates of some 10 / s
}

TEST(BoxesOnSurfacesByEvents, OneHitsARidgeOffItsMiddle) {
  // An edge along x on the ridge along y, at d from the middle: p (1 / m + d^2 / J) = (1 + e) v.
  const double e = 0.6, h = 0.3, d = 0.12, t1 = std::sqrt(2.0 * h / kGravity), v = kGravity * t1, after = 0.02;
  const double high = std::sqrt(2.0) * 0.1;
  RigidBody moving = body_at({-d, 0.03, high + h}, turned_by({0.25 * kPi, 0.0, 0.0}), Vector3d::Zero());
  moving.inertia = Vector3d(0.015, 0.03, 0.03).asDiagonal();
  Scene scene(moving, Box{{0.5, 0.1, 0.1}}, {.shape = roof()}, NewtonImpactLaw{e});
  // 8 vertices on 2 faces; 12 edges on the ridge and 6 rims; 6 corners.
  EXPECT_EQ(scene.contacts.size(), 16u + 84u + 6u);
  EventDriven simulation(scene.model);
  run_to(simulation, t1 + after);
  const auto impacts = events_of(simulation, EventKind::Impact);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NEAR(impacts.front().t, t1, 1e-12);
  const std::string& name = simulation.model().interactions()[impacts.front().interaction.slot].name;
  EXPECT_NE(name.find("on ridge"), std::string::npos) << name;
  const double p = (1.0 + e) * v / (1.0 / kMass + d * d / 0.03);
  EXPECT_LE((simulation.state().v(scene.body).head<3>() - Vector3d(0.0, 0.0, p / kMass - v - kGravity * after)).norm(),
            kIntegrated);
  EXPECT_NEAR(simulation.state().v(scene.body).tail<3>().norm(), d * p / 0.03, 10.0 * kIntegrated);
}

TEST(BoxesOnSurfacesByEvents, OneFallsOnAPeakWithItsFace) {
  // The peak is at d from the middle of the lower face, p (1 / m + d^2 / J) = (1 + e) v, J about y.
  const double e = 0.6, h = 0.2, d = 0.12, t1 = std::sqrt(2.0 * h / kGravity), v = kGravity * t1, after = 0.02;
  Scene scene(body_at({-d, 0.0, kHalf.z() + h}, kUpright, Vector3d::Zero()), Box{kHalf}, peak(), NewtonImpactLaw{e});
  EventDriven simulation(scene.model);
  run_to(simulation, t1 + after);
  expect_times(times_of(simulation, EventKind::Impact), {t1}, 1e-12);
  const double p = (1.0 + e) * v / (1.0 / kMass + d * d / kInertia.y());
  EXPECT_LE((simulation.state().v(scene.body).head<3>() - Vector3d(0.0, 0.0, p / kMass - v - kGravity * after)).norm(),
            kIntegrated);
  EXPECT_LE((simulation.state().v(scene.body).tail<3>() - Vector3d(0.0, -d * p / kInertia.y(), 0.0)).norm(),
            10.0 * kIntegrated);
}

TEST(BoxesOnSurfacesByEvents, OneLiesInAValley) {
  // Turned by 45 degrees, with an edge in the valley's line, both faces on the slopes: each carries m g / sqrt(2).
  const double side = 0.2, high = std::sqrt(2.0) * side;
  Scene scene(body_at({0.0, 0.1, high}, turned_by({0.0, 0.25 * kPi, 0.0}), Vector3d::Zero()), Box{{side, 0.3, side}},
              {.shape = valley()}, NewtonImpactLaw{});
  EventDriven simulation(scene.model);
  run_to(simulation, 0.5);
  EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - Vector3d(0.0, 0.1, high)).norm(), kIntegrated);
  EXPECT_NEAR(scene.load(simulation.state()), std::sqrt(2.0) * kMass * kGravity, 1e-8);
}

TEST(BoxesOnSurfacesByEvents, OneSlidesDownIntoAValleyAndStops) {
  // Flat on one slope, its lower edge along the valley: a = g / sqrt(2), s = a t^2 / 2 to the other slope, where both
  // vertices of this edge hit at once and e = 0.
  const double side = 0.2, s = 0.3, root = std::sqrt(0.5), t1 = std::sqrt(2.0 * s / (root * kGravity));
  const Vector3d rest(0.0, 0.1, std::sqrt(2.0) * side), up(root, 0.0, root);
  Scene scene(body_at(rest + s * up, turned_by({0.0, 0.25 * kPi, 0.0}), Vector3d::Zero()), Box{{side, 0.3, side}},
              {.shape = valley()}, NewtonImpactLaw{});
  EventDriven simulation(scene.model);
  run_to(simulation, t1 + 0.2);
  const std::vector<double> times = times_of(simulation, EventKind::Impact);
  ASSERT_GE(times.size(), 2u);
  for (const double t : times) EXPECT_NEAR(t, t1, kIntegrated);
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - rest).norm(), kIntegrated);
  EXPECT_LE(simulation.state().v(scene.body).norm(), kIntegrated);
}

TEST(BoxesOnSurfacesByEvents, OneStandsAcrossARimOfSeveralEdgesAndSlidesAlongIt) {
  // A third of it is beside the mesh; the rim is one ridge, over whose vertices it slides to v^2 / (2 mu g).
  const double mu = 0.25, v = 1.4, T = v / (mu * kGravity), way = 0.5 * v * T;
  Scene scene(body_at({1.1, -0.55, kHalf.z()}, kUpright, {0.0, v, 0.0}), Box{kHalf}, {.shape = flat()},
              NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
  // 8 vertices on a face, 12 edges on 4 ridges, 4 corners.
  EXPECT_EQ(scene.contacts.size(), 8u + 48u + 4u);
  EventDriven simulation(scene.model);
  run_to(simulation, T + 0.1);
  EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
  const Vector3d place(1.1, -0.55 + way, kHalf.z());
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - place).norm(), kIntegrated);
  EXPECT_NEAR(scene.load(simulation.state()), kMass * kGravity, 1e-8);
}

TEST(BoxesOnSurfacesByEvents, ACornerThatSlidesOverARimEndsTheRun) {
  Scene scene(body_at({0.7, 0.0, kHalf.z()}, kUpright, {1.0, 0.0, 0.0}), Box{kHalf}, {.shape = flat()},
              NewtonImpactLaw{});
  EventDriven simulation(scene.model);
  const auto report = simulation.advance_to(0.5);
  EXPECT_EQ(report.outcome, RunReport::Outcome::CallableFailed);
  EXPECT_NE(report.message().find("a vertex on an edge"), std::string::npos) << report.message();
  EXPECT_NEAR(report.t, 0.2, 1e-6);
}

TEST(BoxesOnSurfacesByEvents, TheLeastGapIsThatFound) {
  // Anywhere apart and over the ground, which are 2 m by 2 m: what is below a rim of the field is not found. Sizes of
  // 1 m: 1e-12. Apart a vertex is no higher over the plane of a valley's other side than it is far from this side; the
  // peak has such valleys. Moved to where they nearly touch, all grounds have the gap that is left.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto any = [&] { return Vector3d(number(random), number(random), number(random)); };
  const std::vector<ShapeOnBody> grounds{{.shape = roof()}, hills(), {.shape = valley()}, peak()};
  const Box box{{0.25, 0.15, 0.1}};
  constexpr double near = 1e-3;
  int compared = 0, of_ridges = 0, of_corners = 0;
  for (std::size_t trial = 0; trial < 400; ++trial) {
    RigidBody moving{.position = Vector3d(0.0, 0.0, 0.5) + 0.6 * any(), .orientation = turned_by(3.0 * any())};
    if (moving.position.head<2>().cwiseAbs().maxCoeff() + box.half_extents.norm() >= 1.0) continue;
    const auto least = [&](std::string& name, Found& found) {
      NonSmoothDynamicalSystem model;
      const BodyContacts source({{model.add(moving), {{.shape = box}}}}, {grounds[trial % 4]}, NewtonImpactLaw{});
      const auto linked = link_contacts(model, source);
      const State state = model.initial_state();
      found = nearest_found(state, source);
      const auto nearest = std::min_element(linked.begin(), linked.end(), [&](const auto& one, const auto& other) {
        return state.y(one.interaction)[0] < state.y(other.interaction)[0];
      });
      name = model.interactions()[nearest->interaction.slot].name;
      return state.y(nearest->interaction)[0];
    };
    std::string name;
    Found found, nearly;
    const double gap = least(name, found);
    if (found.gap < near || found.gap > 1e3) continue;
    if (trial % 4 < 3) {
      EXPECT_NEAR(gap, found.gap, 1e-12) << trial << name;
    } else {
      EXPECT_LE(gap, found.gap + 1e-12) << trial << name;
    }
    moving.position -= (found.gap - near) * found.normal;
    EXPECT_NEAR(least(name, nearly), near, 1e-12) << trial << name;
    ++compared;
    of_ridges += name.find("on ridge") != std::string::npos ? 1 : 0;
    of_corners += name.find("on corner") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(of_ridges, 10);
  EXPECT_GT(of_corners, 5);
}

}  // namespace
}  // namespace nonsmooth::boxes_on_surfaces_test
