// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/mass_properties.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>
#include <vector>

#include <Eigen/LU>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/bodies/rotation.hpp"
#include "narrow_phase/frustum.hpp"
#include "narrow_phase/hull.hpp"
#include "planar/polygon.hpp"
#include "shape_checks.hpp"
#include "turn_of.hpp"

namespace nonsmooth {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

/// |d|^2 I - d d^T summed over d d^T, without differences: an entry of the diagonal is the sum of the two others.
Matrix3d about_axes(const Matrix3d& squares) {
  Matrix3d result = -squares;
  for (const Index i : {0, 1, 2}) result(i, i) = squares((i + 1) % 3, (i + 1) % 3) + squares((i + 2) % 3, (i + 2) % 3);
  return result;
}

/// A solid of the density 1: C as in the header.
struct Solid {
  double volume = 0.0;
  Vector3d centre = Vector3d::Zero();
  Matrix3d squares = Matrix3d::Zero();
};

class SolidOf {
 public:
  Solid operator()(const Sphere& sphere) const {
    shape_checks::validate(sphere);
    const double r = sphere.radius;
    return even(4.0 / 3.0 * pi * r * r * r, Vector3d::Constant(0.2 * r * r));
  }
  Solid operator()(const Box& box) const {
    shape_checks::validate(box);
    return even(8.0 * box.half_extents.prod(), box.half_extents.cwiseAbs2() / 3.0);
  }
  Solid operator()(const Capsule& capsule) const {
    shape_checks::validate(capsule);
    const double r = capsule.radius, l = capsule.half_length;
    const double whole = 2.0 * l + 4.0 / 3.0 * r, cylinder = 2.0 * l / whole, sphere = 4.0 / 3.0 * r / whole;
    const double across = r * r * (0.25 * cylinder + 0.2 * sphere);
    const double along = cylinder * l * l / 3.0 + sphere * (0.2 * r * r + 0.75 * l * r + l * l);
    return even(pi * r * r * whole, {across, across, along});
  }
  Solid operator()(const Cylinder& cylinder) const { return between_circles(*narrow_phase::frustum_of(cylinder)); }
  Solid operator()(const Cone& cone) const {
    Solid solid = between_circles(*narrow_phase::frustum_of(cone));
    solid.centre.z() += 0.5 * cone.height;
    return solid;
  }
  Solid operator()(const ConvexPolyhedron& polyhedron) const;
  Solid operator()(const HalfSpace&) const { return refuse("a half-space"); }
  Solid operator()(const TriangleMesh&) const { return refuse("a triangle mesh"); }
  Solid operator()(const HeightField&) const { return refuse("a height field"); }

 private:
  static Solid even(double volume, const Vector3d& squares) {
    return {volume, Vector3d::Zero(), Matrix3d(squares.asDiagonal())};
  }
  /// About its middle; radii in units of the larger one.
  static Solid between_circles(const Frustum& frustum) {
    const double unit = std::max(frustum.radii[0], frustum.radii[1]), half = frustum.half;
    const double a = frustum.radii[0] / unit, b = frustum.radii[1] / unit, aa = a * a, ab = a * b, bb = b * b;
    const double q = aa + ab + bb;
    const double across = 3.0 * (aa * aa + aa * ab + ab * ab + ab * bb + bb * bb) / (20.0 * q) * unit * unit;
    const double along =
        3.0 * (aa * aa + 4.0 * aa * ab + 10.0 * ab * ab + 4.0 * ab * bb + bb * bb) / (20.0 * q * q) * half * half;
    Solid solid = even(2.0 / 3.0 * pi * half * q * unit * unit, {across, across, along});
    solid.centre.z() = half * (bb - aa) / (2.0 * q);  // from the middle: h (a^2 + 2 a b + 3 b^2) / (4 Q) - h / 2
    return solid;
  }
  static Solid refuse(const char* found) {
    throw InvalidArgument("MassProperties: shape", found, "a bounded solid, as bodies have it");
  }
};

Solid SolidOf::operator()(const ConvexPolyhedron& polyhedron) const {
  const auto& vertices = polyhedron.vertices();
  const double size = polyhedron.hull()->size;
  Vector3d inside = Vector3d::Zero();
  for (const Vector3d& vertex : vertices) inside += vertex / static_cast<double>(vertices.size());
  const auto from_inside = [&](Index v) { return Vector3d((vertices[static_cast<std::size_t>(v)] - inside) / size); };
  double volume = 0.0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();
  for (const std::vector<Index>& face : polyhedron.faces()) {
    const Vector3d tip = from_inside(face.front());
    for (std::size_t c = 2; c < face.size(); ++c) {
      const Vector3d one = from_inside(face[c - 1]), other = from_inside(face[c]), sum = tip + one + other;
      const double part = tip.dot(one.cross(other)) / 6.0;
      volume += part;
      first += part / 4.0 * sum;
      second += part / 20.0 *
                (tip * tip.transpose() + one * one.transpose() + other * other.transpose() + sum * sum.transpose());
    }
  }
  const Vector3d centre = first / volume;
  return {volume * size * size * size, inside + size * centre,
          (second / volume - centre * centre.transpose()) * (size * size)};
}

MassProperties properties_of(const Solid& solid, double mass) {
  return {mass, solid.centre, mass * about_axes(solid.squares)};
}

/// An area of the density 1, or a rod: `squares` is the mean of |x - c|^2.
struct Area {
  double area = 0.0;
  Vector2d centre = Vector2d::Zero();
  double squares = 0.0;
};

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

class AreaOf {
 public:
  Area operator()(const Disk& disk) const {
    shape_checks::validate(disk);
    return {pi * disk.radius * disk.radius, Vector2d::Zero(), 0.5 * disk.radius * disk.radius};
  }
  Area operator()(const ConvexPolygon& polygon) const {
    return within(planar::convex_polygon(polygon.vertices),
                  shape_checks::rounding_of("ConvexPolygon::rounding", polygon.rounding));
  }
  Area operator()(const PlanarSegment& segment) const {
    const planar::Polygon line = planar::segment(segment.from, segment.to);
    const double rounding = shape_checks::rounding_of("PlanarSegment::rounding", segment.rounding);
    if (rounding > 0.0) return within(line, rounding);
    return {0.0, line.middle, (segment.to - segment.from).squaredNorm() / 12.0};
  }
  Area operator()(const HalfPlane&) const { return refuse("a half-plane"); }
  Area operator()(const HeightLine&) const { return refuse("a height line"); }

 private:
  static Area refuse(const char* found) {
    throw InvalidArgument("PlanarMassProperties: shape", found, "a bounded shape, as bodies have it");
  }
  /// All points within a radius r.
  static Area within(const planar::Polygon& polygon, double r);
};

Area AreaOf::within(const planar::Polygon& polygon, double r) {
  double area = 0.0, squares = 0.0;
  Vector2d first = Vector2d::Zero();
  const std::size_t count = polygon.vertices.size();
  for (std::size_t v = 0; v < count; ++v) {
    const Vector2d &p = polygon.vertices[v], &q = polygon.vertices[(v + 1) % count], &out = polygon.normals[v];
    const Vector2d& before = polygon.normals[(v + count - 1) % count];
    const double k = cross(p, q), length = (q - p).norm(), rectangle = length * r;
    const Vector2d middle = 0.5 * (p + q + r * out);
    area += 0.5 * k + rectangle;
    first += k / 6.0 * (p + q) + rectangle * middle;
    squares += k / 12.0 * (p.squaredNorm() + p.dot(q) + q.squaredNorm()) +
               rectangle * (middle.squaredNorm() + (length * length + r * r) / 12.0);
    // The directions of the sector: the integral of (cos, sin) from one normal to the next.
    const double sector = 0.5 * r * r * std::atan2(std::abs(cross(before, out)), before.dot(out));
    const Vector2d turned = r * r * r / 3.0 * Vector2d(out.y() - before.y(), before.x() - out.x());
    area += sector;
    first += sector * p + turned;
    squares += sector * (p.squaredNorm() + 0.5 * r * r) + 2.0 * p.dot(turned);
  }
  const Vector2d centre = first / area;
  return {area, polygon.middle + centre, squares / area - centre.squaredNorm()};
}

}  // namespace

MassProperties MassProperties::of_mass(const Shape& shape, double mass) {
  check::positive("MassProperties::of_mass: mass", mass);
  return properties_of(std::visit(SolidOf{}, shape), mass);
}

MassProperties MassProperties::of_density(const Shape& shape, double density) {
  check::positive("MassProperties::of_density: density", density);
  const Solid solid = std::visit(SolidOf{}, shape);
  return properties_of(solid, density * solid.volume);
}

MassProperties MassProperties::placed(const Vector3d& position, const Eigen::Vector4d& orientation) const {
  check::finite("MassProperties::placed: position", ConstVectorRef(position));
  const Matrix3d turn = turn_of(orientation.data(), rotation::kUnitTolerance, "MassProperties::placed: orientation");
  return {mass, position + turn * centre, turn * inertia * turn.transpose()};
}

Matrix3d MassProperties::inertia_about(const Vector3d& point) const {
  const Vector3d d = point - centre;
  return inertia + mass * about_axes(d * d.transpose());
}

MassProperties& MassProperties::operator+=(const MassProperties& other) {
  const double sum = mass + other.mass;
  if (!(sum > 0.0)) return *this;  // two nothings
  const Vector3d d = other.centre - centre;
  inertia += other.inertia + mass * (other.mass / sum) * about_axes(d * d.transpose());
  centre += other.mass / sum * d;
  mass = sum;
  return *this;
}

PlanarMassProperties PlanarMassProperties::of_mass(const PlanarShape& shape, double mass) {
  check::positive("PlanarMassProperties::of_mass: mass", mass);
  const Area area = std::visit(AreaOf{}, shape);
  return {mass, area.centre, mass * area.squares};
}

PlanarMassProperties PlanarMassProperties::of_density(const PlanarShape& shape, double density) {
  check::positive("PlanarMassProperties::of_density: density", density);
  const Area area = std::visit(AreaOf{}, shape);
  if (!(area.area > 0.0))
    throw InvalidArgument("PlanarMassProperties: shape", "a segment without rounding", "a shape that has an area");
  return {density * area.area, area.centre, density * area.area * area.squares};
}

PlanarMassProperties PlanarMassProperties::placed(const Vector2d& position, double angle) const {
  check::finite("PlanarMassProperties::placed: position", ConstVectorRef(position));
  check::finite("PlanarMassProperties::placed: angle", angle);
  const double c = std::cos(angle), s = std::sin(angle);
  return {mass, position + Vector2d(c * centre.x() - s * centre.y(), s * centre.x() + c * centre.y()), inertia};
}

double PlanarMassProperties::inertia_about(const Vector2d& point) const {
  return inertia + mass * (point - centre).squaredNorm();
}

PlanarMassProperties& PlanarMassProperties::operator+=(const PlanarMassProperties& other) {
  const double sum = mass + other.mass;
  if (!(sum > 0.0)) return *this;  // two nothings
  const Vector2d d = other.centre - centre;
  inertia += other.inertia + mass * (other.mass / sum) * d.squaredNorm();
  centre += other.mass / sum * d;
  mass = sum;
  return *this;
}

}  // namespace nonsmooth
