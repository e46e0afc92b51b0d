// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/mlcp/problem.hpp>

namespace nonsmooth::mlcp {

/// What the equality rows and the free unknowns of a problem are worth, whatever v is. Ranks are those of rows and
/// columns scaled to largest entry 1.
struct Diagnosis {
  Index rank_equalities = 0;  ///< of (A C): independent equality rows
  Index rank_free = 0;        ///< of A: what can be eliminated
  /// Equality rows that follow from the others (combinations of them, constants included). Solvers may drop them.
  std::vector<Index> redundant;
  /// Equality rows that contradict the others: the same combination of (A C), another constant. No solution exists.
  std::vector<Index> contradicting;
  /// Unit vectors, in columns, of the changes of u that change no row, (A; D) u = 0: nothing determines them, and
  /// solvers leave u small along them.
  Eigen::MatrixXd undetermined;
  /// Largest over smallest singular value of the scaled A; infinity where it is not square or singular.
  double condition = 0.0;
  /// Where rows contradict: y as in proves_infeasible(), p + m entries. Empty otherwise.
  Eigen::VectorXd proof;

  [[nodiscard]] bool contradicts() const noexcept { return !contradicting.empty(); }
  [[nodiscard]] bool regular() const noexcept;  ///< A square and nonsingular: elimination is possible
  [[nodiscard]] std::string message() const;    ///< in words, e.g. "2 redundant equality rows (3, 7); ..."
};

/// Rank-revealing look at the free block, by orthogonal factorizations with column pivoting. tolerance: pivots below
/// it, relative to the largest, count as zero; the default leaves three digits to what assembled the rows.
/// A contradiction is reported only with a verified proof. Cost: O((n + m + p)^3).
/// @throws InvalidArgument as Problem::validate and for a tolerance outside (0, 1).
[[nodiscard]] Diagnosis diagnose(const Problem& problem, double tolerance = 1e-13);

}  // namespace nonsmooth::mlcp
