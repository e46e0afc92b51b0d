// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::relay {

/// The relay problem, or affine variational inequality on a box:  w = M z + q,  -w in N_[l,u](z),  that is, row by row,
///
///     z_i = l_i and w_i >= 0,   or   l_i <= z_i <= u_i and w_i = 0,   or   z_i = u_i and w_i <= 0.
///
/// M is dense, n x n, n >= 1. Bounds may be infinite: [0, inf) is a complementarity row, (-inf, inf) an equality row,
/// so that this is the linear mixed complementarity problem too (mlcp.hpp has its block form).
/// Source: Dirkse, Ferris 1995 [dirkse1995]; Cao, Ferris 1996 [cao1996].
struct Problem {
  Eigen::MatrixXd M;
  Eigen::VectorXd q;
  Eigen::VectorXd lower;  ///< l, n entries; < +inf
  Eigen::VectorXd upper;  ///< u, n entries; > -inf; l <= u

  /// @throws InvalidArgument: empty, not square, sizes that differ, an entry of M or q that is not finite, a bound that
  /// is NaN, l_i > u_i, l_i = +inf, u_i = -inf.
  void validate() const;
};

/// The same with a sparse M (column-major). No solver makes a dense matrix of it.
struct SparseProblem {
  Eigen::SparseMatrix<double> M;
  Eigen::VectorXd q;
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;

  void validate() const;  ///< as Problem::validate
};

/// What a solve found. `z` is the best iterate whatever the status, within its bounds; w = M z + q recomputed.
struct Result : Outcome {
  GrowingVector z, w;

  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of z: errors (z - P_[l,u](z - rho w)) / rho with rho_i = 1/s_i, s_i = M_ii if positive, else the
/// largest |M_ij| of the row, else 1; |w_i| on equality rows. scale = max(|q|_inf, |M P(0) + q|_inf, floor), P(0) the
/// point of the box nearest to 0 (the second counts only where bounds exclude 0); floor < 0 takes the default
/// 64 eps max_i (|M||z| + |q|)_i. A z out of its bounds is an error like any other.
/// w must have n entries and receives M z + q. Allocates nothing. Cost: one product.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef z, VectorRef w, double floor = -1.0);
/// Allocates three vectors.
[[nodiscard]] Certificate certify(const SparseProblem& problem, ConstVectorRef z, VectorRef w, double floor = -1.0);

/// True if y proves that there is no solution: every w that some solution could have meets y·w >= 0, for y_i >= 0 where
/// only l_i is finite, y_i <= 0 where only u_i is, y_i of any sign on equality rows, y_i = 0 where both are finite;
/// while y·(M z + q) < 0 for every z in [l, u]. tolerance: column j counts as zero where |sum_i M_ij y_i| is at most
/// this part of sum_i |M_ij y_i|, and y·(M z + q) must be negative by this part of its terms; negative, the default,
/// takes 4 eps, what y and M lose by being rounded: a looser one calls nearly singular regular problems infeasible.
/// Sums are in extended precision.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance = -1.0);
[[nodiscard]] bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance = -1.0);

}  // namespace nonsmooth::relay
