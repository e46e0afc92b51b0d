// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/limits.hpp>

#include "internal.hpp"

namespace nonsmooth::mixed::internal {

/// Free, Orthant and Box rows by the algorithms of the relay family, whose pivots end at a solution for any W between
/// finite bounds (see relay::Automatic): for degenerate problems that all else left. An iterate at round-off is refined
/// with residuals in doubled precision, which a tiny q beside bounds of ordinary size asks for. `dense` is W.
/// True with a confirmed Solved or a proved Infeasible; else result.r is the better of its iterate and the one that
/// came in, with the status and reason of the former.
[[nodiscard]] bool solve_interval_rows(const Problem& problem, ConstMatrixRef dense, const Limits& limits,
                                       Result& result);

}  // namespace nonsmooth::mixed::internal
