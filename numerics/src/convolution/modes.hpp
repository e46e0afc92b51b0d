// SPDX-License-Identifier: Apache-2.0
// Exponentials under a rule, as recursions; not installed.
#pragma once

#include <nonsmooth/numerics/convolution/weights.hpp>

namespace nonsmooth::convolution::detail {

/// The weights of Re sum_l C_l e^{lambda_l t} under a rule:  W_j = Re sum_l gain_l C_l c_{l,j},  c_0 = 1, c_1 = a,
/// c_j = a c_{j-1} + b c_{j-2}; j = 0 has D / h besides.
struct Modes {
  Eigen::ArrayXcd a, b, gain;
};

/// @throws InvalidArgument: a step that is a pole, 1 - lambda h = 0 (Bdf2: 3/2).
[[nodiscard]] Modes modes_of(const ExponentialKernel& kernel, double h, Rule rule);

}  // namespace nonsmooth::convolution::detail
