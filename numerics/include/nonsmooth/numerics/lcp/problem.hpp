// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::lcp {

/// The linear complementarity problem  w = M z + q,  0 <= z ⟂ w >= 0  with a dense M (n x n), n >= 1.
/// Source: Cottle, Pang, Stone, The Linear Complementarity Problem, 1992 [cottle1992].
struct Problem {
  Eigen::MatrixXd M;
  Eigen::VectorXd q;

  /// @throws InvalidArgument: empty, not square, sizes that differ, an entry that is not finite.
  void validate() const;
};

/// The same with a sparse M (column-major). No solver turns it into a dense matrix, but for the search for a proof
/// at the end of Automatic where the problem is not large.
struct SparseProblem {
  Eigen::SparseMatrix<double> M;
  Eigen::VectorXd q;

  void validate() const;  ///< as Problem::validate
};

/// A look at a dense problem that copies nothing, for hot loops; not validated.
struct View {
  ConstMatrixRef M;
  ConstVectorRef q;
};

/// What a solve found. `z` is the best iterate whatever the status; w = M z + q recomputed. A proof is
/// y >= 0 with M^T y <= 0 and q·y < 0 (no z >= 0 has M z + q >= 0).
struct Result : Outcome {
  GrowingVector z, w;

  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of z for 0 <= z ⟂ M z + q >= 0: errors min(s_i z_i, w_i), s_i = M_ii if positive, else the largest
/// |M_ij| of the row, else 1. floor < 0 takes the default. w must have n entries and receives M z + q.
/// Allocates nothing for dense M. Cost: one product.
[[nodiscard]] Certificate certify(const View& problem, ConstVectorRef z, VectorRef w, double floor = -1.0);
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef z, VectorRef w, double floor = -1.0);
[[nodiscard]] Certificate certify(const SparseProblem& problem, ConstVectorRef z, VectorRef w, double floor = -1.0);

/// True if y proves that the LCP has no feasible point: y >= 0, M^T y <= 0, q·y < 0. Rounding is allowed for column by
/// column: (M^T y)_j <= tolerance sum_i |M_ij| y_i, and q·y < -tolerance sum_i |q_i| y_i, sums in extended precision; a
/// negative tolerance takes 4 eps. More would prove no more than that no solution is of moderate size: a positive
/// definite M with an eigenvalue of 1e-11 of the largest would be called infeasible.
[[nodiscard]] bool proves_infeasible(const View& problem, ConstVectorRef y, double tolerance = -1.0);
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance = -1.0);
[[nodiscard]] bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance = -1.0);

}  // namespace nonsmooth::lcp
