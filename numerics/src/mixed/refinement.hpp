// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nonsmooth/numerics/mixed/problem.hpp>

#include "../deadline.hpp"

namespace nonsmooth::mixed::internal {

/// Result::reason of an answer that refinement brought to the tolerance.
inline constexpr std::string_view refined = "refined by Newton steps on the modes that the solver found";

/// Newton steps from an answer that is nearly one, whatever solver left it: where its modes (open, stick, slip, at a
/// bound) are those of a solution, few steps end at the round-off of the data,
///
///     r := P_K(r - (A + C W + shift / rho)^-1 e),    e = (r - P_K(r - rho û)) / rho,   A = de/dr,   C = de/du,
///
/// u = W r + q from sums in doubled precision, which is what refines. The semismooth derivative takes the modes anew at
/// each step. shift is 0 until the matrix is singular or a step makes r worse; then it grows. r changes only where the
/// certificate gets smaller; one step in a row may be through a larger one, where a mode changes.
///
/// Takes results that are open (Stalled or at the iteration limit) with tolerance < residual <= 1e-3; all others keep
/// their bits. Where it meets the tolerance the result is Solved, confirmed (see confirm()). Sets in any units; with
/// others than the canonical ones the field's figures are left to the caller.
/// max_iterations: the caller's limit, 0: none beside 8 steps. Where there is one, a result at the iteration limit is
/// what was asked for, and is left as it is. result.iterations counts the steps. Cost: a factorization a step, up to
/// 600 rows of a nearly full W and 4,000 of a sparse one: larger problems cost more than a caller expects behind a
/// solver's last iteration. Allocates only where there is something to refine. Returns the number of steps.
/// The doors call it, which are the registries, Automatic and its workspaces.
Index refine(const Problem& problem, double tolerance, Index max_iterations,
             const nonsmooth::detail::Deadline& deadline, Result& result);

}  // namespace nonsmooth::mixed::internal
