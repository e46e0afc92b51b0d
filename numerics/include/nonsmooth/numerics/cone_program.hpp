// SPDX-License-Identifier: Apache-2.0
/// @file
/// Second-order cone programs: every algorithm of the family.
///
///     cone_program::Problem problem{.c = c, .G = G, .h = h, .orthant = 2, .cones = {3, 3}};
///     const cone_program::Result result = cone_program::solve(problem);
#pragma once

#include <nonsmooth/numerics/cone_program/admm.hpp>
#include <nonsmooth/numerics/cone_program/automatic.hpp>
#include <nonsmooth/numerics/cone_program/interior_point.hpp>
#include <nonsmooth/numerics/cone_program/problem.hpp>
#include <nonsmooth/numerics/cone_program/registry.hpp>

namespace nonsmooth::cone_program {

/// solve(problem, Automatic{}).
[[nodiscard]] Result solve(const Problem& problem);

}  // namespace nonsmooth::cone_program
