// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/outcome.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::mlcp {

/// The mixed linear complementarity problem: find u in R^n, v in R^m with
///
///     0 = A u + C v + a         p equality rows,
///     w = D u + B v + b         m rows,  -w in N_[l,h](v),   by default  0 <= v ⟂ w >= 0.
///
/// A is p x n, C p x m, D m x n, B m x m; dense. p = n is the usual case; p > n has redundant or contradicting rows,
/// p < n unknowns that nothing determines: both are diagnosed (diagnosis.hpp). One of n, m may be 0, not both.
/// Source: Cottle, Pang, Stone 1992, section 1.5 [cottle1992].
struct Problem {
  Eigen::MatrixXd A, B, C, D;
  Eigen::VectorXd a, b;
  Eigen::VectorXd lower{};  ///< l, m entries, < +inf; empty: 0
  Eigen::VectorXd upper{};  ///< h, m entries, > -inf, >= l; empty: +inf

  [[nodiscard]] Index num_free() const noexcept { return A.cols(); }         ///< n
  [[nodiscard]] Index num_equalities() const noexcept { return a.size(); }   ///< p
  [[nodiscard]] Index num_constrained() const noexcept { return b.size(); }  ///< m

  /// @throws InvalidArgument: empty, shapes that differ, an entry that is not finite, bounds as in relay::Problem.
  void validate() const;
};

/// The same with sparse matrices (column-major). No solver makes dense ones of them.
struct SparseProblem {
  Eigen::SparseMatrix<double> A, B, C, D;
  Eigen::VectorXd a, b;
  Eigen::VectorXd lower{};
  Eigen::VectorXd upper{};

  [[nodiscard]] Index num_free() const noexcept { return A.cols(); }
  [[nodiscard]] Index num_equalities() const noexcept { return a.size(); }
  [[nodiscard]] Index num_constrained() const noexcept { return b.size(); }

  void validate() const;  ///< as Problem::validate
};

/// What a solve found; u, v are the best iterate whatever the status. Certificate::worst_row and the proof (p + m
/// entries) count the p equality rows first.
struct Result : Outcome {
  GrowingVector u, v;
  GrowingVector w;  ///< D u + B v + b, recomputed

  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of (u, v): |A u + C v + a| on equality rows; on the others (v - P(v - rho w)) / rho with
/// rho_i = 1/B_ii where that is positive, else 1 over the largest entry of the row of (D B), else 1.
/// scale = max(|(a, b)|_inf, the largest row at u = 0 and the v nearest to 0, floor); floor < 0 takes the default
/// 64 eps max_i (|row| |(u, v)| + |(a, b)|)_i.
/// w must have m entries and receives D u + B v + b. Allocates nothing. Cost: one product.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef u, ConstVectorRef v, VectorRef w,
                                  double floor = -1.0);
/// Puts (A C; D B) together first.
[[nodiscard]] Certificate certify(const SparseProblem& problem, ConstVectorRef u, ConstVectorRef v, VectorRef w,
                                  double floor = -1.0);

/// True if y = (y_equalities, y_w) proves that there is no solution; signs, sense and tolerance as in
/// relay::proves_infeasible.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance = -1.0);
[[nodiscard]] bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance = -1.0);

}  // namespace nonsmooth::mlcp
