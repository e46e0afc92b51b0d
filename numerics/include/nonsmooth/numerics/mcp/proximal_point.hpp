// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mcp/problem.hpp>

namespace nonsmooth::mcp {

/// Proximal points: from the centre c the problem
///
///     -(F(x) + weight S (x - c)) in N_[l,h](x),     S = diag(s) of the certificate at the start,
///
/// is solved to a thousandth of the residual at c by SemismoothNewton; its solution is the next centre, and weight is
/// divided by 4. Where it is not solved, c stays and weight is multiplied by 8: the larger it is, the more monotone the
/// problem and the shorter the way to go.
///
/// c is moved whatever F's residual does there, which is how it leaves points where every merit function is stationary:
/// F = (x - 1)^2 - 1.01, x >= 0 near 0, where F < 0 pushes x up although |F| grows. Of monotone F every sequence
/// converges; as weight falls, superlinearly. Of others it may run away or in circles until max_steps.
/// Cost: that of the Newton steps, which max_steps counts in all.
/// Source: Rockafellar 1976 [rockafellar1976]; Billups, Ferris 1997 [billups1997] for leaving stationary points.
struct ProximalPoint {
  double tolerance = 1e-10;     ///< Certificate::residual <= tolerance; > 0
  double weight = 1.0;          ///< the first one, > 0 and below 1e10, where it ends
  Index max_steps = 2000;       ///< Newton steps in all, >= 1
  Index inner_steps = 50;       ///< Newton steps of one centre, >= 1
  Eigen::VectorXd start{};      ///< in place of Problem::start, without a say in the scale; n entries, or none
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and ProximalPoint::validate; F or its Jacobian that is not finite at
/// the start; with check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const ProximalPoint& options);

}  // namespace nonsmooth::mcp
