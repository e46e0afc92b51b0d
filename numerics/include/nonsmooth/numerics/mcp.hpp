// SPDX-License-Identifier: Apache-2.0
/// @file
/// Nonlinear and mixed complementarity problems: every algorithm of the family.
///
///     mcp::Problem problem = mcp::complementarity({.num_unknowns = 2, .num_values = 2, .value = F});
///     const mcp::Result result = mcp::solve(problem);            // or mcp::solve(problem, mcp::NewtonJosephy{})
///     if (!result) std::cerr << result.message() << '\n';
#pragma once

#include <nonsmooth/numerics/mcp/automatic.hpp>
#include <nonsmooth/numerics/mcp/interior_point.hpp>
#include <nonsmooth/numerics/mcp/newton_josephy.hpp>
#include <nonsmooth/numerics/mcp/normal_map_newton.hpp>
#include <nonsmooth/numerics/mcp/problem.hpp>
#include <nonsmooth/numerics/mcp/proximal_point.hpp>
#include <nonsmooth/numerics/mcp/registry.hpp>
#include <nonsmooth/numerics/mcp/semismooth_newton.hpp>

namespace nonsmooth::mcp {

/// solve(problem, Automatic{}).
[[nodiscard]] Result solve(const Problem& problem);

}  // namespace nonsmooth::mcp
