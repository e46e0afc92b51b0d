// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones that lie on two blocks: each block of one mesh keeps them out as it does as a box by itself.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "kernel/mesh_of_solids.hpp"

namespace nonsmooth::frusta_on_two_blocks_test {
namespace {

using Eigen::Vector3d;

struct Point {
  double gap = std::numeric_limits<double>::infinity();
  Vector3d normal = Vector3d::Zero();
};

std::vector<Point> points_of(const Shape& shape, const Eigen::Vector4d& orientation, const ShapeOnBody& ground) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.orientation = orientation, .velocity = {1e-3, 0.0, 0.0}});
  const BodyContacts source({{body, {{.shape = shape}}}}, {ground}, NewtonImpactLaw{});
  std::vector<Point> points;
  for (const ContactBatch& batch : contacts_at(model.initial_state(), source)) {
    for (Index i = 0; i < batch.size(); ++i)
      points.push_back({batch.contacts[static_cast<std::size_t>(i)].gap, Eigen::Map<const Vector3d>(batch.H_first(i))});
  }
  return points;
}

struct Block {
  Vector3d half, centre;
  [[nodiscard]] ConvexPolyhedron solid() const { return test::block(centre - half, centre + half); }
};

Point deepest_on(const Shape& shape, const Eigen::Vector4d& orientation, const Block& block) {
  Point deepest;
  for (const Point& point : points_of(shape, orientation, {.shape = Box{block.half}, .position = block.centre}))
    if (point.gap < deepest.gap) deepest = point;
  return deepest;
}

/// Lifts a block from below until the shape is in it by a depth; where it passes by, there is no point.
Point lift(const Shape& shape, const Eigen::Vector4d& orientation, double depth, Block& block) {
  block.centre.z() = -0.45;
  while (!(deepest_on(shape, orientation, block).gap < -depth)) {
    block.centre.z() += 4e-3;
    if (block.centre.z() > 0.0) return {};
  }
  double low = block.centre.z() - 4e-3, high = block.centre.z();
  for (int k = 0; k < 40; ++k) {
    block.centre.z() = 0.5 * (low + high);
    (deepest_on(shape, orientation, block).gap < -depth ? high : low) = block.centre.z();
  }
  block.centre.z() = high;
  return deepest_on(shape, orientation, block);
}

TEST(FrustaOnTwoBlocks, EachKeepsThemOutByItsDepthAndNothingByMore) {
  // Of any attitude, over the near edges and tops of blocks whose heights differ. Along the normal of the box by itself
  // a point of the mesh is as deep, to the turn of that normal; none is there that no box has.
  constexpr double kDepth = 1e-4;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::normal_distribution<double> normal;
  const auto part = [&] { return std::abs(uniform(random)); };
  int compared = 0;
  for (int k = 0; k < 400; ++k) {
    const double radius = 0.03 + 0.05 * part(), half_height = 0.1 + 0.15 * part(), top = 0.5 * part() * radius;
    const Shape shape = k % 2 == 0 ? Shape(Cylinder{radius, half_height})
                                   : Shape(Cone{.radius = radius, .height = 2.0 * half_height, .top_radius = top});
    const Eigen::Vector4d turn =
        Eigen::Vector4d(normal(random), normal(random), normal(random), normal(random)).normalized();
    std::array<Block, 2> blocks;
    std::array<Point, 2> expected;
    for (std::size_t b = 0; b < 2; ++b) {
      blocks[b].half = {0.03 + 0.05 * part(), 0.03 + 0.1 * part(), 0.05};
      const double beside = blocks[b].half.x() + 0.02 * part();
      blocks[b].centre = {b == 0 ? -beside : beside, 0.03 * uniform(random), 0.0};
      expected[b] = lift(shape, turn, kDepth, blocks[b]);
    }
    const auto is_in = [](const Point& point) { return point.gap < 0.0 && point.gap > -1.01 * kDepth; };
    if (!is_in(expected[0]) || !is_in(expected[1])) continue;  // passed by, or met where it was deep at once
    ++compared;
    const std::vector<Point> points =
        points_of(shape, turn, {.shape = test::mesh_of(std::vector{blocks[0].solid(), blocks[1].solid()})});
    for (const Point& block : expected) {
      bool found = false;
      for (const Point& point : points)
        found = found || (point.normal.dot(block.normal) > 0.9 && point.gap < -0.5 * kDepth);
      EXPECT_TRUE(found) << k;
    }
    for (const Point& point : points) EXPECT_GE(point.gap, -5.0 * kDepth) << k << " along " << point.normal.transpose();
  }
  EXPECT_GE(compared, 350);
}

}  // namespace
}  // namespace nonsmooth::frusta_on_two_blocks_test
