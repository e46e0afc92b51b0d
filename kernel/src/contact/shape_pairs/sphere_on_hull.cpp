// SPDX-License-Identifier: Apache-2.0
#include "sphere_on_hull.hpp"

#include <limits>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/kernel/relations/shape_pairs.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace shape_pairs {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// The point of a polyhedron next to x, and how it follows x: by `freedom` times the velocity of x.
struct PointOfHull {
  Vector3d point;
  Matrix3d freedom;
  const Hull::Face* face = nullptr;  ///< that it is inside of; null: on an edge or at a vertex
};

PointOfHull on_face(const Hull::Face& face, const Vector3d& x, double height) {
  return {x - height * face.normal, Matrix3d::Identity() - face.normal * face.normal.transpose(), &face};
}

bool is_over(const Hull& hull, const Hull::Face& face, const Vector3d& x) {
  for (Index i = 0; i < face.count; ++i) {
    const auto corner = [&](Index c) -> const Vector3d& {
      const Index vertex = hull.corners[static_cast<std::size_t>(face.begin + c % face.count)];
      return hull.vertices[static_cast<std::size_t>(vertex)];
    };
    const Vector3d side = corner(i + 1) - corner(i);
    if (face.normal.dot(rotation::cross(side, x - corner(i))) < 0.0) return false;
  }
  return true;
}

PointOfHull closest_point(const Hull& hull, const Vector3d& x) {
  const Hull::Face* highest = nullptr;
  double top = -std::numeric_limits<double>::infinity();
  for (const Hull::Face& face : hull.faces) {
    const double height = face.normal.dot(x - hull.middle) - face.offset;
    if (height > 0.0 && is_over(hull, face, x)) return on_face(face, x, height);
    if (height > top) top = height, highest = &face;
  }
  if (top <= 0.0) return on_face(*highest, x, top);  // inside
  PointOfHull closest;
  double least = std::numeric_limits<double>::infinity();
  for (const Hull::Edge& edge : hull.edges) {
    const Vector3d& from = hull.vertices[static_cast<std::size_t>(edge.from)];
    const Vector3d along = hull.vertices[static_cast<std::size_t>(edge.to)] - from;
    const double s = std::clamp(along.dot(x - from) / along.squaredNorm(), 0.0, 1.0);
    const Vector3d point = from + s * along;
    const double distance = (x - point).squaredNorm();
    if (distance >= least) continue;
    least = distance;
    closest.point = point;
    closest.freedom.setZero();
    if (s > 0.0 && s < 1.0) closest.freedom = along * along.transpose() / along.squaredNorm();
  }
  return closest;
}

}  // namespace

Nearest SphereOnHull::operator()(const SpaceBodies& bodies) const {
  const Moving c = moving(bodies.point(0, center));
  const Matrix3d axes = bodies.axes(1) * turn;
  const Vector3d place = bodies.point(1, origin).value;
  const PointOfHull at = closest_point(*hull, axes.transpose() * (c.value - place));
  const Vector3d carried = c.rate - bodies.carried(1, c.value, Vector3d::Zero()).rate;  // as the hull sees it
  Moving point = moving(bodies.point(1, origin + turn * at.point));
  point.rate += axes * (at.freedom * (axes.transpose() * carried));
  Nearest result;
  double distance = 0.0;
  if (at.face != nullptr) {
    result.normal = moving(bodies.direction(1, turn * at.face->normal));
    distance = result.normal.value.dot(c.value - point.value);
  } else {
    result.normal = unit_of({c.value - point.value, c.rate - point.rate}, distance);
  }
  result.gap = distance - radius;
  result.on_first = shifted(c, -radius, result.normal);
  result.on_second = point;
  return result;
}

}  // namespace shape_pairs

std::shared_ptr<const MechanicalRelation> make_relation(SphereOnPolyhedron pair) {
  check::finite("SphereOnPolyhedron::sphere.center", ConstVectorRef(pair.sphere.center));
  check::positive("SphereOnPolyhedron::sphere.radius", pair.sphere.radius);
  check::finite("SphereOnPolyhedron::position", ConstVectorRef(pair.position));
  const double length = pair.orientation.norm();
  if (!(std::abs(length - 1.0) <= rotation::kUnitTolerance)) {
    throw InvalidArgument("SphereOnPolyhedron::orientation", "a quaternion of norm " + check::text(length),
                          "a unit quaternion (w, x, y, z)");
  }
  if (pair.rows != 1 && pair.rows != 3)
    throw InvalidArgument("SphereOnPolyhedron::rows", std::to_string(pair.rows), "1 (N) or 3 (N, T1, T2)");
  std::shared_ptr<const Hull> hull;
  if (const auto* box = std::get_if<Box>(&pair.polyhedron)) {
    for (const double extent : box->half_extents)
      check::positive("SphereOnPolyhedron::polyhedron: Box::half_extents", extent);
    hull = narrow_phase::box_hull(box->half_extents);
  } else {
    hull = std::get<ConvexPolyhedron>(pair.polyhedron).hull();
  }
  return std::make_shared<const shape_pairs::ContactRelation<shape_pairs::SphereOnHull, joints::SpaceBodies>>(
      shape_pairs::SphereOnHull{pair.sphere.center, pair.sphere.radius, std::move(hull), pair.position,
                                rotation::matrix_of_any_length(pair.orientation)},
      pair.rows);
}

}  // namespace nonsmooth
