// SPDX-License-Identifier: Apache-2.0
#include "half_space_ground.hpp"

#include <cmath>

#include <internal/check.hpp>

#include "in_space.hpp"

namespace nonsmooth {
namespace {

/// find(offset): from the centre of the first.
template <class Find>
void meet_plane(const HalfSpaceGround& plane, ShapeSearch<InSpace>& at, Find find) {
  const double height = plane.normal.dot(at.centre()) - plane.offset;
  if (height > at.first().size + at.reach()) return;
  find(-height);
  for (const narrow_phase::PatchPoint& point : at.work.patch) at.add(point);
}

}  // namespace

void make_part(const HalfSpace& half_space, ShapePart<InSpace>& part) {
  check::finite("HalfSpace::normal", ConstVectorRef(half_space.normal));
  check::positive("HalfSpace::normal: length", half_space.normal.norm());
  check::finite("HalfSpace::offset", half_space.offset);
  part.require_ground("a half-space");
  HalfSpaceGround ground{.normal = part.turn * half_space.normal.normalized()};
  ground.offset = half_space.offset + ground.normal.dot(part.position);
  part.farthest = std::abs(ground.offset);
  part.geometry = ground;
}

void meet(const RoundedHull& first, const HalfSpaceGround& second, ShapeSearch<InSpace>& at) {
  meet_plane(second, at, [&](double offset) {
    find_contacts(at.work.place_first(first, at), second.normal, offset, at.reach(), at.work.patch);
  });
}
void meet(const FrustumSolid& first, const HalfSpaceGround& second, ShapeSearch<InSpace>& at) {
  meet_plane(second, at, [&](double offset) {
    find_contacts(first.placed(at.turn(), Eigen::Vector3d::Zero()), second.normal, offset, at.reach(), at.work.patch);
  });
}

}  // namespace nonsmooth
