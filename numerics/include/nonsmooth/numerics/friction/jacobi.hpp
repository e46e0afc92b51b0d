// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Block Jacobi: every block is solved exactly (as in mixed::GaussSeidel) with the reactions of the others as they
/// were, all at once:
///
///     r := r + damping (J(r) - r),    J_i: the law of block i with  u_i = W_ii r_i + (q_i + sum_{j != i} W_ij r_j).
///
/// Undamped it diverges where the eigenvalues of D^-1 W, D the diagonal blocks, exceed 2: at any body with several
/// contacts. damping = 0 chooses it anew each sweep: the minimiser of the quadratic along d = J(r) - r, -û·d / d·W d
/// clamped to [0.05, 1], averaged with that of the sweep before so that it does not alternate.
///
/// Every block is independent of the others within a sweep, which is its use; it takes 2 or more times the sweeps of
/// Gauss-Seidel. Converges for symmetric positive definite W without friction, with friction in practice; hyperstatic
/// problems slowly or not at all. A block without a local solution (see mixed::GaussSeidel) ends Stalled.
/// Any W; Coulomb, Rolling, Orthant and Free blocks. Cost: one product with W and a local solve a block, a sweep.
/// Source: Acary, Brogliato 2008 [acarybrogliato2008], chapter 13.
struct Jacobi {
  double tolerance = 1e-10;                                     ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;                       ///< what the tolerance bounds
  double damping = 0.0;                                         ///< in [0, 1]; 0: chosen each sweep (see above)
  Index max_iterations = 100'000;                               ///< sweeps, >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Jacobi::validate, for another set, and for a start of another size
/// than q.
[[nodiscard]] Result solve(const Problem& problem, const Jacobi& options);

}  // namespace nonsmooth::friction
