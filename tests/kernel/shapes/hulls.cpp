// SPDX-License-Identifier: Apache-2.0
// Hulls of points, exact and rounded, and where they are placed.
#include "kernel/bad_input.hpp"
#include "narrow_phase.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/kernel/shapes.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::narrow_phase::hulls_test {
namespace {

using bad_input::expect_refused;

TEST(ConvexPolyhedron, DropsWhatIsNoCorner) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 27; ++i)
    points.push_back(turned(0.7, {1.0, 2.0, 3.0}) * Vector3d(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
  const ConvexPolyhedron cube(points);
  EXPECT_EQ(cube.vertices().size(), 8u);
  ASSERT_EQ(cube.faces().size(), 6u);
  for (const auto& face : cube.faces()) EXPECT_EQ(face.size(), 4u);
  EXPECT_EQ(cube.hull()->edges.size(), 12u);
  EXPECT_NEAR(cube.hull()->size, std::sqrt(3.0), kAgree);
}

TEST(ConvexPolyhedron, RoundedCornersMakeWholeFaces) {
  std::vector<std::vector<Vector3d>> cubes(3);
  for (int i = 0; i < 27; ++i) {
    const Vector3d at(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    const Vector3d rounded = (turned(0.7, {1.0, 2.0, 3.0}) * at).cast<float>().cast<double>();
    if (at.cwiseAbs().minCoeff() > 0.5) cubes[0].push_back(rounded);
    cubes[1].push_back(rounded);  // corners that are none as well
    if (at.cwiseAbs().minCoeff() > 0.5)
      cubes[2].push_back(Vector3d(1e4, 2e4, -1e4) + turned(0.7, {1.0, 2.0, 3.0}) * at);
  }
  for (const auto& points : cubes) {
    const ConvexPolyhedron cube(points);
    ASSERT_EQ(cube.vertices().size(), 8u);
    ASSERT_EQ(cube.faces().size(), 6u);
    for (const auto& face : cube.faces()) EXPECT_EQ(face.size(), 4u);
    // On a plate, turned back: four corners, as high as single precision knows.
    const HullPointer plate = box_hull({3.0, 3.0, 1.0});
    const auto patch = contacts(placed(cube.hull(), 0.0, {0.0, 0.0, 2.0}, turned(-0.7, {1.0, 2.0, 3.0})),
                                placed(plate, 0.0, {0.0, 0.0, 0.0}), 0.1);
    EXPECT_EQ(patch.size(), 4u);
    for (const PatchPoint& point : patch) {
      EXPECT_NEAR(point.gap, 0.0, 1e-6);
      expect_near(point.normal, Vector3d::UnitZ(), 1e-6);
    }
    const auto stacked = contacts(placed(cube.hull(), 0.0, {0.0, 0.0, 2.0}, turned(-0.7, {1.0, 2.0, 3.0})),
                                  placed(cube.hull(), 0.0, {0.3, 0.2, 0.0}, turned(-0.7, {1.0, 2.0, 3.0})), 0.1);
    EXPECT_EQ(stacked.size(), 4u);
  }
  std::vector<Vector3d> drum;  // of 32 sides: triples of neighbours do not know the plane of an end
  for (int i = 0; i < 64; ++i) {
    const double angle = 2.0 * M_PI * (i / 2) / 32.0;
    drum.push_back((turned(0.7, {1.0, 2.0, 3.0}) * Vector3d(std::cos(angle), std::sin(angle), i % 2 - 0.5))
                       .cast<float>()
                       .cast<double>());
  }
  EXPECT_EQ(ConvexPolyhedron(drum).faces().size(), 34u);
  EXPECT_THROW(ConvexPolyhedron(cubes[0], 0.0), InvalidArgument);
  EXPECT_EQ(ConvexPolyhedron(cubes[0], 1e-12).faces().size(), 12u);
}

TEST(PlacedHull, PutsTheMiddleOfTheHullWhereItIsTold) {
  // A unit cube about (3, -2, 5) of its shape: what BodyContacts adds to the shape's origin is turn * middle.
  std::vector<Vector3d> points;
  const Vector3d middle(3.0, -2.0, 5.0), origin(0.3, 0.4, -0.2);
  for (int i = 0; i < 8; ++i) points.push_back(middle + 0.5 * Vector3d(2 * (i & 1) - 1, (i & 2) - 1, (i & 4) / 2 - 1));
  const ConvexPolyhedron cube(points);
  expect_near(cube.hull()->middle, middle);
  const Matrix3d turn = turned(0.9, {1.0, -1.0, 2.0});
  const PlacedHull there = placed(cube.hull(), 0.0, origin + turn * cube.hull()->middle, turn);
  for (Index v = 0; v < 8; ++v) expect_near(there.vertex(v), origin + turn * points[static_cast<std::size_t>(v)]);
  for (Index f = 0; f < there.num_faces(); ++f) {
    const Hull::Face& face = cube.hull()->faces[static_cast<std::size_t>(f)];
    for (Index c = face.begin; c < face.begin + face.count; ++c) {
      const Vector3d& corner = there.vertex(cube.hull()->corners[static_cast<std::size_t>(c)]);
      EXPECT_NEAR(there.normal(f).dot(corner), there.offset(f), kAgree);
    }
  }
}

TEST(ConvexPolyhedron, RefusesWhatHasNoVolume) {
  const std::vector<Vector3d> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const auto refused = [](const std::vector<Vector3d>& points, const std::vector<std::string>& parts,
                          double coplanar = 1e-6) {
    expect_refused([&] { ConvexPolyhedron(points, coplanar); }, parts);
  };
  const std::string volume = "expected points that span a volume";
  refused(square, {"ConvexPolyhedron: points", "found points that are all in one plane", volume});
  refused({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}}, {"found points that are all on a line", volume});
  refused(std::vector<Vector3d>(5, Vector3d::Zero()), {"found points that are all on a line", volume});
  // Two needles of heights of 1e-7 and more: what is a face is not known.
  refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1e-7}}, {"ConvexPolyhedron: points", volume});
  refused(std::vector<Vector3d>(3, Vector3d::Zero()),
          {"ConvexPolyhedron: points", "found 3", "expected at least 4 and at most 256"});
  refused(std::vector<Vector3d>(257, Vector3d::Zero()),
          {"ConvexPolyhedron: points", "found 257", "expected at least 4 and at most 256"});
  std::vector<Vector3d> broken{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}};
  refused(broken, {"ConvexPolyhedron: point 3", "found nan in entry 2", "expected finite entries"});
  broken.back().z() = 1.0;
  refused(broken, {"ConvexPolyhedron: coplanar", "found 0.1", "expected a number in [1e-12, 0.001]"}, 0.1);
  EXPECT_NO_THROW(ConvexPolyhedron{broken});
}

}  // namespace
}  // namespace nonsmooth::narrow_phase::hulls_test
