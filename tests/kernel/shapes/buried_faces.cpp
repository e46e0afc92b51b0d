// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones on surfaces of triangles that have faces inside of a solid.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "kernel/mesh_of_solids.hpp"

namespace nonsmooth::buried_faces_test {
namespace {

using Eigen::Vector3d;
using test::block, test::mesh_of;

struct Point {
  double gap;
  Vector3d normal;
};

struct Case {
  Shape shape;
  Vector3d position;
  Eigen::Vector4d turn;
};

Case cone(double radius, double height, double top, const Vector3d& position, const Eigen::Vector4d& turn) {
  return {Cone{.radius = radius, .height = height, .top_radius = top}, position, turn};
}

/// At 1 mm/s.
std::vector<Point> points_of(const Case& one, const Shape& ground, double horizon) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(
      RigidBody{.position = one.position, .orientation = one.turn.normalized(), .velocity = {1e-3, 0.0, 0.0}});
  const BodyContacts source({{body, {{.shape = one.shape}}}}, {{.shape = ground}}, NewtonImpactLaw{});
  std::vector<Point> points;
  for (const ContactBatch& batch : contacts_at(model.initial_state(), source, horizon)) {
    for (Index i = 0; i < batch.size(); ++i)
      points.push_back({batch.contacts[static_cast<std::size_t>(i)].gap, Eigen::Map<const Vector3d>(batch.H_first(i))});
  }
  return points;
}
TEST(BuriedFaces, NothingIsFeltOfWhatIsBuriedInASolid) {
  // Cylinder and cone at edges of a cube, in it by 2.3 mm and 4.3 mm where a point counts that is nearer to another
  // face; a block in the cube has a face 4 mm to 8 mm below that one.
  const double half = 0.15, in = 0.1499;
  const ConvexPolyhedron cube = block(Vector3d::Constant(-half), Vector3d::Constant(half));
  const Case cylinder{
      Cylinder{0.076376, 0.094946}, {0.13924, 0.26301, -0.16781}, {0.35413, 0.20763, 0.73561, -0.53885}};
  const Case blunt =
      cone(0.084408, 0.080236, 0.007216, {0.036255, 0.10459, 0.21646}, {0.79158, -0.34199, 0.33197, 0.38242});
  for (const double below : {4e-3, 6e-3, 8e-3}) {
    for (const Index along : {1, 2}) {
      Vector3d high = Vector3d::Constant(in);
      high[along] = half - below;
      const std::vector<ConvexPolyhedron> both{cube, block(Vector3d::Constant(-in), high)};
      for (const Point& point : points_of(along == 1 ? cylinder : blunt, mesh_of(both), 10.0)) {
        if (point.normal[along] > 1.0 - 1e-9) {
          EXPECT_LT(point.gap, 0.0) << along << " " << below;
        }
      }
    }
  }
}

}  // namespace
}  // namespace nonsmooth::buried_faces_test
