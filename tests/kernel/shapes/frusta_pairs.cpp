// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones on each other: gaps and normals against brute force, closed forms, whole patches, motions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <set>
#include <vector>

#include <Eigen/Geometry>

#include <contact/narrow_phase/frustum.hpp>
#include <nonsmooth/kernel.hpp>

#include "frusta.hpp"

namespace nonsmooth::frusta_pairs_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using frusta::frustum;
using frusta::frustum_at;
using frusta::least_of;
using frusta::support;
using narrow_phase::Patch;
using narrow_phase::PatchPoint;
using narrow_phase::PlacedFrustum;

double separation(const PlacedFrustum& first, const PlacedFrustum& second, const Vector3d& n) {
  return -support(first, -n) - support(second, n);
}

std::vector<PatchPoint> points_of(const PlacedFrustum& first, const PlacedFrustum& second, double reach = 100.0) {
  Patch patch;
  narrow_phase::find_contacts(first, second, reach, patch);
  return {patch.begin(), patch.end()};
}

Matrix3d turned(double angle, const Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

const std::array<Frustum, 4> kShapes{frustum(0.4, 0.4, 0.5), frustum(0.5, 0.0, 0.4), frustum(0.2, 0.5, 0.15),
                                     frustum(0.45, 0.45, 0.05)};

TEST(FrustaPairs, GapsAreThoseOfBruteForce) {
  frusta::Random random(43);
  int overlapping = 0;
  for (int trial = 0; trial < 160; ++trial) {
    const Frustum &shape = kShapes[static_cast<std::size_t>(trial % 4)],
                  &shape_of_other = kShapes[static_cast<std::size_t>(trial / 4 % 4)];
    PlacedFrustum first = frustum_at(shape, Vector3d::Zero(), random.turn());
    const PlacedFrustum other = frustum_at(shape_of_other, 1.5 * random.vector(1.0).normalized(), random.turn());
    const auto check = [&](const PatchPoint& least) {
      frusta::expect_least_gap(
          least, first, [&](const Vector3d& n) { return separation(first, other, n); }, trial);
      if (least.gap < 0.0) return;
      ASSERT_NEAR(narrow_phase::distance_from(other, least.on_second).distance, 0.0, 1e-12) << trial;
    };
    const PatchPoint far = least_of(points_of(first, other));
    check(far);
    const double wanted = trial % 2 == 0 ? 1e-3 : -random.number(1e-6, 0.1);
    first.centre -= (far.gap - wanted) * far.normal;
    const auto near = points_of(first, other);
    const PatchPoint& least = least_of(near);
    if (wanted > 0.0) {  // a motion along the normal of the closest points closes the gap by as much
      ASSERT_NEAR(least.gap, wanted, 1e-13) << trial;
      ASSERT_LE((least.normal - far.normal).norm(), 1e-12 * 1e3) << trial;  // 1e-15 over the distance of 1e-3
    }
    check(least);
    overlapping += least.gap < 0.0 ? 1 : 0;
    for (const PatchPoint& point : near) ASSERT_GE(point.gap, least.gap);
    // The other way round it is the same.
    const PatchPoint turned_round = least_of(points_of(other, first));
    ASSERT_NEAR(turned_round.gap, least.gap, 1e-12) << trial;
  }
  EXPECT_GT(overlapping, 60);
}

TEST(FrustaPairs, WhatJustTouchesHasItsNormal) {
  // As things rest: gaps from -1e-9 to 1e-9 m. Along the common normal of before, to 1e-12 of the sizes; what is
  // nearest to a circle of radius r at a tangent of its own has its normal from the tangents of both, as exact as the
  // points, of which errors of the gap are the squares: to 1e-8.
  frusta::Random random(47);
  int compared = 0;
  for (int trial = 0; trial < 160; ++trial) {
    const Frustum &shape = kShapes[static_cast<std::size_t>(trial % 4)],
                  &shape_of_other = kShapes[static_cast<std::size_t>(trial / 4 % 4)];
    PlacedFrustum first = frustum_at(shape, Vector3d::Zero(), random.turn());
    const PlacedFrustum other = frustum_at(shape_of_other, 1.5 * random.vector(1.0).normalized(), random.turn());
    const PatchPoint far = least_of(points_of(first, other));
    // The directions that keep a tip and what it touches apart are many, and none is closest.
    const auto is_tip = [&](const PlacedFrustum& own, const Vector3d& x) {
      return own.radius(1) == 0.0 && (x - own.middle_of(1)).norm() < 1e-6;
    };
    if (is_tip(first, far.on_first) || is_tip(other, far.on_second)) continue;
    ++compared;
    const double wanted = 1e-9 * (trial % 3 - 1);
    first.centre -= (far.gap - wanted) * far.normal;
    const PatchPoint least = least_of(points_of(first, other, 1e-6));
    ASSERT_NEAR(least.gap, wanted, 1e-12) << trial;
    ASSERT_LE((least.normal - far.normal).norm(), 1e-7) << trial;
  }
  EXPECT_GT(compared, 100);
}

TEST(FrustaPairs, ParallelCylindersTouchInTwoPointsAndCrossedOnesInOne) {
  const Frustum thick = frustum(0.3, 0.3, 0.5), thin = frustum(0.1, 0.1, 0.4);
  for (const double gap : {1e-3, 0.0, -1e-3}) {
    const auto check = [&](const Vector3d& centre, const Matrix3d& turn, std::size_t count) {
      const auto points =
          points_of(frustum_at(thin, centre, turn), frustum_at(thick, Vector3d::Zero(), Matrix3d::Identity()), 0.01);
      EXPECT_EQ(points.size(), count) << gap;
      for (const PatchPoint& point : points) {
        EXPECT_NEAR(point.gap, gap, 1e-14);
        EXPECT_LE((point.normal - Vector3d::UnitX()).norm(), 1e-13);
      }
      return points;
    };
    const auto along = check({0.4 + gap, 0.0, 0.3}, Matrix3d::Identity(), 2);
    double low = 1.0, high = -1.0;
    for (const PatchPoint& point : along)
      low = std::min(low, point.on_first.z()), high = std::max(high, point.on_first.z());
    EXPECT_NEAR(low, -0.1, 1e-14);  // from its own end to the other's
    EXPECT_NEAR(high, 0.5, 1e-14);
    const auto crossed = check({0.4 + gap, 0.1, 0.2}, turned(0.7, Vector3d::UnitX()), 1);
    // The axes are (0, 0, 1) and (0, -sin, cos) from (., 0.1, 0.2): they cross in y = 0.
    EXPECT_NEAR(crossed[0].on_first.z(), 0.2 + 0.1 * std::cos(0.7) / std::sin(0.7), 1e-12);
    check({0.4 + gap, 0.0, 0.0}, turned(std::numbers::pi, Vector3d::UnitX()), 2);
  }
}

TEST(FrustaPairs, EndsOnEndsHaveWholePatches) {
  const Frustum wide = frustum(0.5, 0.5, 0.1), slim = frustum(0.2, 0.2, 0.3), cone = frustum(0.3, 0.0, 0.2);
  const PlacedFrustum below = frustum_at(wide, Vector3d::Zero(), Matrix3d::Identity());
  const auto count = [&](const Frustum& shape, const Vector3d& aside, double tilt, double gap) {
    const Vector3d centre = aside + Vector3d(0.0, 0.0, 0.1 + shape.half + gap);
    const auto points = points_of(frustum_at(shape, centre, turned(tilt, Vector3d::UnitZ())), below, 0.01);
    for (const PatchPoint& point : points) {
      EXPECT_NEAR(point.gap, gap, 1e-14);
      EXPECT_LE((point.normal - Vector3d::UnitZ()).norm(), 1e-14);
    }
    return points.size();
  };
  for (const double gap : {1e-3, 0.0, -1e-3}) {
    EXPECT_EQ(count(slim, {0.1, 0.1, 0.0}, 0.4, gap), 4u);  // its own four
    EXPECT_EQ(count(cone, {0.1, 0.1, 0.0}, 0.4, gap), 4u);
    EXPECT_EQ(count(wide, {0.0, 0.0, 0.0}, 0.0, gap), 4u);  // the same four
    EXPECT_EQ(count(wide, {0.0, 0.0, 0.0}, 0.4, gap), 8u);
    EXPECT_EQ(count(slim, {0.5, 0.0, 0.0}, 0.0, gap), 4u);  // one of each inside, two where the circles cross
    EXPECT_EQ(count(frustum(0.9, 0.9, 0.1), {0.1, 0.1, 0.0}, 0.4, gap), 4u);  // those of what it stands on
  }
}

// ---- Motions ----

using frusta::cylinder_body, frusta::kMass;
constexpr double g = frusta::kGravity, kStep = 1e-3;

TEST(FrustaPairs, ATowerOfCylindersAndAConeStands) {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  std::vector<SystemHandle> handles;
  double height = 0.0;
  for (const double half : {0.1, 0.15, 0.2}) {
    RigidBody body = cylinder_body(0.2, half);
    body.position = {0.02 * height, 0.0, height + half};
    body.orientation = {std::cos(half), 0.0, 0.0, std::sin(half)};
    height += 2.0 * half;
    handles.push_back(model.add(body));
    bodies.push_back({handles.back(), {{.shape = Cylinder{0.2, half}}}});
  }
  RigidBody top = cylinder_body(0.1, 0.1);
  top.position = {0.0, 0.01, height + 0.05};
  handles.push_back(model.add(top));
  bodies.push_back({handles.back(), {{.shape = Cone{.radius = 0.15, .height = 0.3}, .position = {0.0, 0.0, -0.05}}}});
  model.detect(std::make_shared<const BodyContacts>(
      bodies, std::vector<ShapeOnBody>{{.shape = Cylinder{0.3, 0.1}, .position = {0.0, 0.0, -0.1}}},
      NewtonImpactFrictionLaw{.friction = 0.5, .dimension = 3}));
  TimeStepping simulation(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  const State before = simulation.state();
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(simulation.step());
  // Residual velocities of 1e-12 m/s over masses of 2 kg, for 0.2 s.
  for (const SystemHandle& body : handles)
    EXPECT_LE((simulation.state().q(body) - before.q(body)).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(FrustaPairs, ARollerOnARollerComesDownAsItsClosedForm) {
  // A cylinder of radius r rolls off one of radius R that lies still: (3/2) m ((R + r) phi')^2 / 2 = m g (R + r) (1 -
  // cos phi) once it sticks, from phi_0 at rest: phi'^2 = 4 g (cos phi_0 - cos phi) / (3 (R + r)). First order in the
  // step.
  const double R = 0.3, r = 0.1, from = 0.3, l = R + r;
  NonSmoothDynamicalSystem model;
  RigidBody body = cylinder_body(r, 0.2);
  body.position = {l * std::sin(from), 0.0, l * std::cos(from)};
  body.orientation = {std::sqrt(0.5), -std::sqrt(0.5), 0.0, 0.0};
  const auto roller = model.add(body);
  model.detect(std::make_shared<const BodyContacts>(
      std::vector<BodyShapes>{{roller, {{.shape = Cylinder{r, 0.2}}}}},
      std::vector<ShapeOnBody>{{.shape = Cylinder{R, 0.4}, .orientation = {std::sqrt(0.5), -std::sqrt(0.5), 0.0, 0.0}}},
      NewtonImpactFrictionLaw{.friction = 2.0, .dimension = 3}));
  TimeStepping simulation(model, {.step = kStep, .solver = mixed::Automatic{.tolerance = 1e-12}});
  std::set<std::uint64_t> features;
  for (int k = 0; k < 150; ++k) {
    ASSERT_TRUE(simulation.step());
    for (const ContactMemory& contact : simulation.state().contacts) features.insert(contact.feature);
  }
  EXPECT_EQ(features.size(), 2u);
  const auto q = simulation.state().q(roller);
  const double phi = std::atan2(q[0], q[2]), speed = simulation.state().v(roller).head<3>().norm();
  const double expected = std::sqrt(4.0 * g * l * (std::cos(from) - std::cos(phi)) / 3.0);
  EXPECT_NEAR(speed, expected, 0.01 * expected);
  EXPECT_GT(phi, from + 0.03);
  EXPECT_NEAR(q[1], 0.0, 1e-10);  // without leaving its plane
}

}  // namespace
}  // namespace nonsmooth::frusta_pairs_test
