// SPDX-License-Identifier: Apache-2.0
#include "frustum_solid.hpp"

#include <utility>

#include "in_space.hpp"

namespace nonsmooth {

using Eigen::Vector3d;

void make_part(const Cylinder& cylinder, ShapePart<InSpace>& part) {
  FrustumSolid solid{narrow_phase::frustum_of(cylinder)};
  part.enclose(Vector3d::Zero(), solid.frustum->size);
  part.geometry = std::move(solid);
}
void make_part(const Cone& cone, ShapePart<InSpace>& part) {
  FrustumSolid solid{narrow_phase::frustum_of(cone)};
  part.enclose(0.5 * cone.height * Vector3d::UnitZ(), solid.frustum->size);
  part.geometry = std::move(solid);
}

void meet(const FrustumSolid& first, const FrustumSolid& second, ShapeSearch<InSpace>& at) {
  find_contacts(first.placed(at.turn(), Vector3d::Zero()), second.placed(at.turn_of_second(), at.between()), at.reach(),
                at.work.patch);
  for (const narrow_phase::PatchPoint& point : at.work.patch) at.add(point);
}
void meet(const FrustumSolid& first, const RoundedHull& second, ShapeSearch<InSpace>& at) {
  at.work.second.place(*second.hull, second.radius, at.turn_of_second(), at.between());
  find_contacts(first.placed(at.turn(), Vector3d::Zero()), at.work.second, at.reach(), at.work.patch);
  for (const narrow_phase::PatchPoint& point : at.work.patch) at.add(point);
}
void meet(const RoundedHull& first, const FrustumSolid& second, ShapeSearch<InSpace>& at) {
  const narrow_phase::PlacedHull& placed = at.work.place_first(first, at);
  find_contacts(second.placed(at.turn_of_second(), at.between()), placed, at.reach(), at.work.patch);
  for (narrow_phase::PatchPoint point : at.work.patch) {
    point.normal = -point.normal;
    std::swap(point.on_first, point.on_second);
    at.add(point);
  }
}

}  // namespace nonsmooth
