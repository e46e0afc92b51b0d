// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::relay {

/// Primal-dual active set: semismooth Newton on  z - P_[l,u](z - w/s) = 0. A step puts each row where z - w/s says
/// (lower bound, between, upper bound), solves M_bb z_b = -(q + M z_bounds)_b on the rows between, and ends when the
/// places repeat themselves.
///
/// Converges for M-matrices from a point within the bounds, locally and finitely for P-matrices; it may cycle for
/// others (and some P-matrices): places seen before end Stalled. A singular M_bb, but for a large one, takes the
/// least-norm solution where its rows do not contradict; else NumericalFailure. Cost: one LU of M_bb a step, usually 2
/// to 10 steps. Source: Hintermuller, Ito, Kunisch 2002 [hintermuller2002].
struct ActiveSet {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right places.
  Index max_steps = 200;     ///< >= 1; sets that still change then rarely stop
  Eigen::VectorXd start{};   ///< z to take the first places from (n entries); empty: the point of the box nearest to 0
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and ActiveSet::validate, and if start has not n entries.
[[nodiscard]] Result solve(const Problem& problem, const ActiveSet& options);

}  // namespace nonsmooth::relay
