// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/friction/problem.hpp>

namespace nonsmooth::friction {

/// Alternating directions, as mixed::Admm states them, for contacts:
///
///     z = P_K(v),   (W + R) r = R (2 z - v) - q - mu |u_T(v)| e_N,   v := v + relaxation (r - z),   R = penalty / rho,
///
/// rho of each block as in Certificate, u_T(v) the tangential part of R (z - v). One Cholesky factorization a penalty,
/// also where W is unsymmetric by no more than a thousandth: what is left then goes to the right-hand side; LU else.
/// The penalty is balanced between the changes of r and those of û; Anderson's extrapolation accelerates v.
///
/// The method for redundant contacts (towers, stacks and walls of blocks, singular W): on walls of 12 x 10 blocks 30 to
/// 70 iterations to 1e-4 and 80 to 190 to 1e-8, where sweeps take thousands. On random piles of balls with friction,
/// and where masses spread over many decades, it takes thousands itself. In theory it converges for mu = 0 only; with
/// friction in practice. Coulomb, Rolling, Orthant and Free blocks, any W. Cost: a factorization a penalty, two
/// triangular solves an iteration, a product with W a look (every tenth iteration or fewer). Source: Boyd et al. 2011
/// [boyd2011]; Acary, Brémond, Huber 2018 [acary2018]; Walker, Ni 2011 [walker2011].
struct Admm {
  double tolerance = 1e-10;                ///< of the measure: measure <= tolerance; > 0
  Measure measure = Measure::Certificate;  ///< what the tolerance bounds
  Index max_iterations = 20'000;           ///< solves with W + R, >= 1
  double penalty = 0.1;  ///< R rho at first [-], > 0; 1: W's mean local eigenvalue, less where contacts are redundant
  double relaxation = 1.0;          ///< in (0, 2); above 1 steps farther: less is left for the extrapolation to gain
  Index max_refactorizations = 10;  ///< changes of the penalty, >= 0
  Index memory = 20;                ///< iterates that the extrapolation looks back on; 0 (none) to 10,000
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0
  Eigen::VectorXd start{};                                      ///< r to start from, projected on K; empty: 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Admm::validate, for another set, and for a start of another size
/// than q.
[[nodiscard]] Result solve(const Problem& problem, const Admm& options);

}  // namespace nonsmooth::friction
