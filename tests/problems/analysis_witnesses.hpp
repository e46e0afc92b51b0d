// SPDX-License-Identifier: Apache-2.0
// Whether what an examination of a matrix shows is what it says it shows.
#pragma once

#include <string>

#include <Eigen/Core>

#include <nonsmooth/numerics/analysis/matrix_classes.hpp>

namespace nonsmooth::problems {

/// Empty if every witness shows what its class says it does, in extended precision; else which does not.
[[nodiscard]] std::string false_witness(const Eigen::MatrixXd& M, const analysis::MatrixClasses& classes);
/// Empty unless two verdicts contradict each other (P but not P0, ...).
[[nodiscard]] std::string contradiction(const analysis::MatrixClasses& classes);

}  // namespace nonsmooth::problems
