// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Semismooth Newton on phi_i = sqrt(a^2 + b^2) - a - b = 0 with a = s_i z_i, b = (M z + q)_i (s_i of the certificate),
/// globalised by a line search on 1/2 |phi|^2 with the gradient direction where Newton's is none of descent. Near the
/// end the basis {a > b} is solved for directly and kept where that is better.
///
/// Every stationary point of the merit function is a solution for P0-matrices; locally quadratic at strongly regular
/// solutions. Outside P0 it may stop at a stationary point that is no solution: Stalled.
/// Stops where Certificate::residual <= tolerance. Cost: one factorization of an n x n matrix a step.
/// Source: Fischer 1992 [fischer1992]; De Luca, Facchinei, Kanzow 1996 [deluca1996].
struct FischerBurmeister {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 200;     ///< Newton or gradient steps, >= 1; a good start needs about 10
  double decrease = 1e-4;    ///< Armijo: merit drops by this share of its slope at least; in (0, 0.5]
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and FischerBurmeister::validate.
[[nodiscard]] Result solve(const Problem& problem, const FischerBurmeister& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const FischerBurmeister& options);

}  // namespace nonsmooth::lcp
