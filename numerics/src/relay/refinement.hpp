// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/deadline.hpp>

#include "internal.hpp"
#include "near_solution.hpp"

namespace nonsmooth::relay::detail {

/// From an answer that is nearly one: the places that (z, w) say, z of these places by LU with one refinement (the
/// least-norm one where that is singular), again from there until the places stand; at most 12 times. z changes only
/// where the certificate gets smaller. Takes results as nonsmooth::detail::ended_near() says, of up to 600 rows; all
/// others keep their bits. Where it meets the tolerance the result is Solved. result.iterations counts the
/// factorizations, which are the cost.
void refine(const View& problem, double tolerance, Index max_iterations, const nonsmooth::detail::Deadline& deadline,
            Result& result);

}  // namespace nonsmooth::relay::detail
