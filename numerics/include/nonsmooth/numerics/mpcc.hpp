// SPDX-License-Identifier: Apache-2.0
/// @file
/// Quadratic programs with complementarity constraints: every algorithm of the family.
///
///     mpcc::Problem problem{.Q = Q, .c = c, .G = G, .g = g, .H = H, .h = h};
///     const mpcc::Result result = mpcc::solve(problem);  // or mpcc::solve(problem, mpcc::BranchAndBound{})
///     if (!result) std::cerr << result.message() << '\n';
#pragma once

#include <nonsmooth/numerics/mpcc/automatic.hpp>
#include <nonsmooth/numerics/mpcc/branch_and_bound.hpp>
#include <nonsmooth/numerics/mpcc/nonlinear.hpp>
#include <nonsmooth/numerics/mpcc/problem.hpp>
#include <nonsmooth/numerics/mpcc/registry.hpp>
#include <nonsmooth/numerics/mpcc/relaxation.hpp>
#include <nonsmooth/numerics/mpcc/sparse_problem.hpp>

namespace nonsmooth::mpcc {

/// solve(problem, Automatic{}).
[[nodiscard]] Result solve(const Problem& problem);

}  // namespace nonsmooth::mpcc
