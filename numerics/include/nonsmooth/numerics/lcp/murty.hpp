// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Murty's least-index principal pivoting. From the basis a (z_a = -M_aa^-1 q_a, w_b = (M z + q)_b), first a = {},
/// the row of least index with the wrong sign, z_i < 0 in a or w_i < 0 outside, changes sides.
///
/// Ends at the solution after finitely many pivots for P-matrices and every q, degenerate or not: no basis repeats.
/// Outside: NumericalFailure where M_aa becomes singular, IterationLimit where it cycles; never a proof.
/// Cost of a pivot: dense 2 n^2 flops on a tableau, rebuilt from M every `refactor_every` pivots; sparse one
/// factorization of M_aa. 2^n - 1 pivots in the worst case [murty1978]; block principal pivoting, which falls back on
/// this rule, takes far fewer on most problems.
/// Source: Murty 1974 [murty1974]; Cottle, Pang, Stone 1992, section 4.2 [cottle1992].
struct Murty {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right basis.
  Index max_pivots = 0;       ///< >= 0; 0 takes 50 n + 1000, far beyond what non-exponential problems need
  Index refactor_every = 50;  ///< pivots between two tableaux built from M, >= 1: round-off grows with each pivot
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Murty::validate.
[[nodiscard]] Result solve(const Problem& problem, const Murty& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Murty& options);

}  // namespace nonsmooth::lcp
