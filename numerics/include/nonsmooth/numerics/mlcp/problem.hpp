// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nonsmooth/numerics/certificate.hpp>
#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>
#include <nonsmooth/numerics/status.hpp>
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

/// What a solve found; u, v are the best iterate whatever the status.
struct Result {
  GrowingVector u, v;
  GrowingVector w;  ///< D u + B v + b, recomputed
  Status status = Status::NotRun;
  /// The tolerance is not met, or out of sight, and no double does better: the error of each row is within the
  /// rounding of its own terms (Certificate::row_residual). The registry, Automatic and its workspaces call that
  /// Solved; an algorithm called by itself leaves its status, for its caller to go on. False where the tolerance is
  /// met.
  bool at_round_off = false;
  Certificate certificate;  ///< worst_row counts the p equality rows first
  Index iterations = 0;     ///< pivots, Newton steps or sweeps of the solver used
  std::string_view solver;  ///< the algorithm that gave (u, v), as in the registry
  std::string_view reason;  ///< static text: why it stopped there
  /// Status::Infeasible: y (p + m entries) as in proves_infeasible(). Empty otherwise.
  Eigen::VectorXd proof;

  [[nodiscard]] bool ok() const noexcept { return status == Status::Solved; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] std::string message() const;  ///< status, solver, residual, reason, what to look at next
};

/// The certificate of (u, v): |A u + C v + a| on equality rows; on the others (v - P(v - rho w)) / rho with
/// rho_i = 1/B_ii where that is positive, else 1 over the largest entry of the row of (D B), else 1.
/// scale = max(|(a, b)|_inf, the largest row at u = 0 and the v nearest to 0, floor); floor < 0 takes the default
/// 64 eps max_i (|row| |(u, v)| + |(a, b)|)_i.
/// w must have m entries and receives D u + B v + b. Allocates nothing. Cost: one product.
[[nodiscard]] Certificate certify(const Problem& problem, ConstVectorRef u, ConstVectorRef v, VectorRef w,
                                  double floor = -1.0);

/// True if y = (y_equalities, y_w) proves that there is no solution; signs, sense and tolerance as in
/// relay::proves_infeasible.
[[nodiscard]] bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance = -1.0);

}  // namespace nonsmooth::mlcp
