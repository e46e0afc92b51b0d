// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::friction::internal {

/// |x| of the one or two tangential entries of a contact.
[[nodiscard]] inline double tangential_length(const double* x, Index n) noexcept {
  return n == 1 ? std::abs(x[0]) : std::hypot(x[0], x[1]);
}

}  // namespace nonsmooth::friction::internal
