// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mcp/problem.hpp>

namespace nonsmooth::mcp {

/// Newton's method on the normal map, with path search and watchdog:
///
///     r(z) = F(P(z)) + S (z - P(z)) = 0,     P onto [l, h],  x = P(z),  S = diag(s) of the certificate at the start.
///
/// Where r is linearised at z it is piecewise linear, and its Newton path p(t), 0 <= t <= 1, is where it has the value
/// (1 - t) r(z). A point of the path is the solution y of the linear problem with
///
///     w = F(x) + F'(x) (y - x) - (1 - t) r(z),   -w in N_[l,h](y),     p(t) = y - S^-1 w,
///
/// by relay::ActiveSet from x, and relay::Lemke where that fails (of a sparse F by the sparse relay::Lemke). p(1) is
/// taken without asking as long as |r| falls below that of the checkpoint within `watch` steps; else the search goes
/// back to the checkpoint and along its path, t halved until |r| falls. Where the linear problem has no solution, S is
/// added to F' with a weight (a proximal point at x), and where no point of the path is better, some steps of
/// SemismoothNewton lead away; where these stall too, up to 100 proximal points are taken whatever |r| is there
/// (proximal_point.hpp says why). Before the first step projected Newton steps on the unknowns between their bounds
/// find the places (crash): one factorization each.
///
/// The choice for problems of economics, whose rows change place often and whose F is far from monotone. Cost: a
/// linear problem of n rows a step, O(n^3) or some sparse factorizations. Source: Ralph 1994 [ralph1994]; Dirkse,
/// Ferris 1995 [dirkse1995].
struct NormalMapNewton {
  double tolerance = 1e-10;     ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 200;        ///< >= 1, those of the crash and of SemismoothNewton among them
  Index crash_steps = 20;       ///< at most so many before the first, >= 0
  Index watch = 4;              ///< steps that need not better the checkpoint, >= 0; 0: every step must
  double decrease = 1e-3;       ///< |r(p(t))| <= (1 - decrease t) |r| of the checkpoint; in (0, 1/2]
  Index max_rows = 2000;        ///< n above is refused where F is not sparse: O(n^3) a step
  Eigen::VectorXd start{};      ///< in place of Problem::start, without a say in the scale; n entries, or none
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and NormalMapNewton::validate; more than max_rows unknowns of a dense
/// F; F or its Jacobian that is not finite at the start; with check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const NormalMapNewton& options);

}  // namespace nonsmooth::mcp
