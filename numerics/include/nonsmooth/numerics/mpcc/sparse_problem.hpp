// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/mpcc/problem.hpp>

namespace nonsmooth::mpcc {

/// Problem with sparse Q (both triangles), A, G and H (column-major). Solved by NonlinearRelaxation, which turns none
/// of them into a dense matrix; Q need not be convex.
struct SparseProblem {
  Eigen::SparseMatrix<double> Q;
  Eigen::VectorXd c;
  Eigen::SparseMatrix<double> A{};
  Eigen::VectorXd row_lower{}, row_upper{}, lower{}, upper{};
  Eigen::SparseMatrix<double> G{};
  Eigen::VectorXd g{};
  Eigen::SparseMatrix<double> H{};
  Eigen::VectorXd h{};

  [[nodiscard]] Index num_unknowns() const noexcept { return c.size(); }  ///< n
  [[nodiscard]] Index num_rows() const noexcept { return A.rows(); }      ///< m
  [[nodiscard]] Index num_pairs() const noexcept { return g.size(); }     ///< k

  void validate() const;  ///< as Problem::validate
};

/// As of Problem.
[[nodiscard]] Certificate certify(const SparseProblem& problem, ConstVectorRef x, ConstVectorRef y, ConstVectorRef u,
                                  ConstVectorRef v, VectorRef s, Look* look = nullptr);
/// True if no direction leads to a better point to first order: is_bouligand_stationary() of NonlinearProblem, with
/// slopes Q x + c. Where Q is convex on the pieces at x it is that of Problem.
[[nodiscard]] bool is_bouligand_stationary(const SparseProblem& problem, ConstVectorRef x, double tolerance = 1e-7);
[[nodiscard]] bool proves_infeasible(const SparseProblem& problem, ConstVectorRef proof, double tolerance = -1.0);

}  // namespace nonsmooth::mpcc
