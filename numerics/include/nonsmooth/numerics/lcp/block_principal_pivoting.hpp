// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Block principal pivoting: from a basis a (z_a = -M_aa^-1 q_a, w_b = (M z + q)_b) every row with the wrong sign
/// changes sides at once. Where the number of wrong rows has failed to drop `patience` times, Murty's rule changes the
/// wrong row of least index alone until the number drops, which ends after finitely many steps for a P-matrix.
/// The first basis comes from a few projected Gauss-Seidel sweeps where the diagonal is positive: each costs what a
/// product does, and on well-conditioned problems one or two factorizations are left to do.
///
/// Works for P-matrices (symmetric positive definite among them) and in few steps for M-matrices. Outside: stops with
/// NumericalFailure at a singular M_aa or with IterationLimit where it cycles.
/// Cost: one factorization of M_aa a step (dense LU; sparse LDL^T where M is symmetric, else sparse LU).
/// Source: Judice, Pires 1994 [judice1994]; Murty 1974 [murty1974].
struct BlockPrincipalPivoting {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right basis.
  Index max_steps = 0;       ///< >= 0; 0 takes 10 n + 100, some ten times what well-posed problems need
  Index patience = 10;       ///< block steps without a new least number of wrong rows, >= 0; 10 as in the source
  Index sweeps = 24;         ///< at most, for the first basis; >= 0. 0: z = 0, as in the source. Fewer where it stands
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and BlockPrincipalPivoting::validate.
[[nodiscard]] Result solve(const Problem& problem, const BlockPrincipalPivoting& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const BlockPrincipalPivoting& options);

}  // namespace nonsmooth::lcp
