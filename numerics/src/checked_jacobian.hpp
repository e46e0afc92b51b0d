// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a map compared with differences where a solve begins, on request; not installed.
#pragma once

#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/nonlinear_map.hpp>

namespace nonsmooth::detail {

/// @throws InvalidArgument naming `argument`: an entry of F's Jacobian that differences at x, within the bounds (empty:
/// none), deny.
inline void check_jacobian(const std::string& argument, const NonlinearMap& F, ConstVectorRef x,
                           ConstVectorRef lower = Eigen::VectorXd(), ConstVectorRef upper = Eigen::VectorXd()) {
  const JacobianComparison found = compare_jacobian(F, x, lower, upper);
  if (!found.agrees)
    throw InvalidArgument(argument + ": the Jacobian", found.message(F), "the derivative of its values");
}

}  // namespace nonsmooth::detail
