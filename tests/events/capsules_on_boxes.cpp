// SPDX-License-Identifier: Apache-2.0
// Capsules on boxes by events: dropped flat and across an edge, over an edge until they tip, against closed forms.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "event_log.hpp"
#include "shape_bodies.hpp"

namespace nonsmooth::capsules_on_boxes_test {
namespace {

using namespace event_log;
using Eigen::Vector3d;
using shape_bodies::turned_by;

/// A step's error is below 1e-10 of its coordinates, of order one here; some tens of steps with factors of a few.
constexpr double kIntegrated = 1e-8;
constexpr double kMass = 0.8, kInertia = 0.01, kRadius = 0.05, kHalf = 0.2;
const Capsule kCapsule{.radius = kRadius, .half_length = kHalf};
const Box kBox{{1.0, 0.6, 0.25}};  ///< its upper side at z = 0, edges at x = +-1, where it lies 0.25 below the origin

/// A capsule along x on a box of the ground.
struct Scene {
  NonSmoothDynamicalSystem model{};
  SystemHandle body;
  std::vector<LinkedContact> contacts;

  Scene(const Vector3d& position, const Vector3d& velocity, double restitution, ShapeOnBody ground)
      : body(model.add(RigidBody{.mass = kMass,
                                 .inertia = kInertia * Eigen::Matrix3d::Identity(),
                                 .position = position,
                                 .orientation = turned_by({0.0, 0.5 * kPi, 0.0}),
                                 .velocity = velocity,
                                 .gravity = {0.0, 0.0, -kGravity}})),
        contacts(link_contacts(
            model, BodyContacts({{body, {{.shape = kCapsule}}}}, {std::move(ground)}, NewtonImpactLaw{restitution}))) {}
};
ShapeOnBody table() { return {.shape = kBox, .position = {0.0, 0.0, -0.25}}; }

TEST(CapsulesOnBoxesByEvents, OneDroppedFlatBouncesAndRests) {
  // Both ends at once at t1 = sqrt(2 h / g) and 2 e t1 later; at rest from t1 (1 + e) / (1 - e).
  const double h = 0.3, e = 0.5, t1 = std::sqrt(2.0 * h / kGravity);
  Scene scene({0.1, 0.2, kRadius + h}, Vector3d::Zero(), e, table());
  EXPECT_EQ(scene.contacts.size(), 14u);
  EventDriven simulation(scene.model);
  run_to(simulation, t1 * (1.0 + e) / (1.0 - e) + 0.1);
  const std::vector<double> times = times_of(simulation, EventKind::Impact);
  ASSERT_GE(times.size(), 4u);
  for (const std::size_t k : {0u, 1u, 2u, 3u}) EXPECT_NEAR(times[k], k < 2 ? t1 : t1 + 2.0 * e * t1, kIntegrated);
  EXPECT_LE((simulation.state().q(scene.body).head<3>() - Vector3d(0.1, 0.2, kRadius)).norm(), kIntegrated);
  for (const std::size_t end : {0u, 1u})
    EXPECT_NEAR(simulation.state().force(scene.contacts[end].interaction)[0], 0.5 * kMass * kGravity, 1e-8);
}

TEST(CapsulesOnBoxesByEvents, OneHitsAnEdgeOffItsMiddle) {
  // A cube on its edge, along y: p = (1 + e) g t1 / (1 / m + d^2 / J) at d from the middle.
  const double h = 0.2, e = 0.6, d = 0.08, t1 = std::sqrt(2.0 * h / kGravity), t = t1 + 0.01;
  const ShapeOnBody roof{.shape = Box{{0.3, 0.5, 0.3}},
                         .position = {0.0, 0.0, -0.3 * std::sqrt(2.0)},
                         .orientation = turned_by({0.0, 0.25 * kPi, 0.0})};
  Scene scene({-d, 0.0, kRadius + h}, Vector3d::Zero(), e, roof);
  EventDriven simulation(scene.model);
  run_to(simulation, t);
  expect_times(times_of(simulation, EventKind::Impact), {t1}, kIntegrated);
  const double p = (1.0 + e) * kGravity * t1 / (1.0 / kMass + d * d / kInertia);
  const auto v = simulation.state().v(scene.body);
  EXPECT_LE((v.head<3>() - Vector3d(0.0, 0.0, -kGravity * t + p / kMass)).norm(), kIntegrated);
  EXPECT_NEAR(v.tail<3>().norm(), d * p / kInertia, 1e-7);
}

TEST(CapsulesOnBoxesByEvents, OneSlidesOverAnEdgeAndTips) {
  // Its front end leaves the edge at x = 1, which bears it from there, and it tips where its middle is over it. The
  // edge's gap has a double zero there: an impact of its rounding's root, some 1e-8, may be recorded.
  const double v = 0.5, start = 0.6, tips = (1.0 - start) / v;
  Scene scene({start, 0.1, kRadius}, {v, 0.0, 0.0}, 0.5, table());
  EventDriven simulation(scene.model);
  const double t = tips - 0.05;
  run_to(simulation, t);
  const double over = 1.0 - start - v * t;  // of the middle to the edge: loads by their levers
  double edges = 0.0, ends = 0.0;
  for (std::size_t k = 0; k < scene.contacts.size(); ++k)
    (k < 2 ? ends : edges) += simulation.state().force(scene.contacts[k].interaction)[0];
  EXPECT_NEAR(edges, kMass * kGravity * kHalf / (kHalf + over), 1e-6);
  EXPECT_NEAR(ends, kMass * kGravity * over / (kHalf + over), 1e-6);
  run_to(simulation, tips + 0.01);
  for (const Event& impact : events_of(simulation, EventKind::Impact)) EXPECT_LE(impact.value, 1e-6 * kMass * v);
  const std::vector<double> openings = times_of(simulation, EventKind::Opening);
  ASSERT_EQ(openings.size(), 2u);
  EXPECT_NEAR(openings[0], (1.0 - kHalf - start) / v, 1e-6);
  EXPECT_NEAR(openings[1], tips, 1e-6);
}

TEST(CapsulesOnBoxesByEvents, TheLeastGapIsThatFound) {
  // Anywhere apart, the capsule on either side: sizes of 1 m, 1e-13.
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto any = [&] { return Vector3d(number(random), number(random), number(random)); };
  int compared = 0;
  for (int trial = 0; trial < 60; ++trial) {
    NonSmoothDynamicalSystem model;
    std::vector<BodyShapes> bodies;
    for (const int i : {0, 1}) {
      const auto body = model.add(RigidBody{.position = 0.9 * i * Vector3d(1.0, 0.6, 0.3) + 0.2 * any(),
                                            .orientation = turned_by(3.0 * any())});
      const bool box = (trial % 2 == 0) == (i == 0);
      bodies.push_back(
          {body, {{.shape = box ? Shape{Box{{0.3, 0.2, 0.25}}} : Shape{kCapsule}, .position = 0.1 * any()}}});
    }
    const BodyContacts source(bodies, {}, NewtonImpactLaw{});
    double least = 1e9, found = 1e9;
    const auto linked = link_contacts(model, source);
    State state = model.initial_state();
    for (const LinkedContact& own : linked) least = std::min(least, state.y(own.interaction)[0]);
    state.unknowns.setOnes();
    for (const ContactBatch& batch : contacts_at(state, source, 5.0)) {
      for (const DetectedContact& contact : batch.contacts) found = std::min(found, contact.gap);
    }
    if (found < 1e-3 || found > 1e3) continue;
    EXPECT_NEAR(least, found, 1e-13) << trial;
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace nonsmooth::capsules_on_boxes_test
