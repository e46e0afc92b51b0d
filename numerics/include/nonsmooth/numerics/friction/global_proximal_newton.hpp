// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/global_problem.hpp>

namespace nonsmooth::friction {

/// Proximal points around a semismooth Newton method on (v, r), without W: with u = H v + w, outer step k solves
///
///     A v = f + H^T r,    e(r, u + alpha_k (r - r_k) / rho) = 0,
///
/// e the prediction form of the natural map (Alart and Curnier's equations) or the natural map itself, by Newton steps
///
///     [ A    -H^T           ] [dv]     [ A v - H^T r - f ]
///     [ E_u H   E_r + alpha E_u / rho ] [dr] = - [ e ],
///
/// one sparse LU each, whose ordering is computed once. Momentum is exact after the first factorization and stays so,
/// whatever the step length; steps are backtracked on |e|^2 against the largest of the last five values. alpha falls by
/// `reduction` where an outer step contracts the residual less than that, by its root where it contracts more; where
/// Newton fails (it cycles, or the matrix is singular), the outer iteration goes on from the best iterate with a larger
/// alpha and the other form of the equations.
///
/// Every set, any nonsingular A, dependent rows in H. A problem without a solution lets r grow: Stalled or
/// IterationLimit. Cost: one LU of n + m rows a step, with the fill of A's: the choice where contacts are few beside
/// the dofs, or W would be dense. Source: Rockafellar 1976 [rockafellar1976]; Alart, Curnier 1991 [alart1991].
struct GlobalProximalNewton {
  double tolerance = 1e-10;                ///< the measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< NaturalMap stops on max(natural_map, balance)
  Index max_steps = 300;                   ///< Newton steps in all, >= 1
  Index max_inner_steps = 30;              ///< Newton steps before alpha is raised again, >= 1
  double regularization =
      1e-3;                ///< alpha of the first outer step [-], > 0: a share of a contact's own D = H diag(A)^-1 H^T
  double reduction = 0.1;  ///< in (0, 1)
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as GlobalProblem::validate and GlobalProximalNewton::validate, for a start of another size
/// than w, and for a singular body of at most 64 dofs. A larger singular body ends NumericalFailure.
[[nodiscard]] GlobalResult solve(const GlobalProblem& problem, const GlobalProximalNewton& options);

}  // namespace nonsmooth::friction
