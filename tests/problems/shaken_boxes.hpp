// SPDX-License-Identifier: Apache-2.0
// Bodies in a box that is shaken for ever: contacts come and go, a little different each time.
#pragma once

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth::problems {

/// A box, 0.2 m wide and high inside, that moves by 0.02 m sin(10 pi t) upwards and half as much sideways, up to twice
/// as fast as bodies fall; inside move `count` bodies of some 15 mm, e = 0.5 and mu = 0.3, g = 9.81 m/s^2.
struct ShakenBox {
  static constexpr double half_width = 0.1, step = 1e-3;  // [m], [s]
};

/// In the plane: every third body is a square with rounded corners, the others are disks. Some 12 bodies fill a third.
[[nodiscard]] NonSmoothDynamicalSystem shaken_disks(Index count = 12);
/// In space: spheres, capsules and cubes in turn, in a box 0.1 m deep.
[[nodiscard]] NonSmoothDynamicalSystem shaken_bodies(Index count = 12);

}  // namespace nonsmooth::problems
