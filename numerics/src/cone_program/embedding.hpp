// SPDX-License-Identifier: Apache-2.0
// The interior point method by itself; not installed.
#pragma once

#include <nonsmooth/numerics/cone_program/interior_point.hpp>

namespace nonsmooth::cone_program::detail {

/// InteriorPoint as its header has it, without the linear program that follows where cones are polyhedral.
[[nodiscard]] Result solve_by_embedding(const Problem& problem, const InteriorPoint& options);

}  // namespace nonsmooth::cone_program::detail
