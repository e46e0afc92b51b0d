// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/types.hpp>

/// Ranks of small dense matrices, and products whose zeros are zeros.
namespace nonsmooth {

/// Order of pivots of a dense matrix by elimination with full pivoting; the first `rank` rows and columns are a regular
/// block. What is left is zero to round-off, as BoundedElimination bounds it: units do not decide.
struct Pivots {
  std::vector<Index> rows, columns;
  Index rank = 0;

  /// `errors`: of the entries of A, of its size, where they are known to be larger than those of given data
  /// (round_off_bounds).
  void find(const Eigen::MatrixXd& A, const Eigen::MatrixXd& errors = {});
};

/// result(i, j) := sum of left(i, k) right(k, j) with what cancels to round-off set to zero: `units` eps of the terms
/// for each of them. No operand may be `result`.
template <class Left, class Right>
void clean_product(const Left& left, const Right& right, Eigen::MatrixXd& result, double units = 8.0) {
  const Index inner = left.cols();
  result.resize(left.rows(), right.cols());
  const double round_off = units * static_cast<double>(inner + 1) * eps;
  for (Index i = 0; i < left.rows(); ++i) {
    for (Index j = 0; j < right.cols(); ++j) {
      double sum = 0.0, terms = 0.0;
      for (Index k = 0; k < inner; ++k) {
        const double term = left(i, k) * right(k, j);
        sum += term;
        terms += std::abs(term);
      }
      result(i, j) = std::abs(sum) <= round_off * terms ? 0.0 : sum;
    }
  }
}

}  // namespace nonsmooth
