// SPDX-License-Identifier: Apache-2.0
// Shapes in the plane as what contacts are found between.
#include "planar_parts.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "contact/shape_checks.hpp"

namespace nonsmooth {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

Matrix2d planar_turn(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return Matrix2d{{c, -s}, {s, c}};
}

}  // namespace

PlanarContacts::Shapes::Part PlanarContacts::Shapes::part_of(const PlanarShapeOnBody& shape, Index body, Index place) {
  check::finite("PlanarShapeOnBody::position", ConstVectorRef(shape.position));
  check::finite("PlanarShapeOnBody::angle", shape.angle);
  Part part;
  part.body = body;
  part.place = place;
  part.material = shape.material;
  part.groups = shape.groups;
  part.mask = shape.mask;
  part.surface_velocity = shape.surface_velocity;
  part.surface_spin = shape.surface_spin;

  const Matrix2d turn = planar_turn(shape.angle);
  const auto on_body = [&](const Vector2d& point) { return Vector2d(shape.position + turn * point); };
  const auto refuse_on_body = [body](const char* what) {
    if (body >= 0) throw InvalidArgument("PlanarBodyShapes::shapes", what, "shapes that are bounded");
  };
  if (const auto* disk = std::get_if<Disk>(&shape.shape)) {
    shape_checks::validate(*disk);
    part.polygon = planar::point(shape.position);
    part.radius = disk->radius;
  } else if (const auto* polygon = std::get_if<ConvexPolygon>(&shape.shape)) {
    std::vector<Vector2d> vertices = polygon->vertices;
    for (Vector2d& vertex : vertices) vertex = on_body(vertex);
    part.polygon = planar::convex_polygon(vertices);
    part.radius = shape_checks::rounding_of("ConvexPolygon::rounding", polygon->rounding);
  } else if (const auto* segment = std::get_if<PlanarSegment>(&shape.shape)) {
    part.polygon = planar::segment(on_body(segment->from), on_body(segment->to));
    part.radius = shape_checks::rounding_of("PlanarSegment::rounding", segment->rounding);
  } else if (const auto* half_plane = std::get_if<HalfPlane>(&shape.shape)) {
    check::finite("HalfPlane::normal", ConstVectorRef(half_plane->normal));
    check::positive("HalfPlane::normal: length", half_plane->normal.norm());
    check::finite("HalfPlane::offset", half_plane->offset);
    refuse_on_body("a half-plane");
    part.plane = turn * half_plane->normal.normalized();
    part.offset = half_plane->offset + part.plane->dot(shape.position);
    part.farthest = std::abs(part.offset);
    return part;
  } else {
    refuse_on_body("a height line");
    if (shape.angle != 0.0)
      throw InvalidArgument("PlanarShapeOnBody::angle", check::text(shape.angle) + " of a height line", "0");
    std::vector<Vector2d> points = std::get<HeightLine>(shape.shape).points;
    for (Vector2d& point : points) point += shape.position;
    part.line.emplace(points);
    for (const Vector2d& point : points) part.farthest = std::max(part.farthest, point.norm());
    return part;
  }
  part.farthest = part.polygon.middle.norm() + part.polygon.size + part.radius;
  return part;
}

}  // namespace nonsmooth
