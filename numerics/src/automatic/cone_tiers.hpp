// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/workspace.hpp>

#include "friction_tiers.hpp"

namespace nonsmooth::mixed::internal {

/// True where a block is a cone or a cylinder of several rows other than the planar contact.
[[nodiscard]] bool has_general_cones(const ProductSet& K) noexcept;

/// The automatic choice for them: tiers of growing cost from result.r, each from the best iterate of those before it.
/// mixed/workspace.hpp names them. Ends with the best iterate, certified, whatever the tier.
void solve_cones(const Problem& problem, const Automatic& options, const detail::Deadline& deadline,
                 GaussSeidelWorkspace& gauss_seidel, friction::internal::ContactMemory& contacts, Result& result);

}  // namespace nonsmooth::mixed::internal
