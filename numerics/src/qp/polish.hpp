// SPDX-License-Identifier: Apache-2.0
// From an answer of few digits to all of them; not installed.
#pragma once

#include "internal.hpp"

namespace nonsmooth::qp::detail {

/// x = the point within the bounds that is nearest to 0 and y = 0, certified into result: what a better answer beats.
template <class P>
void certify_start(const P& problem, nonsmooth::detail::Buffer& scratch, Result& result);

/// Takes the rows with y_i != 0 and the bounds where x_j lies to be active, solves the equations that remain (in units
/// of the scaled program, by proximal points) and keeps in result what is better than what is there.
template <class P>
void polish(const P& problem, ConstVectorRef x, ConstVectorRef y, nonsmooth::detail::Buffer& scratch, Result& result);

}  // namespace nonsmooth::qp::detail
