// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mixed/problem.hpp>

namespace nonsmooth::mixed {

/// Alternating directions (Douglas-Rachford) on  0 in W r + q + g + N_K(r),  g = c |u_T| e_0 the gain of û (De Saxcé):
///
///     z = P_K(v),   (W + R) r = R (2 z - v) - q - g(v),   v := v + relaxation (r - z),     R = penalty / rho,
///
/// rho_i of each block as in Certificate. R (z - v) tends to û, so that u_T in g is that of the last iterate. W + R is
/// factored once for each penalty: Cholesky where W is symmetric, but for a thousandth of it that the right-hand side
/// takes, and W + R positive definite; else LU. Where the relative changes of r and û lie far apart, in the mean over
/// twenty, forty, ... iterations, the penalty is balanced and W + R factored again, at most max_refactorizations times.
/// Anderson's extrapolation of v over the last `memory` iterates is kept where |r - z| does not double; else, and when
/// the penalty changes, it starts anew from the plain iterate. Where |r - z| has found no new least value in 500
/// iterations, 500 plain ones follow, then 1000, ...: the convergence is that of the plain iteration.
///
/// Every set, any W. Converges for positive semidefinite W, symmetric or not, and laws without gain; with gain in
/// practice while friction is moderate. Singular W, redundant contacts and bilateral rows are taken as they are.
/// Cost: one LU or Cholesky factorization a penalty, two triangular solves and one product an iteration: the choice
/// where factors are expensive and a tolerance of 1e-4 to 1e-8 will do.
/// Source: Boyd et al. 2011 [boyd2011]; Acary, Brémond, Huber 2018 [acary2018]; Walker, Ni 2011 [walker2011].
struct Admm {
  double tolerance = 1e-10;       ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 20'000;  ///< solves with W + R, >= 1
  double penalty = 0.3;  ///< R rho at first [-], > 0; 1: W's mean local eigenvalue, less where contacts are redundant
  double relaxation = 1.6;          ///< in (0, 2); above 1 steps farther than plain alternation, 1.5 to 1.8 is usual
  Index max_refactorizations = 10;  ///< changes of the penalty, >= 0
  Index memory = 20;                ///< iterates that the extrapolation looks back on; 0 (none) to 10,000
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Admm::validate, and for a start of another size than q.
[[nodiscard]] Result solve(const Problem& problem, const Admm& options);

}  // namespace nonsmooth::mixed
