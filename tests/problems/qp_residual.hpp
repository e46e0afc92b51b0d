// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/qp/problem.hpp>

namespace nonsmooth::problems {

/// The certificate's residual by other code, in extended precision.
double independent_residual(const qp::Problem& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& y);

}  // namespace nonsmooth::problems
