// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// The pivoting of Lemke and Howson for bimatrix games in the form of costs,
///
///     M = ( 0    A ),  A (m x k) > 0,  B > 0 of the same shape, entry by entry,  q < 0.
///         ( B^T  0 )
///
/// With q = -1 the solutions z = (x, y), divided by the sums of x and y, are the equilibria of the game in which the
/// first player pays A and the second B. Any costs become positive by adding a constant, which changes no equilibrium.
/// Every such problem has a solution, and every label a path to one; plain Lemke mostly ends in a secondary ray.
///
/// Two dictionaries, {x >= 0, B^T x + q_2 >= 0} and {y >= 0, A y + q_1 >= 0}, are pivoted in turn from the vertex where
/// the label alone is positive, with a lexicographic ratio test (no cycling); they are computed anew every 50 pivots of
/// their own. The final basis is solved afresh with the data given. Where a path breaks down by rounding
/// or takes too many pivots, the next labels are tried.
/// Another matrix, or a q that is neither < 0 nor >= 0, ends Stalled: the reason says so.
/// Cost of a pivot: about 2 m k flops. On random games of 100, 200 and 300 rows the mean number of pivots is 90, 360
/// and 8900: exponential in the worst case.
/// Source: Lemke, Howson 1964 [lemkehowson1964]; Cottle, Pang, Stone 1992, algorithm 4.4.21 [cottle1992].
struct LemkeHowson {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Pivoting is exact up to round-off.
  Index max_pivots = 0;      ///< >= 0, of all labels together; 0 takes 50 n + 1000 for each label
  Index label = 0;           ///< the row of M whose complementarity is dropped first, 0 <= label < n
  /// [s], > 0; then Status::TimeLimit and the best z
  double time_limit = std::numeric_limits<double>::infinity();

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and LemkeHowson::validate, and if label >= n.
[[nodiscard]] Result solve(const Problem& problem, const LemkeHowson& options);

}  // namespace nonsmooth::lcp
