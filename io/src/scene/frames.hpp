// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::scene {

/// Which steps are shown: `count` >= 2 of those at `times`, evenly over time, the first and the last among them.
[[nodiscard]] std::vector<Index> frames_of(const std::vector<double>& times, Index count);

}  // namespace nonsmooth::scene
