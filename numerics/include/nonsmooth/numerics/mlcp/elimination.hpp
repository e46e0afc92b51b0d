// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mlcp/problem.hpp>

namespace nonsmooth::mlcp {

/// Eliminates u = -A^-1 (C v + a) and solves the box problem of the Schur complement S = B - D A^-1 C,
///
///     w = S v + b - D A^-1 a,   -w in N_[l,h](v),
///
/// by relay::Automatic; then u is found by A's factors with iterative refinement, and the whole is certified on the
/// given data. Pays where n is much larger than m. An Infeasible Schur problem gives a proof for the whole.
///
/// Needs p = n and A of condition below `condition_limit`, else NumericalFailure: what A^-1 loses, S has lost for good.
/// Cost: one LU of A, m + 1 solves, then the box problem of m rows.
/// Source: Cottle, Pang, Stone 1992, section 1.5 [cottle1992].
struct Elimination {
  double tolerance = 1e-10;       ///< Certificate::residual <= tolerance; > 0
  double condition_limit = 1e10;  ///< of A with equilibrated rows (1-norm, estimated); > 1. Leaves 6 digits of S
  Index max_iterations = 0;       ///< of each algorithm on the Schur problem, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Elimination::validate.
[[nodiscard]] Result solve(const Problem& problem, const Elimination& options);

}  // namespace nonsmooth::mlcp
