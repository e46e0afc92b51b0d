// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

#include "kept_memory.hpp"

namespace nonsmooth::mixed::internal {

struct RefinementMemory;

/// Newton steps from an answer that is nearly one, whatever solver left it: where its modes (open, stick, slip, at a
/// bound) are those of a solution, few steps end at the round-off of the data,
///
///     r := P_K(r - (A + C W + shift / rho)^-1 e),    e = (r - P_K(r - rho û)) / rho,   A = de/dr,   C = de/du,
///
/// u = W r + q from sums in doubled precision, which is what refines. The semismooth derivative takes the modes anew at
/// each step. shift is 0 until the matrix is singular or a step makes r worse; then it grows. r changes only where the
/// certificate gets smaller; three steps in a row may be through larger ones, where modes change.
///
/// Takes results as nonsmooth::detail::ended_near() says (../near_solution.hpp); all others keep their bits. Where it
/// meets the tolerance the result is Solved, confirmed (see confirm()). Sets in any units; with others than the
/// canonical ones the field's figures are left to the caller. max_iterations: the caller's limit, 0: none beside 8
/// steps, which result.iterations counts. Cost: a factorization a step, of up to 600 rows of a nearly full W and 4,000
/// of a sparse one. Allocates only where there is something to refine, in `memory` as it says (refinement_memory.hpp).
/// Returns the number of steps.
Index refine(const Problem& problem, double tolerance, Index max_iterations,
             const nonsmooth::detail::Deadline& deadline, KeptMemory<RefinementMemory>& memory, Result& result);
Index refine(const Problem& problem, double tolerance, Index max_iterations,
             const nonsmooth::detail::Deadline& deadline, Result& result);

}  // namespace nonsmooth::mixed::internal
