// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Primal-dual active set: semismooth Newton on min(s_i z_i, (M z + q)_i) = 0. A step solves M_aa z_a = -q_a on
/// a = {i : s_i z_i > w_i} and takes the next a from the answer; it ends when a repeats itself.
///
/// Converges monotonically for M-matrices (obstacle problems) from z = 0, locally superlinearly for P-matrices. It may
/// cycle for P-matrices; a set seen before ends Stalled. A singular M_aa ends NumericalFailure.
/// Cost: one factorization of M_aa a step (dense LU; sparse LDL^T where M is symmetric, else sparse LU). From a cold
/// start the number of steps of an obstacle problem grows like 1/h at worst; give the answer of a coarser grid as
/// start, or take lcp::Multigrid, which makes its own. Source: Hintermuller, Ito, Kunisch 2002 [hintermuller2002].
struct PrimalDualActiveSet {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right set.
  Index max_steps = 1000;    ///< >= 1
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};  ///< z to take the first set from (n entries, >= 0 where free); empty: z = 0

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and PrimalDualActiveSet::validate, and if start has not n entries.
[[nodiscard]] Result solve(const Problem& problem, const PrimalDualActiveSet& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const PrimalDualActiveSet& options);

}  // namespace nonsmooth::lcp
