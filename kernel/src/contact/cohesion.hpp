// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/round_off.hpp>

namespace nonsmooth::stages {

/// Part of a cohesion that its pull may miss and still be all of it: what a certified solution leaves of a bound.
inline constexpr double kOfFullPull = 1e-9;
/// Part of the velocity that a full pull gives in a step, which certified solutions may leave at a contact that holds.
inline constexpr double kLeftOfPull = 1e-5;

/// A contact at the start of a step, and p_N of the last step.
struct Parting {
  double velocity = 0.0, speed = 0.0, gap = 0.0, impulse = 0.0;
};

/// What solvers and rounding may leave of u_N and of the gap where a contact holds by all of its pull.
struct LeftOfBond {
  double velocity = 0.0, gap = 0.0;
};

/// Of a pull h F, which gives the contact the velocity h F H_N A^-1 H_N^T = `given` in its step; the gap as
/// closing_speed() leaves it, and rounded.
[[nodiscard]] inline LeftOfBond left_of_pull(double given, double h, double rounding) {
  const double velocity = kLeftOfPull * given;
  return {velocity, 3.0 * h * velocity + rounding};
}

/// A cohesion F holds in a step where the contact did not part before:
///
///     parted:  u_N > 0 at the start, and p_N = -h F, or p_N = 0, in the last step.
///
/// u_N counts where it is more than what rounding leaves of velocities of that size, `speed`: what rests side by side
/// without any force does not part. Beside a full pull it counts where it, or the gap that it has made, is more than
/// what solvers leave: of several points that hold one body some may be at their bound where others have room (loads
/// that depend on one another), and hold all the same. A force that grows past F by F' a second leaves u_N /
/// left_of_pull() = 5e4 k^2 F' h / F of a free body after k steps; what a stiff spring holds creeps, and its gap tells.
///
/// A contact that leaves with the full pull is torn off, and without a reaction was torn off before: from a depth it
/// has a way to go until its gap opens, and pulled back all along it would lose F times that way, and be late by (6 m
/// depth / F')^(1/3) under a force that grows by F'. What presses, hangs by less than F, rests or comes back (u_N <= 0)
/// has its cohesion. `last_step`: the length of that step, 0 before the first; `left(h F)`: of a contact at full pull.
template <class Left>
[[nodiscard]] bool has_parted(const Parting& bond, double cohesion, double last_step, Left left) {
  if (!(bond.velocity > 64.0 * eps * bond.speed) || last_step == 0.0) return false;
  if (bond.impulse == 0.0) return true;
  const double full = cohesion * last_step;
  if (!(bond.impulse <= -(1.0 - kOfFullPull) * full)) return false;
  const LeftOfBond of_pull = left(full);
  return bond.velocity > of_pull.velocity || bond.gap > of_pull.gap;
}

/// A bond that has not parted holds where the last step ended with the contact held by it, p_N != 0 of that step. Then
/// u_N was 0 but for what the solver leaves, and so is the gap: the contact acts in this step, however far that
/// has opened it. A push under e > 0 may have been an impact that it leaves by its rebound, and holds nothing beyond
/// what rounding lifts. Arguments as has_parted().
[[nodiscard]] inline bool holds(double restitution, double impulse, double last_step) {
  return last_step > 0.0 && (impulse < 0.0 || (impulse > 0.0 && restitution == 0.0));
}

/// What a bond that holds adds to u_N+: the row is then that of the linearised gap, y + h u_N+ = 0. Else the residuals
/// of all steps would add up in a gap that nothing closes. With r the largest |u_N+ + y / h| that the solver leaves,
/// y = 0 or below in one step leaves it at h r or below in the next, as u_N <= r; from there, for theta = 1/2,
///
///     y' = y + h (u + u') / 2 = (y - y_before) / 2 + h (r + r') / 2,
///
/// which is damped by 1 / sqrt(2) a step: y <= 3 h r, however many steps.
[[nodiscard]] inline double closing_speed(double gap, double h) { return gap > 0.0 ? gap / h : 0.0; }

}  // namespace nonsmooth::stages
