// SPDX-License-Identifier: Apache-2.0
// Gaps and normals on surfaces of triangles against convex polyhedra and against brute force over the triangles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <Eigen/Geometry>

#include <nonsmooth/kernel.hpp>

#include "kernel/mesh_of_solids.hpp"

namespace nonsmooth::surface_contacts_test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::mesh_of;

/// Sizes are about 1 m, coordinates below 3 m: sums of some ten terms of them.
constexpr double kGap = 1e-12;

struct Pose {
  Vector3d position;
  Eigen::Quaterniond turn;
  /// At 1 m/s, from the ground: what lies ahead would be looked for along the way.
  Vector3d away = Vector3d::UnitZ();
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3d vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Eigen::Quaterniond turn() {
    return Eigen::Quaterniond(number(0.1, 1.0), number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0)).normalized();
  }

 private:
  std::mt19937_64 random_;
};

struct Nearest {
  double gap = std::numeric_limits<double>::infinity();
  Vector3d normal = Vector3d::Zero();
  Index count = 0;
};

/// The smallest gap between a shape and the ground.
Nearest nearest_of(const Shape& shape, const Pose& pose, const Shape& ground, double horizon) {
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.position = pose.position,
                                        .orientation = {pose.turn.w(), pose.turn.x(), pose.turn.y(), pose.turn.z()},
                                        .velocity = pose.away});
  const BodyContacts source({{body, {{.shape = shape}}}}, {{.shape = ground}}, NewtonImpactLaw{});
  Nearest nearest;
  for (const ContactBatch& batch : contacts_at(model.initial_state(), source, horizon)) {
    nearest.count += batch.size();
    for (Index i = 0; i < batch.size(); ++i) {
      const double gap = batch.contacts[static_cast<std::size_t>(i)].gap;
      if (gap >= nearest.gap) continue;
      nearest.gap = gap;
      nearest.normal = Eigen::Map<const Vector3d>(batch.H_first(i));
    }
  }
  return nearest;
}

std::vector<Shape> bodies(Draw& draw) {
  std::vector<Vector3d> points;
  for (int k = 0; k < 12; ++k) points.push_back(0.4 * draw.vector(1.0).normalized());
  return {Sphere{0.3}, Capsule{0.2, 0.3}, Box{Vector3d(0.2, 0.3, 0.4)}, ConvexPolyhedron(points)};
}

TEST(SurfaceContacts, AMeshOfAConvexBodyAnswersAsThePolyhedron) {
  Draw draw(17);
  std::vector<Vector3d> cube, ball;
  for (int c = 0; c < 8; ++c) cube.emplace_back(c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, c & 4 ? 0.5 : -0.5);
  for (int k = 0; k < 20; ++k) ball.push_back(0.6 * draw.vector(1.0).normalized());
  int compared = 0, overlapping = 0;
  for (const std::vector<Vector3d>& points : {cube, ball}) {
    const ConvexPolyhedron polyhedron(points);
    const TriangleMesh mesh = mesh_of(polyhedron);
    for (int trial = 0; trial < 150; ++trial) {
      for (const Shape& shape : bodies(draw)) {
        // Moved along the normal to a distance apart, or into each other by little: deeper than a part of a face's
        // width each vertex in the mesh looks for its own way out.
        Pose pose{draw.vector(1.0).normalized() * 1.1, draw.turn()};
        const Nearest far = nearest_of(shape, pose, polyhedron, 3.0);
        const double wanted = trial % 3 == 0 ? draw.number(0.0, 0.5) : trial % 3 == 1 ? 1e-9 : -draw.number(1e-7, 1e-5);
        pose.position += (wanted - far.gap) * far.normal;
        pose.away = far.normal;
        const Nearest exact = nearest_of(shape, pose, polyhedron, 0.3), found = nearest_of(shape, pose, mesh, 0.3);
        if (exact.gap > 0.3) continue;
        // Where a vertex meets an edge or vertex, the least way out is another one than the way in.
        if (std::abs(exact.gap - wanted) > 1e-12) continue;
        ASSERT_NEAR(found.gap, exact.gap, kGap) << trial << " " << shape.index() << " wanted " << wanted;
        ASSERT_LE((found.normal - exact.normal).norm(), 1e-12 / std::max(std::abs(exact.gap), 1e-6) + 1e-12)
            << trial << " " << shape.index() << " gap " << exact.gap;
        ++compared;
        overlapping += exact.gap < 0.0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(overlapping, 300);
}

double squared_between_segments(const Vector3d& p, const Vector3d& a, const Vector3d& q, const Vector3d& b) {
  double best = std::numeric_limits<double>::infinity();
  const auto offer = [&](double s, double t) { best = std::min(best, (p + s * a - q - t * b).squaredNorm()); };
  const auto on = [](const Vector3d& y, const Vector3d& c, const Vector3d& x) {
    return c.squaredNorm() > 0.0 ? std::clamp(c.dot(x - y) / c.squaredNorm(), 0.0, 1.0) : 0.0;
  };
  for (const double end : {0.0, 1.0}) {
    offer(end, on(q, b, p + end * a));
    offer(on(p, a, q + end * b), end);
  }
  const Vector3d n = a.cross(b);
  if (n.squaredNorm() > 1e-12) {
    const double s = (q - p).cross(b).dot(n) / n.squaredNorm(), t = (q - p).cross(a).dot(n) / n.squaredNorm();
    if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) offer(s, t);
  }
  return best;
}

double squared_to_triangle(const std::array<Vector3d, 3>& corners, const Vector3d& x) {
  double best = std::numeric_limits<double>::infinity();
  const Vector3d n = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
  bool over = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d side = corners[(k + 1) % 3] - corners[k];
    over = over && n.cross(side).dot(x - corners[k]) >= 0.0;
    best = std::min(best, squared_between_segments(x, Vector3d::Zero(), corners[k], side));
  }
  return over ? std::min(best, n.dot(x - corners[0]) * n.dot(x - corners[0])) : best;
}

/// True where a segment from p along a goes through a triangle, or one in the axes of a box through the box.
bool pierces(const Vector3d& p, const Vector3d& a, const std::array<Vector3d, 3>& corners) {
  const Vector3d n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double t = n.dot(corners[0] - p) / n.dot(a);
  if (!(t >= 0.0 && t <= 1.0)) return false;
  bool inside = true;
  for (std::size_t k = 0; k < 3; ++k)
    inside = inside && n.cross(corners[(k + 1) % 3] - corners[k]).dot(p + t * a - corners[k]) >= 0.0;
  return inside;
}
bool pierces(const Vector3d& p, const Vector3d& a, const Vector3d& half_extents) {
  double begin = 0.0, end = 1.0;
  for (Index k = 0; k < 3; ++k) {
    const double first = (-half_extents[k] - p[k]) / a[k], last = (half_extents[k] - p[k]) / a[k];
    begin = std::max(begin, std::min(first, last));
    end = std::min(end, std::max(first, last));
  }
  return begin <= end;
}

/// Of vertices, edges and, for the box, faces apart from a triangle.
double distance(const std::vector<Vector3d>& vertices, const std::vector<std::array<std::size_t, 2>>& edges,
                const std::optional<Vector3d>& half_extents, const std::array<Vector3d, 3>& corners, const Pose& pose) {
  double best = std::numeric_limits<double>::infinity();
  for (const Vector3d& x : vertices) best = std::min(best, squared_to_triangle(corners, x));
  for (const auto& [i, j] : edges) {
    for (std::size_t k = 0; k < 3; ++k)
      best = std::min(best, squared_between_segments(vertices[i], vertices[j] - vertices[i], corners[k],
                                                     corners[(k + 1) % 3] - corners[k]));
  }
  for (const auto& [i, j] : edges) {
    if (pierces(vertices[i], vertices[j] - vertices[i], corners)) return 0.0;
  }
  if (half_extents) {
    const auto own = [&](std::size_t k) { return Vector3d(pose.turn.conjugate() * (corners[k % 3] - pose.position)); };
    for (std::size_t k = 0; k < 3; ++k) {
      best = std::min(best, (own(k).cwiseAbs() - *half_extents).cwiseMax(0.0).squaredNorm());
      if (pierces(own(k), own(k + 1) - own(k), *half_extents)) return 0.0;
    }
  }
  return std::sqrt(best);
}

TEST(SurfaceContacts, GapsOverAHeightFieldAreThoseOfBruteForce) {
  Draw draw(23);
  Eigen::MatrixXd heights(12, 10);
  for (double& height : heights.reshaped()) height = draw.number(0.0, 0.35);
  const HeightField field(heights, {0.3, 0.35});
  const auto triangles = field.triangles();
  const Vector3d extents(0.2, 0.3, 0.25);
  int compared = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const Pose pose{{draw.number(0.6, 2.6), draw.number(0.6, 2.5), draw.number(0.6, 1.0)}, draw.turn()};
    const auto at = [&](const Vector3d& x) { return Vector3d(pose.position + pose.turn * x); };
    std::vector<Vector3d> corners;
    std::vector<std::array<std::size_t, 2>> edges;
    for (std::size_t c = 0; c < 8; ++c) {
      corners.push_back(at(extents.cwiseProduct(Vector3d(c & 1 ? 1.0 : -1.0, c & 2 ? 1.0 : -1.0, c & 4 ? 1.0 : -1.0))));
      for (const std::size_t bit : {1u, 2u, 4u}) {
        if (!(c & bit)) edges.push_back({c, c | bit});
      }
    }
    double of_ball = 10.0, of_capsule = 10.0, of_box = 10.0;
    for (const auto& triangle : triangles) {
      const std::array<Vector3d, 3> own{field.vertices()[static_cast<std::size_t>(triangle[0])],
                                        field.vertices()[static_cast<std::size_t>(triangle[1])],
                                        field.vertices()[static_cast<std::size_t>(triangle[2])]};
      of_ball = std::min(of_ball, distance({pose.position}, {}, {}, own, pose) - 0.3);
      of_capsule = std::min(of_capsule, distance({at({0, 0, -0.2}), at({0, 0, 0.2})}, {{0, 1}}, {}, own, pose) - 0.15);
      of_box = std::min(of_box, distance(corners, edges, extents, own, pose));
    }
    const auto compare = [&](const Shape& shape, double exact, double radius) {
      if (!(exact > 1e-6 - radius && exact < 0.3)) return;  // else the hull goes through the surface
      ASSERT_NEAR(nearest_of(shape, pose, field, 0.3).gap, exact, kGap) << trial << " " << shape.index();
      ++compared;
    };
    compare(Sphere{0.3}, of_ball, 0.3);
    compare(Capsule{0.15, 0.2}, of_capsule, 0.15);
    compare(Box{extents}, of_box, 0.0);
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace nonsmooth::surface_contacts_test
