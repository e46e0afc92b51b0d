// SPDX-License-Identifier: Apache-2.0
/// @file
/// Vertical linear complementarity problems.
///
///     const lcp::vertical::Result result = lcp::vertical::solve({N, q, {0, 2, 3}});   // two rows for z_0, one for z_1
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/lcp/registry.hpp>
#include <nonsmooth/numerics/outcome.hpp>

namespace nonsmooth::lcp::vertical {

/// The vertical LCP: w = N z + q with m >= n rows in n groups, rows first[j] .. first[j + 1] - 1 for z_j, and
///
///     min(z_j, w_i, ..., w_k) = 0     over the rows i .. k of group j, for every j:
///
/// z >= 0, w >= 0 and in each group z_j or one of the rows is zero. One row a group is the LCP. Unique solvability for
/// every q: every choice of one row a group is a P-matrix [cottle1970].
/// Source: Cottle, Dantzig 1970 [cottle1970]; Cottle, Pang, Stone 1992, section 1.5 [cottle1992].
struct Problem {
  Eigen::MatrixXd N;         ///< m x n
  Eigen::VectorXd q;         ///< m
  std::vector<Index> first;  ///< n + 1 increasing offsets, 0 first and m last; every group has a row

  /// @throws InvalidArgument: empty, sizes that differ, a group without rows, an entry that is not finite.
  void validate() const;
};

/// The same with a sparse N (column-major).
struct SparseProblem {
  Eigen::SparseMatrix<double> N;
  Eigen::VectorXd q;
  std::vector<Index> first;

  void validate() const;  ///< as Problem::validate
};

/// The LCP of m rows that says the same. With the rows a_1 .. a_k of a group, min(a_1, .., a_k) = a_1 - p_2 - .. - p_k
/// where p_l is what row l takes off the least of those before it:
///
///     0 <= z_j ⟂ a_1 - sum_l p_l >= 0,       0 <= p_l ⟂ a_l - a_1 + sum_{i <= l} p_i >= 0.
///
/// The unknown z_j stands in the place of the group's first row, p_l in that of row l. Its matrix is a P-matrix exactly
/// where every choice of rows of N is, since both mean one solution for every right-hand side.
/// @throws InvalidArgument as Problem::validate. Cost: O(m n), dense; O(nonzeros * rows of the group), sparse.
[[nodiscard]] lcp::Problem to_lcp(const Problem& problem);
[[nodiscard]] lcp::SparseProblem to_lcp(const SparseProblem& problem);

/// What a solve found: the best z whatever the status, with the solver and the iterations of the LCP. A proof is y >= 0
/// (m entries) with N^T y <= 0, q·y < 0 (no z >= 0 has N z + q >= 0).
struct Result : Outcome {
  Eigen::VectorXd z;  ///< n
  Eigen::VectorXd w;  ///< N z + q, m
};

/// The certificate of z: errors min(s_j z_j, w_i, ..) by group, s_j the largest positive N_ij of the group's rows, else
/// the largest |N_ij| of those rows in any column, else 1; all in the unit of q. Scale and floor as for the LCP;
/// worst_row and worst_relative_row are groups. Cost: one product.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef z, VectorRef w, double floor = -1.0);
[[nodiscard]] Certificate certify(const SparseProblem& problem, ConstVectorRef z, VectorRef w, double floor = -1.0);

/// True if y proves that no z >= 0 has N z + q >= 0; rounding allowed for as in lcp::proves_infeasible, with
/// 64 n eps for a negative tolerance: a proof that is carried over is rounded once more.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance = -1.0);
[[nodiscard]] bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance = -1.0);

/// z of the answer of to_lcp(problem), certified: Solved only where this certificate allows it.
[[nodiscard]] Result recover(const Problem& problem, const lcp::Result& reduced, double tolerance = -1.0);
[[nodiscard]] Result recover(const SparseProblem& problem, const lcp::Result& reduced, double tolerance = -1.0);

/// to_lcp, solve with `solver`, recover. @throws InvalidArgument as Problem::validate and Limits::validate.
[[nodiscard]] Result solve(const Problem& problem, const Solver& solver, const Limits& limits = {});
[[nodiscard]] Result solve(const SparseProblem& problem, const Solver& solver, const Limits& limits = {});
/// With lcp::Automatic.
[[nodiscard]] Result solve(const Problem& problem, const Limits& limits = {});
[[nodiscard]] Result solve(const SparseProblem& problem, const Limits& limits = {});

}  // namespace nonsmooth::lcp::vertical
