// SPDX-License-Identifier: Apache-2.0
#include "rounded_polygon.hpp"

#include <utility>
#include <vector>

#include "contact/shape_checks.hpp"
#include "in_plane.hpp"

namespace nonsmooth {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

/// `polygon`: in the axes of the body.
void take(planar::Polygon polygon, double radius, ShapePart<InPlane>& part) {
  part.position.setZero();
  part.turn.setIdentity();
  part.enclose(polygon.middle, polygon.size + radius);
  part.geometry = RoundedPolygon{std::move(polygon), radius};
}
Vector2d on_body(const Vector2d& point, const ShapePart<InPlane>& part) { return part.position + part.turn * point; }

}  // namespace

void make_part(const Disk& disk, ShapePart<InPlane>& part) {
  shape_checks::validate(disk);
  take(planar::point(part.position), disk.radius, part);
}
void make_part(const ConvexPolygon& polygon, ShapePart<InPlane>& part) {
  std::vector<Vector2d> vertices = polygon.vertices;
  for (Vector2d& vertex : vertices) vertex = on_body(vertex, part);
  take(planar::convex_polygon(vertices), shape_checks::rounding_of("ConvexPolygon::rounding", polygon.rounding), part);
}
void make_part(const PlanarSegment& segment, ShapePart<InPlane>& part) {
  take(planar::segment(on_body(segment.from, part), on_body(segment.to, part)),
       shape_checks::rounding_of("PlanarSegment::rounding", segment.rounding), part);
}

void meet(const RoundedPolygon& first, const RoundedPolygon& second, ShapeSearch<InPlane>& at) {
  const planar::PlacedPolygon& placed = at.work.place_first(first, at);
  at.work.second.place(second.polygon, second.radius, at.turn_of_second(), at.between());
  planar::find_contacts(placed, at.work.second, at.reach(), at.work.patch);
  for (const planar::PatchPoint& point : at.work.patch) at.add(point);
}

}  // namespace nonsmooth
