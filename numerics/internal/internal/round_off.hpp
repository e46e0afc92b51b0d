// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace nonsmooth {

/// 2^-52, the distance of 1 to the next double: twice the largest relative error of one rounding.
inline constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace nonsmooth
