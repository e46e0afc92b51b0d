// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::qp {

/// The primal active set method: from a feasible x, which is the one nearest to `start` by DualActiveSet (or the proof
/// that there is none), to the minimiser on the active rows and bounds; what is met on the way becomes active, and at
/// the minimiser the one whose multiplier has the wrong sign the most leaves. Every iterate after the first is feasible
/// and no worse than the one before, so that a limit leaves an answer that can be used.
///
/// Factors, singular Q and unbounded programs as in DualActiveSet. Small and medium dense programs of which a feasible
/// x near the solution is known. Cost: n^3 and O(n (n + m)) a step.
/// Source: Nocedal, Wright 2006, section 16.5 [nocedal2006]; Acary, Brogliato 2008, chapter 12 [acarybrogliato2008].
struct PrimalActiveSet {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0. Exact up to round-off at the right set.
  Index max_steps = 100'000;  ///< rows that become active or leave, those of the search for a feasible x too; >= 1
  Eigen::VectorXd start{};    ///< n entries, or empty: 0
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and PrimalActiveSet::validate, and for a start of another size.
[[nodiscard]] Result solve(const Problem& problem, const PrimalActiveSet& options);

}  // namespace nonsmooth::qp
