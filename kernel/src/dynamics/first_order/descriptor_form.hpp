// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

/// Linear systems M xdot = A x + f whose mass is singular: descriptor systems, as circuits written by nodes are.
namespace nonsmooth {

/// What the pencil s M - A is. Regular: det(s M - A) is not zero for all s, and then its index is how often algebraic
/// equations have to be differentiated until M is regular; 0 where it is.
struct PencilIndex {
  static constexpr Index kSingular = -1;
  static constexpr Index kUnknown = -2;  ///< regular, and round-off hides how often
  Index index = 0;
  std::vector<Index> rows{};  ///< of a singular pencil: those that depend on one another, whatever s
};

/// The index by the shuffle algorithm: rows of [M A] are combined until those without M are seen, their A takes the
/// place of their M, and again. The whole is one elimination whose entries carry bounds of their errors
/// (BoundedElimination), so that units do not decide, and round-off makes no index: it may only hide one, of deep
/// pencils (5 of full matrices of random numbers, of some 15 unknowns). Where it ends without an index, s M - A is
/// singular if it is for s = 0 and twelve others about the rates |A_ij / M_ij|. M and A are n x n and finite. Cost: a
/// few n^3 and n^2 for each index; thirteen eliminations more without one. Source: Luenberger 1978 [luenberger1978].
[[nodiscard]] PencilIndex pencil_index(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A);

/// @throws InvalidArgument naming the system and the rows: its pencil is singular.
void require_regular_pencil(const std::string& name, const Eigen::MatrixXd& M, const Eigen::MatrixXd& A);

/// M xdot = A x + f with a pencil of index 1 or 2, brought to what moves and what follows. With p, q the rows and
/// columns of M's pivots, and r, s the others,
///
///     x = x_d + V x_s,  x_d = N x,  M V = 0,      U M = 0,
///
/// x_d has zeros in s, V is the identity there and -M_pq^-1 M_ps in q, U is the identity in r and -M_rq M_pq^-1 in p:
///
///     M_pq xdot_q = (A x + f)_p,      0 = U (A x_d + A V x_s + f).
///
/// Of x_s, U A V determines what its pivots reach (all of it where the index is 1); the rest x_c moves x_d as
/// multipliers do, and as many rows, which hold no x_s, are constraints of x_d (the index is 2 where these multipliers
/// are determined by their derivatives, R A P regular, P = W A K):
///
///     xdot_d = W (A x_d + f) + P x_c,   x = X x_d + K x_c - Z f,   0 = R (A x_d + f).
///
/// So f = B lambda + b(t) gives y = C x + D lambda + e = C X x_d + C K x_c + (D - C Z B) lambda + e - C Z b: the
/// relative degree may fall to 0. Sums that cancel to round-off are zeros. A, N, W, X, Z are n x n, K and P are n x c,
/// R is c x n; A and X have zeros in the columns s.
struct DescriptorForm {
  Eigen::MatrixXd A, N, W, X, Z, K, P, R;

  /// Of a regular pencil whose index is 1 or 2.
  static DescriptorForm of(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A);
};

}  // namespace nonsmooth
