// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace nonsmooth {

/// Where relations and nonlinear systems are evaluated: the state at t_k at first, then what Newton's iteration found.
struct Iterate {
  bool first = true;         ///< nothing was solved yet in this step
  Eigen::VectorXd z, q;      ///< of all systems
  Eigen::VectorXd q_middle;  ///< q* of all systems
  Eigen::VectorXd lambda;    ///< multipliers by state row
};

}  // namespace nonsmooth
