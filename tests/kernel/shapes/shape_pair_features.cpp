// SPDX-License-Identifier: Apache-2.0
// Contacts of two shapes as relations: what is continuous where features change, tangents, half-spaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include <nonsmooth/kernel.hpp>

#include "kernel/bad_input.hpp"
#include "kernel/joint_bodies.hpp"

namespace nonsmooth::shape_pair_features_test {
namespace {

using Eigen::Vector3d;
using jointed::place;
using RelationPointer = std::shared_ptr<const MechanicalRelation>;

/// Largest change of the first three columns of H from step to step of a path of the first body's centre.
double largest_change(const MechanicalRelation& pair, const std::function<Vector3d(double)>& path, Index steps) {
  Eigen::MatrixXd before, H = Eigen::MatrixXd::Zero(pair.rows(), 6);
  double largest = 0.0;
  for (Index i = 0; i <= steps; ++i) {
    pair.H(0.0, place(path(static_cast<double>(i) / static_cast<double>(steps))), H);
    if (i > 0) largest = std::max(largest, (H - before).leftCols(3).cwiseAbs().maxCoeff());
    before = H;
  }
  return largest;
}

TEST(ShapePairFeatures, HIsContinuousFromFaceToEdgeToVertexToEnd) {
  // The normal turns by no more than the way over the distance from the box, 0.2, or the axis: 3 m in 3000 steps.
  const RelationPointer box =
      make_relation(SphereOnPolyhedron{.sphere = {.radius = 0.1}, .polyhedron = Box{{0.5, 0.3, 0.4}}});
  const RelationPointer tetrahedron = make_relation(SphereOnPolyhedron{
      .sphere = {.radius = 0.1},
      .polyhedron = ConvexPolyhedron({{0.5, 0.3, 0.4}, {-0.5, -0.3, 0.4}, {-0.5, 0.3, -0.4}, {0.5, -0.3, -0.4}})});
  const RelationPointer capsule =
      make_relation(SphereOnCapsule{{.radius = 0.1}, {{-0.5, 0.0, 0.0}, {0.5, 0.0, 0.1}, 0.1}});
  const RelationPointer cylinder =
      make_relation(SphereOnFrustum{.sphere = {.radius = 0.1}, .frustum = Cylinder{0.3, 0.4}});
  const RelationPointer cone = make_relation(
      SphereOnFrustum{.sphere = {.radius = 0.1}, .frustum = Cone{0.25, 0.8, 0.1}, .position = {0.0, 0.0, -0.4}});
  const RelationPointer mesh = make_relation(SphereOnSurface{
      .sphere = {.radius = 0.1},
      .surface = TriangleMesh({{0.5, 0.3, 0.4}, {-0.5, -0.3, 0.4}, {-0.5, 0.3, -0.4}, {0.5, -0.3, -0.4}},
                              {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})});
  for (const Vector3d& start : {Vector3d(-1.5, 0.1, 0.6), Vector3d(-1.5, 0.45, 0.55), Vector3d(-1.5, -0.5, -0.55)}) {
    const auto path = [&](double s) { return Vector3d(start + Vector3d(3.0 * s, 0.1 * s, 0.0)); };
    for (const auto& pair : {box, tetrahedron, capsule, cylinder, cone, mesh})
      EXPECT_LE(largest_change(*pair, path, 3000), 1.01 * 3.002 / 3000.0 / 0.17) << start.transpose();
  }
}

TEST(ShapePairFeatures, TangentsTurnWithTheNormalThroughAllAxes) {
  // t turns by 2 / (1 + e . n) of what n does at most, 2 / 0.04 where n passes -e = -(2, 3, 6) / 7 in the plane (y, z):
  // in 20000 steps of a turn.
  const RelationPointer pair = make_relation(SpherePair{{.radius = 0.1}, {.radius = 0.1}, 3});
  const double full = 2.0 * std::acos(-1.0);
  for (const auto& [a, b] : {std::array{0, 1}, std::array{1, 2}, std::array{2, 0}}) {
    const Vector3d x = Vector3d::Unit(a), y = Vector3d::Unit(b);
    const auto path = [&](double s) { return Vector3d(std::cos(full * s) * x + std::sin(full * s) * y); };
    EXPECT_LE(largest_change(*pair, path, 20000), 50.0 * full / 20000.0);
  }
}

TEST(ShapePairFeatures, DisksTurnFromSideToCornerAndFromPieceToRidge) {
  // As in space: 3 m in 3000 steps, no nearer than 0.1 (the rounding counts as the shape: 0.2 from its core).
  const RelationPointer polygon = make_relation(
      DiskOnPolygon{{.radius = 0.1}, {.vertices = {{-0.5, -0.4}, {0.6, -0.3}, {0.3, 0.4}}, .rounding = 0.05}});
  const RelationPointer line =
      make_relation(DiskOnHeightLine{{.radius = 0.1}, {{{-1.0, 0.0}, {-0.2, 0.3}, {0.3, 0.4}, {1.0, -0.8}}}});
  for (const auto& pair : {polygon, line}) {
    Eigen::MatrixXd before, H = Eigen::MatrixXd::Zero(1, 3);
    for (int i = 0; i <= 3000; ++i) {
      pair->H(0.0, Vector3d(-1.5 + 0.001 * i, 0.6 + 0.0001 * i, 0.0), H);
      if (i > 0) {
        EXPECT_LE((H - before).norm(), 1.01 * 0.00101 / 0.2) << i;
      }
      before = H;
    }
  }
}

TEST(ShapePairFeatures, ARimThatLiesFlatIsRefusedOnTheGroundAlone) {
  const RelationPointer coin = make_relation(RimOnHalfSpace{{.radius = 0.1}, {}, 3});
  Eigen::VectorXd y = Eigen::VectorXd::Zero(3);
  coin->h(0.0, place({0.2, 0.3, 0.7}), y);
  EXPECT_EQ(y[0], 0.7);
  coin->h(0.0, place({0.2, 0.3, 0.0}), y);  // its height is known, which point is lowest is not
  EXPECT_EQ(y[0], 0.0);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3, 6);
  bad_input::expect_refused([&] { coin->H(0.0, place({0.2, 0.3, 0.0}), H); }, {"RimOnHalfSpace", "lies flat"});
  bad_input::expect_refused([&] { coin->H(0.0, place({0.2, 0.3, -0.1}), H); }, {"RimOnHalfSpace", "lies flat"});
  const double tilt = 1e-5;  // R sin(tilt) below its centre; its direction is known to 1e-16 / tilt
  coin->h(0.0, place({0.2, 0.3, 0.7}, jointed::exponential({tilt, 0.0, 0.0})), y);
  EXPECT_NEAR(y[0], 0.7 - 0.1 * std::sin(tilt), 1e-11 * 0.1);
}

TEST(ShapePairFeatures, ATipStandsUpright) {
  const RelationPointer tip = make_relation(RimOnHalfSpace{{.center = {0.0, 0.0, -0.2}}, {}, 3}),
                        point = make_relation(SphereOnHalfSpace{{.center = {0.0, 0.0, -0.2}}, {}, 3});
  Eigen::VectorXd y = Eigen::VectorXd::Ones(3);
  tip->h(0.0, place({0.1, 0.3, 0.2}), y);
  EXPECT_EQ(y, Eigen::VectorXd::Zero(3));
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3, 6), expected = H;
  tip->H(0.0, place({0.1, 0.3, 0.2}), H);
  point->H(0.0, place({0.1, 0.3, 0.2}), expected);
  EXPECT_EQ(H, expected);
}

TEST(ShapePairFeatures, AHalfSpaceHasTheAxesOfSpace) {
  const RelationPointer floor = make_relation(SphereOnHalfSpace{{.radius = 0.1}, {}, 3});
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3, 6);
  floor->H(0.0, place({0.2, 0.3, 0.1}), H);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3, 6);  // N, T1, T2 are z, x, y; the lever is -0.1 z
  expected(0, 2) = expected(1, 0) = expected(2, 1) = 1.0;
  expected(1, 4) = -0.1, expected(2, 3) = 0.1;
  EXPECT_EQ(H, expected);
}

TEST(ShapePairFeatures, JacobiansOfFrictionAreNotComparedWithDifferencesOfNothing) {
  NonSmoothDynamicalSystem model;
  const auto first = model.add(RigidBody{.position = {0.0, 0.3, 1.0}}), second = model.add(RigidBody{});
  model.link({first, second}, SpherePair{{{0.1, 0.0, 0.0}, 0.2}, {{0.0, 0.1, 0.0}, 0.3}, 3},
             NewtonImpactFrictionLaw{.friction = 0.3, .dimension = 3});
  EXPECT_NO_THROW(verify_jacobians(model, model.initial_state()));
}

}  // namespace
}  // namespace nonsmooth::shape_pair_features_test
