// SPDX-License-Identifier: Apache-2.0
// Sharp edges of hulls and of surfaces of triangles that are in each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/mesh_of_solids.hpp"

namespace nonsmooth::sharp_surface_edges_test {
namespace {

using Eigen::Vector3d;
using test::block, test::mesh_of, test::prism;

constexpr double kDegree = std::numbers::pi / 180.0;

struct Point {
  double gap;
  Vector3d normal;
};

std::vector<Point> points_of(const Shape& shape, const Vector3d& position, const Eigen::Vector4d& orientation,
                             const ShapeOnBody& ground, double horizon = 0.0) {
  NonSmoothDynamicalSystem model;
  const auto body =
      model.add(RigidBody{.position = position, .orientation = orientation, .velocity = {1e-3, 0.0, 0.0}});
  const BodyContacts source({{body, {{.shape = shape}}}}, {ground}, NewtonImpactLaw{});
  std::vector<Point> points;
  for (const ContactBatch& batch : contacts_at(model.initial_state(), source, horizon)) {
    for (Index i = 0; i < batch.size(); ++i)
      points.push_back({batch.contacts[static_cast<std::size_t>(i)].gap, Eigen::Map<const Vector3d>(batch.H_first(i))});
  }
  return points;
}

TEST(SharpSurfaceEdges, ABladeAcrossALeaningRidgeOverlapsItByItsDepth) {
  // Both lean, so that what is straight across from the one edge on the other is in no solid.
  const TriangleMesh ridge = mesh_of(prism(1.0, 2.0, 190.0, 230.0));
  const ConvexPolyhedron blade = prism(0.1, 0.2, 10.0, 50.0);
  const double half = std::sqrt(0.5);
  for (const double depth : {1e-9, 1e-4, 1e-3, 5e-3}) {
    NonSmoothDynamicalSystem model;
    const auto body =
        model.add(RigidBody{.position = {0.013, 0.0, -depth}, .orientation = {half, 0.0, 0.0, half}});  // along y
    const BodyContacts source({{body, {{.shape = blade}}}}, {{.shape = ridge}}, NewtonImpactLaw{});
    const auto overlaps = interpenetrations(model.initial_state(), source);
    ASSERT_EQ(overlaps.size(), 1u) << depth;
    EXPECT_NEAR(overlaps[0].depth, depth, 1e-14);
  }
}

TEST(SharpSurfaceEdges, AnEdgeOverAVertexOfARidgeIsPushedUp) {
  // The ridge of a height field along y, flat and steep, with a vertex at y = 0.
  for (const double slope : {0.02, 0.1, 0.3, 0.6, 1.0}) {
    Eigen::MatrixXd heights(21, 11);
    for (Index i = 0; i < 21; ++i) heights.row(i).setConstant(-0.1 * slope * std::abs(static_cast<double>(i - 10)));
    const ShapeOnBody field{.shape = HeightField(heights, {0.1, 0.1}), .position = {-1.0, -0.5, 0.0}};
    for (const double half : {0.1, 0.04}) {
      for (const double z : {1e-3, 0.0, -1e-6, -3e-5, -1e-3}) {
        const auto points = points_of(prism(half, 0.2, 45.0, 135.0), {0.0, 0.0, z}, {1.0, 0.0, 0.0, 0.0}, field, 10.0);
        double least = std::numeric_limits<double>::infinity();
        for (const Point& point : points) {
          EXPECT_GT(point.normal.z(), 0.0) << slope << " " << z;
          least = std::min(least, point.gap);
        }
        EXPECT_NEAR(least, z, 1e-14) << slope << " " << z;
      }
    }
  }
}

TEST(SharpSurfaceEdges, TwoRidgesOfAVBothCarryWhateverTheirDepth) {
  // Ridges at 30 degrees that rise from the middle along y, 90 degrees sharp; the lower edges of a box across them.
  const double c = std::cos(30.0 * kDegree), s = std::sin(30.0 * kDegree);
  std::vector<ConvexPolyhedron> ridges;
  for (const double side : {-1.0, 1.0}) {
    std::vector<Vector3d> points;
    const Vector3d along(0.0, side * c, s), down(0.0, side * s, -c);
    for (const double t : {-0.1, 0.1}) {
      const Vector3d at = Vector3d(0.0, side * 0.1, 0.0) + t * along;
      points.push_back(at);
      for (const double x : {-0.1, 0.1}) points.push_back(at + 0.1 * down + Vector3d(x, 0.0, 0.0));
    }
    ridges.emplace_back(points);
  }
  const ShapeOnBody ground{.shape = mesh_of(ridges)};
  for (const double depth : {1e-12, 1.2e-10, 1e-8, 1e-5}) {
    const auto points =
        points_of(Box{Vector3d(0.2, 0.1, 0.1)}, {0.0, 1e-12, 0.1 - depth}, {1.0, 0.0, 0.0, 0.0}, ground);
    int left = 0, right = 0;
    for (const Point& point : points) {
      if (point.normal.y() > 0.4) ++left;
      if (point.normal.y() < -0.4) ++right;
      EXPECT_NEAR(point.gap, -c * depth, 1e-11) << depth;  // along the normal of a ridge
    }
    EXPECT_EQ(left, 1) << depth;
    EXPECT_EQ(right, 1) << depth;
  }
}

TEST(SharpSurfaceEdges, AnEdgeInAHullMeetsNoFarEdgeOfIt) {
  // A hull 1 mm in a wall and 1 to 1.6 mm in a beam: its edge against the wall is 0.16 m beyond the rim of the beam.
  const ConvexPolyhedron beam = block({-0.5, 0.05, -0.04}, {0.5, 0.06, 0.0}),
                         wall = block({0.099, -0.2, -0.5}, {0.3, -0.05, 0.5});
  std::vector<Vector3d> corners;
  for (const double x : {-0.1, 0.1}) {
    for (const auto& [y, z] :
         std::array<std::array<double, 2>, 4>{{{-0.1, -0.011}, {0.1, 0.0015}, {0.1, 0.2}, {-0.1, 0.2}}})
      corners.emplace_back(x, y, z);
  }
  const auto points = points_of(ConvexPolyhedron(corners), Vector3d::Zero(), {1.0, 0.0, 0.0, 0.0},
                                {.shape = mesh_of(std::vector<ConvexPolyhedron>{beam, wall})});
  EXPECT_FALSE(points.empty());
  for (const Point& point : points) {
    EXPECT_GE(point.gap, -2e-3) << point.normal.transpose();
    EXPECT_LT(std::abs(point.normal.y()), 0.2) << point.normal.transpose();
  }
}

/// Of random points about a ball of 0.1 m, flattened: edges of any sharpness.
ConvexPolyhedron random_hull(std::mt19937_64& random, double flat) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> number(4, 9);
  std::vector<Vector3d> points(static_cast<std::size_t>(number(random)));
  for (Vector3d& point : points) {
    point = 0.1 * Vector3d(normal(random), normal(random), normal(random)).normalized();
    point.z() *= flat;
  }
  return ConvexPolyhedron(points);
}

TEST(SharpSurfaceEdges, WhatIsInASolidByLittleIsFoundAsOnThePolyhedron) {
  // Moved along the normal into the polyhedron of the same solid. The mesh finds a point as deep: where a vertex is
  // within the depth of an edge it may be lifted another way, so that in a few cases that is another depth.
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> along(-0.29, 0.29);
  std::vector<Vector3d> corners;
  for (int c = 0; c < 8; ++c) corners.emplace_back(c & 1 ? 0.15 : -0.15, c & 2 ? 0.15 : -0.15, c & 4 ? 0.15 : -0.15);
  const std::array<ConvexPolyhedron, 2> solids{ConvexPolyhedron(corners), prism(0.3, 0.3, 190.0, 230.0)};
  for (const ConvexPolyhedron& solid : solids) {
    const TriangleMesh mesh = mesh_of(solid);
    int compared = 0, missed = 0, other = 0;
    for (int trial = 0; trial < 600; ++trial) {
      const ConvexPolyhedron hull = random_hull(random, trial % 2 == 0 ? 1.0 : 0.25);
      const Eigen::Vector4d turn =
          Eigen::Vector4d(normal(random), normal(random), normal(random), normal(random)).normalized();
      const Vector3d from(along(random), 0.3 * normal(random), 0.3 + 0.3 * std::abs(normal(random)));
      const auto least_of = [&](const Vector3d& position, const Shape& ground, double horizon) {
        Point least{std::numeric_limits<double>::infinity(), Vector3d::Zero()};
        for (const Point& point : points_of(hull, position, turn, {.shape = ground}, horizon)) {
          if (point.gap < least.gap) least = point;
        }
        return least;
      };
      const Point far = least_of(from, solid, 1e3);
      if (!(far.gap > 0.0 && std::isfinite(far.gap))) continue;
      for (const double depth : {1e-6, 3e-5, 1e-3, 3e-3, 5e-3}) {
        const Vector3d there = from - (far.gap + depth) * far.normal;
        if (std::abs(least_of(there, solid, 0.0).gap + depth) > 0.01 * depth) continue;  // another way out is less
        const double found = least_of(there, mesh, 0.0).gap;
        ++compared;
        missed += found < 0.0 ? 0 : 1;
        other += std::abs(found + depth) > 0.02 * depth ? 1 : 0;
      }
    }
    EXPECT_GT(compared, 100);
    EXPECT_EQ(missed, 0);
    EXPECT_LE(other, compared / 20);
  }
}

TEST(SharpSurfaceEdges, CylindersAndConesAtEdgesOfACubeAreFoundAsOnTheBox) {
  // Three that are in it by millimetres: the point of the circle that a face pushes out is nearer to another face, or
  // the vertex that the side is past is beside its end. Two that are not, and move along an edge.
  struct Case {
    Shape shape;
    Vector3d position;
    Eigen::Vector4d turn;
  };
  const auto cone = [](double radius, double height, double top) {
    return Cone{.radius = radius, .height = height, .top_radius = top};
  };
  const std::vector<Case> cases{
      {Cylinder{0.076376, 0.094946}, {0.13924, 0.26301, -0.16781}, {0.35413, 0.20763, 0.73561, -0.53885}},
      {cone(0.073849, 0.13997, 0.0071823), {0.12082, -0.1074, 0.20128}, {-0.8996, -0.41934, -0.053862, -0.10946}},
      {cone(0.084408, 0.080236, 0.007216), {0.036255, 0.10459, 0.21646}, {0.79158, -0.34199, 0.33197, 0.38242}},
      {cone(0.065416, 0.098702, 0.022477), {0.13947, -0.21422, -0.13199}, {0.065099, -0.8268, 0.39517, -0.39497}},
      {cone(0.073843, 0.11889, 0.018544), {0.2073, 0.19571, -0.14371}, {0.38741, -0.88354, 0.020735, 0.26236}}};
  const Vector3d half = Vector3d::Constant(0.15);
  std::vector<Vector3d> corners;
  for (int c = 0; c < 8; ++c)
    corners.push_back(half.cwiseProduct(Vector3d(c & 1 ? 1.0 : -1.0, c & 2 ? 1.0 : -1.0, c & 4 ? 1.0 : -1.0)));
  const TriangleMesh mesh = mesh_of(ConvexPolyhedron(corners));
  int overlapping = 0;
  for (const Case& one : cases) {
    const auto least_on = [&](const Shape& ground) {
      double least = std::numeric_limits<double>::infinity();
      for (const Point& point :
           points_of(one.shape, one.position, one.turn.normalized(), {.shape = ground}, 10.0))  // to 1e-2 m
        least = std::min(least, point.gap);
      return least;
    };
    const double exact = least_on(Box{half});
    ASSERT_LT(exact, 1e-2);
    EXPECT_NEAR(least_on(mesh), exact, 1e-13);  // sizes of 0.3 m
    overlapping += exact < 0.0 ? 1 : 0;
  }
  EXPECT_EQ(overlapping, 3);
}

}  // namespace
}  // namespace nonsmooth::sharp_surface_edges_test
