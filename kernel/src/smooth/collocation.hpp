// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <nonsmooth/kernel/finite_element_stepping.hpp>

namespace nonsmooth::smooth {

/// Collocation on [0, 1] with s stages,
///
///     X_j = x_0 + h sum_k a_jk f(X_k),   a_jk = int_0^{c_j} l_k,   x_1 = x_0 + h sum_k b_k f(X_k),   b_k = int_0^1
///     l_k,
///
/// l_k Lagrange's polynomials of the nodes c: those of Radau (the last is 1, order 2 s - 1) or of Gauss and Legendre
/// (order 2 s). Source: Hairer, Nørsett & Wanner 1993, section II.7 [hairer1993].
struct Collocation {
  static constexpr Index kMostStages = 8;  // 2 s of them is more than double precision shows in a step that is worth it

  /// stages in 1..kMostStages.
  Collocation(FiniteElementFamily family, Index stages);

  /// w_k = int_0^s l_k: x(s) = x_0 + h sum_k w_k f(X_k) is the polynomial of the step.
  void integrals(double s, Eigen::VectorXd& w) const;
  /// l_k(s).
  void values(double s, Eigen::VectorXd& l) const;

  Eigen::VectorXd c, b;
  Eigen::MatrixXd A;
  bool ends_at_last_stage = false;

 private:
  Eigen::VectorXd quadrature_nodes_, quadrature_weights_;  // Gauss's on [0, 1], exact for degree 2 s - 1
};

}  // namespace nonsmooth::smooth
