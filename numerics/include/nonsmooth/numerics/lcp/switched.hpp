// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::lcp {

/// A complementarity problem whose conditions are switched off where a gap is open, by the gap of the answer itself and
/// not by a forecast: n rows,
///
///     y = A lambda + b,   v = V lambda + c,     y_i <= 0:  0 <= v_i ⟂ lambda_i >= 0,     y_i > 0:  lambda_i = 0.
///
/// y: gaps at the end of a step, v: velocities (or what else the law is about). With A = 0 an LCP on the rows with
/// b_i <= 0. The set of switched-off rows is open, so that there need be no solution although V is a P-matrix: a row
/// that is pushed open by its own lambda (A_ii > 0) may have none. Source: talk of Acary 2005.
struct SwitchedProblem {
  Eigen::MatrixXd A;  ///< n x n
  Eigen::VectorXd b;  ///< n
  Eigen::MatrixXd V;  ///< n x n
  Eigen::VectorXd c;  ///< n

  /// @throws InvalidArgument: empty, more than 16 rows, shapes that differ, numbers that are not finite.
  void validate() const;
};

struct SwitchedResult : Outcome {
  std::vector<Eigen::VectorXd> solutions;  ///< lambda, each once, in the order of their sets {i : lambda_i > 0}
  bool complete = true;  ///< all solutions are there; false: a set that is singular or within rounding may have more
};

/// All solutions: lambda_i > 0 just on a set S asks for V_SS lambda_S = -c_S, so that each of the 2^n sets has one
/// candidate where V_SS is regular (to 1e-12, its rows and columns scaled), which is put into all conditions. What
/// counts as zero is 1e-12 of its terms. A candidate with a lambda_i = 0 is that of the set without i, and told there.
/// Solved: at least one; Infeasible: none, with a proof (proves_none) that names for each set the condition that it
/// breaks; Stalled: none was found, and a set is singular or within rounding. Cost: 2^n factorizations.
/// @throws InvalidArgument as validate()
[[nodiscard]] SwitchedResult solve(const SwitchedProblem& problem);

/// Whether `proof` (2^n entries: by set, bit i of its number for row i, the number of a row whose condition its
/// candidate breaks beyond rounding) shows that there is no solution. @throws InvalidArgument as validate()
[[nodiscard]] bool proves_none(const SwitchedProblem& problem, ConstVectorRef proof);

}  // namespace nonsmooth::lcp
