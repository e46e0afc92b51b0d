// SPDX-License-Identifier: Apache-2.0
// Mass, centre and inertia of shapes: closed forms, what turns and moves of the axes keep, and solids put together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"

namespace nonsmooth::mass_properties_test {
namespace {

using bad_input::expect_refused;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using std::numbers::pi;

constexpr double kEps = std::numeric_limits<double>::epsilon();

const Vector4d kTurn = Vector4d(0.3, -0.5, 0.7, 0.2).normalized();
const Vector3d kMove(0.4, -1.1, 0.6);

std::vector<Vector3d> corners_of_box(const Vector3d& half) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 8; ++i)
    points.push_back(half.cwiseProduct(Vector3d(2 * (i & 1) - 1, (i & 2) - 1, (i & 4) / 2 - 1)));
  return points;
}

/// Points at random, within a box that is longer in x than in z: a polyhedron without symmetry.
ConvexPolyhedron random_polyhedron(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> draw(-1.0, 1.0);
  std::vector<Vector3d> points;
  for (int i = 0; i < 24; ++i) points.emplace_back(0.9 * draw(random), 0.5 * draw(random), 0.3 * draw(random));
  return ConvexPolyhedron(points);
}

/// One of each solid, none of them too small.
std::vector<Shape> solids() {
  return {
      Sphere{0.3},         Box{{0.1, 0.2, 0.3}}, Capsule{0.1, 0.4},   Cylinder{0.2, 0.3},
      Cone{0.3, 0.5, 0.0}, Cone{0.1, 0.7, 0.4},  Cone{0.2, 0.6, 0.2}, ConvexPolyhedron(corners_of_box({0.1, 0.2, 0.3})),
      random_polyhedron(1)};
}

void expect_near(const MassProperties& found, const MassProperties& expected, double tolerance) {
  EXPECT_NEAR(found.mass, expected.mass, tolerance * expected.mass);
  EXPECT_LE((found.centre - expected.centre).norm(), tolerance);
  EXPECT_LE((found.inertia - expected.inertia).norm(), tolerance * expected.inertia.norm());
}

// ---- In space ----

TEST(MassProperties, AreThoseOfClosedForms) {
  // A dozen operations of like signs: 32 roundings.
  const double rho = 700.0, r = 0.3, l = 0.4;
  const auto expect = [&](const Shape& shape, double volume, double z, double across, double along) {
    const MassProperties p = MassProperties::of_density(shape, rho);
    EXPECT_NEAR(p.mass, rho * volume, 32.0 * kEps * rho * volume);
    EXPECT_LE((p.centre - Vector3d(0.0, 0.0, z)).norm(), 32.0 * kEps);
    const Matrix3d J = p.mass * Vector3d(across, across, along).asDiagonal();
    EXPECT_LE((p.inertia - J).norm(), 32.0 * kEps * J.norm()) << shape.index();
    EXPECT_EQ(MassProperties::of_mass(shape, p.mass).inertia, p.inertia);
  };
  expect(Sphere{r}, 4.0 / 3.0 * pi * r * r * r, 0.0, 0.4 * r * r, 0.4 * r * r);
  expect(Cylinder{r, l}, 2.0 * pi * r * r * l, 0.0, r * r / 4.0 + l * l / 3.0, 0.5 * r * r);
  // A cone of height h: its centre is h / 4 above the base, 3 / 80 (4 r^2 + h^2) and 3 / 10 r^2.
  const double h = 0.8;
  expect(Cone{r, h}, pi / 3.0 * r * r * h, h / 4.0, 3.0 / 80.0 * (4.0 * r * r + h * h), 0.3 * r * r);
  expect(Cone{r, h, r}, pi * r * r * h, h / 2.0, r * r / 4.0 + h * h / 12.0, 0.5 * r * r);
  // A capsule as a cylinder and two half balls, whose centres are 3 r / 8 beyond its ends; about its own centre a half
  // ball has 83 / 320 r^2 across.
  const double cylinder = 2.0 * pi * r * r * l, half_ball = 2.0 / 3.0 * pi * r * r * r, out = l + 3.0 / 8.0 * r;
  const double volume = cylinder + 2.0 * half_ball;
  expect(Capsule{r, l}, volume, 0.0,
         (cylinder * (r * r / 4.0 + l * l / 3.0) + 2.0 * half_ball * (83.0 / 320.0 * r * r + out * out)) / volume,
         (cylinder * 0.5 * r * r + 2.0 * half_ball * 0.4 * r * r) / volume);
  const MassProperties box = MassProperties::of_mass(Box{{0.1, 0.2, 0.3}}, 12.0);
  EXPECT_LE((box.inertia - Matrix3d(4.0 * Vector3d(0.13, 0.10, 0.05).asDiagonal())).norm(), 32.0 * kEps);
  EXPECT_EQ(box.centre, Vector3d::Zero());
}

TEST(MassProperties, ATruncatedConeIsAConeWithoutItsTip) {
  // Of radii a below and b above: the cone of height h a / (a - b), less that of h b / (a - b) on top of it. Two bodies
  // of some 20 operations each and Steiner's of both: 64 roundings.
  const double a = 0.5, b = 0.2, h = 0.6, whole = h * a / (a - b);
  const MassProperties tip = MassProperties::of_density(Cone{b, whole - h}, 1.0).placed({0.0, 0.0, h});
  expect_near(MassProperties::of_density(Cone{a, h, b}, 1.0) + tip, MassProperties::of_density(Cone{a, whole}, 1.0),
              64.0 * kEps);
  // Upside down: turned by half a turn about x.
  expect_near(MassProperties::of_density(Cone{b, h, a}, 1.0).placed({0.0, 0.0, h}, {0.0, 1.0, 0.0, 0.0}),
              MassProperties::of_density(Cone{a, h, b}, 1.0), 64.0 * kEps);
}

TEST(MassProperties, OfAPolyhedronAreThoseOfItsClosedForm) {
  // Sums of N terms of 10 operations, whose roundings add as random ones do, 10 sqrt(N): of 12 tetrahedra, and of 124
  // of a prism of 32 sides; taking centres away doubles that. 256 roundings.
  const Vector3d half(0.1, 0.2, 0.3);
  expect_near(MassProperties::of_density(ConvexPolyhedron(corners_of_box(half)), 3.0),
              MassProperties::of_density(Box{half}, 3.0), 256.0 * kEps);
  // A tetrahedron with edges a e_1, b e_2, c e_3 from a corner: V = a b c / 6, c = (a, b, c) / 4,
  // C_11 = 3 a^2 / 80, C_12 = -a b / 80.
  const Vector3d e(0.7, 0.4, 1.1);
  const MassProperties found =
      MassProperties::of_density(ConvexPolyhedron({Vector3d::Zero(), {e[0], 0, 0}, {0, e[1], 0}, {0, 0, e[2]}}), 2.0);
  Matrix3d C = -e * e.transpose() / 80.0;
  C.diagonal() = 3.0 / 80.0 * e.cwiseAbs2();
  const double mass = 2.0 * e.prod() / 6.0;
  expect_near(found, {mass, 0.25 * e, mass * (C.trace() * Matrix3d::Identity() - C)}, 256.0 * kEps);
  // A prism over a regular polygon of n sides about z: J_zz = m R^2 (2 + cos(2 pi / n)) / 6.
  for (const int n : {3, 5, 32}) {
    std::vector<Vector3d> prism;
    for (int i = 0; i < n; ++i) {
      const double angle = 2.0 * pi * i / n;
      for (const double z : {-0.5, 0.5}) prism.emplace_back(0.8 * std::cos(angle), 0.8 * std::sin(angle), z);
    }
    const MassProperties p = MassProperties::of_mass(ConvexPolyhedron(prism), 1.0);
    EXPECT_NEAR(p.inertia(2, 2), 0.64 * (2.0 + std::cos(2.0 * pi / n)) / 6.0, 256.0 * kEps) << n;
    EXPECT_NEAR(p.inertia(0, 0), 0.5 * p.inertia(2, 2) + 1.0 / 12.0, 256.0 * kEps) << n;
    EXPECT_NEAR(MassProperties::of_density(ConvexPolyhedron(prism), 1.0).mass, 0.5 * n * 0.64 * std::sin(2.0 * pi / n),
                256.0 * kEps);
  }
}

TEST(MassProperties, TurnAndMoveWithTheCorners) {
  // The integrals of corners that are turned and moved are those of the corners, turned and moved: what is summed is
  // at most 1.2 m from the origin, some 40 tetrahedra. Corners known to 2 eps of 1.3 m are to 10 eps of what is 0.3 m
  // thick, and so are volumes and centres, J's smallest parts to ten times that: 256 roundings, and a margin of four.
  for (const unsigned seed : {1u, 2u, 3u}) {
    const ConvexPolyhedron solid = random_polyhedron(seed);
    std::vector<Vector3d> there;
    const Matrix3d Q = Eigen::Quaterniond(kTurn[0], kTurn[1], kTurn[2], kTurn[3]).toRotationMatrix();
    for (const Vector3d& corner : solid.vertices()) there.emplace_back(kMove + Q * corner);
    expect_near(MassProperties::of_density(ConvexPolyhedron(there), 5.0),
                MassProperties::of_density(solid, 5.0).placed(kMove, kTurn), 1000.0 * kEps);
  }
}

TEST(MassProperties, AreThoseThatBodiesHave) {
  // C is positive definite: each principal moment is less than the sum of the others, and RigidBody takes them all.
  for (const Shape& shape : solids()) {
    const MassProperties p = MassProperties::of_density(shape, 1e3);
    Vector3d moments = Eigen::SelfAdjointEigenSolver<Matrix3d>(p.inertia).eigenvalues();
    EXPECT_GT(moments[0], 0.0) << shape.index();
    EXPECT_GT(moments[0] + moments[1] - moments[2], 1e-2 * moments[2]) << shape.index();
    EXPECT_EQ(p.inertia, p.inertia.transpose());
    EXPECT_NO_THROW((void)make_system(RigidBody{.mass = p.mass, .inertia = p.inertia}));
    // Turned and moved, the moments are the same, and J about a point is Steiner's: products of three matrices and sums
    // of three terms an entry, twice, some 30 operations, and an eigenvalue to a few eps of |J|: 64 roundings.
    const MassProperties there = p.placed(kMove, kTurn);
    const Vector3d again = Eigen::SelfAdjointEigenSolver<Matrix3d>(there.inertia).eigenvalues();
    EXPECT_LE((again - moments).norm(), 64.0 * kEps * moments.norm());
    const Vector3d d = kMove - there.centre;
    const Matrix3d moved = there.inertia + p.mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
    EXPECT_LE((there.inertia_about(kMove) - moved).norm(), 64.0 * kEps * moved.norm());
  }
}

TEST(MassProperties, AddUpToThoseOfTheWhole) {
  // A box of two halves, and a body of three solids in either order; J about the common centre.
  const MassProperties half = MassProperties::of_mass(Box{{0.1, 0.2, 0.3}}, 1.0);
  expect_near(half.placed({-0.1, 0.0, 0.0}) + half.placed({0.1, 0.0, 0.0}),
              MassProperties::of_mass(Box{{0.2, 0.2, 0.3}}, 2.0), 16.0 * kEps);
  const MassProperties one = MassProperties::of_density(Sphere{0.2}, 900.0).placed(kMove),
                       two = MassProperties::of_density(Cone{0.1, 0.7, 0.4}, 300.0).placed({0.3, 0.2, 0.1}, kTurn);
  expect_near(one + half + two, two + one + half, 64.0 * kEps);
  const Vector3d origin = Vector3d::Zero();
  const Matrix3d sum = one.inertia_about(origin) + two.inertia_about(origin);
  EXPECT_LE(((one + two).inertia_about(origin) - sum).norm(), 64.0 * kEps * sum.norm());
  MassProperties nothing;
  nothing += MassProperties{};
  EXPECT_EQ(nothing.mass, 0.0);
  expect_near(nothing + two, two, 4.0 * kEps);
}

TEST(MassProperties, OfThinSolidsLoseNoDigits) {
  // A needle along x: J_xx is 10^12 times smaller than the others, and as exact.
  const double thin = 1e-6;
  const MassProperties needle = MassProperties::of_mass(Box{{1.0, thin, thin}}, 3.0);
  EXPECT_NEAR(needle.inertia(0, 0), 2.0 * thin * thin, 8.0 * kEps * thin * thin);
  const MassProperties disk = MassProperties::of_mass(Cone{1.0, thin, 0.5}, 1.0);
  EXPECT_NEAR(disk.inertia(2, 2), 0.3 * (1.0 - 1.0 / 32.0) / (1.0 - 1.0 / 8.0), 16.0 * kEps);
}

TEST(MassProperties, RefuseWhatHasNoVolume) {
  const auto refused = [](const Shape& shape, const std::vector<std::string>& words) {
    expect_refused([&] { return MassProperties::of_mass(shape, 1.0); }, words);
    expect_refused([&] { return MassProperties::of_density(shape, 1.0); }, words);
  };
  refused(HalfSpace{}, {"MassProperties: shape", "a half-space", "a bounded solid"});
  refused(HeightField(Eigen::MatrixXd::Zero(2, 2), {1.0, 1.0}), {"a height field", "a bounded solid"});
  refused(TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}), {"a triangle mesh", "a bounded solid"});
  refused(Sphere{0.0}, {"Sphere::radius", "found 0", "a positive finite number"});
  refused(Box{{1.0, -1.0, 1.0}}, {"Box::half_extents", "-1"});
  refused(Capsule{1.0, 0.0}, {"Capsule::half_length", "0"});
  refused(Cylinder{std::nan(""), 1.0}, {"Cylinder::radius", "nan"});
  refused(Cone{1.0, 1.0, -0.5}, {"Cone::top_radius", "-0.5"});
  expect_refused([] { return MassProperties::of_mass(Sphere{1.0}, 0.0); }, {"of_mass: mass", "0"});
  expect_refused([] { return MassProperties::of_density(Sphere{1.0}, -2.0); }, {"of_density: density", "-2"});
  const MassProperties ball = MassProperties::of_mass(Sphere{1.0}, 1.0);
  expect_refused([&] { return ball.placed({0.0, std::nan(""), 0.0}); }, {"placed: position", "nan"});
  expect_refused(
      [&] {
        return ball.placed({0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0});
      },
      {"placed: orientation", "norm 1.4142135623730951", "a unit quaternion"});
}

// ---- In the plane ----

void expect_near(const PlanarMassProperties& found, const PlanarMassProperties& expected, double tolerance) {
  EXPECT_NEAR(found.mass, expected.mass, tolerance * expected.mass);
  EXPECT_LE((found.centre - expected.centre).norm(), tolerance);
  EXPECT_NEAR(found.inertia, expected.inertia, tolerance * expected.inertia);
}

TEST(PlanarMassProperties, AreThoseOfClosedForms) {
  const double m = 3.0, r = 0.2, a = 0.5, b = 0.3;
  expect_near(PlanarMassProperties::of_density(Disk{r}, 2.0), {2.0 * pi * r * r, Vector2d::Zero(), pi * r * r * r * r},
              16.0 * kEps);
  const std::vector<Vector2d> rectangle{{1.0 - a, 2.0 - b}, {1.0 + a, 2.0 - b}, {1.0 + a, 2.0 + b}, {1.0 - a, 2.0 + b}};
  expect_near(PlanarMassProperties::of_mass(ConvexPolygon{rectangle}, m), {m, {1.0, 2.0}, m * (a * a + b * b) / 3.0},
              64.0 * kEps);
  // A triangle: the mean of its corners, and (squares of the sides) / 36.
  const std::vector<Vector2d> triangle{{0.0, 0.0}, {0.9, 0.1}, {0.3, 0.7}};
  double sides = 0.0;
  for (std::size_t i = 0; i < 3; ++i) sides += (triangle[i] - triangle[(i + 1) % 3]).squaredNorm();
  expect_near(PlanarMassProperties::of_mass(ConvexPolygon{triangle}, m), {m, {0.4, 0.8 / 3.0}, m * sides / 36.0},
              64.0 * kEps);
  // A rod, and one rounded: a rectangle and two half disks, 4 r / (3 pi) out of its ends. The disk about its own centre
  // is r^2 / 2, so that one half about its own has r^2 / 2 - (4 r / (3 pi))^2.
  const PlanarSegment rod{.from = {0.2, 0.1}, .to = {0.6, 0.4}};
  expect_near(PlanarMassProperties::of_mass(rod, m), {m, {0.4, 0.25}, m * 0.25 / 12.0}, 16.0 * kEps);
  PlanarSegment rounded = rod;
  rounded.rounding = r;
  const double l = 0.5, bar = 2.0 * r * l, disk = pi * r * r, out = 4.0 * r / (3.0 * pi);
  const double half = 0.5 * r * r - out * out + (0.5 * l + out) * (0.5 * l + out);
  expect_near(PlanarMassProperties::of_density(rounded, 1.0),
              {bar + disk, {0.4, 0.25}, bar * (l * l + 4.0 * r * r) / 12.0 + disk * half}, 128.0 * kEps);
}

TEST(PlanarMassProperties, OfARoundedPolygonAreThoseOfItsParts) {
  // A rectangle with rounded corners: two crossed rectangles, without what both have, and four quarters of a disk,
  // whose centres are 4 r / (3 pi) along both axes from the corners.
  const double a = 0.5, b = 0.3, r = 0.2, out = 4.0 * r / (3.0 * pi);
  const ConvexPolygon inner{{{-a, -b}, {a, -b}, {a, b}, {-a, b}}};
  ConvexPolygon rounded = inner;
  rounded.rounding = r;
  const auto rectangle = [](double x, double y) {
    return PlanarMassProperties{4.0 * x * y, Vector2d::Zero(), 4.0 * x * y * (x * x + y * y) / 3.0};
  };
  const double disk = pi * r * r;
  PlanarMassProperties expected{disk, Vector2d::Zero(),
                                disk * (0.5 * r * r - 2.0 * out * out + (a + out) * (a + out) + (b + out) * (b + out))};
  expected.mass += 4.0 * a * b + 4.0 * a * r + 4.0 * b * r;
  expected.inertia += rectangle(a + r, b).inertia + rectangle(a, b + r).inertia - rectangle(a, b).inertia;
  expect_near(PlanarMassProperties::of_density(rounded, 1.0), expected, 128.0 * kEps);
  // A small triangle with a large rounding is a disk: to O(size / r) of the area, O((size / r)^2) about its centre.
  const double tiny = 1e-6;
  const PlanarMassProperties disk_like =
      PlanarMassProperties::of_mass(ConvexPolygon{{{0.0, 0.0}, {tiny, 0.0}, {0.0, tiny}}, 1.0}, 1.0);
  EXPECT_NEAR(disk_like.inertia, 0.5, 4.0 * tiny);
}

TEST(PlanarMassProperties, TurnMoveAndAddUp) {
  const ConvexPolygon kite{{{-0.4, 0.0}, {0.1, -0.3}, {0.8, 0.1}, {0.2, 0.5}}, 0.1};
  const Vector2d move(0.7, -0.2);
  const double angle = 0.8;
  ConvexPolygon there = kite;
  for (Vector2d& corner : there.vertices) corner = move + Eigen::Rotation2Dd(angle) * corner;
  const PlanarMassProperties p = PlanarMassProperties::of_density(kite, 2.0);
  expect_near(PlanarMassProperties::of_density(there, 2.0), p.placed(move, angle), 256.0 * kEps);
  EXPECT_NEAR(p.inertia_about(p.centre + Vector2d(3.0, 4.0)), p.inertia + 25.0 * p.mass, 64.0 * kEps * p.mass * 25.0);
  // Two squares beside each other are a rectangle.
  const PlanarMassProperties square{1.0, Vector2d::Zero(), 2.0 / 3.0};
  expect_near(square.placed({-1.0, 0.0}, 0.3) + square.placed({1.0, 0.0}), {2.0, Vector2d::Zero(), 2.0 * 5.0 / 3.0},
              16.0 * kEps);
  // A prism turns about its axis as its cross-section does in the plane: m = rho times the depth.
  std::vector<Vector3d> prism;
  for (const Vector2d& corner : kite.vertices)
    for (const double z : {0.0, 0.25}) prism.emplace_back(corner.x(), corner.y(), z);
  const MassProperties solid = MassProperties::of_density(ConvexPolyhedron(prism), 8.0);
  const PlanarMassProperties flat = PlanarMassProperties::of_density(ConvexPolygon{kite.vertices}, 2.0);
  expect_near({solid.mass, solid.centre.head<2>(), solid.inertia(2, 2)}, flat, 256.0 * kEps);
  EXPECT_NO_THROW((void)make_system(PlanarBody{.mass = flat.mass, .inertia = flat.inertia}));
}

TEST(PlanarMassProperties, RefuseWhatHasNoArea) {
  const auto refused = [](const PlanarShape& shape, const std::vector<std::string>& words) {
    expect_refused([&] { return PlanarMassProperties::of_mass(shape, 1.0); }, words);
    expect_refused([&] { return PlanarMassProperties::of_density(shape, 1.0); }, words);
  };
  refused(HalfPlane{}, {"PlanarMassProperties: shape", "a half-plane", "a bounded shape"});
  refused(HeightLine{{{0.0, 0.0}, {1.0, 0.0}}}, {"a height line", "a bounded shape"});
  refused(Disk{-0.1}, {"Disk::radius", "-0.1"});
  refused(ConvexPolygon{{{0, 0}, {1, 1}, {2, 2}}}, {"ConvexPolygon::vertices", "on a line", "span an area"});
  refused(ConvexPolygon{{{0, 0}, {1, 0}, {0, 1}}, -0.2}, {"ConvexPolygon::rounding", "-0.2"});
  refused(PlanarSegment{}, {"PlanarSegment: length", "0"});
  const PlanarSegment thin{.to = {1.0, 0.0}};
  expect_refused([&] { return PlanarMassProperties::of_density(thin, 1.0); },
                 {"a segment without rounding", "a shape that has an area"});
  expect_refused([&] { return PlanarMassProperties::of_mass(thin, std::nan("")); }, {"of_mass: mass", "nan"});
  expect_refused(
      [&] {
        return PlanarMassProperties::of_mass(thin, 1.0).placed({0.0, 0.0}, INFINITY);
      },
      {"placed: angle", "inf"});
}

}  // namespace
}  // namespace nonsmooth::mass_properties_test
