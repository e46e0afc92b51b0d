// SPDX-License-Identifier: Apache-2.0
// Contacts of two shapes as relations: fields that are refused.
#include <gtest/gtest.h>

#include <cmath>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::shape_pairs_bad_input_test {
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
  expect_refused([&] { (void)make_relation(SphereOnFrustum{.sphere = ball}); }, {"Cylinder::radius"});
  expect_refused(
      [&] {
        (void)make_relation(SphereOnFrustum{.sphere = ball, .frustum = Cone{0.1, -1.0}});
      },
      {"Cone::height", "-1"});
  expect_refused(
      [&] {
        (void)make_relation(SphereOnFrustum{.frustum = Cylinder{0.1, 0.1}});
      },
      {"SphereOnFrustum::sphere.radius"});
  expect_refused(
      [&] {
        (void)make_relation(
            SphereOnFrustum{.sphere = ball, .frustum = Cylinder{0.1, 0.1}, .position = {kNaN, 0.0, 0.0}});
      },
      {"SphereOnFrustum::position"});
  expect_refused([&] { (void)make_relation(RimOnHalfSpace{{.radius = -0.1}, {}}); }, {"RimOnHalfSpace::rim.radius"});
  expect_refused(
      [&] {
        (void)make_relation(RimOnHalfSpace{{.axis = Vector3d::Zero()}, {}});
      },
      {"RimOnHalfSpace::rim.axis"});
  expect_refused(
      [&] {
        (void)make_relation(RimOnHalfSpace{{}, {.offset = kNaN}});
      },
      {"RimOnHalfSpace::half_space.offset"});
  expect_refused([&] { (void)make_relation(DiskPair{disk, {}}); }, {"DiskPair::second.radius"});
  expect_refused([&] { (void)make_relation(DiskInCircle{disk, disk}); }, {"DiskInCircle::outer.radius"});
  expect_refused(
      [&] {
        (void)make_relation(DiskOnHalfPlane{disk, {.normal = Eigen::Vector2d::Zero()}});
      },
      {"DiskOnHalfPlane::half_plane.normal"});
  const PlanarSegment wall{{0.0, 0.0}, {1.0, 0.0}};
  expect_refused([&] { (void)make_relation(DiskOnSegment{{}, wall}); }, {"DiskOnSegment::disk.radius"});
  expect_refused(
      [&] {
        (void)make_relation(DiskOnSegment{disk, {wall.to, wall.to}});
      },
      {"DiskOnSegment::segment", "ends that are one"});
  expect_refused(
      [&] {
        (void)make_relation(DiskOnSegment{disk, {wall.from, wall.to, -0.1}});
      },
      {"DiskOnSegment::segment.rounding", "-0.1"});
  expect_refused(
      [&] {
        (void)make_relation(DiskOnPolygon{disk, {.vertices = {wall.from, wall.to}}});
      },
      {"ConvexPolygon::vertices"});
  expect_refused(
      [&] {
        (void)make_relation(DiskOnPolygon{disk, {.vertices = {wall.from, wall.to, {0.0, 1.0}}, .rounding = -1.0}});
      },
      {"DiskOnPolygon::polygon.rounding"});
  expect_refused(
      [&] {
        (void)make_relation(DiskOnHeightLine{disk, {{wall.to, wall.from}}});
      },
      {"HeightLine::points", "ascending"});
  expect_refused(
      [&] {
        (void)make_relation(DiskOnHeightLine{disk, {{wall.from, wall.to}}, 1});
      },
      {"DiskOnHeightLine::part", "0 to 0"});
  expect_refused([&] { (void)make_relation(DiskOnFloor{{}, floor}); }, {"DiskOnFloor::disk.radius"});
  expect_refused([&] { (void)make_relation(DiskOnFloor{disk, {}}); }, {"DiskOnFloor::floor", "missing"});
}

TEST(ShapePairsBadInput, SurfacesThatABallTouchesTwiceInOnePartAreRefused) {
  using bad_input::expect_refused;
  const SphereOnBody ball{.radius = 0.1};
  // A groove that begins at (0, 0) in a flat face: this hangs together with both of its sides over convex edges.
  const TriangleMesh groove(
      {{0.0, 0.0, 0.0}, {1.0, -1.0, 0.0}, {1.0, 0.0, -0.5}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}, {-1.0, -1.0, 0.0}},
      {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 1}});
  expect_refused([&] { (void)make_relation(SphereOnSurface{.sphere = ball, .surface = groove}); },
                 {"SphereOnSurface::surface", "a concave edge", "(1, 0, -0.5)"});
  // Three quarters of a square: at (0, 0) its rim turns inwards.
  const TriangleMesh corner(
      {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}, {-1.0, -1.0, 0.0}, {0.0, -1.0, 0.0}},
      {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}});
  expect_refused([&] { (void)make_relation(SphereOnSurface{.sphere = ball, .surface = corner}); },
                 {"SphereOnSurface::surface", "a rim that turns inwards", "(0, 0, 0)"});
  const HeightField valley(Eigen::MatrixXd{{1.0, 1.0}, {0.0, 0.0}, {1.0, 1.0}}, {1.0, 1.0});  // two parts
  EXPECT_NO_THROW((void)make_relation(SphereOnSurface{.sphere = ball, .surface = valley, .part = 1}));
  expect_refused([&] { (void)make_relation(SphereOnSurface{.sphere = ball, .surface = valley, .part = 2}); },
                 {"SphereOnSurface::part", "0 to 1"});
  expect_refused([&] { (void)make_relation(SphereOnSurface{.sphere = {}, .surface = valley}); },
                 {"SphereOnSurface::sphere.radius"});
}

}  // namespace
}  // namespace nonsmooth::shape_pairs_bad_input_test
