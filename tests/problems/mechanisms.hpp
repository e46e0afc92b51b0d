// SPDX-License-Identifier: Apache-2.0
#pragma once

// Closed mechanisms of rigid bodies and joints for tests and benchmarks, each with its equations and its source.
// SI units throughout.

#include <array>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth::problems {

/// Bodies and joints in the order of the description.
struct Mechanism {
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> bodies;
  std::vector<InteractionHandle> joints;
};

/// Andrews' squeezer: seven bodies in the plane on ten hinges (21 velocities, 20 rows), a motor of constant torque on
/// the crank, a spring on the third body. Bodies are K1 to K7, constants and start those of the test set for initial
/// value problems.
/// Source: Mazzia & Magherini, Test Set for Initial Value Problem Solvers, problem "andrews" (andrews.f, 2006), after
/// Schiehlen 1990, Multibody Systems Handbook; Hairer & Wanner 1996, section VII.7 [hairer1996].
Mechanism andrews_squeezer();
inline constexpr double kSqueezerTorque = 0.033;  ///< [N m]

/// The seven angles of the test set (beta, Theta, gamma, Phi, delta, Omega, epsilon), or their rates, from what the
/// bodies K1 to K7 turn by, or turn at.
std::array<double, 7> squeezer_angles(const std::array<double, 7>& turns);

/// N four-bar windows side by side: N + 1 cranks, then N couplers, bars of 1 m and 1 kg in the plane, gravity
/// downwards. The cranks stand upright and turn clockwise at 1 rad/s. One freedom, N + 1 where all bars lie on one
/// line: there the constraints lose N of their rank, and other motions branch off. Source: IFToMM library of
/// computational benchmark problems, A02 (N = 2).
Mechanism four_bars(int windows);

/// Bricard's loop: five bars of 1 m and 1 kg with a square section of 0.1 m and the ground on six edges of a cube, six
/// hinges each perpendicular to both of its bars. 30 velocities, 30 rows of rank 29: one freedom, at rest at first,
/// gravity along -y. `ground_held`: the ground's bar is two bodies beside the bars, one at each end, whose velocities
/// are all prescribed, as 0. Source: IFToMM library of computational benchmark problems, A04.
Mechanism bricard_loop(bool ground_held = false);

/// The directions of the bars of Bricard's loop at the start, of the ground first.
std::array<Eigen::Vector3d, 6> bricard_bars();

}  // namespace nonsmooth::problems
