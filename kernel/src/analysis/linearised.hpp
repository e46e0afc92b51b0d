// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partition.hpp"

namespace nonsmooth::analysis::detail {

/// The island's right-hand side and outputs about the state, and how they came about.
struct Linearised {
  Eigen::MatrixXd M, A, B, C, D;
  Eigen::VectorXd a, b;  ///< f - A x - g_x x..., y - C x - D lambda at the state
  Eigen::VectorXd x, lambda;
  bool constant = true, driven = false;
  bool relations_constant = true;  ///< B, C and D are: what theorems about D and C B need
  bool outputs_driven = false;     ///< e is a function of time
};

[[nodiscard]] Linearised linearise(const NonSmoothDynamicalSystem& model, const State& state, const Island& island);

}  // namespace nonsmooth::analysis::detail
