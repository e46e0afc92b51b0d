// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <nonsmooth/numerics/mcp/problem.hpp>
#include <nonsmooth/numerics/named_solver.hpp>

namespace nonsmooth::mcp {

/// An algorithm of the family by name. F is asked again for the certificate and w.
using Solver = NamedSolver<Problem, Result>;

/// One line of the registry.
struct Entry {
  std::string_view name;         ///< as in Result::solver, e.g. "semismooth newton"; "automatic" names who answered
  std::string_view description;  ///< one sentence: what it is good for
  Solver solver;                 ///< with default options
  Index max_rows = 0;            ///< unknowns of a dense F that are never too many; 0: no bound
};

/// Every algorithm of the family, "automatic" first.
[[nodiscard]] const std::vector<Entry>& registry();

/// The entry of that name. @throws InvalidArgument listing the known names.
[[nodiscard]] const Entry& find(std::string_view name);

}  // namespace nonsmooth::mcp

namespace nonsmooth {

/// @cond
template <>
mcp::Result mcp::Solver::solve(const mcp::Problem& problem, const Limits& limits) const;
/// @endcond

}  // namespace nonsmooth
