// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "friction_tiers.hpp"

namespace nonsmooth::mixed::internal {

/// True for frictional contact beside boxes, and nothing else: motors and friction in joints of mechanisms that touch.
[[nodiscard]] bool are_contacts_beside_boxes(const ProductSet& K) noexcept;

/// Such a problem by those of contact alone. Each row of a box is held at a bound, r_i = b_i, or free, u_i = 0, as the
/// best iterate says; what the held ones leave is the problem
///
///     u = W_ff r_f + (q_f + W_fb b),    -û in N_K(r_f),    K of contacts and free rows,
///
/// which the tiers of friction solve. A free row whose r leaves its box is held at that bound, a held one whose u pulls
/// it inside is freed, all at once and, where states come back, the worst alone; until none changes. From result.r,
/// with its certificate; keeps what is better. True if it ends Solved. W need not be symmetric. Cost: a copy of W and
/// some solutions of contact.
[[nodiscard]] bool solve_by_bounds(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                                   friction::internal::ContactMemory& memory, Result& result);

}  // namespace nonsmooth::mixed::internal
