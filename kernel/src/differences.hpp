// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

/// Forward differences, for Jacobians that a user did not give.
namespace nonsmooth::differences {

/// sqrt(eps): halves the digits between truncation and rounding.
inline const double kStep = std::sqrt(std::numeric_limits<double>::epsilon());

[[nodiscard]] inline double step_at(double x) { return kStep * std::max(1.0, std::abs(x)); }

/// jacobian := d value(x) / dx, m x n; value(x, out) gets `out` zeroed. Its scratch grows and stays with the thread;
/// one call within another has its own.
template <class Value>
void jacobian(ConstVectorRef x, MatrixRef result, Value&& value) {
  thread_local std::vector<double> kept;
  std::vector<double> memory;
  memory.swap(kept);
  const Index m = result.rows(), n = x.size();
  memory.resize(std::max(memory.size(), static_cast<std::size_t>(2 * m + n)));
  Eigen::Map<Eigen::VectorXd> base(memory.data(), m), moved(memory.data() + m, m), at(memory.data() + 2 * m, n);
  base.setZero();
  at = x;
  value(ConstVectorRef(at), VectorRef(base));
  for (Index j = 0; j < n; ++j) {
    const double step = step_at(x[j]);
    at[j] = x[j] + step;
    moved.setZero();
    value(ConstVectorRef(at), VectorRef(moved));
    result.col(j) = (moved - base) / step;
    at[j] = x[j];
  }
  memory.swap(kept);
}

}  // namespace nonsmooth::differences
