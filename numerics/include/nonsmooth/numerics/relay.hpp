// SPDX-License-Identifier: Apache-2.0
/// @file
/// Relay problems, which are affine variational inequalities on a box: every algorithm of the family.
///
///     relay::Problem problem{M, q, lower, upper};
///     const relay::Result result = relay::solve(problem);            // or relay::solve(problem, relay::Lemke{})
///     if (!result) std::cerr << result.message() << '\n';
#pragma once

#include <nonsmooth/numerics/relay/active_set.hpp>
#include <nonsmooth/numerics/relay/automatic.hpp>
#include <nonsmooth/numerics/relay/enumeration.hpp>
#include <nonsmooth/numerics/relay/gauss_seidel.hpp>
#include <nonsmooth/numerics/relay/lemke.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>
#include <nonsmooth/numerics/relay/reformulations.hpp>
#include <nonsmooth/numerics/relay/registry.hpp>
#include <nonsmooth/numerics/relay/semismooth_newton.hpp>

namespace nonsmooth::relay {

/// solve(problem, Automatic{}).
[[nodiscard]] Result solve(const Problem& problem);
[[nodiscard]] Result solve(const SparseProblem& problem);

}  // namespace nonsmooth::relay
