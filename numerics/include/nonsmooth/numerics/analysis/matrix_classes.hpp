// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <nonsmooth/numerics/analysis/verdict.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::analysis {

struct MatrixOptions {
  /// Irreducible blocks up to this size are decided by all their 2^n principal submatrices, in some 0.2 s at 20 rows;
  /// larger ones by sufficient conditions alone. In [1, 24].
  Index max_exact = 20;
  /// n x n, entries >= 0: M is known to be within it, entry by entry, and a verdict holds for every such matrix.
  /// Empty: the entries are what they are.
  Eigen::MatrixXd entry_error = {};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// What class a square real matrix M belongs to. What "fails" is shown by is in the last column; classes after
/// Cottle, Pang, Stone 1992, chapter 3 [cottle1992].
///
/// Signs are taken from numbers with bounds of their errors: a verdict holds for the matrix as it is stored, and what
/// a bound cannot separate from zero is NotKnown (a singular matrix of rounded numbers is neither positive semidefinite
/// nor not, as far as it goes; one of small integers is decided). `singular` alone is meant to round-off.
struct MatrixClasses {
  Finding symmetric;       ///< M = M^T.                            rows: the pair that differs
  Finding skew_symmetric;  ///< M = -M^T.                           rows: the pair
  Finding zero;            ///< M = 0.                              rows: row and column of an entry
  Finding nonnegative;     ///< M >= 0.                             rows: row and column of a negative entry
  Finding singular;  ///< Holds: witness v with |M v| <= (4 n eps |M| + entry_error) |v| row by row, or by exact zeros
                     ///< [oettli1964]
  Finding positive_definite;      ///< x^T M x > 0 for all x != 0; M need not be symmetric. witness: x with x^T M x <= 0
  Finding positive_semidefinite;  ///< x^T M x >= 0.                       witness: x with x^T M x < 0
  Finding p;                      ///< all principal minors > 0.           rows: of one that is <= 0; witness as for p0
  Finding p0;                   ///< all principal minors >= 0.          rows: of a negative one; witness z != 0 that M
                                ///< reverses: z_i (M z)_i < 0 in `rows` where z_i != 0, z_i = 0 elsewhere
  Finding nondegenerate;        ///< no principal minor is 0.            rows: of one that is
  Finding copositive;           ///< x^T M x >= 0 for x >= 0.            witness: x >= 0 with x^T M x < 0
  Finding strictly_copositive;  ///< x^T M x > 0 for x >= 0, x != 0.     witness: x >= 0 with x^T M x <= 0
  Finding s;                    ///< M x > 0 for some x >= 0: witness.   Fails: witness y >= 0, y != 0, M^T y <= 0
  Finding r0;                   ///< LCP(0, M) has no solution but 0.    witness: another solution
  Finding z;                    ///< no positive entry off the diagonal. rows: row and column of one
  Finding m;                    ///< Z and P (nonsingular M-matrix).
  Finding h_plus;               ///< the comparison matrix is an M-matrix, the diagonal is positive. Holds: witness
                                ///< x > 0 with M_ii x_i > sum_{j != i} |M_ij| x_j
  Finding column_sufficient;    ///< z_i (M z)_i <= 0 for all i only where all are 0. rows: a pair that shows no
  Finding row_sufficient;       ///< M^T is column sufficient.           rows: the same
};

/// Examines M (n x n, n >= 1): D of a relation, C B, a Delassus matrix.
///
/// - positive (semi)definite: Cholesky's factors of (M + M^T)/2, shifted by the round-off of the factorization
///   [rump2006]; an eigenvector as the witness; elimination with error bounds on the boundary, up to 200 rows.
/// - P, P0, nondegenerate: block by block of the strongly connected components of M's graph, as M is P (P0) exactly if
///   its irreducible diagonal blocks are; in a block the recursion of Tsatsomeros & Li over elimination or deletion of
///   a row [tsatsomeros2000], in Bareiss' form without fractions [bareiss1968]. Before that: positive definite => P, H+
///   => P.
/// - copositive: component by component of the graph of negative entries; in a component by the stationary points of
///   x^T M x on those faces of the simplex where it is convex, which contain a least support of a negative value.
///   Before that: positive semidefinite => copositive, nonnegative => copositive.
/// - S: value of the matrix game by Lemke's method, both players' vectors verified [cottle1992].
///
/// Cost: O(n^3), and some 30 2^k elimination steps for a block of k <= max_exact rows.
/// @throws InvalidArgument: M empty, not square, with an entry that is not finite; entry_error of another shape, with
/// a negative entry; an option outside its range.
[[nodiscard]] MatrixClasses classify(ConstMatrixRef M, const MatrixOptions& options = {});

}  // namespace nonsmooth::analysis
