// SPDX-License-Identifier: Apache-2.0
// Spheres and boxes laid one on others into an open box, floor z = 0 between walls |x| = |y| = w: piles near their rest
// at a cost of O(n), where a pile that is dropped takes a thousand steps to come to it. Deterministic.
#pragma once

#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::problems {

/// Centres of spheres of radius r [m]. Each falls at a place that is drawn and rolls down over those that lie, without
/// inertia or friction, to where nothing near it is lower, two thirds of them on three others or walls, the rest on
/// fewer: p := P(p - s e_z), P out of what it overlaps, until a way s of 1e-6 r goes down by less than a fiftieth of
/// it. What lies stays, so that the pile is not in equilibrium: some of its spheres roll away under the weight of later
/// ones. None overlaps by more than 1e-9 r. Visscher and Bolsterli 1972 roll spheres by closed forms for the same end.
[[nodiscard]] std::vector<Eigen::Vector3d> laid_spheres(Index count, double r, double w);

/// A box with its third axis upright.
struct LaidBox {
  Eigen::Vector3d position;
  double angle = 0.0;  ///< about z [rad]
};

/// Boxes of half extents (a, b, c), a >= b, in walls of bricks along x, each layer a brick shorter than the one below:
/// each lies on two, flat. Joints of 6 mm; each brick is off by up to 1 mm and 0.02 rad, so that no two overlap for a,
/// b
/// <= 0.05 m. In equilibrium. @throws InvalidArgument where less than two bricks go along x, or none along y, or walls
/// come to their top before `count`.
[[nodiscard]] std::vector<LaidBox> laid_boxes(Index count, const Eigen::Vector3d& half_extents, double w);

}  // namespace nonsmooth::problems
