// SPDX-License-Identifier: Apache-2.0
// What the four forms of a kernel have in common; not installed.
#pragma once

#include <nonsmooth/numerics/convolution/kernel.hpp>

namespace nonsmooth::convolution::detail {

/// D, or zeros where it was left out. @throws InvalidArgument: of another shape, not finite.
[[nodiscard]] Eigen::MatrixXd impulse_of(const Eigen::MatrixXd& impulse, Index m);

/// r(t), R(t) and K(s), guarded. @throws InvalidArgument: not m x m (m < 0: any square), not finite.
[[nodiscard]] Eigen::MatrixXd r_at(const FunctionKernel& kernel, double t, Index m = -1);
[[nodiscard]] Eigen::MatrixXd integral_at(const FunctionKernel& kernel, double t, Index m);
[[nodiscard]] Eigen::MatrixXcd transform_at(const LaplaceKernel& kernel, std::complex<double> s, Index m = -1);

/// m of the m^2 rows of a table or of coefficients. @throws InvalidArgument: no square.
[[nodiscard]] Index size_of_rows(const char* argument, Index rows);

/// Shapes, order, finite numbers. @throws InvalidArgument
void validate(const TableKernel& kernel);
void validate(const ExponentialKernel& kernel);

}  // namespace nonsmooth::convolution::detail
