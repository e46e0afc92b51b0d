// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Semismooth Newton on the min map H_i(z) = min(s_i z_i, (M z + q)_i) = 0 (s_i of the certificate), globalised by the
/// Fischer-Burmeister merit function 1/2 |phi|^2.
///
/// A Newton step goes to the point z_a = -M_aa^-1 q_a, z_b = 0 of the basis a = {i : s_i z_i > w_i}. It is shortened by
/// a nonmonotone line search: the merit may rise above the last value, not above the largest of the last `memory`.
/// Where M_aa is singular or the step is none of descent, the Fischer-Burmeister Newton step and then the (scaled)
/// negative gradient of the merit function take its place.
///
/// One solution of a basis is the answer as soon as the basis is right: finitely many steps for P-matrices near the
/// solution. Every stationary point of the merit function is a solution for P0-matrices; outside it may stop at one
/// that is not: Stalled. Cost: one factorization of M_aa a step, and one of an n x n matrix where that step fails.
/// Source: Pang 1990 [pang1990]; Grippo, Lampariello, Lucidi 1986 for the line search [grippo1986].
struct MinNewton {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right basis.
  Index max_steps = 200;     ///< >= 1; a good start needs about 10
  double decrease = 1e-4;    ///< Armijo: merit drops by this share of its slope at least; in (0, 0.5]
  Index memory = 10;         ///< >= 1; 10 as in the source of the line search, 1 makes it monotone
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and MinNewton::validate.
[[nodiscard]] Result solve(const Problem& problem, const MinNewton& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const MinNewton& options);

}  // namespace nonsmooth::lcp
