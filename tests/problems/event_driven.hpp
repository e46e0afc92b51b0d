// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mechanical models whose reference trajectories were made by event-driven simulation. Model::options.step and
// Model::steps are the distance and the number of the times at which such a trajectory has its rows.

#include <problems/models.hpp>

namespace nonsmooth::problems {

/// M vdot = F + H^T lambda, 0 <= q0 ⟂ lambda, u+ = -e u-: a ball of three coordinates (height, lateral, angle), 1 kg,
/// inertia 3/5 m R^2 with R = 0.1 m, g = 9.81 m/s^2, released 1 m above the floor; rows every 5 ms up to 8.5 s.
Model falling_ball(double restitution);

/// Ten balls of steel of radius 5 mm, one upon the other, fall 5 cm onto a wall of the same material: contacts of
/// Liu, Zhao and Brogliato, Hertzian, without loss. Contact 0 is the wall's, i that of balls i - 1 and i; rows every
/// millisecond up to 0.499 s.
Model column_of_steel_balls();

/// A block (x, y, theta) over a floor that two of its corners, rows 0 and 1, may touch, without friction, e = 0.9:
///
///     y_1,2 = y -+ L sin(theta) - B cos(theta),   L = 0.1 m, B = 0.05 m,
///
/// 1 kg and the inertia of sides of 1 m and 0.5 m, g = 9.81 m/s^2, at theta = pi/3 at rest, corner 1 about 0.446 m
/// above the floor; rows every millisecond up to 0.58 s.
Model block_on_two_corners();

}  // namespace nonsmooth::problems
