// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/io/nonlinear_mpcc.hpp>
#include <nonsmooth/numerics/limits.hpp>

namespace nonsmooth::command {

/// mpcc::NonlinearRelaxation from the file's start, its certificate taken again at the answer.
struct NonlinearProgramSolver {
  /// @throws InvalidArgument as mpcc::solve and Limits::validate.
  [[nodiscard]] mpcc::NonlinearResult solve(const NonlinearMpcc& problem, const Limits& limits) const;
};

struct NonlinearProgramEntry {
  std::string_view name;
  NonlinearProgramSolver solver;
};

/// Of programs whose maps are code: one algorithm, by the names that it has among those of data.
[[nodiscard]] const std::vector<NonlinearProgramEntry>& nonlinear_programs();

}  // namespace nonsmooth::command
