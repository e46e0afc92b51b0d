// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::relay {

/// Complementary pivoting on  w = M z + q + t d,  -w in N_[l,u](z), from t = infinity at a corner of the box to t = 0.
///
/// The bounds are kept as bounds and free variables as free: one dictionary of n rows, no variable is split or doubled.
/// Free rows and columns are first exchanged by complete pivoting (the lineality space is removed); those left over
/// because M_ff is singular follow the path  -t d <= w_i <= t d,  which is that of the split variable.
/// A lexicographic ratio test excludes cycling. Where both bounds are finite the start is the corner w points away
/// from.
///
/// Reaches a solution for every M where all bounds are finite; a solution or a secondary ray that tells there is none
/// for copositive-plus M (positive semidefinite M among them) on any box. A ray proves nothing by itself: Infeasible is
/// returned with a verified Result::proof (of a linear program over the signs), else Stalled.
/// The final basis is solved afresh by LU and refined. Cost: O(n^2) a pivot; typically n to 3 n pivots.
///
/// Sparse: from any point and basis, here where `crash_steps` steps of Newton's method on the minimum map lead to (few
/// pivots are left then, and often none), along  M z + q - w + v = t r  from t = 1, where r makes the point a solution,
/// to t = 0; t may rise in between. Where the basis there is singular, from the corner that w points away from; where
/// that is singular too, as M_ff is, the problems  (M + delta 1) z + q - delta z_before,  delta = 1e-3 of M after
/// scaling, which converge to a solution for positive semidefinite M, free rows with either sign. The basis is sparse
/// LU with product-form updates. A pivot costs two triangular solves and O(n). Source: Cao, Ferris 1996 [cao1996];
/// Dirkse, Ferris 1995 [dirkse1995]; Lemke 1965 [lemke1965].
struct Lemke {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Pivoting is exact up to round-off.
  /// >= 0; 0 takes 50 n + 1000, far beyond what non-exponential problems need. Sparse: crash steps count too.
  Index max_pivots = 0;
  /// Pivots between two dictionaries computed afresh (O(n^3)), >= 1: round-off grows. Sparse: at most 50 between two
  /// factorizations.
  Index refactor_every = 100;
  /// Rows and columns to entries near 1 by powers of two before pivoting, where they differ by more than 1e3: one
  /// factor for a row with bounds and its column, two for a free one. The solution stays what it is; the path may
  /// differ.
  bool equilibrate = true;
  Index crash_steps = 100;  ///< sparse: factorizations before the first pivot, >= 0; 0: from the corner
  Eigen::VectorXd start{};  ///< sparse: where these begin, n entries; empty: the point of the box nearest to 0
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Lemke::validate.
[[nodiscard]] Result solve(const Problem& problem, const Lemke& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Lemke& options);

}  // namespace nonsmooth::relay
