// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Principal pivoting with a driving variable, for row sufficient M: positive semidefinite (symmetric or not) and
/// P-matrices among them.
///
/// A major cycle takes the row r of least index with a negative variable and increases its nonbasic partner until the
/// variable reaches zero. A basic variable that would cross zero before (or, being negative, a bound below all values
/// at hand) leaves: by <w_s, z_s> where T_ss > 0, by the pair <w_s, z_r>, <w_r, z_s> where T_ss = 0, T the principal
/// transform of M. So every basis is complementary and the number of negative variables falls in each cycle.
///
/// Row sufficient M: a solution, or a column that never blocks; its row then reads x_r = t_r + T_r y with T_r <= 0 and
/// t_r < 0, which is the proof Infeasible comes with. Ties go to r, then to the least index, which rules out cycling
/// for sufficient M [cottlechang1992]. Outside the class: Stalled at a negative T_ss or a pair that cannot be
/// exchanged; Infeasible never without a verified proof.
/// Cost of a pivot: dense 2 n^2 flops on a tableau (4 n^2 for a pair), rebuilt from M every `refactor_every` pivots;
/// sparse one factorization of M_aa. Commonly n to 6 n pivots, more than Lemke's; 2^n - 1 in the worst case
/// [murty1978]. Source: Keller 1973 [keller1973]; Cottle, Pang, Stone 1992, section 4.3 [cottle1992].
struct Keller {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right basis.
  Index max_pivots = 0;       ///< >= 0; 0 takes 50 n + 1000, far beyond what non-exponential problems need
  Index refactor_every = 50;  ///< pivots between two tableaux built from M, >= 1: round-off grows with each pivot
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Keller::validate.
[[nodiscard]] Result solve(const Problem& problem, const Keller& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Keller& options);

}  // namespace nonsmooth::lcp
