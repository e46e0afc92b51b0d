// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Projected successive over-relaxation: z_i := max(0, z_i - relaxation (M z + q)_i / M_ii), row after row.
/// relaxation = 1 is projected Gauss-Seidel.
///
/// Converges for symmetric positive definite M and any relaxation in (0, 2), and for strictly diagonally dominant M
/// with relaxation <= 1; linearly, slowly where M is ill-conditioned. A row with M_ii <= 0 ends NumericalFailure.
/// Cost: one product with M a sweep.
/// Source: Cryer 1971 [cryer1971]; Mangasarian 1977 [mangasarian1977].
struct ProjectedGaussSeidel {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0
  Index max_sweeps = 10'000;  ///< >= 1
  double relaxation = 1.0;    ///< in (0, 2); 1 for unknown M
  Index check_every = 10;     ///< sweeps between two certificates, >= 1: one costs as much as a sweep

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and ProjectedGaussSeidel::validate.
[[nodiscard]] Result solve(const Problem& problem, const ProjectedGaussSeidel& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const ProjectedGaussSeidel& options);

}  // namespace nonsmooth::lcp
