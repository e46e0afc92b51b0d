// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mixed linear complementarity problems: every algorithm of the family.
///
///     mlcp::Problem problem{A, B, C, D, a, b};
///     const mlcp::Result result = mlcp::solve(problem);              // or mlcp::solve(problem, mlcp::Lemke{})
///     if (!result) std::cerr << result.message() << '\n' << mlcp::diagnose(problem).message() << '\n';
#pragma once

#include <nonsmooth/numerics/mlcp/active_set.hpp>
#include <nonsmooth/numerics/mlcp/automatic.hpp>
#include <nonsmooth/numerics/mlcp/diagnosis.hpp>
#include <nonsmooth/numerics/mlcp/elimination.hpp>
#include <nonsmooth/numerics/mlcp/enumeration.hpp>
#include <nonsmooth/numerics/mlcp/gauss_seidel.hpp>
#include <nonsmooth/numerics/mlcp/lemke.hpp>
#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/mlcp/reformulations.hpp>
#include <nonsmooth/numerics/mlcp/registry.hpp>
#include <nonsmooth/numerics/mlcp/semismooth_newton.hpp>

namespace nonsmooth::mlcp {

/// solve(problem, Automatic{}).
[[nodiscard]] Result solve(const Problem& problem);
[[nodiscard]] Result solve(const SparseProblem& problem);

}  // namespace nonsmooth::mlcp
