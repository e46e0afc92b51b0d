// SPDX-License-Identifier: Apache-2.0
// Contacts of hulls: closed forms, all features in long double, whole patches, names that last.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <Eigen/Geometry>

#include <contact/narrow_phase/narrow_phase.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::narrow_phase {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using HullPointer = std::shared_ptr<const Hull>;

/// Sizes are about 1 m and coordinates below 10 m: sums of some ten terms of them.
constexpr double kAgree = 1e-13;
constexpr double kFar = 100.0;

PlacedHull placed(const HullPointer& hull, double radius, const Vector3d& at,
                  const Matrix3d& turn = Matrix3d::Identity()) {
  PlacedHull result;
  result.place(*hull, radius, turn, at);
  return result;
}

Matrix3d turned(double angle, const Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

std::vector<PatchPoint> contacts(const PlacedHull& first, const PlacedHull& second, double reach = kFar) {
  Patch patch;
  find_contacts(first, second, reach, patch);
  return {patch.begin(), patch.end()};
}

const PatchPoint& nearest(const std::vector<PatchPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const PatchPoint& a, const PatchPoint& b) { return a.gap < b.gap; });
}

void expect_near(const Vector3d& found, const Vector3d& expected, double tolerance = kAgree) {
  EXPECT_LE((found - expected).norm(), tolerance) << found.transpose() << " instead of " << expected.transpose();
}

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

// ---- all features, in long double ----

using Real = long double;
using Vector = Eigen::Matrix<Real, 3, 1>;

struct Solid {
  std::vector<Vector> vertices;
  std::vector<std::vector<Vector>> faces;
  std::vector<std::pair<Vector, Vector>> edges;
  double radius;

  explicit Solid(const PlacedHull& hull) : radius(hull.radius) {
    for (Index v = 0; v < hull.num_vertices(); ++v) vertices.push_back(hull.vertex(v).cast<Real>());
    for (const Hull::Face& face : hull.hull->faces) {
      faces.emplace_back();
      for (Index c = face.begin; c < face.begin + face.count; ++c)
        faces.back().push_back(vertices[static_cast<std::size_t>(hull.hull->corners[static_cast<std::size_t>(c)])]);
    }
    for (const Hull::Edge& edge : hull.hull->edges)
      edges.emplace_back(vertices[static_cast<std::size_t>(edge.from)], vertices[static_cast<std::size_t>(edge.to)]);
  }
  /// As it was given: normals of faces in long double differ from the hull's by rounding.
  [[nodiscard]] static Vector normal(const std::vector<Vector>& face) {
    Vector sum = Vector::Zero();
    for (std::size_t c = 1; c + 1 < face.size(); ++c) sum += (face[c] - face[0]).cross(face[c + 1] - face[0]);
    return sum.normalized();
  }
  [[nodiscard]] Real lowest(const Vector& n) const {
    Real least = std::numeric_limits<Real>::infinity();
    for (const Vector& vertex : vertices) least = std::min(least, n.dot(vertex));
    return least;
  }
};

Real to_segment(const Vector& p, const std::pair<Vector, Vector>& segment) {
  const Vector along = segment.second - segment.first;
  const Real s = std::clamp<Real>(along.dot(p - segment.first) / along.squaredNorm(), 0.0L, 1.0L);
  return (segment.first + s * along - p).norm();
}

Real between_segments(const std::pair<Vector, Vector>& one, const std::pair<Vector, Vector>& other) {
  Real least = std::min({to_segment(one.first, other), to_segment(one.second, other), to_segment(other.first, one),
                         to_segment(other.second, one)});
  const Vector a = one.second - one.first, b = other.second - other.first, between = other.first - one.first;
  const Vector n = a.cross(b);
  if (n.norm() < 1e-12L) return least;
  const Real s = between.cross(b).dot(n) / n.squaredNorm(), t = between.cross(a).dot(n) / n.squaredNorm();
  if (s >= 0.0L && s <= 1.0L && t >= 0.0L && t <= 1.0L) least = std::min(least, std::abs(between.dot(n)) / n.norm());
  return least;
}

/// Distance of the hulls where they are apart.
Real distance(const Solid& one, const Solid& other) {
  Real least = std::numeric_limits<Real>::infinity();
  const auto vertices_and_faces = [&least](const Solid& from, const Solid& to) {
    for (const Vector& p : from.vertices) {
      for (const auto& face : to.faces) {
        const Vector n = Solid::normal(face);
        bool inside = n.dot(p - face[0]) >= 0.0L;
        for (std::size_t c = 0; c < face.size(); ++c)
          inside = inside && n.dot((face[(c + 1) % face.size()] - face[c]).cross(p - face[c])) >= 0.0L;
        if (inside) least = std::min(least, n.dot(p - face[0]));
      }
      for (const auto& edge : to.edges) least = std::min(least, to_segment(p, edge));
      for (const Vector& q : to.vertices) least = std::min(least, (p - q).norm());
    }
  };
  vertices_and_faces(one, other);
  vertices_and_faces(other, one);
  for (const auto& e : one.edges) {
    for (const auto& f : other.edges) least = std::min(least, between_segments(e, f));
  }
  return least;
}

/// The largest separation over normals of faces and products of edges; negative: the least way out.
Real separation(const Solid& one, const Solid& other) {
  Real most = -std::numeric_limits<Real>::infinity();
  const auto offer = [&](const Vector& n) { most = std::max(most, other.lowest(n) + one.lowest(-n)); };
  for (const auto& face : one.faces) offer(Solid::normal(face));
  for (const auto& face : other.faces) offer(-Solid::normal(face));
  for (const auto& e : one.edges) {
    for (const auto& f : other.edges) {
      const Vector n = (e.second - e.first).cross(f.second - f.first);
      if (n.norm() < 1e-9L) continue;
      offer(n.normalized());
      offer(-n.normalized());
    }
  }
  return most;
}

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3d direction() {
    Vector3d result;
    do {
      result = Vector3d(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
    } while (result.norm() > 1.0 || result.norm() < 0.1);
    return result.normalized();
  }
  Matrix3d turn() {
    // A third of all stands straight, a third nearly so: features that are parallel, and nearly so.
    const int kind = static_cast<int>(number(0.0, 3.0));
    return turned(kind == 0 ? 0.0 : kind == 1 ? number(-1e-6, 1e-6) : number(-3.0, 3.0), direction());
  }
  PlacedHull solid(const Vector3d& at) {
    switch (static_cast<int>(number(0.0, 4.0))) {
      case 0:
        return placed(keep(point_hull()), number(0.1, 0.5), at);
      case 1:
        return placed(keep(segment_hull(number(0.2, 1.0))), number(0.1, 0.3), at, turn());
      case 2:
        return placed(keep(box_hull({number(0.2, 1.0), number(0.2, 1.0), number(0.2, 1.0)})), 0.0, at, turn());
      default: {
        std::vector<Vector3d> points;
        const auto count = static_cast<int>(number(4.0, 24.0));
        const Vector3d axes(number(0.3, 1.0), number(0.3, 1.0), number(0.3, 1.0));
        for (int i = 0; i < count; ++i) points.push_back(direction().cwiseProduct(axes));
        return placed(keep(ConvexPolyhedron(points).hull()), 0.0, at, turn());
      }
    }
  }

 private:
  HullPointer keep(HullPointer hull) {
    kept_.push_back(hull);
    return hull;
  }
  std::mt19937_64 random_;
  std::vector<HullPointer> kept_;
};

PlacedHull shifted(PlacedHull hull, const Vector3d& by) {
  hull.centre += by;
  for (Index v = 0; v < hull.num_vertices(); ++v) hull.vertices[static_cast<std::size_t>(v)] += by;
  for (Index f = 0; f < hull.num_faces(); ++f) hull.offsets[static_cast<std::size_t>(f)] += hull.normal(f).dot(by);
  return hull;
}

/// How far apart the hulls are along a normal from the second to the first: no more than their distance.
double apart_along(const Vector3d& normal, const Solid& one, const Solid& other) {
  return static_cast<double>(one.lowest(normal.cast<Real>()) + other.lowest(-normal.cast<Real>()));
}

TEST(NarrowPhase, ShapesThatAreBroughtTogetherKeepGapAndNormal) {
  Draws draws(17);
  for (int trial = 0; trial < 3000; ++trial) {
    const PlacedHull first = draws.solid(Vector3d::Zero());
    const PlacedHull second = draws.solid(draws.number(2.6, 4.0) * draws.direction());
    const PatchPoint far = nearest(contacts(first, second));
    // The distance of convex shapes falls along the way between their closest points as the way does.
    for (const double gap : {1e-3, 1e-6, 1e-9, 1e-11, 3e-12, 1e-12, 5e-13, 1e-13, 1e-14, 0.0, -1e-14, -1e-13, -1e-12}) {
      const PlacedHull moved = shifted(second, (far.gap - gap) * far.normal);
      const auto points = contacts(first, moved, 1e-2);
      ASSERT_FALSE(points.empty()) << trial << ' ' << gap;
      const PatchPoint& point = nearest(points);
      // Closer than 1e-12 of the sizes, up to 3.5 together, any axis that separates them will do; and vertices that
      // are beside a face by no more count as on it.
      ASSERT_NEAR(point.gap, gap, 7e-12) << trial << ' ' << gap;
      // The normal supports both: it separates them by the gap.
      const double radii = first.radius + moved.radius;
      ASSERT_NEAR(apart_along(point.normal, Solid(first), Solid(moved)) - radii, gap, 1e-11) << trial << ' ' << gap;
      if (gap + radii >= 1e-3) {
        ASSERT_LE((point.normal - far.normal).norm(), 1e-8) << trial << ' ' << gap;
      }
    }
  }
}

TEST(NarrowPhase, TheSmallestGapIsThatOfAllFeatures) {
  int apart = 0, overlapping = 0;
  Draws draws(7);
  for (int trial = 0; trial < 4000; ++trial) {
    const PlacedHull first = draws.solid(Vector3d::Zero());
    const PlacedHull second = draws.solid(draws.number(0.0, 2.0) * draws.direction());
    const Solid one(first), other(second);
    const auto points = contacts(first, second);
    ASSERT_FALSE(points.empty()) << trial;
    const double radii = first.radius + second.radius;
    const bool faceless = one.faces.empty() && other.faces.empty();
    const Real axis = faceless ? 1.0L : separation(one, other);
    const Real expected = axis > 0.0L ? distance(one, other) : axis;
    (axis > 0.0L ? apart : overlapping) += 1;
    ASSERT_NEAR(nearest(points).gap, static_cast<double>(expected) - radii, 1e-12) << trial;
    ASSERT_NEAR(apart_along(nearest(points).normal, one, other), static_cast<double>(expected), 1e-11) << trial;
    for (const PatchPoint& point : points) {
      ASSERT_NEAR(point.normal.norm(), 1.0, 1e-12) << trial;
      ASSERT_NEAR(point.normal.dot(point.on_first - point.on_second), point.gap, 1e-12) << trial;
    }
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(overlapping, 1000);
}

TEST(NarrowPhase, NeitherOrderNorMotionChangesAGap) {
  Draws draws(11);
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector3d at = draws.number(0.3, 2.0) * draws.direction();
    const PlacedHull first = draws.solid(Vector3d::Zero()), second = draws.solid(at);
    const auto points = contacts(first, second), swapped = contacts(second, first);
    ASSERT_FALSE(points.empty());
    ASSERT_FALSE(swapped.empty());
    ASSERT_NEAR(nearest(points).gap, nearest(swapped).gap, 1e-12) << trial;
    // Two directions may separate alike: each normal has to separate by the gap.
    const Solid one(first), other(second);
    const double apart = nearest(points).gap + first.radius + second.radius;
    ASSERT_NEAR(apart_along(nearest(points).normal, one, other), apart, 1e-11) << trial;
    ASSERT_NEAR(apart_along(-nearest(swapped).normal, one, other), apart, 1e-11) << trial;
    const Matrix3d turn = turned(draws.number(-3.0, 3.0), draws.direction());
    const Vector3d move = draws.number(0.0, 5.0) * draws.direction();
    const auto moved = [&](PlacedHull hull) {
      hull.centre = turn * hull.centre + move;
      for (Index v = 0; v < hull.num_vertices(); ++v)
        hull.vertices[static_cast<std::size_t>(v)] = turn * hull.vertex(v) + move;
      for (Index f = 0; f < hull.num_faces(); ++f) {
        hull.normals[static_cast<std::size_t>(f)] = turn * hull.normal(f);
        hull.offsets[static_cast<std::size_t>(f)] += hull.normal(f).dot(move);
      }
      return hull;
    };
    const auto elsewhere = contacts(moved(first), moved(second));
    ASSERT_NEAR(nearest(points).gap, nearest(elsewhere).gap, 1e-12) << trial;
    ASSERT_NEAR(apart_along(turn.transpose() * nearest(elsewhere).normal, one, other), apart, 1e-11) << trial;
  }
}

TEST(NarrowPhase, FeaturesKeepTheirNamesInSmallMoves) {
  Draws draws(13);
  int kept = 0, all = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const HullPointer one = box_hull({draws.number(0.2, 1.0), draws.number(0.2, 1.0), 0.5});
    const HullPointer other = box_hull({draws.number(0.2, 1.0), draws.number(0.2, 1.0), 0.5});
    const Vector3d at(draws.number(-0.8, 0.8), draws.number(-0.8, 0.8), 1.0);
    const double yaw = draws.number(-1.0, 1.0);
    std::vector<std::uint32_t> before;
    for (const double tilt : {0.0, 1e-9, -1e-9}) {
      const Matrix3d turn = turned(tilt, draws.direction()) * turned(yaw, Vector3d::UnitZ());
      const Vector3d shift = 1e-9 * draws.direction();
      std::vector<std::uint32_t> names;
      for (const PatchPoint& point :
           contacts(placed(one, 0.0, {0.0, 0.0, 0.0}), placed(other, 0.0, at + shift, turn), 1e-3))
        names.push_back(point.feature);
      ASSERT_TRUE(std::is_sorted(names.begin(), names.end()));
      ASSERT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
      if (before.empty()) before = names;
      ++all;
      kept += names == before ? 1 : 0;
    }
  }
  EXPECT_EQ(kept, all);
}

TEST(NarrowPhase, FeaturesKeepTheirNamesBetweenFaceAndEdges) {
  // A corner hangs over the side of a plate. Up, what is nearest is a corner over the face; down, edges that cross.
  const HullPointer plate = box_hull({1.0, 1.0, 1.0}), box = box_hull({0.5, 0.4, 0.5});
  for (const double gap : {1e-3, 1e-6, -1e-6, -1e-3}) {
    std::vector<std::uint32_t> before;
    for (const double tilt : {0.0, 1e-4, -1e-4, 1e-6, -1e-6, 1e-8, -1e-8}) {
      const Matrix3d turn = turned(tilt, Vector3d::UnitY()) * turned(0.6, Vector3d::UnitZ());
      std::vector<std::uint32_t> names;
      for (const PatchPoint& point :
           contacts(placed(plate, 0.0, {0.0, 0.0, 0.0}), placed(box, 0.0, {0.9, 0.1, 1.5 + gap}, turn), 1e-2))
        names.push_back(point.feature);
      if (before.empty()) before = names;
      EXPECT_EQ(names, before) << gap << ' ' << tilt;
    }
  }
}

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
  EXPECT_THROW(ConvexPolyhedron{square}, InvalidArgument);
  EXPECT_THROW(ConvexPolyhedron(std::vector<Vector3d>(3, Vector3d::Zero())), InvalidArgument);
  EXPECT_THROW(ConvexPolyhedron(std::vector<Vector3d>(5, Vector3d::Zero())), InvalidArgument);
  std::vector<Vector3d> broken{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}};
  EXPECT_THROW(ConvexPolyhedron{broken}, InvalidArgument);
  broken.back().z() = 1.0;
  EXPECT_NO_THROW(ConvexPolyhedron{broken});
}

}  // namespace
}  // namespace nonsmooth::narrow_phase
