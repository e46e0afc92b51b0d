// SPDX-License-Identifier: Apache-2.0
// How deep a body may be in another until the other side of it is nearer: from there on a passage is looked for.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel/planar_scene.hpp"

namespace nonsmooth::passage_depths_test {
namespace {

using Eigen::Vector3d;
using test::rectangle;

TEST(Passages, DepthsFromWhichLinkedShapesLetGoOfOneAnother) {
  // Where centres or axes meet, or the middle between two faces; behind a plane and in a hollow never.
  const double infinite = std::numeric_limits<double>::infinity();
  const SphereOnBody ball{.radius = 0.1};
  const CapsuleOnBody rod{.from = {-1.0, 0.0, 0.0}, .to = {1.0, 0.0, 0.0}, .radius = 0.2};
  EXPECT_NEAR(make_relation(SpherePair{ball, {.radius = 0.3}})->passage_depth(), 0.4, 1e-15);
  EXPECT_NEAR(make_relation(SphereOnCapsule{ball, rod})->passage_depth(), 0.3, 1e-15);
  EXPECT_NEAR(make_relation(CapsulePair{rod, rod})->passage_depth(), 0.4, 1e-15);
  EXPECT_NEAR(make_relation(DiskPair{{.radius = 0.1}, {.radius = 0.2}})->passage_depth(), 0.3, 1e-15);
  // Widths of polyhedra are taken as half of those between their faces: 0.05 of 0.1, and half of that.
  EXPECT_NEAR(make_relation(SphereOnPolyhedron{.sphere = ball, .polyhedron = Box{{0.05, 1.0, 1.0}}})->passage_depth(),
              0.125, 1e-15);
  // Of a flat cylinder as of contacts that are found: a quarter of its thickness; of a polygon a third, with its
  // rounding. Of an equilateral triangle of side 1 that is the radius of the circle in it, sqrt(3) / 6.
  EXPECT_NEAR(make_relation(SphereOnFrustum{.sphere = ball, .frustum = Cylinder{.radius = 1.0, .half_length = 0.05}})
                  ->passage_depth(),
              0.125, 1e-15);
  ConvexPolygon plate = rectangle(0.05, 1.0);
  plate.rounding = 0.01;
  EXPECT_NEAR(make_relation(DiskOnPolygon{.disk = {.radius = 0.1}, .polygon = plate})->passage_depth(),
              0.11 + 0.1 / 3.0, 1e-15);
  const ConvexPolygon triangle{.vertices = {{0.0, 0.0}, {1.0, 0.0}, {0.5, 0.5 * std::sqrt(3.0)}}};
  EXPECT_NEAR(make_relation(DiskOnPolygon{.disk = {.radius = 0.1}, .polygon = triangle})->passage_depth(),
              0.1 + std::sqrt(3.0) / 6.0, 1e-15);
  const TriangleMesh mesh({{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, {{0, 1, 2}});
  EXPECT_TRUE(std::isnan(make_relation(SphereOnSurface{.sphere = ball, .surface = mesh})->passage_depth()));
  EXPECT_EQ(make_relation(SphereInSphere{ball, {.radius = 0.3}})->passage_depth(), infinite);
  EXPECT_EQ(make_relation(SphereOnHalfSpace{.sphere = ball})->passage_depth(), infinite);
  EXPECT_EQ(make_relation(ScleronomousRelation{})->passage_depth(), infinite);
}

TEST(Passages, DepthsFromWhichShapesLetGoOfOneAnother) {
  // Half of the widths of both: of a ball and a plate, of two balls where the plate is thicker, of thin rods a
  // hundredth of their size. Slow bodies have none.
  NonSmoothDynamicalSystem model;
  const auto one = model.add(RigidBody{}), two = model.add(RigidBody{});
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(14);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(12);
  v[7] = 3.0;
  const BodyView bodies{0.0, q, v, {}, {}};
  const auto depth = [&](const Shape& shape, const Shape& ground, double horizon) {
    const BodyContacts source({{one, {{.shape = shape}}}, {two, {{.shape = shape}}}}, {{.shape = ground}},
                              NewtonImpactLaw{});
    return source.passage_depth(bodies, horizon);
  };
  const double infinite = std::numeric_limits<double>::infinity();
  // Widths of boxes are taken as half of those between their faces, as of any polyhedron.
  EXPECT_NEAR(depth(Sphere{0.1}, Box{{0.01, 1.0, 1.0}}, 1.0), 0.5 * (0.2 + 0.01), 1e-15);
  EXPECT_NEAR(depth(Sphere{0.1}, HalfSpace{}, 1.0), 0.2, 1e-15);
  EXPECT_NEAR(depth(Cylinder{0.1, 0.3}, HalfSpace{}, 1.0), 0.1, 1e-15);
  EXPECT_EQ(depth(Sphere{0.1}, HalfSpace{}, 0.033), infinite);  // twice 0.099 are less than 0.2
  EXPECT_NEAR(depth(Sphere{0.1}, HalfSpace{}, 0.034), 0.2, 1e-15);
  v[7] = 0.0;
  v[9] = 3.0;  // a turn moves the farthest point, of a capsule of half length 0.4: 0.5 from the middle
  EXPECT_NEAR(depth(Capsule{.radius = 0.1, .half_length = 0.4}, HalfSpace{}, 0.07), 0.2, 1e-15);
  EXPECT_EQ(depth(Capsule{.radius = 0.1, .half_length = 0.4}, HalfSpace{}, 0.066), infinite);
  const Eigen::VectorXd planar_q = Eigen::VectorXd::Zero(3), planar_v = Vector3d(3.0, 0.0, 0.0);
  const PlanarContacts rod({{one, {{.shape = PlanarSegment{{-1.0, 0.0}, {1.0, 0.0}}}}}},
                           {{.shape = rectangle(0.3, 0.1)}}, NewtonImpactLaw{});
  EXPECT_NEAR(rod.passage_depth({0.0, planar_q, planar_v, {}, {}}, 1.0), 0.5 * (0.01 + 0.01), 1e-15);
}

}  // namespace
}  // namespace nonsmooth::passage_depths_test
