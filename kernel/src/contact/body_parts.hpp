// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace nonsmooth {

/// The rotation matrix of a quaternion (w, x, y, z). @throws InvalidArgument: its norm is farther from 1.
[[nodiscard]] Eigen::Matrix3d turn_of(const double* quaternion, double tolerance, const char* name);

}  // namespace nonsmooth
