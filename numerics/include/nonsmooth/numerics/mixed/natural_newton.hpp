// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed {

/// Semismooth Newton on the natural map  e(r) = (r - P_K(r - rho û(W r + q))) / rho = 0, rho_i of each block as in
/// Certificate: J = (I - D) / rho + D (dû/du) W with D in the generalised Jacobian of P_K (exact formulas for every set
/// and cones of any dimension). Backtracking on 1/2 |e|^2 against the largest of the last `memory` values; where
/// Newton's direction is refused, the scaled gradient -rho^2 J^T e; where J is singular, J + delta / rho with a growing
/// delta.
///
/// Every set, any W. Locally quadratic at solutions where every element of the generalised Jacobian is regular; the
/// merit function may have other stationary points, even for positive definite W (its gradient is not e's): Stalled.
/// Meant for polishing and for well-posed problems: where W is singular ProximalNewton is the safe choice.
/// Cost: one LU of an n x n matrix a step, dense up to 64 rows or where W is nearly full, else sparse.
/// Source: Qi, Sun 1993 [qi1993]; the nonmonotone search: Grippo, Lampariello, Lucidi 1986 [grippo1986].
struct NaturalNewton {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 200;     ///< Newton or gradient steps, >= 1; from a good start about 10 are needed
  Index memory = 5;          ///< values of the merit looked back at, >= 1; 1 is a monotone search
  double decrease = 1e-4;    ///< Armijo: merit drops by this share of its slope at least; in (0, 0.5]
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and NaturalNewton::validate, and for a start of another size than q.
[[nodiscard]] Result solve(const Problem& problem, const NaturalNewton& options);

}  // namespace nonsmooth::mixed
