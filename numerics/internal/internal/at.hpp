// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// The index of a std::vector from one of Eigen's: v[at(i)]; i >= 0.
[[nodiscard]] constexpr std::size_t at(Index i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace nonsmooth
