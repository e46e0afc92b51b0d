// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/mlcp/problem.hpp>

namespace nonsmooth::mlcp {

/// Block projected Gauss-Seidel: a sweep solves the equality rows for u (LU of A, factored once), then
/// v_i := P_[l,h](v_i - relaxation w_i / B_ii) for one row after another.
///
/// Converges where M = (A C; D B) is symmetric positive definite, or strictly diagonally dominant; needs p = n,
/// nonsingular A and B_ii > 0, else NumericalFailure. Cost: one product with M a sweep.
/// Source: Mangasarian 1977 [mangasarian1977].
struct GaussSeidel {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0
  Index max_sweeps = 10'000;  ///< >= 1
  double relaxation = 1.0;    ///< of the rows of v, in (0, 2); 1 for unknown M
  Index check_every = 10;     ///< sweeps between two certificates, >= 1: one costs as much as a sweep
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and GaussSeidel::validate.
[[nodiscard]] Result solve(const Problem& problem, const GaussSeidel& options);

}  // namespace nonsmooth::mlcp
