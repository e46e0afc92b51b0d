// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// Matrix splitting M = B + C: z^{k+1} solves the LCP of B with the vector q + C z^k. With L, D, U the strictly lower,
/// diagonal and strictly upper part of M, omega the relaxation, rho the proximal weight and s_i of the certificate,
///
///     Jacobi               B = (D + rho s) / omega
///     GaussSeidel          B = (D + rho s) / omega + L      rows 0 .. n-1 (omega = 1; projected SOR otherwise)
///     SymmetricGaussSeidel the above, then the same with U in place of L, rows n-1 .. 0; counted as one sweep
///
/// so that a row is z_i := max(0, z_i - omega (M z + q)_i / (M_ii + rho s_i)), z the newest values (Jacobi: the old).
///
/// Converges for symmetric positive definite M where B - C is positive definite: the Gauss-Seidel kinds for every omega
/// in (0, 2), Jacobi where 2 D / omega - M is. Converges for strictly diagonally dominant M with positive diagonal and
/// omega <= 1, symmetric or not. With `line_search` (symmetric M) each step goes to the minimum of 1/2 z^T M z + q^T z
/// along it and none increases that function, so that Jacobi converges for every positive definite M too. Positive
/// semidefinite M: the function falls all the same, to a solution where z stays bounded. Linear, slow where M is
/// ill-conditioned.
/// A row with M_ii + rho s_i <= 0 ends NumericalFailure. A direction along which the quadratic falls without end is
/// Infeasible where it is a verified proof (positive semidefinite M).
/// Cost: one product with M a sweep (two for the symmetric kind, one more with line search).
/// Source: Cryer 1971 [cryer1971]; Mangasarian 1977 [mangasarian1977]; Cottle, Pang, Stone 1992, chapter 5
/// [cottle1992].
struct Splitting {
  enum class Kind : unsigned char { Jacobi, GaussSeidel, SymmetricGaussSeidel };

  Kind kind = Kind::GaussSeidel;
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0
  Index max_sweeps = 10'000;  ///< >= 1
  double relaxation = 1.0;    ///< omega in (0, 2); 1 for unknown M
  double proximal = 0.0;      ///< rho >= 0: B gets rho s_i more on its diagonal, C the same less; makes M_ii = 0 usable
  bool line_search = false;   ///< symmetric M only: InvalidArgument names a pair of entries that differ
  Index check_every = 10;     ///< sweeps between two certificates, >= 1: one costs as much as a sweep
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Result::solver is "projected jacobi", "projected gauss-seidel", "projected sor" (relaxation not 1) or
/// "projected symmetric sor".
/// @throws InvalidArgument as Problem::validate and Splitting::validate, and for line_search with asymmetric M.
[[nodiscard]] Result solve(const Problem& problem, const Splitting& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const Splitting& options);

}  // namespace nonsmooth::lcp
