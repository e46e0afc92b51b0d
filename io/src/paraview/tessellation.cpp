// SPDX-License-Identifier: Apache-2.0
#include "tessellation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include <Eigen/Geometry>

namespace nonsmooth::paraview {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Kind = SceneGeometry::Kind;

constexpr double kPi = std::numbers::pi;

/// A point of the outline of what is turned about z, and the normal there: (radius, height) both.
struct Rim {
  Vector2d at, normal;
};

class Maker {
 public:
  explicit Maker(const Fineness& fineness) : fineness_(fineness) {}

  Tessellated finish() { return std::move(made_); }

  std::int32_t add(const Vector3d& point, const Vector3d& normal) {
    made_.points.push_back(point);
    made_.normals.push_back(normal);
    return static_cast<std::int32_t>(made_.points.size() - 1);
  }

  /// A convex polygon, counterclockwise about `normal`.
  void face(std::span<const Vector3d> corners, const Vector3d& normal) {
    const auto first = static_cast<std::int32_t>(made_.points.size());
    for (const Vector3d& corner : corners) add(corner, normal);
    for (std::int32_t k = 2; k < static_cast<std::int32_t>(corners.size()); ++k) {
      made_.triangles.push_back({first, first + k - 1, first + k});
    }
  }

  void polyline(std::span<const Vector3d> points, const Vector3d& normal) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      const std::int32_t here = add(points[k], normal);
      if (k > 0) made_.lines.push_back({here - 1, here});
    }
  }

  /// The surface that an outline makes about z, the outline going upwards outside: (r, z) from rim to rim.
  void turn(std::span<const Rim> outline) {
    const auto around = static_cast<std::int32_t>(fineness_.around);
    const auto first = static_cast<std::int32_t>(made_.points.size());
    for (const Rim& rim : outline) {
      for (std::int32_t k = 0; k < around; ++k) {
        const double angle = 2.0 * kPi * k / around, c = std::cos(angle), s = std::sin(angle);
        add({rim.at.x() * c, rim.at.x() * s, rim.at.y()}, {rim.normal.x() * c, rim.normal.x() * s, rim.normal.y()});
      }
    }
    for (std::int32_t row = 0; row + 1 < static_cast<std::int32_t>(outline.size()); ++row) {
      const std::int32_t low = first + row * around, high = low + around;
      const bool opens = outline[static_cast<std::size_t>(row)].at.x() > 0.0;
      const bool closes = outline[static_cast<std::size_t>(row) + 1].at.x() > 0.0;
      for (std::int32_t k = 0; k < around; ++k) {
        const std::int32_t next = (k + 1) % around;
        if (opens) made_.triangles.push_back({low + k, low + next, high + next});
        if (closes) made_.triangles.push_back({low + k, high + next, high + k});
      }
    }
  }

  /// A sphere cut at its middle, whose halves are `half` away from it; half = 0: a sphere.
  void capsule(double radius, double half) {
    const Index parts = std::max<Index>(2, (fineness_.around + 3) / 4);  // of a quarter
    std::vector<Rim> outline;
    for (Index k = -parts; k <= parts; ++k) {
      const double angle = 0.5 * kPi * static_cast<double>(k) / static_cast<double>(parts);
      const Vector2d normal(std::abs(k) == parts ? 0.0 : std::cos(angle), std::sin(angle));
      if (k <= 0) outline.push_back({radius * normal - Vector2d(0.0, half), normal});
      if (k > 0 || (k == 0 && half > 0.0)) outline.push_back({radius * normal + Vector2d(0.0, half), normal});
    }
    turn(outline);
  }

  /// A cylinder or cone from z = low to high, with ends.
  void frustum(double radius, double top, double low, double high) {
    const Vector2d outwards = Vector2d(high - low, radius - top).normalized(), down(0.0, -1.0), up(0.0, 1.0);
    turn(std::array{Rim{{0.0, low}, down}, Rim{{radius, low}, down}});
    turn(std::array{Rim{{radius, low}, outwards}, Rim{{top, high}, outwards}});
    if (top > 0.0) turn(std::array{Rim{{top, high}, up}, Rim{{0.0, high}, up}});
  }

  void box(const Vector3d& half) {
    for (Index axis = 0; axis < 3; ++axis) {
      for (const double side : {-1.0, 1.0}) {
        const Vector3d normal = side * Vector3d::Unit(axis), u = Vector3d::Unit((axis + 1) % 3), w = normal.cross(u);
        const auto corner = [&](double a, double b) -> Vector3d { return (normal + a * u + b * w).cwiseProduct(half); };
        face(std::array{corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)}, normal);
      }
    }
  }

  void mesh(const SceneGeometry& geometry) {
    for (const auto& triangle : geometry.triangles) {
      std::array<Vector3d, 3> corners;
      for (std::size_t k = 0; k < 3; ++k) corners[k] = geometry.points[static_cast<std::size_t>(triangle[k])];
      const Vector3d normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
      if (normal.norm() > 0.0) face(corners, normal.normalized());
    }
  }

  void mark() {
    const double tip = fineness_.mark;
    for (const double x : {-tip, tip}) {
      for (const double y : {-tip, tip}) {
        for (const double z : {-tip, tip}) {
          const bool turned = x * y * z < 0.0;
          const Vector3d a(x, 0, 0), b = turned ? Vector3d(0, 0, z) : Vector3d(0, y, 0),
                                     c = turned ? Vector3d(0, y, 0) : Vector3d(0, 0, z);
          face(std::array{a, b, c}, Vector3d(x, y, z).normalized());
        }
      }
    }
  }

  /// A square of the plane normal . x = offset about the point of it that is next to the middle.
  void half_space(const Vector3d& normal, double offset) {
    const Vector3d about = fineness_.middle - (normal.dot(fineness_.middle) - offset) * normal;
    const Vector3d u = normal.unitOrthogonal() * fineness_.reach, w = normal.cross(u);
    face(std::array<Vector3d, 4>{about - u - w, about + u - w, about + u + w, about - u + w}, normal);
  }
  void half_plane(const Vector3d& normal, double offset) {
    const Vector3d about = fineness_.middle - (normal.dot(fineness_.middle) - offset) * normal;
    const Vector3d along = fineness_.reach * Vector3d(normal.y(), -normal.x(), 0.0);
    polyline(std::array<Vector3d, 2>{about - along, about + along}, normal);
  }

  /// What is within `rounding` of a convex polygon of the plane, or of a segment.
  void rounded(const std::vector<Vector3d>& points, double rounding) {
    std::vector<Vector3d> outline;
    const std::size_t n = points.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (!(rounding > 0.0)) {
        outline.push_back(points[i]);
        continue;
      }
      const Vector3d before = points[i] - points[(i + n - 1) % n], behind = points[(i + 1) % n] - points[i];
      const double from = std::atan2(-before.x(), before.y());
      double to = std::atan2(-behind.x(), behind.y());
      while (to < from) to += 2.0 * kPi;
      const double share = (to - from) / (2.0 * kPi);
      const Index parts = std::max<Index>(1, std::lround(share * static_cast<double>(fineness_.around)));
      for (Index k = 0; k <= parts; ++k) {
        const double angle = from + (to - from) * static_cast<double>(k) / static_cast<double>(parts);
        outline.push_back(points[i] + rounding * Vector3d(std::cos(angle), std::sin(angle), 0.0));
      }
    }
    face(outline, Vector3d::UnitZ());
  }

  /// With a line from the middle to the rim, so that one sees it turn.
  void disk(double radius) {
    std::vector<Vector3d> outline;
    for (Index k = 0; k < fineness_.around; ++k) {
      const double angle = 2.0 * kPi * static_cast<double>(k) / static_cast<double>(fineness_.around);
      outline.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0.0);
    }
    face(outline, Vector3d::UnitZ());
    polyline(std::array<Vector3d, 2>{Vector3d::Zero(), outline.front()}, Vector3d::UnitZ());
  }

 private:
  const Fineness& fineness_;
  Tessellated made_;
};

}  // namespace

Tessellated tessellated(const SceneGeometry& geometry, const Fineness& fineness) {
  Maker maker(fineness);
  const std::array<double, 4>& n = geometry.numbers;
  switch (geometry.kind) {
    case Kind::Mark:
      maker.mark();
      break;
    case Kind::Sphere:
      maker.capsule(n[0], 0.0);
      break;
    case Kind::Box:
      maker.box({n[0], n[1], n[2]});
      break;
    case Kind::Capsule:
      maker.capsule(n[0], n[1]);
      break;
    case Kind::Cylinder:
      maker.frustum(n[0], n[0], -n[1], n[1]);
      break;
    case Kind::Cone:
      maker.frustum(n[0], n[2], 0.0, n[1]);
      break;
    case Kind::HalfSpace:
      maker.half_space({n[0], n[1], n[2]}, n[3]);
      break;
    case Kind::Mesh:
      maker.mesh(geometry);
      break;
    case Kind::Disk:
      maker.disk(n[0]);
      break;
    case Kind::Polygon:
      maker.rounded(geometry.points, n[0]);
      break;
    case Kind::Segment:
      if (n[0] > 0.0)
        maker.rounded(geometry.points, n[0]);
      else
        maker.polyline(geometry.points, Vector3d::UnitZ());
      break;
    case Kind::HalfPlane:
      maker.half_plane({n[0], n[1], 0.0}, n[2]);
      break;
    case Kind::HeightLine:
      maker.polyline(geometry.points, Vector3d::UnitZ());
      break;
  }
  return maker.finish();
}

}  // namespace nonsmooth::paraview
