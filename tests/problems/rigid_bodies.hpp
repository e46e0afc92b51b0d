// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rigid bodies with their joints, as the reference trajectories of an independent code state them
// (docs/validation.md). SI units throughout.

#include <problems/models.hpp>

namespace nonsmooth::problems {

/// A body of 1 kg, J = [0.1 0.1 0; 0.1 1 0; 0 0 1] kg m^2, flies at 100 m/s and spins at 100 rad/s about an axis that
/// is no principal one, g = 9.81 m/s^2: theta = 1, a radian a step.
Model free_body();

/// The same body without spin on a ball joint, 0.5 m from its centre: its velocity of 100 m/s is not the joint's, so
/// that the first step is an impact. theta = 1, no projection: the joint drifts apart. `projected`: it does not.
Model body_on_ball_joint(bool projected = false);

/// double_pendulum() (mechanics.hpp) as two disks on rods that hold their centres, so that nothing turns them, beside a
/// half-plane; contacts are found.
Model double_pendulum_of_bodies();

/// slider_crank() (mechanics.hpp) as crank, rod and slider, bodies in the plane on three hinges; the slider is a
/// polygon between two half-planes, whose contacts are found.
Model slider_crank_of_bodies();

}  // namespace nonsmooth::problems
