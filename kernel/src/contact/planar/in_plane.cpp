// SPDX-License-Identifier: Apache-2.0
// Shapes in the plane as what contacts are found between.
#include "in_plane.hpp"

#include <internal/check.hpp>

namespace nonsmooth {

void InPlane::place(const PlanarShapeOnBody& shape, ShapePart<InPlane>& part) {
  check::finite("PlanarShapeOnBody::position", ConstVectorRef(shape.position));
  check::finite("PlanarShapeOnBody::angle", shape.angle);
  if (std::holds_alternative<HeightLine>(shape.shape) && shape.angle != 0.0)
    throw InvalidArgument("PlanarShapeOnBody::angle", check::text(shape.angle) + " of a height line", "0");
  part.position = shape.position;
  part.turn = turn_by(shape.angle);
  part.skin = {.velocity = shape.surface_velocity, .spin = shape.surface_spin};
}

}  // namespace nonsmooth
