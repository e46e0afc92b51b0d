// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::friction {

/// Contacts with Coulomb friction whose laws are switched off where the gap of the answer itself is open, not that of a
/// forecast: n contacts in d = 2 or 3 dimensions,
///
///     y = A r + b,   v = V r + c,     y_i <= 0:  K_i* ∋ v_i + mu_i |v_Ti| n ⟂ r_i ∈ K_i,     y_i > 0:  r_i = 0,
///
/// K_i = {|r_T| <= mu_i r_N}. Block order (N, T1[, T2]). y: gaps at the end of a step, v: velocities, r: impulses. With
/// mu = 0 it is lcp::SwitchedProblem on the normal rows; with A = 0 and b <= 0 the frictional contact problem with
/// W = V, q = c, where it finds all solutions. As there, what is switched off is an open set, so that there need be no
/// solution. Source: talk of Acary 2005, p. 22.
struct SwitchedProblem {
  Index dimension = 3;  ///< d
  Eigen::MatrixXd A;    ///< n x d n
  Eigen::VectorXd b;    ///< n
  Eigen::MatrixXd V;    ///< d n x d n
  Eigen::VectorXd c;    ///< d n
  Eigen::VectorXd mu;   ///< n, each >= 0 [-]

  /// @throws InvalidArgument: another dimension, empty, more than 7 contacts in the plane or 4 in space, shapes that
  /// differ, numbers that are not finite, a negative mu.
  void validate() const;
};

struct SwitchedResult : Outcome {
  std::vector<Eigen::VectorXd> solutions;  ///< r, each once, in the order of their modes
  /// All solutions are there; false: a mode that is singular, within rounding, or whose directions of sliding could not
  /// be told apart, may have more.
  bool complete = true;
};

/// All solutions, mode by mode. A contact has r = 0, or sticks (v = 0), or slides (v_N = 0, r_T = -mu r_N t, t the
/// direction of v_T: one of two in the plane); without friction v_N = 0 alone. Given modes and directions, r solves
/// linear equations, and is put into all conditions.
///
/// In space the directions of k contacts that slide are roots of k trigonometric polynomials in k angles: by Cramer's
/// rule r_N = N(theta) / D(theta), and D v_T × t = P(theta) = 0 has harmonics to 2. The torus of angles is cut into
/// boxes until each has no root, by bounds of P and of the other minors of v_N = 0, v_T × t = 0; or no admissible one,
/// by those of N, D and D v_T · t; or just one (|I - J^-1 P'| < 1/2 on twice the box), which Newton's method finds:
/// none is missed.
///
/// What counts as zero is 1e-12 of its terms, with directions 1e-9. A candidate on the edge of its mode is that of a
/// smaller mode, and told once. Solved: at least one; Infeasible: none, with a proof (proves_none) that names for each
/// mode the contact whose condition it breaks; Stalled: none was found, and `complete` is false. Cost: 4^n (2 d)^3 in
/// the plane; in space 3^n modes and, where k contacts slide, some 10^2 to 10^5 boxes of 5^k terms.
/// @throws InvalidArgument as validate()
[[nodiscard]] SwitchedResult solve(const SwitchedProblem& problem);

/// Whether `proof` shows that there is no solution: an entry a mode, in the order of solve(), the number of a contact
/// whose condition its candidate breaks beyond rounding, or -1 for modes with directions in space, which are cut into
/// boxes anew. @throws InvalidArgument as validate()
[[nodiscard]] bool proves_none(const SwitchedProblem& problem, ConstVectorRef proof);

}  // namespace nonsmooth::friction
