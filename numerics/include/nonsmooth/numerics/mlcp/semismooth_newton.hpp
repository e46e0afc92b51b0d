// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/mlcp/problem.hpp>
#include <nonsmooth/numerics/relay/semismooth_newton.hpp>

namespace nonsmooth::mlcp {

/// relay::SemismoothNewton on z = (u, v): Fischer-Burmeister (or the minimum map) on the rows of v, the equality rows
/// as they are, a nonmonotone line search and gradient steps where the Newton system fails.
///
/// Cost: one LU of n + m rows a step. Source: De Luca, Facchinei, Kanzow 1996 [deluca1996]; Billups 1995 [billups1995].
using SemismoothNewton = relay::SemismoothNewton;

/// @throws InvalidArgument as Problem::validate and SemismoothNewton::validate.
[[nodiscard]] Result solve(const Problem& problem, const SemismoothNewton& options);
[[nodiscard]] Result solve(const SparseProblem& problem, const SemismoothNewton& options);

}  // namespace nonsmooth::mlcp
