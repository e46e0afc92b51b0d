// SPDX-License-Identifier: Apache-2.0
// Shapes in space as what contacts are found between.
#include "in_space.hpp"

#include <internal/check.hpp>

#include "model/bodies/rotation.hpp"

namespace nonsmooth {

void InSpace::place(const ShapeOnBody& shape, ShapePart<InSpace>& part) {
  check::finite("ShapeOnBody::position", ConstVectorRef(shape.position));
  part.turn = turn_of(shape.orientation.data(), rotation::kUnitTolerance, "ShapeOnBody::orientation");
  part.position = shape.position;
  check::finite("ShapeOnBody::grain", ConstVectorRef(shape.grain));
  part.skin = {.grain = part.turn * shape.grain, .velocity = shape.surface_velocity, .spin = shape.surface_spin};
}

void InSpace::share(std::vector<ShapePart<InSpace>>& parts) {
  const RoundedHull* before = nullptr;
  for (ShapePart<InSpace>& part : parts) {
    auto* const own = std::get_if<RoundedHull>(&part.geometry);
    if (before && own && before->hull->vertices == own->hull->vertices) own->hull = before->hull;
    before = own;
  }
}

}  // namespace nonsmooth
