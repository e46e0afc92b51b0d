// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Picks the algorithm, cheap ones first; Result::solver says which one answered. Every answer is certified. The first
/// that ends Solved or Infeasible is returned, else the best iterate with the status of its solver. What decides is the
/// size, the signs in M and the end of the algorithm before, never the clock (but for time_limit).
///
/// Dense:
///  1. q >= 0 ("zero") and one row ("closed form") by formula.
///  2. A few rows: a few bases, the rows with a wrong sign changing sides each time.
///  3. Bimatrix games, (0 A; B^T 0) with A, B > 0 and q < 0, by Lemke and Howson's algorithm.
///  4. Block principal pivoting, a few factorizations of M_aa, where the diagonal is positive: the first basis from a
///     few projected Gauss-Seidel sweeps. P-matrices, M-matrices, strictly copositive and diagonally dominant
///     matrices mostly end here after one to three factorizations, the exponential families of Lemke [murty1978,
///     fathi1979] after one.
///  5. Lemke: rank-deficient, zero diagonal, infeasible. In large problems, where pivots one by one cost more than some
///     factorizations: block principal pivoting with Murty's rule, interior point, then Lemke.
///  6. Enumeration (a few rows), else min-Newton, Fischer-Burmeister, interior point, block pivoting.
///  7. But for large problems, without max_iterations: phase one, the linear program of least violation, for a proof
///  that no
///     point is feasible.
///
/// Sparse:
///  1. q >= 0 by formula.
///  2. Multigrid of many rows, where the diagonal is positive and either nothing beside it is (an M-matrix, or
///     near one) or it dominates its rows.
///  3. Primal-dual active set (from multigrid's answer, where it has one) and block principal pivoting, some
///     factorizations each, where the diagonal is positive.
///  4. Lemke up to `sparse_lemke_limit` rows, interior point, min-Newton, Fischer-Burmeister.
///  5. Phase one as above, on a dense copy.
///
/// Cost: over random P-, definite, semidefinite, M-, diagonally dominant, copositive and infeasible problems of 3 to
/// 300 rows, 1.1 times the time of the best algorithm in the geometric mean.
struct Automatic {
  double tolerance = 1e-10;         ///< Certificate::residual <= tolerance; > 0
  Index sparse_lemke_limit = 2000;  ///< >= 0; above, a sparse Lemke takes minutes
  Index max_iterations = 0;         ///< of each algorithm: pivots, steps; of short tries at most; >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s] of all together, > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Automatic& options);

}  // namespace nonsmooth::lcp
