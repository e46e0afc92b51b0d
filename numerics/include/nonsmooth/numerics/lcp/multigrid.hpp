// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Coarse to fine, for large sparse M-matrices (obstacle problems and their like, in any numbering and dimension).
///
/// M is coarsened algebraically (smoothed aggregation, P >= 0). The coarse problems (P^T M P, P^T q) are solved from
/// the coarsest on and interpolated to start the next. On each level: the primal-dual active set iteration,
/// a = {i : s_i z_i > w_i}, whose systems M_aa x = b are solved inexactly by conjugate gradients (BiCGStab where M is
/// not symmetric) behind a multigrid cycle with interpolation truncated to a, so that no factorization of a large
/// matrix is needed; where the bandwidth of M is small, by sparse factors instead. A projected Gauss-Seidel sweep ends
/// each step.
///
/// Class: symmetric M-matrices with the number of steps all but independent of the size; in practice also M-matrices
/// that are not symmetric and positive definite matrices near one. Needs a positive diagonal, else NumericalFailure.
/// Outside: the active sets may cycle (IterationLimit) or the inner iteration break down (Stalled).
/// Cost: some 5 to 10 steps, each about ten cycles of a few products with M: linear in the number of entries of M.
/// When: sparse, more than some thousand rows; below, primal-dual active set is as quick and exact.
/// Source: Hintermuller, Ito, Kunisch 2002 [hintermuller2002] (active sets); Kornhuber 1994 [kornhuber1994] (truncated
/// multigrid); Vanek, Mandel, Brezina 1996 [vanek1996] (aggregation).
struct Multigrid {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0
  Index max_steps = 200;     ///< active set steps on the finest level, >= 1; obstacle problems take about 5
  Index max_cycles = 60;     ///< cycles of one inner solve, >= 1; M-matrices take about ten
  Index coarsest = 500;      ///< rows at which coarsening ends, >= 1: factors of so few cost no more than a cycle
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as SparseProblem::validate and Multigrid::validate.
[[nodiscard]] Result solve(const SparseProblem& problem, const Multigrid& options);

}  // namespace nonsmooth::lcp
