// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/model.hpp>

#include "body_in_plane.hpp"

namespace nonsmooth {

/// What the coordinates of a system are to somebody who looks for it in space.
enum class BodyKind : unsigned char {
  None,
  InSpace,     ///< position and quaternion; velocity and angular velocity in its own axes
  InPlane,     ///< (x, y, angle)
  ThreeRates,  ///< of a linear system: (x, y, angle) or (x, y, z), by what a normal has
  Point,       ///< of a linear system: (x, y) or (x)
};

[[nodiscard]] inline BodyKind body_kind_of(const NonSmoothDynamicalSystem::System& system) {
  if (!system.mechanical) return BodyKind::None;
  if (system.nq == 7 && system.n == 6) return BodyKind::InSpace;
  if (dynamic_cast<const BodyInPlane*>(system.mechanical)) return BodyKind::InPlane;
  if (!system.linear_mechanical() || system.nq != system.n || system.n > 3) return BodyKind::None;
  return system.n == 3 ? BodyKind::ThreeRates : BodyKind::Point;
}

}  // namespace nonsmooth
