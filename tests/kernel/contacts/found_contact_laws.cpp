// SPDX-License-Identifier: Apache-2.0
// Contacts that shapes make, against closed forms: cohesion, static friction, conveyors of triangles and lines of
// heights, contacts that a function drops or gives another law.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "kernel/body_on_ground.hpp"
#include "kernel/planar_scene.hpp"

namespace nonsmooth::found_contact_laws_test {
namespace {

using Eigen::Vector3d;
using test::BodyOnGround;
using test::PlanarScene;

constexpr double g = 9.81, h = test::kBodyStep, m = 2.0, kHalf = 0.1;
/// Velocities of some 1 m/s, solved to 1e-12 in each of up to 500 steps, times the condition of W, below 10.
constexpr double kAgree = 1e-8;
const Vector3d kDown(0.0, 0.0, -g);

/// A body of mass m and of one moment of inertia m `gyration`^2, at rest.
RigidBody body_at(const Vector3d& position, double gyration, const Vector3d& gravity = kDown) {
  return {.mass = m,
          .inertia = m * gyration * gyration * Eigen::Matrix3d::Identity(),
          .position = position,
          .gravity = gravity};
}
RigidBody cube_at(const Vector3d& position, const Vector3d& gravity = kDown) {
  return body_at(position, std::sqrt(2.0 / 3.0) * kHalf, gravity);
}
const Box kCube{Vector3d::Constant(kHalf)};

/// Along n with `rate` t.
GivenLoad rising_pull(const Vector3d& n, double rate) {
  return {.load = [=](double t, ConstVectorRef, ConstVectorRef, VectorRef load) { load.head<3>() = rate * t * n; }};
}

TEST(FoundContactLaws, CohesionHoldsUpToThePullOffForce) {
  // Lifted by rate t, which a step takes at its middle: at rest up to m g + n F of the n points that hold with F each.
  // They pull once more in the step that parts them, and not after it.
  const double F = 5.0, rate = 200.0;
  RigidBody lifted = cube_at({0.3, -0.2, kHalf});
  lifted.loads = {rising_pull(Vector3d::UnitZ(), rate)};
  const std::vector<std::pair<Shape, int>> shapes{{Sphere{kHalf}, 1}, {kCube, 4}};
  for (const auto& [shape, points] : shapes) {
    for (const Form form : {Form::Reduced, Form::Global}) {
      const BodyOnGround scene(lifted, shape, {.shape = HalfSpace{}},
                               NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3, .cohesion = F});
      TimeStepping run = scene.simulation({}, form);
      const double held = m * g + points * F;
      double v = 0.0;
      for (int k = 1; k <= 250; ++k) {
        const StepReport report = run.step();
        ASSERT_TRUE(report) << report.message();
        const double pull = rate * (k - 0.5) * h;
        if (pull > held) v += h / m * (pull - (v > 0.0 ? m * g : held));
        ASSERT_NEAR(run.state().v(scene.body)[2], v, kAgree) << points << " points, step " << k;
      }
      EXPECT_GT(v, 0.1);
    }
  }
}

TEST(FoundContactLaws, CohesionStandsBesideEllipticFriction) {
  // Below a ceiling that holds with 4 F = 5/2 m g, p_N + h F of all points are 3/2 m g h: the motion of a block on an
  // elliptic plank (BodyContactLaws) with that much in the place of the weight.
  const double mu = 0.5, mu_2 = 0.2, A = 1.0, c = std::cos(0.7), s = std::sin(0.7), grain = 0.4, pressed = 1.5 * g;
  const double length = std::hypot(mu * c, mu_2 * s);
  const Vector3d along(std::cos(grain), std::sin(grain), 0.0), across(-std::sin(grain), std::cos(grain), 0.0);
  const Vector3d pull =
      (A * c + pressed * mu * mu * c / length) * along + (A * s + pressed * mu_2 * mu_2 * s / length) * across;
  const BodyOnGround scene(
      cube_at({0.3, -0.2, -kHalf}, kDown + pull), kCube, {.shape = HalfSpace{-Vector3d::UnitZ(), 0.0}, .grain = along},
      NewtonImpactFrictionLaw{
          .friction = mu, .dimension = 3, .second_friction = mu_2, .cohesion = 0.25 * m * (g + pressed)});
  for (const Form form : {Form::Reduced, Form::Global}) {
    TimeStepping run = scene.simulation({}, form);
    for (int k = 1; k <= 200; ++k) {
      const StepReport report = run.step();
      ASSERT_TRUE(report) << report.message();
      const auto v = run.state().v(scene.body);
      ASSERT_NEAR(along.dot(v.head<3>()), A * c * h * k, kAgree) << k;
      ASSERT_NEAR(across.dot(v.head<3>()), A * s * h * k, kAgree) << k;
      ASSERT_NEAR(v.tail<4>().norm(), 0.0, kAgree / kHalf) << k;
    }
  }
}

TEST(FoundContactLaws, StaticFrictionHoldsACubeThatKineticFrictionBrakes) {
  // Pulled by rate t: at rest up to mu_s m g; the step in which it starts brakes with that still, later ones with
  // mu_k m g.
  const double mu_s = 0.5, mu_k = 0.3, rate = 30.0;
  const Vector3d along(0.6, 0.8, 0.0);
  RigidBody pulled = cube_at({0.3, -0.2, kHalf});
  pulled.loads = {rising_pull(along, rate)};
  const BodyOnGround scene(pulled, kCube, {.shape = HalfSpace{}},
                           StaticKineticFrictionLaw{.static_friction = mu_s, .kinetic_friction = mu_k, .dimension = 3});
  for (const Form form : {Form::Reduced, Form::Global}) {
    TimeStepping run = scene.simulation({}, form);
    double v = 0.0;
    for (int k = 1; k <= 450; ++k) {
      const StepReport report = run.step();
      ASSERT_TRUE(report) << report.message();
      const double pull = rate * (k - 0.5) * h;
      if (pull > mu_s * m * g) v += h * (pull / m - (v > 0.0 ? mu_k : mu_s) * g);
      ASSERT_NEAR((run.state().v(scene.body).head<3>() - v * along).norm(), 0.0, kAgree) << k;
      ASSERT_NEAR(run.state().v(scene.body).tail<3>().norm(), 0.0, kAgree / kHalf) << k;
    }
    EXPECT_GT(v, 0.3);
  }
}

/// Contacts of the first body slip freely from `ends` on, the second one's are dropped from then on.
FilteredContacts ending(std::shared_ptr<const ContactSource> source, double ends, const Law& frictionless) {
  return {std::move(source),
          [ends](const DetectedContact& contact, const BodyView& bodies) -> Index {
            if (bodies.t < ends) return contact.law;
            return contact.first == 0 ? 1 : FilteredContacts::drop;
          },
          {frictionless}};
}

TEST(FoundContactLaws, FiltersEndFrictionAndSupportOfBodiesInSpace) {
  // 100 steps with -mu g h each for both; then the first slides on, the second falls.
  const double mu = 0.3, v0 = 1.0;
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  for (const double y : {0.0, 1.0}) {
    RigidBody cube = cube_at({0.0, y, kHalf});
    cube.velocity = {v0, 0.0, 0.0};
    bodies.push_back({model.add(cube), {{.shape = kCube}}});
  }
  const auto source = std::make_shared<BodyContacts>(bodies, std::vector<ShapeOnBody>{{.shape = HalfSpace{}}},
                                                     NewtonImpactFrictionLaw{.friction = mu, .dimension = 3});
  model.detect(ending(source, 99.5 * h, NewtonImpactFrictionLaw{.dimension = 3}));
  TimeStepping run(model, {.step = h, .solver = mixed::Automatic{.tolerance = 1e-12}});
  for (int k = 1; k <= 300; ++k) {
    ASSERT_TRUE(run.step());
    for (const int b : {0, 1}) {
      const auto v = run.state().v(bodies[static_cast<std::size_t>(b)].body);
      ASSERT_NEAR(v[0], v0 - mu * g * h * std::min(k, 100), kAgree) << b << " in step " << k;
      ASSERT_NEAR(v[2], b == 0 ? 0.0 : -g * h * std::max(k - 100, 0), kAgree) << b << " in step " << k;
    }
  }
}

TEST(FoundContactLaws, FiltersEndFrictionAndSupportOfBodiesInThePlane) {
  const double mu = 0.3, v0 = 1.0;
  PlanarScene plane;
  plane.ground.push_back({.shape = HeightLine{{{-1.0, 0.0}, {0.05, 0.0}, {3.0, 0.0}}}});
  std::array<SystemHandle, 2> boxes;
  for (const std::size_t b : {0u, 1u})
    boxes[b] = plane.add({.shape = test::rectangle(kHalf, kHalf)}, kHalf * kHalf / 1.5,
                         {static_cast<double>(b), kHalf, 0.0}, {v0, 0.0, 0.0});
  const auto source =
      std::make_shared<PlanarContacts>(plane.bodies, plane.ground, NewtonImpactFrictionLaw{.friction = mu});
  plane.model.detect(ending(source, 99.5 * h, NewtonImpactFrictionLaw{}));
  TimeStepping run(plane.model, {.step = h, .solver = mixed::Automatic{.tolerance = 1e-12}});
  for (int k = 1; k <= 300; ++k) {
    ASSERT_TRUE(run.step());
    for (const std::size_t b : {0u, 1u}) {
      const auto v = run.state().v(boxes[b]);
      ASSERT_NEAR(v[0], v0 - mu * g * h * std::min(k, 100), kAgree) << b << " in step " << k;
      ASSERT_NEAR(v[1], b == 0 ? 0.0 : -g * h * std::max(k - 100, 0), kAgree) << b << " in step " << k;
    }
  }
}

/// The belt's velocity.
const Vector3d kBelt(0.3, 0.4, 0.0);

TEST(FoundContactLaws, ConveyorsOfTrianglesCarryACubeAndABallToTheirSpeed) {
  // From rest at mu g: the cube until V, at V / (mu g); the ball, whose point of contact slows by 7/2 mu g beside the
  // belt, until it rolls on it with 2/7 V.
  const double mu = 0.2, V = kBelt.norm();
  const HeightField field(Eigen::MatrixXd::Zero(9, 9), {0.25, 0.25});
  const std::vector<Shape> belts{field, TriangleMesh(field.vertices(), field.triangles())};
  for (const Shape& belt : belts) {
    const ShapeOnBody ground{.shape = belt,
                             .position = {-1.03, -1.02, 0.0},
                             .surface_velocity = [](const Vector3d&, double) { return kBelt; }};
    const NewtonImpactFrictionLaw law{.friction = mu, .dimension = 3};
    const BodyOnGround cube(cube_at({0.0, 0.0, kHalf}), kCube, ground, law);
    const BodyOnGround ball(body_at({0.0, 0.0, kHalf}, std::sqrt(0.4) * kHalf), Sphere{kHalf}, ground, law);
    TimeStepping carried = cube.simulation(), rolled = ball.simulation();
    for (int k = 1; k <= 400; ++k) {
      ASSERT_TRUE(carried.step());
      ASSERT_TRUE(rolled.step());
      const double t = h * k;
      const Vector3d along = kBelt / V;
      const auto v = carried.state().v(cube.body), w = rolled.state().v(ball.body);
      ASSERT_NEAR((v.head<3>() - std::min(mu * g * t, V) * along).norm(), 0.0, kAgree) << k;
      ASSERT_NEAR(v.tail<3>().norm(), 0.0, kAgree / kHalf) << k;
      ASSERT_NEAR((w.head<3>() - std::min(mu * g * t, 2.0 / 7.0 * V) * along).norm(), 0.0, kAgree) << k;
      ASSERT_NEAR(w.tail<3>().norm(), 2.5 / kHalf * std::min(mu * g * t, 2.0 / 7.0 * V), kAgree / kHalf) << k;
    }
  }
}

TEST(FoundContactLaws, AConveyorAlongAHeightLineCarriesABox) {
  // Down a slope of 3/5: m g (mu 4/5 + 3/5) against a belt that goes up, from V down the slope until it rests on the
  // belt, which mu > 3/4 holds.
  const double mu = 0.9, V = 0.5, braking = g * (mu * 0.8 - 0.6);
  const Eigen::Vector2d along(0.8, 0.6), normal(-0.6, 0.8);
  PlanarScene plane;
  plane.ground.push_back({.shape = HeightLine{{{-4.0, -3.0}, {-0.1, -0.075}, {0.04, 0.03}, {4.0, 3.0}}},
                          .surface_velocity = [=](const Eigen::Vector2d&, double) { return V * along; }});
  const Eigen::Vector2d middle = kHalf * normal;
  const auto box =
      plane.add({.shape = test::rectangle(2.0 * kHalf, kHalf)}, 0.02, {middle[0], middle[1], std::atan2(0.6, 0.8)});
  TimeStepping run = plane.simulation(mu);
  for (int k = 1; k <= 600; ++k) {
    ASSERT_TRUE(run.step());
    const auto v = run.state().v(box);
    ASSERT_NEAR(along.dot(v.head<2>()), std::min(braking * h * k, V), kAgree) << k;
    ASSERT_NEAR(normal.dot(v.head<2>()), 0.0, kAgree) << k;
    ASSERT_NEAR(v[2], 0.0, kAgree / kHalf) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::found_contact_laws_test
