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
/// Works on the basis inverse, explicit and refactored every `refactor_every` pivots, never on a tableau; the final
/// basis is solved afresh and refined. A pivot costs about 4 n^2 flops, and n^3 for the inverse every `refactor_every`
/// pivots. Ties are broken lexicographically by the rows of [q, I].
/// The number of pivots is typically n to 3 n, exponential in the worst case [murty1978].
///
/// Sparse: the path of relay::Lemke, from where up to 100 steps of Newton's method on the minimum map lead to, and
/// where that does not end at a solution the one above from infinity; with a `covering` that alone. The basis is sparse
/// LU with product-form updates, a pivot two triangular solves with up to `refactor_every` of them. Ties are broken by
/// a fixed perturbation of q, and where it does not tell, by the larger pivot. Source: Lemke 1965 [lemke1965]; Cottle,
/// Pang, Stone 1992, algorithm 4.4.5 [cottle1992].
struct Lemke {
  double tolerance = 1e-10;  ///< Certificate::residual <= tolerance; > 0. Pivoting is exact up to round-off.
  /// >= 0; 0 takes 50 n + 1000, far beyond what non-exponential problems need. Sparse: Newton's steps count too.
  Index max_pivots = 0;
  Index refactor_every = 50;  ///< pivots between two factorizations, >= 1 (sparse: at most 50): round-off grows
  /// Scales M to D M D with D of powers of two and entries near 1 before pivoting. The solution stays what it is; the
  /// path may differ. Off: the path of the textbooks.
  bool equilibrate = true;
  Eigen::VectorXd
      covering{};  ///< d > 0, n entries, of the equilibrated problem; empty takes ones, sparse as told above
  /// [s], > 0; then Status::TimeLimit and the z of the basis reached (it solves w = M z + q + d z0, z0 > 0)
  double time_limit = std::numeric_limits<double>::infinity();

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// @throws InvalidArgument as Problem::validate and Lemke::validate, and if covering has not n entries.
[[nodiscard]] Result solve(const Problem& problem, const Lemke& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Lemke& options);

}  // namespace nonsmooth::lcp
