// SPDX-License-Identifier: Apache-2.0
// Large steps from one active set to the next; not installed.
#pragma once

#include "scaled.hpp"

namespace nonsmooth::qp::detail {

/// The primal-dual active set method (Hintermueller, Ito, Kunisch 2002) from x = y = 0: of a set of active rows and
/// bounds the equations that remain,
///
///     Q x + c = A^T y + s,   A_i x = its bound where active, y_i = 0 elsewhere,   x_j = its bound where active,
///
/// by proximal points on one factor; then all rows and bounds change sides whose multiplier has the wrong sign or that
/// are left. Ends once no set is new, or where the changes do not get few soon, after `most` factors at most. One step
/// may exchange thousands, where a multiplier of 1e8 takes an interior point a hundred. Keeps the better of its answers
/// in result; true where its certificate is at the tolerance. `system` is of scaled.own; takes Q != 0.
bool exchange_sets(const SparseProblem& problem, const Scaled<SparseProblem>& scaled,
                   Quasidefinite<SparseProblem>& system, double tolerance, Index most,
                   const nonsmooth::detail::Deadline& deadline, nonsmooth::detail::Buffer& scratch, Result& result);

}  // namespace nonsmooth::qp::detail
