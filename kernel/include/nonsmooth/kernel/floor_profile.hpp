// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A floor y = height(x) with its first two derivatives. Disks stay above it; a disk touches it in one point as long as
/// its radius is below the smallest radius of curvature of the valleys.
struct FloorProfile {
  std::function<double(double x)> height{};     ///< [m]; none: no floor
  std::function<double(double x)> slope{};      ///< d height / dx [-]
  std::function<double(double x)> curvature{};  ///< d^2 height / dx^2 [1/m]
  /// No point of the floor is above this [m]; disks farther up are not looked at. Default: not known.
  double highest = std::numeric_limits<double>::infinity();
  Index material = 0;  ///< in ContactMaterials, where disks have materials
  /// A conveyor: how fast the floor's material moves along the tangent (1, slope) at x and t, turning with it where the
  /// floor is curved [m/s]; none: it rests.
  std::function<double(double x, double t)> surface_velocity{};
};

}  // namespace nonsmooth
