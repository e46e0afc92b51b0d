// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Lemke's complementary pivoting on  w = M z + q + d z0  with a lexicographic ratio test (no cycling).
///
/// Reaches a solution, or a secondary ray that proves there is none, for copositive-plus M (positive semidefinite M
/// among them); reaches a solution for P-matrices and strictly copositive M. Outside these classes it often succeeds
/// all the same, but a ray proves nothing: Infeasible is returned only with a verified Result::proof, else Stalled.
/// Works on the basis inverse (dense: explicit, refactored every `refactor_every` pivots; sparse: sparse LU with
/// product-form updates in between), never on a tableau; the final basis is solved afresh and refined.
/// Cost of a pivot: dense about 4 n^2 flops, and n^3 for the inverse every `refactor_every` pivots; sparse two
/// triangular solves with up to `refactor_every` updates, and a factorization every `refactor_every` pivots (the
/// artificial column -d is dense and ordered last). Ties are broken lexicographically by the rows of [q, I], sparse by
/// those of [q, p, I] with one fixed vector p, since a row of the inverse costs a solve there.
/// The number of pivots is typically n to 3 n, exponential in the worst case [murty1978].
/// Source: Lemke 1965 [lemke1965]; Cottle, Pang, Stone 1992, algorithm 4.4.5 [cottle1992].
struct Lemke {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0. Pivoting is exact up to round-off.
  Index max_pivots = 0;       ///< >= 0; 0 takes 50 n + 1000, far beyond what non-exponential problems need
  Index refactor_every = 50;  ///< pivots between two factorizations, >= 1: round-off grows with each update
  /// Scales M to D M D with D of powers of two and entries near 1 before pivoting. The solution stays what it is; the
  /// path may differ. Off: the path of the textbooks.
  bool equilibrate = true;
  Eigen::VectorXd covering{};  ///< d > 0, n entries; empty takes ones (after equilibration)
  /// [s], > 0; then Status::TimeLimit and the z of the basis reached (it solves w = M z + q + d z0, z0 > 0)
  double time_limit = std::numeric_limits<double>::infinity();

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Lemke::validate, and if covering has not n entries.
[[nodiscard]] Result solve(const Problem& problem, const Lemke& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Lemke& options);

}  // namespace nonsmooth::lcp
