// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/relay/problem.hpp>

namespace nonsmooth::relay {

/// Projected successive over-relaxation, the free rows as one block: a sweep solves M_ff z_f = -(q + M z_rest)_f (LU,
/// factored once), then z_i := P_[l,u](z_i - relaxation (M z + q)_i / M_ii) for one row with bounds after another.
/// relaxation = 1 is projected Gauss-Seidel.
///
/// Converges for symmetric positive definite M and any relaxation in (0, 2), and for strictly diagonally dominant M
/// with relaxation <= 1; linearly, slowly where M is ill-conditioned. A row with bounds and M_ii <= 0, and a singular
/// M_ff, end NumericalFailure. Cost: one product with M a sweep. Source: Cryer 1971 [cryer1971]; Mangasarian 1977
/// [mangasarian1977].
struct GaussSeidel {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0
  Index max_sweeps = 10'000;  ///< >= 1
  double relaxation = 1.0;    ///< in (0, 2); 1 for unknown M
  Index check_every = 10;     ///< sweeps between two certificates, >= 1: one costs as much as a sweep
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and GaussSeidel::validate.
[[nodiscard]] Result solve(const Problem& problem, const GaussSeidel& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const GaussSeidel& options);

}  // namespace nonsmooth::relay
