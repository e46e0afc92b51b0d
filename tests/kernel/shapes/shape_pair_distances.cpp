// SPDX-License-Identifier: Apache-2.0
// Gaps of balls and disks on shapes against the least distance of points all over these.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <variant>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "kernel/joint_bodies.hpp"

namespace nonsmooth::shape_pair_distances_test {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using jointed::place;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double gap_of(const MechanicalRelation& pair, const Eigen::VectorXd& q) {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(pair.rows());
  pair.h(0.0, q, y);
  return y[0];
}

template <class Vector>
double distance_to_segment(const Vector& a, const Vector& b, const Vector& x) {
  const Vector side = b - a;
  return (x - a - std::clamp(side.dot(x - a) / side.squaredNorm(), 0.0, 1.0) * side).norm();
}

/// By its plane, where x is over it, and its sides.
double distance_to_triangle(const std::array<Vector3d, 3>& corners, const Vector3d& x) {
  const Vector3d normal = jointed::cross(corners[1] - corners[0], corners[2] - corners[0]).normalized();
  double least = kInfinity;
  bool over = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d &a = corners[k], &b = corners[(k + 1) % 3];
    over = over && normal.dot(jointed::cross(b - a, x - a)) >= 0.0;
    least = std::min(least, distance_to_segment(a, b, x));
  }
  return over ? std::min(least, std::abs(normal.dot(x - corners[0]))) : least;
}

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  Vector3d vector(double size) { return size * Vector3d(number(), number(), number()); }

 private:
  double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
  std::mt19937 random_;
};

TEST(ShapePairDistances, OfCylindersAndConesAreThoseOfTheirLinesAndEnds) {
  // 20000 lines of the side: between two of them, 3e-4 rad, the distance changes by R d (1.6e-4)^2 / 2 over the
  // distance, 0.05 and more: 1e-7. Within, the least depth under side and ends, as the header says.
  struct Solid {
    std::variant<Cylinder, Cone> shape;
    double low, high, from, to;
  };
  Random random(3);
  for (const Solid& solid : {Solid{Cylinder{0.4, 0.5}, 0.4, 0.4, -0.5, 0.5}, Solid{Cone{0.5, 0.8}, 0.5, 0.0, 0.0, 0.8},
                             Solid{Cone{0.2, 0.7, 0.6}, 0.2, 0.6, 0.0, 0.7}}) {
    const auto pair = make_relation(SphereOnFrustum{.sphere = {.radius = 0.1}, .frustum = solid.shape});
    int outside = 0;
    for (int trial = 0; trial < 40; ++trial) {
      const Vector3d x = random.vector(1.2);
      const double rho = std::hypot(x[0], x[1]);
      const double radius = solid.low + (solid.high - solid.low) * (x[2] - solid.from) / (solid.to - solid.from);
      const bool inside = x[2] > solid.from && x[2] < solid.to && rho < radius;
      double least = kInfinity;
      for (int k = 0; k < 20000; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / 20000.0, c = std::cos(angle), s = std::sin(angle);
        least = std::min(least, distance_to_segment<Vector3d>({solid.low * c, solid.low * s, solid.from},
                                                              {solid.high * c, solid.high * s, solid.to}, x));
      }
      if (rho < solid.low) least = std::min(least, std::abs(x[2] - solid.from));
      if (rho < solid.high) least = std::min(least, std::abs(x[2] - solid.to));
      if (least < 0.05) continue;
      outside += inside ? 0 : 1;
      EXPECT_NEAR(gap_of(*pair, place(x)), (inside ? -least : least) - 0.1, 2e-7) << x.transpose();
    }
    EXPECT_GE(outside, 20);
  }
}

/// The least gap of all parts, until one is not there.
template <class Description>
double least_gap(Description pair, const Eigen::VectorXd& q) {
  double least = kInfinity;
  for (pair.part = 0;; ++pair.part) {
    try {
      least = std::min(least, gap_of(*make_relation(pair), q));
    } catch (const InvalidArgument&) {
      return least;
    }
  }
}

TEST(ShapePairDistances, OfPartsOfSurfacesAreThoseOfTheirTriangles) {
  // Two steps with rims, and a field of two valleys: sizes of 2 m, to some roundings of each term.
  std::vector<Vector3d> corners;
  std::vector<std::array<Index, 3>> triangles;
  const auto quad = [&](const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
    const auto v = static_cast<Index>(corners.size());
    corners.insert(corners.end(), {a, b, c, d});
    triangles.insert(triangles.end(), {{v, v + 1, v + 2}, {v, v + 2, v + 3}});
  };
  for (const double z : {0.0, -0.5})
    quad({z == 0.0 ? -2.0 : 0.0, -2.0, z}, {z == 0.0 ? 0.0 : 2.0, -2.0, z}, {z == 0.0 ? 0.0 : 2.0, 2.0, z},
         {z == 0.0 ? -2.0 : 0.0, 2.0, z});
  const TriangleMesh steps(corners, triangles);
  const HeightField field(
      Eigen::MatrixXd{{0.5, 0.5, 0.5}, {0.0, 0.0, 0.0}, {0.6, 0.6, 0.6}, {0.6, 0.6, 0.6}, {0.2, 0.2, 0.2}, {1, 1, 1}},
      {0.4, 1.0});
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3d x = random.vector(1.4) + Vector3d(1.0, 1.0, 2.5);
    const auto compare = [&](const auto& surface) {
      double least = kInfinity;
      for (const auto& triangle : surface.triangles()) {
        std::array<Vector3d, 3> at;
        for (std::size_t k = 0; k < 3; ++k) at[k] = surface.vertices()[static_cast<std::size_t>(triangle[k])];
        least = std::min(least, distance_to_triangle(at, x));
      }
      const SphereOnSurface pair{.sphere = {.radius = 0.1}, .surface = surface};
      EXPECT_NEAR(least_gap(pair, place(x)), least - 0.1, 1e-14) << x.transpose();
    };
    compare(steps);
    compare(field);
  }
  // In the solid, as deep as the nearest face: below a slope of 0.5 over 0.4 at (0.2, 1, 0.25).
  const Vector3d down = 0.05 * Vector3d(0.5, 0.0, 0.4) / std::hypot(0.5, 0.4);
  const SphereOnSurface pair{.sphere = {.radius = 0.1}, .surface = field};
  EXPECT_NEAR(least_gap(pair, place(Vector3d(0.2, 1.0, 0.25) - down)), -0.15, 1e-14);
  EXPECT_NEAR(least_gap(pair, place(Vector3d(0.2, 1.0, -3.0))), -0.1 - std::hypot(0.2, 3.0), 1e-14);  // of the valley
}

TEST(ShapePairDistances, OfDisksAreThoseOfSides) {
  const std::vector<Vector2d> polygon{{-0.5, -0.4}, {0.6, -0.3}, {0.7, 0.2}, {-0.2, 0.6}};
  const std::vector<Vector2d> line{{-1.5, 0.2}, {-0.7, 0.4}, {-0.2, -0.3}, {0.1, -0.2}, {0.6, -0.6}, {1.3, 0.5}};
  const auto on_polygon = make_relation(DiskOnPolygon{{.radius = 0.1}, {.vertices = polygon, .rounding = 0.03}});
  Random random(9);
  for (int trial = 0; trial < 500; ++trial) {
    const Vector3d q = random.vector(1.2);
    const Vector2d x = q.head<2>();
    double least = kInfinity;
    bool inside = true;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const Vector2d &a = polygon[k], &b = polygon[(k + 1) % polygon.size()], side = b - a;
      least = std::min(least, distance_to_segment(a, b, x));
      inside = inside && side.x() * (x - a).y() > side.y() * (x - a).x();
    }
    EXPECT_NEAR(gap_of(*on_polygon, q), (inside ? -least : least) - 0.13, 1e-14);
    // The outer pieces go on: far beyond what is asked for.
    least = kInfinity;
    bool above = false;
    for (std::size_t k = 0; k + 1 < line.size(); ++k) {
      Vector2d a = line[k], b = line[k + 1];
      if (x.x() >= a.x() && x.x() <= b.x()) above = (b - a).x() * (x - a).y() > (b - a).y() * (x - a).x();
      if (k == 0) a -= 10.0 * (b - a);
      if (k + 2 == line.size()) b += 10.0 * (b - a);
      least = std::min(least, distance_to_segment(a, b, x));
    }
    const double gap = least_gap(DiskOnHeightLine{{.radius = 0.1}, {line}}, q);
    if (above) {
      EXPECT_NEAR(gap, least - 0.1, 1e-13);
    } else {
      EXPECT_LE(gap, -0.1);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::shape_pair_distances_test
