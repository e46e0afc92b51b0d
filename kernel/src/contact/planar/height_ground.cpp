// SPDX-License-Identifier: Apache-2.0
#include "height_ground.hpp"

#include <algorithm>
#include <vector>

#include "in_plane.hpp"

namespace nonsmooth {

using Eigen::Vector2d;

void make_part(const HeightLine& line, ShapePart<InPlane>& part) {
  part.require_ground("a height line");
  std::vector<Vector2d> points = line.points;
  for (Vector2d& point : points) point += part.position;
  part.geometry = HeightGround{std::make_shared<const planar::HeightProfile>(points)};
  for (const Vector2d& point : points) part.farthest = std::max(part.farthest, point.norm());
}

void meet(const RoundedPolygon& first, const HeightGround& second, ShapeSearch<InPlane>& at) {
  const planar::PlacedPolygon& placed = at.work.place_first(first, at);
  const planar::PlanarMotion motion{at.velocity().head<2>(), at.velocity()[2], at.lever(), at.horizon()};
  second.line->find_contacts(placed, at.centre(), motion, at.reach(),
                             [&at](Index piece, const planar::PatchPoint& point) { at.add(point, piece); });
}

}  // namespace nonsmooth
