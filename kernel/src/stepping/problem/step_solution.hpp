// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace nonsmooth {

/// z = z_free + P r of all systems, and r by state row.
struct StepSolution {
  Eigen::VectorXd z_free;
  Eigen::VectorXd z;       ///< after the step was committed: the unknowns that it started from
  Eigen::VectorXd lambda;  ///< where something is nonlinear
  Eigen::VectorXd last_multipliers;
};

}  // namespace nonsmooth
