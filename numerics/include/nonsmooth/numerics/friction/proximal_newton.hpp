// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Proximal points around a semismooth Newton method on the contacts that carry a reaction. With R = 1 / rho, rho of
/// each block as in Certificate, outer step k finds r with
///
///     r = P(u),  u = W r + q,   P_N = max(0, p_N),  P_T = p_T cut to |P_T| <= mu P_N,   p = r_k - u / (alpha_k R),
///
/// Coulomb's law for contacts of compliance alpha_k R, wherever r_k has brought them: W may be singular, and where
/// contacts are open, stick or slip the system to solve has 0, 3 or 2 rows each and is regular. Newton steps go along
/// the line to where the residual r - P is orthogonal to the change of u (for a contact that does not slip: the exact
/// minimiser of a convex function). alpha falls tenfold (less after failures) where an outer step, with the sweeps
/// before it, contracts the residual less than that, stays where it contracts more, and rises where many Newton steps
/// were needed or Newton fails. After each sweep phase Newton's method tries the law itself (alpha = 1e-7, full steps
/// that may raise the error a hundredfold), and gives up after four steps without a gain. The sweeps solve contact by
/// contact what a proximal step leaves, and the proximal step what reaches through the whole pile.
///
/// Near a solution the modes (open, stick, slip) stand and r follows from one linear system, to round-off. Coulomb,
/// Rolling, Orthant and Free blocks, any W. A problem without a solution lets r grow without bound: Stalled or
/// IterationLimit. Cost: one LU of the rows of closed contacts a step, dense where small or nearly full, else sparse.
/// Source: Rockafellar 1976 [rockafellar1976]; Alart, Curnier 1991 [alart1991]; Acary, Brémond, Huber 2018 [acary2018].
struct ProximalNewton {
  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  Index max_steps = 1000;                  ///< Newton steps in all, >= 1
  Index max_inner_steps = 40;              ///< Newton steps before alpha is raised, >= 1
  double regularization = 1e-3;  ///< alpha of the first outer step [-], > 0: a share of W's mean local eigenvalue
  /// Gauss-Seidel sweeps before the first outer step, >= 0; between outer steps from as many up to four times as many.
  /// 0: 3/2 times the rows over the mean number of blocks a row, in [30, 2500]; for planar contacts 6 rows^(1/2), half
  /// as many between: a few per cent to half of the time, found on piles and walls.
  Index sweeps = 0;
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and ProximalNewton::validate, for another set, and for a start of
/// another size than q.
[[nodiscard]] Result solve(const Problem& problem, const ProximalNewton& options);

}  // namespace nonsmooth::friction
