// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::mixed {

/// phi(x, y) = (x^2 + y^2)^{1/2} - x - y of L^n (nonsmooth/numerics/mixed/fischer_burmeister.hpp) into `phi` and,
/// unless null, its partial derivatives L_z^{-1} L_x - I and L_z^{-1} L_y - I (n x n, column-major) at z = (x^2 +
/// y^2)^{1/2}; where z is on the boundary an element of Clarke's generalised Jacobian.
void fischer_burmeister(const double* x, const double* y, Index n, double* phi, double* dx, double* dy) noexcept;

}  // namespace nonsmooth::mixed
