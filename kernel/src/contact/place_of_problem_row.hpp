// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <nonsmooth/kernel/one_step_ns_problem.hpp>

namespace nonsmooth {

/// Appends OneStepNSProblem::place(row). Allocates nothing where the text has room.
void append_place(const OneStepNSProblem& problem, Index row, std::string& text);
/// No place of a row of a problem of this layout is longer. Cost: a look at its names.
[[nodiscard]] std::size_t longest_place(const Layout& layout);

}  // namespace nonsmooth
