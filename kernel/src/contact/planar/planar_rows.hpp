// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::planar {

/// Rows (N, T, R) of u for a body whose contact point lies at (ax, ay) from its centre, normal (nx, ny) towards it,
/// tangent (ny, -nx): u = n·(v + w x a), t·(v + w x a), w, times `sign`.
using Rows = std::array<double, 9>;
inline Rows rows_of(double nx, double ny, double ax, double ay, double sign) {
  const double tx = ny, ty = -nx;
  return {sign * nx, sign * ny, sign * (ax * ny - ay * nx), sign * tx, sign * ty, sign * (ax * ty - ay * tx), 0.0,
          0.0,       sign};
}

/// What is wrong with a law of so many rows for contacts in the plane; nullptr: nothing.
inline const char* refused_law(Index rows, bool rolling) {
  if (rows <= 2 || (rows == 3 && rolling)) return nullptr;
  return "one of 1 row (N), of 2 (N, T), or of 3 with rolling friction (N, T, R)";
}

}  // namespace nonsmooth::planar
