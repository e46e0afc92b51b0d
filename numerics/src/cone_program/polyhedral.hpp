// SPDX-License-Identifier: Apache-2.0
// Cone programs whose cones are polyhedral; not installed.
#pragma once

#include <nonsmooth/numerics/cone_program/automatic.hpp>

namespace nonsmooth::cone_program::detail {

/// No cone has more than two rows: s_0 >= |s_1| is s_0 - s_1 >= 0 and s_0 + s_1 >= 0, and the program a linear one.
[[nodiscard]] bool is_polyhedral(const Problem& problem);

/// Solves such a program by qp::Automatic. Its multipliers u, v >= 0 of the two rows are z_0 = u + v, z_1 = v - u; so
/// are those of a proof.
[[nodiscard]] Result solve_polyhedral(const Problem& problem, const Automatic& options);

}  // namespace nonsmooth::cone_program::detail
