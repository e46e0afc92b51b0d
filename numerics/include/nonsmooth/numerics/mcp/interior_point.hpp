// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mcp/problem.hpp>

namespace nonsmooth::mcp {

/// Infeasible primal-dual interior point on
///
///     F(x) - y + v = 0,   (x - l) y = mu,   (h - x) v = mu,     l < x < h, y > 0, v > 0, mu -> 0
///
/// (y and v where bounds are finite). A step aims at sigma mu; it keeps within 0.995 of the way to the borders and each
/// product above a part of their mean, and is halved until the squares of the three rows fall. F is asked strictly
/// inside the bounds alone, but for the certificate's scale, until the end: from a residual of 1e-3 on, steps of
/// SemismoothNewton give the last digits, those of degenerate rows above all.
///
/// For monotone F, which has a solution if it has a strictly feasible point: 10 to 40 steps, whatever the
/// combinatorics. Elsewhere the rows may stop to fall, which ends Stalled. Cost: one factorization of n rows a step,
/// dense or sparse as the Jacobian is. Source: Wright, Ralph 1996 [wright1996].
struct InteriorPoint {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 200;     ///< >= 1
  double sigma = 0.1;        ///< in (0, 1): what a step leaves of mu
  /// In place of Problem::start, without a say in the scale; n entries, or none. Either is moved inside, by a tenth of
  /// NonlinearMap::sizes or a quarter of the way between the bounds.
  Eigen::VectorXd start{};
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and InteriorPoint::validate; F or its Jacobian that is not finite at
/// the start (where that had to be moved inside, NumericalFailure); with check_jacobian a Jacobian that differences
/// deny.
[[nodiscard]] Result solve(const Problem& problem, const InteriorPoint& options);

}  // namespace nonsmooth::mcp
