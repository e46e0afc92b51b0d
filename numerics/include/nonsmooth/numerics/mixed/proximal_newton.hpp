// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed {

/// Proximal points around a semismooth Newton method: r_{k+1} solves the problem with
///
///     u = W r + q + alpha_k (r - r_k) / rho,      rho_i of each block as in Certificate,
///
/// by semismooth Newton steps, backtracked on 1/2 |e|^2 of this problem against the largest of the last five values.
/// alpha_k falls tenfold an outer step. Where Newton fails (it cycles, or its matrix is singular), the outer iteration
/// goes on from the best iterate with a larger alpha, falls more slowly afterwards, and Newton changes between Alart
/// and Curnier's equations and the natural map. The added term makes W regular: singular W, redundant contacts and
/// bilateral rows are what the method is for.
///
/// Every set, any W. For monotone laws (no gain of û) and positive semidefinite W the outer iteration converges from
/// anywhere, faster than linearly as alpha falls; with friction in practice: 10 to 100 Newton steps, a few
/// hundred on the worst piles, where sweeps need 1e5. A problem without a solution lets r grow without bound: Stalled
/// or IterationLimit. Cost: one LU of an n x n matrix a step, dense up to 64 rows or where W is nearly full, else
/// sparse. Source: Rockafellar 1976 [rockafellar1976]; Alart, Curnier 1991 [alart1991]; Acary, Brémond, Huber 2018
/// [acary2018].
struct ProximalNewton {
  double tolerance = 1e-10;      ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 1000;        ///< Newton steps in all, >= 1
  Index max_inner_steps = 30;    ///< Newton steps before alpha is raised again, >= 1
  double regularization = 1e-3;  ///< alpha of the first outer step [-], > 0: a share of W's mean local eigenvalue
  double reduction = 0.1;        ///< alpha's factor an outer step; in (0, 1)
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and ProximalNewton::validate, and for a start of another size than q.
[[nodiscard]] Result solve(const Problem& problem, const ProximalNewton& options);

}  // namespace nonsmooth::mixed
