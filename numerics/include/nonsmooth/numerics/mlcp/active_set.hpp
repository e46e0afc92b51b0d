// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mlcp/problem.hpp>

namespace nonsmooth::mlcp {

/// relay::ActiveSet on z = (u, v): each step solves the equality rows and the rows of v between their bounds for u and
/// that part of v. Dependent rows take the least-norm solution where they do not contradict (n + m up to 400).
///
/// Finds the state of most circuits in 1 to 6 steps; may cycle outside P-matrices (of the Schur complement), which ends
/// Stalled. Cost: one LU of up to n + m rows a step. Source: Hintermuller, Ito, Kunisch 2002 [hintermuller2002].
struct ActiveSet {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right set.
  Index max_steps = 200;      ///< >= 1
  Eigen::VectorXd start_u{};  ///< where the first set is taken from: n and m entries, or both empty
  Eigen::VectorXd start_v{};
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and ActiveSet::validate.
[[nodiscard]] Result solve(const Problem& problem, const ActiveSet& options);

}  // namespace nonsmooth::mlcp
