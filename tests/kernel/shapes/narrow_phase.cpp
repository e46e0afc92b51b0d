// SPDX-License-Identifier: Apache-2.0
// Contacts of hulls: closed forms, whole patches, edges that just touch.
#include "narrow_phase.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace nonsmooth::narrow_phase::narrow_phase_test {
namespace {

TEST(NarrowPhase, SpheresAndCapsulesHaveTheDistancesOfTheirAxes) {
  const auto ball = contacts(placed(point_hull(), 0.3, {0.0, 0.0, 0.0}), placed(point_hull(), 0.2, {0.0, 3.0, 4.0}));
  ASSERT_EQ(ball.size(), 1u);
  EXPECT_NEAR(ball[0].gap, 4.5, kAgree);
  expect_near(ball[0].normal, {0.0, -0.6, -0.8});
  expect_near(ball[0].on_first, {0.0, 0.18, 0.24});
  expect_near(ball[0].on_second, {0.0, 2.88, 3.84});

  const auto coincident =
      contacts(placed(point_hull(), 0.3, {1.0, 0.0, 0.0}), placed(point_hull(), 0.2, {1.0, 0.0, 0.0}));
  ASSERT_EQ(coincident.size(), 1u);
  EXPECT_NEAR(coincident[0].gap, -0.5, kAgree);
  EXPECT_NEAR(coincident[0].normal.norm(), 1.0, kAgree);

  const HullPointer axis = segment_hull(1.0);
  const Matrix3d along_x = turned(0.5 * M_PI, Vector3d::UnitY());
  const auto crossed = contacts(placed(axis, 0.1, {0.0, 0.0, 0.0}), placed(axis, 0.2, {0.3, 0.7, 0.0}, along_x));
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_NEAR(crossed[0].gap, 0.4, kAgree);
  expect_near(crossed[0].normal, {0.0, -1.0, 0.0});
  const auto through = contacts(placed(axis, 0.1, {0.0, 0.0, 0.0}), placed(axis, 0.2, {0.3, 0.0, 0.0}, along_x));
  ASSERT_EQ(through.size(), 1u);
  EXPECT_NEAR(through[0].gap, -0.3, kAgree);
  EXPECT_NEAR(std::abs(through[0].normal.y()), 1.0, kAgree);
  const auto in_line = contacts(placed(axis, 0.1, {0.0, 0.0, 0.0}), placed(axis, 0.2, {0.0, 0.0, 3.0}));
  ASSERT_EQ(in_line.size(), 1u);
  EXPECT_NEAR(in_line[0].gap, 0.7, kAgree);
}

TEST(NarrowPhase, ParallelCapsulesTouchAtBothEndsOfTheirCommonLength) {
  const HullPointer axis = segment_hull(1.0);
  const auto points = contacts(placed(axis, 0.1, {0.0, 0.0, 0.0}), placed(axis, 0.2, {0.5, 0.0, 0.6}));
  ASSERT_EQ(points.size(), 2u);
  for (const PatchPoint& point : points) {
    EXPECT_NEAR(point.gap, 0.2, kAgree);
    expect_near(point.normal, {-1.0, 0.0, 0.0});
  }
  EXPECT_NEAR(std::min(points[0].on_first.z(), points[1].on_first.z()), -0.4, kAgree);
  EXPECT_NEAR(std::max(points[0].on_first.z(), points[1].on_first.z()), 1.0, kAgree);
}

TEST(NarrowPhase, ABallMeetsFacesEdgesAndCornersOfABox) {
  const HullPointer box = box_hull({1.0, 2.0, 3.0});
  const auto gap_at = [&](const Vector3d& centre) {
    const auto points = contacts(placed(point_hull(), 0.5, centre), placed(box, 0.0, {0.0, 0.0, 0.0}));
    EXPECT_EQ(points.size(), 1u);
    return points.at(0).gap;
  };
  EXPECT_NEAR(gap_at({0.3, 0.2, 3.75}), 0.25, kAgree);
  EXPECT_NEAR(gap_at({0.3, -2.3, 3.4}), 0.0, kAgree);        // 0.3, 0.4, 0.5
  EXPECT_NEAR(gap_at({1.2, -2.3, 3.6}), 0.7 - 0.5, kAgree);  // 0.2, 0.3, 0.6, 0.7
  EXPECT_NEAR(gap_at({0.9, 0.0, 0.0}), -0.6, kAgree);        // inside
  EXPECT_NEAR(gap_at({1.0, 0.0, 0.0}), -0.5, kAgree);
  EXPECT_NEAR(gap_at({1.0, 2.0, 3.0}), -0.5, kAgree);
}

TEST(NarrowPhase, EveryVertexMeetsAHalfSpace) {
  Patch patch;
  const Vector3d normal(0.0, 0.6, 0.8);
  find_contacts(placed(box_hull({1.0, 1.0, 1.0}), 0.0, {0.0, 3.0, 4.0}), normal, 4.0, 1.3, patch);
  // Heights of the corners: 1 +- 0.6 +- 0.8, each twice.
  ASSERT_EQ(patch.size(), 6u);
  double sum = 0.0;
  for (const PatchPoint& point : patch) {
    sum += point.gap;
    expect_near(point.normal, normal);
    EXPECT_NEAR(normal.dot(point.on_second), 4.0, kAgree);
    EXPECT_NEAR(normal.dot(point.on_first - point.on_second), point.gap, kAgree);
  }
  EXPECT_NEAR(sum, 2.0 * (-0.4 + 0.8 + 1.2), kAgree);
  find_contacts(placed(segment_hull(1.0), 0.25, {0.0, 0.0, 2.0}), Vector3d::UnitZ(), 0.5, kFar, patch);
  ASSERT_EQ(patch.size(), 2u);
  EXPECT_NEAR(patch.begin()->gap, 0.25, kAgree);
}

TEST(NarrowPhase, FacesTouchInTheWholePolygonOfTheirOverlap) {
  const HullPointer cube = box_hull({1.0, 1.0, 1.0});
  const auto count = [&](const Vector3d& at, const Matrix3d& turn) {
    const auto points = contacts(placed(cube, 0.0, {0.0, 0.0, 0.0}), placed(cube, 0.0, at, turn), 0.5);
    for (const PatchPoint& point : points) {
      EXPECT_NEAR(point.gap, at.z() - 2.0, kAgree);
      expect_near(point.normal, {0.0, 0.0, -1.0});
      EXPECT_LE(point.on_first.head<2>().cwiseAbs().maxCoeff(), 1.0 + kAgree);
      EXPECT_NEAR(point.on_first.z(), 1.0, kAgree);
    }
    return points.size();
  };
  const Matrix3d straight = Matrix3d::Identity(), diagonal = turned(0.25 * M_PI, Vector3d::UnitZ());
  for (const double height : {2.0 - 1e-3, 2.0, 2.0 + 1e-3}) {
    EXPECT_EQ(count({0.0, 0.0, height}, straight), 4u);
    EXPECT_EQ(count({1e-15, -1e-15, height}, straight), 4u);
    EXPECT_EQ(count({0.5, -0.7, height}, straight), 4u);
    EXPECT_EQ(count({0.0, 0.0, height}, diagonal), 8u);
    EXPECT_EQ(count({0.9, 0.0, height}, diagonal), 5u);  // a corner of the second, two of the first, two crossings
  }
  const auto small =
      contacts(placed(cube, 0.0, {0.0, 0.0, 0.0}), placed(box_hull({0.1, 0.1, 0.1}), 0.0, {0.3, 0.2, 1.1}), 0.5);
  ASSERT_EQ(small.size(), 4u);
  // A capsule that lies on the face and stands over it, and a cube on its edge: two points; on its corner: one.
  const Matrix3d lying = turned(0.5 * M_PI, Vector3d::UnitY());
  EXPECT_EQ(
      contacts(placed(cube, 0.0, {0.0, 0.0, 0.0}), placed(segment_hull(2.0), 0.1, {0.0, 0.3, 1.1}, lying), 0.1).size(),
      2u);
  EXPECT_EQ(
      contacts(placed(segment_hull(2.0), 0.1, {0.0, 0.3, 1.1}, lying), placed(cube, 0.0, {0.0, 0.0, 0.0}), 0.1).size(),
      2u);
  const auto on_edge =
      contacts(placed(cube, 0.0, {0.0, 0.0, 0.0}),
               placed(cube, 0.0, {0.0, 0.0, 1.0 + std::sqrt(2.0)}, turned(0.25 * M_PI, Vector3d::UnitX())), 0.1);
  EXPECT_EQ(on_edge.size(), 2u);
  const Matrix3d on_corner =
      Eigen::Quaterniond::FromTwoVectors(Vector3d(1.0, 1.0, 1.0), Vector3d::UnitZ()).toRotationMatrix();
  const auto corner =
      contacts(placed(cube, 0.0, {0.0, 0.0, 0.0}), placed(cube, 0.0, {0.2, 0.1, 1.0 + std::sqrt(3.0)}, on_corner), 0.1);
  ASSERT_EQ(corner.size(), 1u);
  EXPECT_NEAR(corner[0].gap, 0.0, kAgree);
}

TEST(NarrowPhase, CrossedEdgesTouchInOnePoint) {
  const HullPointer cube = box_hull({1.0, 1.0, 1.0});
  const Matrix3d roof = turned(0.25 * M_PI, Vector3d::UnitX()), keel = turned(0.25 * M_PI, Vector3d::UnitY());
  for (const double gap : {0.1, 1e-9, -1e-9, -0.1}) {
    const auto points = contacts(placed(cube, 0.0, {0.1, 0.2, 0.0}, roof),
                                 placed(cube, 0.0, {0.0, 0.0, 2.0 * std::sqrt(2.0) + gap}, keel), 0.2);
    ASSERT_EQ(points.size(), 1u);
    EXPECT_NEAR(points[0].gap, gap, kAgree);
    expect_near(points[0].normal, {0.0, 0.0, -1.0});
    expect_near(points[0].on_first, {0.0, 0.2, std::sqrt(2.0)});
  }
}

TEST(NarrowPhase, CrossedEdgesThatJustTouchKeepTheirPoint) {
  const HullPointer cube = box_hull({1.0, 1.0, 1.0});
  const Matrix3d roof = turned(0.25 * M_PI, Vector3d::UnitX()), keel = turned(0.25 * M_PI, Vector3d::UnitY());
  for (const double gap : {0.0, 1e-16, -1e-16, 1e-14, 1e-13, -1e-13, 5e-13, 1e-12, 3e-12}) {
    const auto points = contacts(placed(cube, 0.0, {0.0, 0.0, 0.0}, roof),
                                 placed(cube, 0.0, {0.1, 0.05, 2.0 * std::sqrt(2.0) + gap}, keel), 1e-6);
    ASSERT_EQ(points.size(), 1u) << gap;
    EXPECT_NEAR(points[0].gap, gap, 1e-15);  // some units in the last place of 2 sqrt(2)
    expect_near(points[0].normal, {0.0, 0.0, -1.0});
    expect_near(points[0].on_first, {0.1, 0.0, std::sqrt(2.0)});
  }
}

TEST(NarrowPhase, NearlyParallelAxesHaveTheNormalBetweenThem) {
  const HullPointer axis = segment_hull(1.0);
  const Vector3d u(std::cos(0.7), std::sin(0.7), 0.0);
  for (const double angle : {1e-9, 1e-8, 3e-8, 3e-7, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3}) {
    const auto points = contacts(placed(axis, 0.5, {0.0, 0.0, 0.0}), placed(axis, 0.5, u, turned(angle, u)), 0.1);
    ASSERT_FALSE(points.empty()) << angle;
    EXPECT_NEAR(nearest(points).gap, 0.0, kAgree) << angle;
    // The product of the axes is known to rounding / angle; where it is not used, ends are aside by the angle.
    expect_near(nearest(points).normal, -u, kAgree + std::min(angle, 1e-15 / angle));
    for (const PatchPoint& point : points) expect_near(point.normal, -u, 2.0 * angle + kAgree);
  }
  // Edges of boxes: a roof's ridge along z and another's, opposite, nearly so.
  const HullPointer cube = box_hull({1.0, 1.0, 1.0});
  const Matrix3d ridge = turned(0.7 - 0.25 * M_PI, Vector3d::UnitZ());
  for (const double angle : {1e-9, 1e-8, 3e-8, 3e-7, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3}) {
    const auto points = contacts(placed(cube, 0.0, {0.0, 0.0, 0.0}, ridge),
                                 placed(cube, 0.0, (2.0 * std::sqrt(2.0) + 0.5) * u, turned(angle, u) * ridge));
    ASSERT_FALSE(points.empty()) << angle;
    EXPECT_NEAR(nearest(points).gap, 0.5, kAgree) << angle;
    expect_near(nearest(points).normal, -u, kAgree + std::min(2.0 * angle, 1e-14 / angle));
  }
}

}  // namespace
}  // namespace nonsmooth::narrow_phase::narrow_phase_test
