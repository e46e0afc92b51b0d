// SPDX-License-Identifier: Apache-2.0
// Capsules on triangle meshes and height fields by events: dropped flat, over inner edges, on a ridge and in a
// valley, against closed forms, and their least gaps against contacts that are found.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "event_log.hpp"
#include "shape_bodies.hpp"
#include "surface_grounds.hpp"

namespace nonsmooth::capsules_on_surfaces_test {
namespace {

using namespace event_log;
using namespace surface_grounds;
using shape_bodies::turned_by;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;
constexpr double kMass = 0.8, kInertia = 0.01, kRadius = 0.05, kHalf = 0.2;
const Capsule kCapsule{.radius = kRadius, .half_length = kHalf};

/// A capsule along x on the ground.
struct Scene {
  NonSmoothDynamicalSystem model{};
  SystemHandle body;
  std::vector<LinkedContact> contacts;

  Scene(const Vector3d& position, const Vector3d& velocity, const Law& law, const Shape& ground)
      : body(model.add(RigidBody{.mass = kMass,
                                 .inertia = kInertia * Eigen::Matrix3d::Identity(),
                                 .position = position,
                                 .orientation = turned_by({0.0, 0.5 * kPi, 0.0}),
                                 .velocity = velocity,
                                 .gravity = {0.0, 0.0, -kGravity}})),
        contacts(link_contacts(model, BodyContacts({{body, {{.shape = kCapsule}}}}, {{.shape = ground}}, law))) {}
};

TEST(CapsulesOnSurfacesByEvents, OneDroppedFlatBouncesAndRests) {
  // Both ends at once at t1 = sqrt(2 h / g) and 2 e t1 later; at rest from t1 (1 + e) / (1 - e). Ridges: the rim's 4.
  const double h = 0.3, e = 0.5, t1 = std::sqrt(2.0 * h / kGravity);
  Scene scene({0.1, 0.15, kRadius + h}, Vector3d::Zero(), NewtonImpactLaw{e}, flat());
  EXPECT_EQ(scene.contacts.size(), 2u + 4u);
  EventDriven simulation(scene.model);
  run_to(simulation, t1 * (1.0 + e) / (1.0 - e) + 0.1);
  const std::vector<double> times = times_of(simulation, EventKind::Impact);
  ASSERT_GE(times.size(), 4u);
  for (const std::size_t k : {0u, 1u, 2u, 3u}) EXPECT_NEAR(times[k], k < 2 ? t1 : t1 + 2.0 * e * t1, kIntegrated);
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - Vector3d(0.1, 0.15, kRadius)).norm(), kIntegrated);
  for (const std::size_t end : {0u, 1u})
    EXPECT_NEAR(simulation.state().force(scene.contacts[end].interaction)[0], 0.5 * kMass * kGravity, 1e-8);
}

TEST(CapsulesOnSurfacesByEvents, OneSlidesOverInnerEdgesAsOnAPlane) {
  // Along y, over two rows of triangles, by friction to a stop at v^2 / (2 mu g), without an impact. Friction at the
  // lowest points turns it about its axis: its ends slide on as long as v > r w, which is to v - r w = 0 where it
  // rolls.
  const double v = 1.2, mu = 0.3, roll = v / (mu * kGravity * (1.0 + kMass * kRadius * kRadius / kInertia));
  Scene scene({0.0, -0.5, kRadius}, {0.0, v, 0.0}, NewtonImpactFrictionLaw{.friction = mu, .dimension = 3}, flat());
  EventDriven simulation(scene.model);
  const double t = 0.9 * roll;
  run_to(simulation, t);
  EXPECT_TRUE(events_of(simulation, EventKind::Impact).empty());
  const Vector3d place(0.0, -0.5 + v * t - 0.5 * mu * kGravity * t * t, kRadius);
  EXPECT_GT(place.y(), -0.4) << "over an edge";
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - place).norm(), kIntegrated);
  EXPECT_NEAR(simulation.state().v(scene.body)[1], v - mu * kGravity * t, kIntegrated);
}

TEST(CapsulesOnSurfacesByEvents, OneHitsARidgeOffItsMiddle) {
  // p = (1 + e) g t1 / (1 / m + d^2 / J) at d from the middle, along z.
  const double h = 0.2, e = 0.6, d = 0.08, t1 = std::sqrt(2.0 * h / kGravity), t = t1 + 0.01;
  Scene scene({-d, 0.0, kRadius + h}, Vector3d::Zero(), NewtonImpactLaw{e}, roof());
  EventDriven simulation(scene.model);
  run_to(simulation, t);
  expect_times(times_of(simulation, EventKind::Impact), {t1}, kIntegrated);
  const double p = (1.0 + e) * kGravity * t1 / (1.0 / kMass + d * d / kInertia);
  const auto v = simulation.state().v(scene.body);
  EXPECT_LE((v.head<3>() - Vector3d(0.0, 0.0, -kGravity * t + p / kMass)).norm(), kIntegrated);
  EXPECT_NEAR(v.tail<3>().norm(), d * p / kInertia, 1e-7);
}

TEST(CapsulesOnSurfacesByEvents, OneLiesInAValleyOfAHeightField) {
  // Slopes of 1 : 2 to either side of y = 1. Along x both ends lie on both slopes, z = r sqrt(5) / 2 over the valley;
  // the force of each of the four is m g / (4 cos) with cos = 2 / sqrt(5).
  const HeightField valley(Eigen::MatrixXd{{0.5, 0.0, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.0, 0.5}}, {1.0, 1.0});
  const double high = 0.5 * kRadius * std::sqrt(5.0);
  Scene scene({1.1, 1.0, high}, Vector3d::Zero(), NewtonImpactLaw{}, valley);
  EventDriven simulation(scene.model);
  run_to(simulation, 0.5);
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - Vector3d(1.1, 1.0, high)).norm(), kIntegrated);
  double load = 0.0;
  for (const LinkedContact& contact : scene.contacts) {
    const double force = simulation.state().force(contact.interaction)[0];
    if (force > 0.0) {
      EXPECT_NEAR(force, kMass * kGravity * std::sqrt(5.0) / 8.0, 1e-8);
    }
    load += force;
  }
  EXPECT_NEAR(load, kMass * kGravity * std::sqrt(5.0) / 2.0, 1e-8);
}

TEST(CapsulesOnSurfacesByEvents, TheLeastGapIsThatFound) {
  // Anywhere apart and over the ground, which are 2 m by 2 m: what is below a rim of the field is not found. Sizes of
  // 1 m: 1e-12.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto any = [&] { return Vector3d(number(random), number(random), number(random)); };
  const std::vector<ShapeOnBody> grounds{{.shape = roof()}, hills()};
  int compared = 0, of_ridges = 0;
  for (std::size_t trial = 0; trial < 300; ++trial) {
    NonSmoothDynamicalSystem model;
    const auto body =
        model.add(RigidBody{.position = Vector3d(0.0, 0.0, 0.5) + 0.6 * any(), .orientation = turned_by(3.0 * any())});
    const BodyContacts source({{body, {{.shape = kCapsule}}}}, {grounds[trial % 2]}, NewtonImpactLaw{});
    const auto linked = link_contacts(model, source);
    const State state = model.initial_state();
    const LinkedContact* least = &linked.front();
    for (const LinkedContact& own : linked) {
      if (state.y(own.interaction)[0] < state.y(least->interaction)[0]) least = &own;
    }
    const double found = nearest_found(state, source).gap;
    const Eigen::Vector4d Q = state.q(body).tail<4>();
    const Vector3d along = Eigen::Quaterniond(Q[0], Q[1], Q[2], Q[3]) * Vector3d(0.0, 0.0, kHalf),
                   middle = state.q(body).head<3>();
    const bool over = (middle.cwiseAbs() + along.cwiseAbs()).head<2>().maxCoeff() < 1.0;
    if (!over || found < 1e-3 || found > 1e3) continue;
    EXPECT_NEAR(state.y(least->interaction)[0], found, 1e-12) << trial;
    ++compared;
    of_ridges += model.interactions()[least->interaction.slot].name.find("on ridge") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(compared, 150);
  EXPECT_GT(of_ridges, 10);
}

}  // namespace
}  // namespace nonsmooth::capsules_on_surfaces_test
