// SPDX-License-Identifier: Apache-2.0
#include "half_plane_ground.hpp"

#include <cmath>

#include <internal/check.hpp>

#include "in_plane.hpp"

namespace nonsmooth {

void make_part(const HalfPlane& half_plane, ShapePart<InPlane>& part) {
  check::finite("HalfPlane::normal", ConstVectorRef(half_plane.normal));
  check::positive("HalfPlane::normal: length", half_plane.normal.norm());
  check::finite("HalfPlane::offset", half_plane.offset);
  part.require_ground("a half-plane");
  HalfPlaneGround ground{.normal = part.turn * half_plane.normal.normalized()};
  ground.offset = half_plane.offset + ground.normal.dot(part.position);
  part.farthest = std::abs(ground.offset);
  part.geometry = ground;
}

void meet(const RoundedPolygon& first, const HalfPlaneGround& second, ShapeSearch<InPlane>& at) {
  const Eigen::Vector2d& normal = second.normal;
  const double height = normal.dot(at.centre()) - second.offset;
  if (height > at.first().size + at.reach()) return;
  const planar::PlacedPolygon& placed = at.work.place_first(first, at);
  for (Index v = 0; v < placed.num_vertices; ++v) {
    const Eigen::Vector2d& vertex = placed.vertex(v);
    const double above = height + normal.dot(vertex), gap = above - placed.radius;
    if (gap > at.reach()) continue;
    at.add(planar::PatchPoint{normal, vertex - placed.radius * normal, vertex - above * normal, gap,
                              planar::vertex_of_first(v)});
  }
}

}  // namespace nonsmooth
