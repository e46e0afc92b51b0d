// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partition.hpp"

namespace nonsmooth::analysis::detail {

/// The island's right-hand side and outputs about the state, how they came about, and bounds of the error of Jacobians
/// that differences made, entry by entry (zero where the user gave them).
struct Linearised {
  Eigen::MatrixXd M, A, B, C, D;
  Eigen::MatrixXd B_error, C_error, D_error;
  Eigen::VectorXd a, b;  ///< f - A x, y - C x - D lambda at the state; b with the offsets of the laws
  Eigen::VectorXd x, lambda;
  bool constant = true, driven = false;
  bool linear_systems = true;      ///< no FirstOrderSystem
  bool relations_constant = true;  ///< B, C and D are: what theorems about D and C B need
  bool outputs_driven = false;     ///< e is a function of time
  bool by_differences = false;     ///< some Jacobian
};

[[nodiscard]] Linearised linearise(const NonSmoothDynamicalSystem& model, const State& state, const Island& island);

}  // namespace nonsmooth::analysis::detail
