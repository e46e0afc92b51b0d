// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/optimal_control.hpp>

namespace nonsmooth::optimal_control::detail {

/// What boundary conditions leave open: (x(0), x(T)) may move along the columns of (Z_0; Z_T), and whether constraints
/// on x push at the ends, as they do where the conditions leave C x open there.
struct Ends {
  Eigen::MatrixXd Z_0, Z_T;
  bool atoms_at_start = false, atoms_at_end = false;
};
[[nodiscard]] Ends ends_of(const Problem& problem);

}  // namespace nonsmooth::optimal_control::detail
