// SPDX-License-Identifier: Apache-2.0
// Contacts of hulls against all of their features in long double, brought together and moved; names that last.
#include "narrow_phase.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <contact/narrow_phase/closest_features.hpp>
#include <nonsmooth/kernel/shapes.hpp>

namespace nonsmooth::narrow_phase::narrow_phase_features_test {
namespace {

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

TEST(NarrowPhase, ClosestEdgesAreThoseOfAllPairs) {
  // Where the closest points are on edges, against every pair of edges in long double; sums of some ten terms of about
  // 1 m. The points lie on the features that the pair is named by.
  int crossing = 0, looked_at = 0;
  Draws draws(19);
  for (int trial = 0; trial < 6000; ++trial) {
    const PlacedHull first = draws.solid(Vector3d::Zero());
    const PlacedHull second = draws.solid(draws.number(0.8, 2.5) * draws.direction());
    const Solid one(first), other(second);
    if (one.edges.empty() || other.edges.empty()) continue;
    Real expected = std::numeric_limits<Real>::infinity();
    for (const auto& e : one.edges) {
      for (const auto& f : other.edges) expected = std::min(expected, between_segments(e, f));
    }
    const bool faceless = one.faces.empty() && other.faces.empty();
    if ((!faceless && separation(one, other) <= 1e-9L) || distance(one, other) < expected - 1e-13L) continue;
    ++looked_at;
    const ClosestPoints closest = closest_edges(first, second, draws.direction());
    ASSERT_NEAR(std::sqrt(closest.squared_distance), static_cast<double>(expected), 1e-13) << trial;
    ASSERT_NEAR((closest.on_second - closest.on_first).squaredNorm(), closest.squared_distance, 1e-13) << trial;
    const auto off = [](const Solid& solid, const Vector3d& point, Index edge) {
      Real least = std::numeric_limits<Real>::infinity();
      for (const Vector& vertex : solid.vertices) least = std::min(least, (vertex - point.cast<Real>()).norm());
      return edge < 0 ? least : to_segment(point.cast<Real>(), solid.edges[static_cast<std::size_t>(edge)]);
    };
    ASSERT_LE(off(one, closest.on_first, closest.edge_of_first), 1e-15L) << trial;
    ASSERT_LE(off(other, closest.on_second, closest.edge_of_second), 1e-15L) << trial;
    const bool crosses = closest.edge_of_first >= 0 && closest.edge_of_second >= 0;
    crossing += crosses ? 1 : 0;
    if (crosses) {
      ASSERT_EQ(closest.feature, crossing_edges(closest.edge_of_first, closest.edge_of_second)) << trial;
    }
  }
  EXPECT_GT(looked_at, 1000);
  EXPECT_GT(crossing, 300);
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
    std::vector<std::uint64_t> before;
    for (const double tilt : {0.0, 1e-9, -1e-9}) {
      const Matrix3d turn = turned(tilt, draws.direction()) * turned(yaw, Vector3d::UnitZ());
      const Vector3d shift = 1e-9 * draws.direction();
      std::vector<std::uint64_t> names;
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
    std::vector<std::uint64_t> before;
    for (const double tilt : {0.0, 1e-4, -1e-4, 1e-6, -1e-6, 1e-8, -1e-8}) {
      const Matrix3d turn = turned(tilt, Vector3d::UnitY()) * turned(0.6, Vector3d::UnitZ());
      std::vector<std::uint64_t> names;
      for (const PatchPoint& point :
           contacts(placed(plate, 0.0, {0.0, 0.0, 0.0}), placed(box, 0.0, {0.9, 0.1, 1.5 + gap}, turn), 1e-2))
        names.push_back(point.feature);
      if (before.empty()) before = names;
      EXPECT_EQ(names, before) << gap << ' ' << tilt;
    }
  }
}

}  // namespace
}  // namespace nonsmooth::narrow_phase::narrow_phase_features_test
