// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// The rotation matrix of a quaternion (w, x, y, z).
/// @throws InvalidArgument, naming it (and its number, if that is >= 0): its norm is farther from 1.
[[nodiscard]] Eigen::Matrix3d turn_of(const double* quaternion, double tolerance, const char* name, Index number = -1);

}  // namespace nonsmooth
