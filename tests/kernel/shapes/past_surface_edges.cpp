// SPDX-License-Identifier: Apache-2.0
// Shapes that sharp edges of a surface of triangles have gone past, so that no vertex of the one is in the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "kernel/mesh_of_solids.hpp"

namespace nonsmooth::past_surface_edges_test {
namespace {

using Eigen::Vector3d;
using test::block, test::mesh_of, test::prism;

struct Point {
  double gap;
  Vector3d normal;
};

struct Pose {
  Shape shape;
  Vector3d position;
  Eigen::Vector4d turn = {1.0, 0.0, 0.0, 0.0};
};

/// At rest.
std::vector<Point> points_of(const Pose& pose, const Shape& ground) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = pose.position, .orientation = pose.turn.normalized()});
  const BodyContacts source({{body, {{.shape = pose.shape}}}}, {{.shape = ground}}, NewtonImpactLaw{});
  std::vector<Point> points;
  for (const ContactBatch& batch : contacts_at(model.initial_state(), source, 0.0)) {
    for (Index i = 0; i < batch.size(); ++i)
      points.push_back({batch.contacts[static_cast<std::size_t>(i)].gap, Eigen::Map<const Vector3d>(batch.H_first(i))});
  }
  return points;
}
double least_of(const Pose& pose, const Shape& ground) {
  double least = std::numeric_limits<double>::infinity();
  for (const Point& point : points_of(pose, ground)) least = std::min(least, point.gap);
  return least;
}

/// As deep as in the polyhedron of the same solid: the least way that separates both, to 1e-12 of sizes of 0.6 m.
void expect_as_in_polyhedron(const std::vector<Pose>& poses, const ConvexPolyhedron& solid) {
  const TriangleMesh mesh = mesh_of(solid);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const double depth = -least_of(poses[k], solid);
    ASSERT_GT(depth, 1e-5) << k;
    EXPECT_NEAR(least_of(poses[k], mesh), -depth, 1e-12) << k;
  }
}

TEST(PastSurfaceEdges, HullsAndFrustaAreAsDeepAsInThePolyhedron) {
  // Tips and edges of hulls, cones and cylinders that are in by an edge's one face and out by the other, to 0.07.
  expect_as_in_polyhedron({{Cone{.radius = 0.014169118, .height = 0.183848473},
                            {-0.103735911, -0.213366437, -0.049881337},
                            {0.450022635, -0.184345898, 0.861850879, 0.143907193}}},
                          block(Vector3d::Constant(-0.15), Vector3d::Constant(0.15)));
  expect_as_in_polyhedron({{block({-0.073805296, -0.027793135, -0.118755122}, {0.038484387, 0.035798871, 0.144655443}),
                            {0.168524846, -0.209155391, 0.030899558},
                            {-0.516503413, 0.582905134, -0.123611572, -0.614952037}},
                           {Cylinder{0.052008507, 0.107962384},
                            {-0.272773852, 0.014434855, 0.115237366},
                            {-0.019594875, 0.566302268, 0.755370292, -0.329140553}},
                           {ConvexPolyhedron({{-0.064184861, 0.066923983, 0.037436402},
                                              {0.022273937, -0.095777049, -0.018183197},
                                              {-0.038030998, -0.085208967, -0.035959353},
                                              {-0.054918680, 0.077854605, -0.030374316},
                                              {0.072524995, 0.001464886, -0.068832981},
                                              {-0.030365467, -0.011770656, -0.094548348},
                                              {0.037132021, 0.087656383, 0.030619791}}),
                            {0.098310983, -0.062855447, 0.024207404},
                            {-0.512903894, -0.332914951, -0.791255105, -0.003548282}}},
                          prism(0.3, 0.3, 190.0, 230.0));
  expect_as_in_polyhedron({{Cone{.radius = 0.079392807, .height = 0.084745872},
                            {-0.068825855, 0.023673750, -0.053857907},
                            {0.581998631, 0.368203371, 0.189638308, 0.699815106}}},
                          prism(0.3, 0.3, 260.0, 275.0));
  expect_as_in_polyhedron({{Cylinder{0.070804135, 0.086370465},
                            {0.040564934, 0.195744027, -0.017488656},
                            {-0.203606327, -0.927541590, -0.037816935, -0.311096356}}},
                          block({-0.2, -0.2, -0.01}, {0.2, 0.2, 0.01}));
}

TEST(PastSurfaceEdges, ABarThroughARidgeHasBothPointsOfItsFlushFace) {
  // 8 cm below the ridge, more than a tenth of its size, with its ends beyond both faces: up is the shortest way.
  const double depth = 0.08;
  const Pose bar{Box{{0.02, 0.5, 0.05}}, {0.0, 0.0, 0.05 - depth}};
  for (const Shape& ridge : {Shape(mesh_of(prism(0.3, 0.3, 225.0, 315.0))), Shape(prism(0.3, 0.3, 225.0, 315.0))}) {
    const auto points = points_of(bar, ridge);
    ASSERT_EQ(points.size(), 2u);
    for (const Point& point : points) {
      EXPECT_NEAR(point.gap, -depth, 1e-12);
      EXPECT_NEAR(point.normal.z(), 1.0, 1e-12);
    }
  }
}

TEST(PastSurfaceEdges, ABarAcrossTwoRidgesIsLiftedByTheHigherOneInEitherOrder) {
  // 8 cm and 7 cm below them, both more than a tenth of its size: up by 8 cm takes it out of both.
  const auto at = [](double y, double z) {
    std::vector<Vector3d> corners = prism(0.3, 0.2, 225.0, 315.0).vertices();
    for (Vector3d& corner : corners) corner += Vector3d(0.0, y, z);
    return ConvexPolyhedron(corners);
  };
  const ConvexPolyhedron high = at(-0.3, 0.08), low = at(0.3, 0.07);
  const Pose bar{Box{{0.02, 0.6, 0.05}}, {0.0, 0.0, 0.05}};
  for (const auto& ridges : {std::vector{high, low}, std::vector{low, high}}) {
    const auto points = points_of(bar, mesh_of(ridges));
    ASSERT_FALSE(points.empty());
    for (const Point& point : points) {
      EXPECT_NEAR(point.gap, -0.08, 1e-12);
      EXPECT_NEAR(point.normal.z(), 1.0, 1e-12);
    }
  }
}

TEST(PastSurfaceEdges, WhatTouchesOneSolidIsKeptOutOfAnotherThatItIsPast) {
  // Of one mesh, 2 cm apart: deep in the one, 0.13 mm past an edge of the other.
  const ConvexPolyhedron left = block({-0.15, -0.15, -0.15}, {-0.01, 0.15, 0.15}),
                         right = block({0.01, -0.15, -0.15}, {0.15, 0.15, 0.15});
  const Pose cone{Cone{.radius = 0.040341109, .height = 0.214581978},
                  {0.065723405, 0.164962300, -0.045492354},
                  {-0.226946377, -0.201071136, -0.063552340, 0.950803261}};
  const double past = least_of(cone, left);
  ASSERT_NEAR(past, -1.3083e-4, 1e-8);
  ASSERT_LT(least_of(cone, right), -0.02);
  double nearest = std::numeric_limits<double>::infinity();
  for (const Point& point : points_of(cone, mesh_of(std::vector{left, right})))
    nearest = std::min(nearest, std::abs(point.gap - past));
  EXPECT_LE(nearest, 1e-12);
}

TEST(PastSurfaceEdges, APlankThatLiesOnAnUnevenFaceIsNotPushedAside) {
  // A sheet of 1 m whose vertices are 2e-8 m off its plane, one face to 1e-6 of its size; the plank lies 1e-8 m above
  // this over the border, turned so that no vertex of it is over the sheet, and is in bumps by 1e-8 m.
  std::vector<Vector3d> vertices;
  std::vector<std::array<Index, 3>> triangles;
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      vertices.emplace_back(0.25 * static_cast<double>(i - 4), 0.25 * static_cast<double>(j - 2),
                            (i + j) % 2 == 0 ? 2e-8 : -2e-8);
      if (i == 4 || j == 4) continue;
      const Index v = 5 * i + j;
      triangles.push_back({v, v + 5, v + 6});
      triangles.push_back({v, v + 6, v + 1});
    }
  }
  const TriangleMesh sheet(vertices, triangles, 1e-6);
  for (const double x : {-0.3, -0.1, 0.1, 0.3}) {
    for (const Pose& pose :
         {Pose{Box{{0.4, 0.7, 0.05}}, {x, 0.0, 0.05 + 1e-8}}, Pose{Cylinder{0.7, 0.05}, {x, 0.0, 0.05 + 1e-8}}}) {
      for (const Point& point : points_of(pose, sheet)) {
        EXPECT_GT(point.gap, -1e-7) << x;
        EXPECT_GT(point.normal.z(), 0.9) << x;
      }
    }
  }
}

TEST(PastSurfaceEdges, NothingIsFeltOfASeamBetweenFlushBlocks) {
  // A wedge across the seam, 1 mm in both blocks: up, as on one block.
  const TriangleMesh blocks = mesh_of(
      std::vector{block({-0.15, -0.15, -0.15}, {0.0, 0.15, 0.15}), block({0.0, -0.15, -0.15}, {0.15, 0.15, 0.15})});
  const Pose wedge{prism(0.1, 0.1, 60.0, 120.0), {0.0, 0.0, 0.149}};
  const auto points = points_of(wedge, blocks);
  ASSERT_FALSE(points.empty());
  for (const Point& point : points) {
    EXPECT_NEAR(point.normal.z(), 1.0, 1e-12);
    EXPECT_NEAR(point.gap, -1e-3, 1e-12);
  }
}

}  // namespace
}  // namespace nonsmooth::past_surface_edges_test
