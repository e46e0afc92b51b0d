// SPDX-License-Identifier: Apache-2.0
// Contacts of two shapes as relations: fields that are refused.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/kernel.hpp>

#include "bad_input.hpp"

namespace nonsmooth {
namespace {

using Eigen::Vector3d;

TEST(ShapePairsBadInput, AreRefusedByTheirFields) {
  using bad_input::expect_refused;
  using bad_input::kNaN;
  const SphereOnBody ball{.radius = 0.1};
  const CapsuleOnBody rod{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.1};
  const DiskOnBody disk{.radius = 0.1};
  const FloorProfile floor{.height = [](double x) { return std::sin(x); },
                           .slope = [](double x) { return std::cos(x); },
                           .curvature = [](double x) { return -std::sin(x); }};
  expect_refused([&] { (void)make_relation(SpherePair{{}, ball}); }, {"SpherePair::first.radius", "0"});
  expect_refused(
      [&] {
        (void)make_relation(SpherePair{ball, {{kNaN, 0.0, 0.0}, 0.1}});
      },
      {"SpherePair::second.center"});
  expect_refused([&] { (void)make_relation(SphereInSphere{ball, ball}); }, {"SphereInSphere::outer.radius", "0.1"});
  expect_refused([&] { (void)make_relation(SphereOnCapsule{{}, rod}); }, {"SphereOnCapsule::sphere.radius"});
  expect_refused(
      [&] {
        (void)make_relation(SphereOnCapsule{ball, {rod.from, rod.to, 0.0}});
      },
      {"SphereOnCapsule::capsule.radius"});
  expect_refused(
      [&] {
        (void)make_relation(CapsulePair{rod, {rod.to, rod.to, 0.1}});
      },
      {"CapsulePair::second", "ends that are one"});
  expect_refused(
      [&] {
        (void)make_relation(CapsulePair{{rod.from, {0.0, kNaN, 0.0}, 0.1}, rod});
      },
      {"CapsulePair::first.to"});
  expect_refused(
      [&] {
        (void)make_relation(SphereOnHalfSpace{{.radius = -0.1}, {}});
      },
      {"SphereOnHalfSpace::sphere.radius", "-0.1"});
  expect_refused(
      [&] {
        (void)make_relation(SphereOnHalfSpace{ball, {.normal = Vector3d::Zero()}});
      },
      {"SphereOnHalfSpace::half_space.normal"});
  expect_refused(
      [&] {
        (void)make_relation(SphereOnHalfSpace{ball, {.offset = kNaN}});
      },
      {"SphereOnHalfSpace::half_space.offset"});
  expect_refused([&] { (void)make_relation(SphereOnPolyhedron{}); }, {"SphereOnPolyhedron::sphere.radius"});
  expect_refused([&] { (void)make_relation(SphereOnPolyhedron{.sphere = ball}); }, {"SphereOnPolyhedron::polyhedron"});
  expect_refused(
      [&] {
        (void)make_relation(SphereOnPolyhedron{
            .sphere = ball, .polyhedron = Box{{1.0, 1.0, 1.0}}, .orientation = {1.0, 1.0, 0.0, 0.0}});
      },
      {"SphereOnPolyhedron::orientation", "1.41"});
  expect_refused([&] { (void)make_relation(DiskPair{disk, {}}); }, {"DiskPair::second.radius"});
  expect_refused([&] { (void)make_relation(DiskInCircle{disk, disk}); }, {"DiskInCircle::outer.radius"});
  expect_refused(
      [&] {
        (void)make_relation(DiskOnHalfPlane{disk, {.normal = Eigen::Vector2d::Zero()}});
      },
      {"DiskOnHalfPlane::half_plane.normal"});
  expect_refused([&] { (void)make_relation(DiskOnFloor{{}, floor}); }, {"DiskOnFloor::disk.radius"});
  expect_refused([&] { (void)make_relation(DiskOnFloor{disk, {}}); }, {"DiskOnFloor::floor", "missing"});
  FloorProfile belt = floor;
  belt.surface_velocity = [](double, double) { return 1.0; };
  expect_refused([&] { (void)make_relation(DiskOnFloor{disk, belt}); }, {"surface_velocity"});
}

}  // namespace
}  // namespace nonsmooth
