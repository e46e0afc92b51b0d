// SPDX-License-Identifier: Apache-2.0
// Small linear systems whose rounding is to be known; not installed.
#pragma once

#include <cmath>

#include <internal/decompositions.hpp>

namespace nonsmooth::detail {

/// 2^-k with the largest entry of x in [2^k, 2^{k+1}); 0 of zeros.
inline double reciprocal_size(const Eigen::VectorXd& x) {
  const double largest = x.lpNorm<Eigen::Infinity>();
  return largest > 0.0 ? std::ldexp(1.0, -std::ilogb(largest)) : 0.0;
}

/// x with V x = -c, and what rounding may be in it, zero |V^-1| (|V||x| + |c|), entry by entry. False where V, rows and
/// columns scaled to entries about 1, is singular to `zero`.
inline bool solve_scaled(const Eigen::MatrixXd& V, const Eigen::VectorXd& c, double zero, Eigen::VectorXd& x,
                         Eigen::VectorXd& x_zero) {
  Eigen::MatrixXd scaled = V;
  const Index m = V.rows();
  Eigen::VectorXd row(m), column(m);
  for (Index i = 0; i < m; ++i) scaled.row(i) *= row[i] = reciprocal_size(scaled.row(i));
  for (Index i = 0; i < m; ++i) scaled.col(i) *= column[i] = reciprocal_size(scaled.col(i));
  FullPivotLu factors;
  factors.set_threshold(zero);
  factors.compute(scaled);
  if (!factors.is_invertible()) return false;
  const Eigen::MatrixXd inverse = column.asDiagonal() * factors.inverse() * row.asDiagonal();
  const Eigen::VectorXd scaled_c = row.cwiseProduct(c);
  x = -column.cwiseProduct(factors.solve(scaled_c));
  x_zero = zero * (inverse.cwiseAbs() * (V.cwiseAbs() * x.cwiseAbs() + c.cwiseAbs()));
  return true;
}

}  // namespace nonsmooth::detail
