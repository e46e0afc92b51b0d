// SPDX-License-Identifier: Apache-2.0
// What rests, slides and rolls in the plane: on half-planes, lines of heights and each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "kernel/planar_scene.hpp"

namespace nonsmooth::planar_contact_motions_test {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using test::kPlaneGravity;
using test::kPlaneStep;
using test::PlanarScene;
using test::rectangle;

TEST(PlanarContacts, AStackOfBoxesStands) {
  PlanarScene plane;
  plane.ground.push_back({.shape = HalfPlane{}});
  for (int k = 0; k < 5; ++k)
    plane.add({.shape = rectangle(0.1, 0.1)}, 0.02 / 3.0, {0.01 * (k % 3), 0.1 + 0.2 * k, 0.0});
  TimeStepping simulation = plane.simulation(0.5);
  const Eigen::VectorXd before = simulation.state().positions;
  for (int k = 0; k < 200; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report) << report.message();
    ASSERT_EQ(simulation.state().contacts.size(), 10u) << k;  // two corners of each box
  }
  // Residual velocities of 1e-11 m/s (weights of five on compliances of one) for 0.2 s.
  EXPECT_LE((simulation.state().positions - before).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(PlanarContacts, ABoxSlidesOverPiecesOfOneSlopeAsOnOnePiece) {
  // Down 20 degrees with mu = 0.2: a = g (sin - mu cos), on a half-plane and on 400 pieces of uneven length. Each
  // corner is a contact, so the solution is unique in velocities; it differs by the tolerance of each step's problem,
  // 1e-12 |q|.
  const double slope = 20.0 * std::numbers::pi / 180.0, mu = 0.2;
  const Vector2d along(std::cos(slope), -std::sin(slope)), normal(std::sin(slope), std::cos(slope));
  std::vector<Vector2d> points;
  for (int k = 0; k <= 400; ++k) points.emplace_back((-1.0 + 0.01 * k + 0.003 * std::sin(k)) * along);
  const std::vector<PlanarShape> grounds{HalfPlane{normal, 0.0}, HeightLine{points}};
  std::array<Vector3d, 2> ends;
  for (std::size_t g = 0; g < 2; ++g) {
    PlanarScene plane;
    plane.ground.push_back({.shape = grounds[g]});
    const Vector2d start = 0.05 * normal;
    const auto box = plane.add({.shape = rectangle(0.1, 0.05)}, 0.0125 / 3.0, {start.x(), start.y(), -slope});
    TimeStepping simulation = plane.simulation(mu);
    for (int k = 1; k <= 600; ++k) {
      ASSERT_TRUE(simulation.step());
      const Vector3d v = simulation.state().v(box);
      const double speed = kPlaneGravity * (std::sin(slope) - mu * std::cos(slope)) * kPlaneStep * k;
      // Heights of the corners on pieces are 1e-16 off one line; a corner that enters by that much is stopped with the
      // velocity that keeps it, so that velocities feel the solver's tolerance alone.
      ASSERT_NEAR(along.dot(v.head<2>()), speed, 1e-9) << g << ' ' << k;
      ASSERT_NEAR(normal.dot(v.head<2>()), 0.0, 1e-9) << g << ' ' << k;
      ASSERT_NEAR(v[2], 0.0, 1e-8) << g << ' ' << k;
    }
    ends[g] = simulation.state().q(box);
  }
  EXPECT_LE((ends[0] - ends[1]).norm(), 1e-9);
}

TEST(PlanarContacts, ADiskRollsOverAThousandPiecesAtTwoThirds) {
  // v0 - mu g t until v0 / (3 mu g), then 2/3 v0: a solid disk.
  const double mu = 0.3, speed = 1.0, radius = 0.1, rolls = speed / (3.0 * mu * kPlaneGravity);
  std::vector<Vector2d> points;
  for (int k = 0; k <= 1000; ++k) points.emplace_back(0.002 * k - 0.1, 0.25);
  PlanarScene plane;
  plane.ground.push_back({.shape = HeightLine{points}});
  const auto disk =
      plane.add({.shape = Disk{radius}}, 0.5 * radius * radius, {0.0, 0.25 + radius, 0.0}, {speed, 0.0, 0.0});
  TimeStepping simulation = plane.simulation(mu);
  for (int k = 1; k <= 800; ++k) {
    ASSERT_TRUE(simulation.step());
    const Vector3d v = simulation.state().v(disk);
    const double t = kPlaneStep * k, expected = t < rolls ? speed - mu * kPlaneGravity * t : 2.0 / 3.0 * speed;
    ASSERT_NEAR(v[0], expected, 1e-10) << k;
    ASSERT_NEAR(v[1], 0.0, 1e-10) << k;
    if (t >= rolls) {
      ASSERT_NEAR(v[2], -expected / radius, 1e-9) << k;
    }
  }
}

TEST(PlanarContacts, ADiskRestsInAValleyAndABoxOnARidge) {
  // In a valley of 45 degrees each side carries m g h / sqrt(2).
  PlanarScene valley;
  valley.ground.push_back({.shape = HeightLine{{{-1.0, 1.0}, {0.0, 0.0}, {1.0, 1.0}}}});
  const auto disk = valley.add({.shape = Disk{0.2}}, 0.02, {0.0, 0.2 * std::sqrt(2.0), 0.0});
  TimeStepping lies = valley.simulation(0.0);
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(lies.step());
    ASSERT_EQ(lies.state().contacts.size(), 2u);
    for (const ContactMemory& contact : lies.state().contacts)
      ASSERT_NEAR(contact.impulse[0], kPlaneGravity * kPlaneStep * std::sqrt(0.5), 1e-12);
  }
  EXPECT_LE(lies.state().v(disk).norm(), 1e-11);
  // A box with its middle above the tip of a roof: one contact, along its side's normal.
  PlanarScene ridge;
  ridge.ground.push_back({.shape = HeightLine{{{-1.0, 0.0}, {0.0, 0.5}, {1.0, 0.0}}}});
  ridge.add({.shape = rectangle(0.3, 0.1)}, 0.03, {0.0, 0.6, 0.0});
  TimeStepping balances = ridge.simulation(0.5);
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(balances.step());
    ASSERT_EQ(balances.state().contacts.size(), 1u);
    ASSERT_NEAR(balances.state().contacts[0].impulse[0], kPlaneGravity * kPlaneStep, 1e-12);
  }
}

TEST(PlanarContacts, ABodyAtAnySpeedIsStoppedByAPlateAndALine) {
  // 2 m a step through a plate of 2 mm, or a line, from places before it that differ by a tenth of a step's way.
  const std::vector<PlanarShape> grounds{rectangle(1.0, 0.001), HeightLine{{{-1.0, 0.0}, {0.1, 0.0}, {1.0, 0.0}}}};
  for (const PlanarShape& ground : grounds) {
    for (int k = 0; k < 10; ++k) {
      PlanarScene plane;
      plane.ground.push_back({.shape = ground});
      const double speed = 2.0 / kPlaneStep;
      const auto box =
          plane.add({.shape = rectangle(0.02, 0.01)}, 1e-4, {0.0, 1.0 + 0.2 * k, 0.3}, {0.0, -speed, 0.0}, 0.0);
      TimeStepping simulation = plane.simulation(0.0, MoreauJean{.theta = 1.0, .forecast = 1.0});
      for (int step = 0; step < 10; ++step) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report) << report.message();
      }
      EXPECT_GT(simulation.state().q(box)[1], 0.0) << k;
    }
  }
}

TEST(PlanarContacts, AConveyorCarriesABox) {
  // From rest to the belt's 0.5 m/s at mu g, then with it.
  const double mu = 0.2, belt = 0.5;
  PlanarScene plane;
  plane.ground.push_back(
      {.shape = HalfPlane{}, .surface_velocity = [=](const Vector2d&, double) { return Vector2d(belt, 0.0); }});
  const auto box = plane.add({.shape = rectangle(0.2, 0.05)}, 0.01, {0.0, 0.05, 0.0});
  TimeStepping simulation = plane.simulation(mu);
  for (int k = 1; k <= 400; ++k) {
    ASSERT_TRUE(simulation.step());
    ASSERT_NEAR(simulation.state().v(box)[0], std::min(mu * kPlaneGravity * kPlaneStep * k, belt), 1e-10) << k;
  }
}

TEST(PlanarContacts, ARollingLawSlowsADisk) {
  // Rolling without slip against a moment of rolling p_N: (3/2) m r^2 alpha = -rolling m g for a solid disk.
  const double radius = 0.1, rolling = 0.002, speed = 0.4;
  PlanarScene plane;
  plane.ground.push_back({.shape = HeightLine{{{-1.0, 0.0}, {0.05, 0.0}, {1.0, 0.0}}}});
  const auto disk =
      plane.add({.shape = Disk{radius}}, 0.5 * radius * radius, {0.0, radius, 0.0}, {speed, 0.0, -speed / radius});
  plane.model.detect(
      PlanarContacts(plane.bodies, plane.ground, NewtonImpactRollingFrictionLaw{.friction = 0.5, .rolling = rolling}));
  TimeStepping simulation(plane.model, {.step = kPlaneStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  for (int k = 1; k <= 400; ++k) {
    ASSERT_TRUE(simulation.step());
    const double expected = speed - 2.0 / 3.0 * rolling * kPlaneGravity / radius * kPlaneStep * k;
    ASSERT_NEAR(simulation.state().v(disk)[0], expected, 1e-9) << k;
  }
}

}  // namespace
}  // namespace nonsmooth::planar_contact_motions_test
