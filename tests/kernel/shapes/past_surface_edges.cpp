// SPDX-License-Identifier: Apache-2.0
// Cylinders and cones that edges of a surface of triangles have gone past, or that have gone past the surface's.
#include <gtest/gtest.h>

#include <algorithm>
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

struct Case {
  Shape shape;
  Vector3d position;
  Eigen::Vector4d turn;
};

Case cone(double radius, double height, double top, const Vector3d& position, const Eigen::Vector4d& turn) {
  return {Cone{.radius = radius, .height = height, .top_radius = top}, position, turn};
}

/// At 1 mm/s.
std::vector<Point> points_of(const Case& one, const Shape& ground, double horizon = 0.0) {
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
double least_of(const Case& one, const Shape& ground) {
  double least = std::numeric_limits<double>::infinity();
  for (const Point& point : points_of(one, ground)) least = std::min(least, point.gap);
  return least;
}

TEST(PastSurfaceEdges, FrustaPastEdgesAreMovedBackOut) {
  // The edge of the cube is past the tip of a cone; a circle in the prism is past its edge of 40 degrees, and one of
  // its edges of 70 degrees is past the side of a cone. Depths are those on the polyhedra, where a face counts that is
  // the least deep to 1 % of it.
  const ConvexPolyhedron cube = block(Vector3d::Constant(-0.15), Vector3d::Constant(0.15)),
                         roof = prism(0.3, 0.3, 190.0, 230.0);
  const std::vector<Case> on_cube{
      cone(0.0240251, 0.1112779, 0.0, {0.0169802, 0.0881623, 0.1964889}, {-0.507767, 0.480455, 0.712255, 0.0634759})};
  const std::vector<Case> on_roof{
      {Cylinder{0.0299952, 0.107904}, {-0.0315354, -0.3840248, 0.0091386}, {0.0570545, 0.129232, 0.806118, 0.574646}},
      cone(0.0793749, 0.2122313, 0.0, {-0.1466764, -0.1348307, 0.0766556},
           {0.0188719, -0.229647, -0.867689, 0.440479})};
  const auto check = [](const std::vector<Case>& cases, const ConvexPolyhedron& solid) {
    const TriangleMesh mesh = mesh_of(solid);
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const double depth = -least_of(cases[k], solid);
      ASSERT_GT(depth, 1e-4) << k;
      ASSERT_LT(depth, 1e-2) << k;
      EXPECT_NEAR(least_of(cases[k], mesh), -depth, 0.01 * depth) << k;
    }
  };
  check(on_cube, cube);
  check(on_roof, roof);
}

TEST(PastSurfaceEdges, AVertexThatASideIsPastIsFoundWhereItIsAlsoApart) {
  // The circle of a cone is in a plate by 1e-9 m beside its corner, which is 7e-11 m away from the cone: two points
  // with the name of the corner. The pose is given to 1e-15 m.
  const Vector3d half(0.2, 0.2, 0.01);
  const Case one = cone(0.0308694245809116, 2.0 * 0.129515691496714, 0.0,
                        {0.199716917788989, -0.226858392947002, 0.0252140693142283},
                        {0.739261373601851, -0.01963567122382, -0.350621113303559, -0.574605862153936});
  const double exact = least_of(one, block(-half, half));
  ASSERT_NEAR(exact, -1e-9, 1e-11);
  EXPECT_NEAR(least_of(one, mesh_of(block(-half, half))), exact, 1e-12);
}

TEST(PastSurfaceEdges, NothingIsFeltOfWhatIsBuriedInASolid) {
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
}  // namespace nonsmooth::past_surface_edges_test
