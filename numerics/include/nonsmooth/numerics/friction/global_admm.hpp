// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/global_problem.hpp>

namespace nonsmooth::friction {

/// Alternating directions (Douglas-Rachford) on (A, H), without W. With û = u + g, g = mu |u_T| e_N the De Saxcé term,
///
///     z = P_K(y),   (A + H^T R^-1 H) v = f + H^T R^-1 b,   b = R (2 z - y) - g - w,   r = R^-1 (b - H v),
///     y := y + relaxation (r - z),     R = penalty / rho,
///
/// rho of each block from H diag(A)^-1 H^T. R (z - y) tends to û; its tangential part is the u_T of g, so that friction
/// lags one iteration. Every (v, r) satisfies A v = f + H^T r. A + H^T R^-1 H is factored once a penalty: Cholesky
/// where A is symmetric, LU where that fails. Where the relative changes of r and û lie far apart, in the mean over 20,
/// 40,
/// ... iterations, the penalty is balanced. y is extrapolated by Nesterov's weights; where |r - z| has not shrunk
/// the weights restart from the plain iterate (Goldstein et al. 2014). A start other than 0 costs a factorization of A.
///
/// Every set, any nonsingular A, dependent rows in H. Converges for A positive definite and laws without gain; with
/// friction in practice. Cost an iteration: two triangular solves with the fill of A's factor, two products with H: the
/// choice for a large A and a tolerance of 1e-4 to 1e-8. Source: Boyd et al. 2011 [boyd2011]; Goldstein, O'Donoghue,
/// Setzer, Baraniuk 2014 [goldstein2014]; Acary, Brémond, Huber 2018 [acary2018].
struct GlobalAdmm {
  double tolerance = 1e-8;                 ///< the measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< NaturalMap stops on max(natural_map, balance)
  Index max_iterations = 20'000;           ///< solves, >= 1
  double penalty = 0.3;                    ///< R rho at first [-], > 0; 1: a contact's own D = H diag(A)^-1 H^T
  double relaxation = 1.6;                 ///< in (0, 2); above 1 steps farther than plain alternation
  bool accelerate = true;                  ///< extrapolate y between restarts
  Index max_refactorizations = 10;         ///< changes of the penalty, >= 0
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as GlobalProblem::validate and GlobalAdmm::validate, and for a start of another size than w.
/// A singular body of at most 64 dofs is refused as by certify(); a singular A + H^T R^-1 H ends NumericalFailure.
[[nodiscard]] GlobalResult solve(const GlobalProblem& problem, const GlobalAdmm& options);

}  // namespace nonsmooth::friction
