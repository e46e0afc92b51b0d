// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <nonsmooth/numerics/types.hpp>

/// Forward differences, for Jacobians that a user did not give.
namespace nonsmooth::differences {

/// sqrt(eps): halves the digits between truncation and rounding.
inline const double kStep = std::sqrt(std::numeric_limits<double>::epsilon());

[[nodiscard]] inline double step_at(double x) { return kStep * std::max(1.0, std::abs(x)); }

/// jacobian := d value(x) / dx, m x n; value(x, out) gets `out` zeroed.
template <class Value>
void jacobian(ConstVectorRef x, MatrixRef result, Value&& value) {
  Eigen::VectorXd base = Eigen::VectorXd::Zero(result.rows()), moved(result.rows()), at = x;
  value(ConstVectorRef(at), VectorRef(base));
  for (Index j = 0; j < x.size(); ++j) {
    const double step = step_at(x[j]);
    at[j] = x[j] + step;
    moved.setZero();
    value(ConstVectorRef(at), VectorRef(moved));
    result.col(j) = (moved - base) / step;
    at[j] = x[j];
  }
}

}  // namespace nonsmooth::differences
