// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::vi::detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// |x| whose squares neither overflow nor underflow; NaN where an entry is not finite. Eigen's stableNorm asserts an
/// alignment that memory need not have.
template <class Vector>
[[nodiscard]] double norm_of(const Eigen::MatrixBase<Vector>& x) {
  const double norm = x.norm();
  if (norm > 1e-140 && norm < 1e140) return norm;  // what underflows is below the rounding of this
  const double largest = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
  return largest > 0.0 && largest < infinity ? largest * (x / largest).norm() : largest + 0.0 * x.sum();
}

}  // namespace nonsmooth::vi::detail
