// SPDX-License-Identifier: Apache-2.0
/// @file
/// Quadratic programs as linear complementarity problems and back.
#pragma once

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp {

/// min 1/2 z^T H z + c^T z over z >= 0, H symmetric (n x n). Its first-order conditions are the LCP of M = H, q = c:
/// the solutions of the LCP are the stationary points, the minima where H is positive semidefinite. Source: Cottle,
/// Pang, Stone 1992, section 1.2 [cottle1992].
struct Quadratic {
  Eigen::MatrixXd H;
  Eigen::VectorXd c;

  /// @throws InvalidArgument as Problem::validate, and for an asymmetric H, naming the first pair (i, j) with
  /// |H_ij - H_ji| > 1e-12 max(|H_ij|, |H_ji|, sqrt|H_ii H_jj|).
  void validate() const;
  [[nodiscard]] double value(ConstVectorRef z) const;  ///< 1/2 z^T H z + c^T z
};

/// min 1/2 x^T H x + c^T x over A x >= b, x >= 0, H symmetric (n x n), A m x n, m >= 0. With multipliers y of A x >= b
/// its first-order conditions are the LCP in (x, y)
///
///     M = ( H  -A^T ),   q = (  c ),
///         ( A    0  )        ( -b )
///
/// positive semidefinite where H is (so that Lemke, Keller and interior points solve it or prove that no x is
/// feasible or that the program is unbounded: the proof (y_x, y_y) of the LCP has A^T y_y <= H y_x and y_y >= 0).
struct InequalityQuadratic {
  Eigen::MatrixXd H;
  Eigen::VectorXd c;
  Eigen::MatrixXd A;
  Eigen::VectorXd b;

  /// @throws InvalidArgument: shapes that do not fit, an entry that is not finite, an asymmetric H (as above).
  void validate() const;
  [[nodiscard]] double value(ConstVectorRef x) const;  ///< 1/2 x^T H x + c^T x
};

/// What the answer of the LCP says of the program: a minimizer where H is positive semidefinite and the LCP is solved.
struct QuadraticSolution {
  Eigen::VectorXd x;             ///< n
  Eigen::VectorXd y;             ///< m multipliers of A x >= b, >= 0
  Eigen::VectorXd reduced_cost;  ///< H x + c - A^T y, the multipliers of x >= 0
  Eigen::VectorXd slack;         ///< A x - b
  double value = 0.0;            ///< 1/2 x^T H x + c^T x
};

/// @throws InvalidArgument as the validate() of the argument; from an LCP also if M is asymmetric, naming the pair.
[[nodiscard]] Problem to_lcp(const Quadratic& quadratic);
[[nodiscard]] Problem to_lcp(const InequalityQuadratic& quadratic);
[[nodiscard]] Quadratic to_quadratic(const Problem& problem);

/// @throws InvalidArgument if z has not n + m entries.
[[nodiscard]] QuadraticSolution recover(const InequalityQuadratic& quadratic, ConstVectorRef z);

}  // namespace nonsmooth::lcp
