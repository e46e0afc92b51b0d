// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/vi/problem.hpp>

namespace nonsmooth::vi {

/// Pivoting for the affine variational inequality on a polyhedron,
///
///     F(x) = M x + q,   K = {A x <= b, C x = d}:   find x in K with (M x + q)·(y - x) >= 0 for all y in K.
///
/// x_e is a vertex of K (up to the lines in K) near `start`, B the tight rows of A there, taken independent of each
/// other and of C, and r = A_B^T s, s > 0, in the interior of their cone. The path of the problems with q - t r in
/// place of q begins at t = infinity, where x_e solves them with lambda_B = t s - ..., and is followed by pivots on the
/// optimality conditions
///
///     0 = M x + C^T mu + A^T lambda + q - t r,    0 = d - C x,    0 <= lambda ⟂ b - A x >= 0
///
/// to t = 0: x never leaves K, x and mu stay free and in the basis, so that neither lines in K nor equations cost
/// pivots, and ties are broken lexicographically. Along lines in K r is 0 and x fulfils V^T (M x + q) = 0, V a basis
/// of the lines; where V^T M V is singular, M + delta 1 and q - delta x_before stand for M and q one time after the
/// other, which leads to a solution where M is positive semidefinite.
///
/// Reaches a solution for every M if K is bounded; if K is not, a solution or a secondary ray (Stalled, which its
/// reason tells) that says there is none for M copositive-plus on the recession cone of K, and more generally for the
/// L-matrices with respect to it. M need be neither symmetric nor monotone; where it is not monotone the number of
/// pivots may grow exponentially with n. Infeasible, with the vector of Farkas,
/// where K has no point. The last basis is solved afresh and refined.
///
/// F must be affine: its Jacobian is asked once, at the start, and F at a second point of K is compared with it.
/// Without a Jacobian differences stand for it, and the path is followed again from the answer, up to three times, for
/// the digits that they lack. Cost: (n rows) for each of up to n rows of x_e; a pivot is two triangular solves with
/// sparse factors of the basis (n + rows). Source: Cao, Ferris 1996 [cao1996].
struct CaoFerris {
  double tolerance = 1e-10;   ///< Certificate::residual <= tolerance; > 0. Pivoting is exact up to round-off.
  Index max_pivots = 0;       ///< >= 0; 0: 50 (n + rows) + 1000
  Index refactor_every = 50;  ///< pivots between two factorizations of the basis, >= 1: round-off grows
  bool equilibrate = true;    ///< rows and columns to entries near 1 by powers of two before pivoting
  double time_limit = std::numeric_limits<double>::infinity();  ///< [s], > 0; then Status::TimeLimit
  Eigen::VectorXd start{};                                      ///< projected on K; empty: 0
  bool check_jacobian = false;  ///< compare_jacobian at the start; what differs is an InvalidArgument

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Result::iterations counts pivots.
/// @throws InvalidArgument as Problem::validate and CaoFerris::validate, for a K that is no polyhedron, an F that is
/// not affine, a start of another size, and where F is not finite at the start or at the point of K nearest to 0;
/// with check_jacobian a Jacobian that differences deny.
[[nodiscard]] Result solve(const Problem& problem, const CaoFerris& options);

}  // namespace nonsmooth::vi
