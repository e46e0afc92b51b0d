// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::cone_program {

/// The second-order cone program in x in R^n
///
///     minimise c^T x    subject to    A x = b,    s = h - G x in K = R^l_+ x Q_1 x ... x Q_k,
///
/// Q_i = {s : s_0 >= |(s_1, s_2, ...)|_2}, their rows in this order; A p x n, G m x n, sparse; n >= 1, p, m >= 0. x
/// solves it just where y (p) and z (m) exist with
///
///     A^T y + G^T z + c = 0,    z in K,    s^T z = 0,
///
/// if some x has s inside K, or the dual some z. Its dual: maximise -b^T y - h^T z under the first two.
/// Source: Lobo, Vandenberghe, Boyd, Lebret 1998 [lobo1998].
struct Problem {
  Eigen::VectorXd c;
  Eigen::SparseMatrix<double> A{};  ///< empty: no equations
  Eigen::VectorXd b{};
  Eigen::SparseMatrix<double> G{};  ///< empty: no cones
  Eigen::VectorXd h{};
  Index orthant = 0;           ///< l, rows of G that are alone
  std::vector<Index> cones{};  ///< the rows of each Q_i, >= 1, behind them

  [[nodiscard]] Index num_unknowns() const noexcept { return c.size(); }   ///< n
  [[nodiscard]] Index num_equations() const noexcept { return b.size(); }  ///< p
  [[nodiscard]] Index num_rows() const noexcept { return h.size(); }       ///< m

  /// @throws InvalidArgument: empty, shapes that differ, an entry that is not finite, cones that are not the rows of G.
  void validate() const;
};

/// What (x, y, z) is worth, recomputed from the data in extended precision, each relative to the largest of the data in
/// its rows, or where these are 0 of its terms, or where those are rounding, 64 eps, of what X, Y and Z (below) could
/// make of them, of that: how far A x is from b and h - G x from K (Euclidean, cone by cone); A^T y + G^T z + c, and
/// how far z is from K times the largest |G_ij|; |c^T x + b^T y + h^T z| over |c||x| + |b||y| + |h||z|. Of a cone that
/// h - G x is in, |h| counts up to |G||x| alone: a large h that x is far from does not hide errors at other cones.
///
/// Nor does one that x is at: each row, cone and column is compared with its own too, and the larger figure counts:
///
///     |A x - b|_i / (|b| + |A||x|)_i,   dist(s_C, K_C) / (max |h_C| + max (|G||x|)_C),
///     |A^T y + G^T z + c|_j / (|c| + |A^T||y| + |G^T||z|)_j,   dist(z_C, K_C) / (|z_C| + Z_C),
///
/// where b_i, h_C or c_j is 0 max_j |A_ij| X_j, max_j |G_ij| X_j or max_i |A_ij| Y_i and max_i |G_ij| Z_i in its place,
/// what the data say of unknowns, X_j = max_i |b_i| / |A_ij| and |h_i| / |G_ij|, and multipliers, Y_i = max_j |c_j| /
/// |A_ij|, Z alike. What these are 0 for is compared with the largest alone. No unit of a row, cone or unknown matters
/// to these figures.
///
/// Multipliers that cancel in every slope, as of two rows that leave nothing between them, hide no gap: |y_i| counts in
/// its terms up to the larger of Y_i and |c|_inf / max_j |A_ij|, what c asks for, and |z_i| alike.
///
/// The gap is one sum: where terms of c^T x differ by decades, it does not see the small ones. `complementarity` does,
/// and is no part of the residual: the largest over cones with h != 0 of
///
///     |s^T z| / max_i (|h| + |G||x|)_i  max_ij |G_ij| / (|c| + |A^T||y| + |G^T||z|)_j,    i in the cone,
///
/// each cone by its own rows and columns, so that no unit of any unknown or cone matters. A cone with h = 0 has no unit
/// of its own: s is then as small as its terms are, and the figure would be 1 at a solution.
struct Figures {
  double primal = std::numeric_limits<double>::quiet_NaN();
  double dual = std::numeric_limits<double>::quiet_NaN();
  double gap = std::numeric_limits<double>::quiet_NaN();
  double complementarity = std::numeric_limits<double>::quiet_NaN();
  double value = std::numeric_limits<double>::quiet_NaN();       ///< c^T x
  double dual_value = std::numeric_limits<double>::quiet_NaN();  ///< -b^T y - h^T z
};

/// What a solve found; x, y, z are the best iterate whatever the status. Rows of the certificate: those of A, then
/// those of G, then the n of the dual equations. Status::Infeasible says that there is no solution, for one of two
/// reasons: `proof` (y, then z) shows that no x is feasible; or c^T x falls without bound along `direction`. Both are
/// verified to 1e-9 where second-order cones have a part in them, so that they hold for x of a size only, as
/// proves_infeasible says; to rounding where they have none.
struct Result : Outcome {
  GrowingVector x, y, z;
  GrowingVector s;  ///< h - G x, recomputed
  Figures figures;
  Eigen::VectorXd direction{};  ///< n entries, empty but for an unbounded program

  [[nodiscard]] bool unbounded() const noexcept { return status == Status::Infeasible && direction.size() > 0; }
  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of (x, y, z): residual = the largest of primal, dual and gap; row_residual relates each of these to
/// its own terms. s must have m entries and receives h - G x; `figures`
/// may be null. Cost: two products with A and G.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef z,
                                  VectorRef s, Figures* figures = nullptr);

/// True if (y, z), p + m entries, proves that no x is feasible: z in K, A^T y + G^T z = 0, b^T y + h^T z < 0. In
/// extended precision; each row of the second may be off by `tolerance` times the sum of its |terms|, the third is to
/// be below -tolerance times its own; z in K to rounding of its norms. A negative tolerance takes 64 eps where z is 0
/// on all second-order cones, and 1e-9 where it is not: they, unlike rows, may be infeasible without any exact proof in
/// doubles. The proof is then one for all x with sum_j |left_j x_j| < |b^T y + h^T z|, left_j what row j of the second
/// is off by, and says nothing of larger ones. x_j ten times as large as the terms suggest, those of the third over
/// those of row j, are to be among them: what excludes less is no proof.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef proof, double tolerance = -1.0);

/// True if d proves that the program, if any x is feasible, is unbounded: A d = 0, -G d in K, c^T d < 0, with the same
/// tolerance (of a cone: times the largest of the terms of its rows). So x + t d leaves a row by at most t `tolerance`
/// times these: the value falls that far, not without any bound, where d is off. -c^T d is to be ten times what taking
/// these errors away may cost, the largest |c_j| / |G_ij| of its row for each.
[[nodiscard]] bool proves_unbounded(const Problem& problem, ConstVectorRef d, double tolerance = -1.0);

}  // namespace nonsmooth::cone_program
