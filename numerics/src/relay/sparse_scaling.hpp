// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "internal.hpp"

namespace nonsmooth::relay::detail {

/// M' = D M D, z = unit D z', q' = D q / unit: entries of M' and q' near 1 by powers of two.
struct Scaling {
  Eigen::VectorXd D;
  double unit = 1.0;

  /// D = 1 without `equilibrate`.
  Scaling(const SparseProblem& problem, bool equilibrate, SparseProblem& scaled);
};

}  // namespace nonsmooth::relay::detail
