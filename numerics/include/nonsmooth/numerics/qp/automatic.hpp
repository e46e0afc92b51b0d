// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::qp {

/// Picks the algorithm; Result::solver says which one answered. Every answer is certified, every verdict proven.
///
/// Each where those before ended without an answer. Dense programs of up to 2000 unknowns: DualActiveSet,
/// InteriorPoint, and DualActiveSet again, from the active set of the better of the two. Larger ones: InteriorPoint,
/// then DualActiveSet from the active set that it leaves. Sparse programs: DualActiveSet of a dense copy of up to 50
/// unknowns and 100 rows; InteriorPoint, Admm, and DualActiveSet of a dense copy of up to 400 unknowns and 1000 rows.
/// What is Solved, with slopes that count as 0 beside others, is unbounded all the same where one unknown alone proves
/// it (proves_unbounded).
struct Automatic {
  double tolerance = 1e-10;                                     ///< Certificate::residual <= tolerance; > 0
  Index max_iterations = 0;                                     ///< of each algorithm, >= 0; 0: its default
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Automatic::validate.
[[nodiscard]] Result solve(const Problem& problem, const Automatic& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Automatic& options);

}  // namespace nonsmooth::qp
