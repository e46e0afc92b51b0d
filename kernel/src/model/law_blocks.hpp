// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {
using LawBlock = NonSmoothDynamicalSystem::LawBlock;
}  // namespace nonsmooth

/// The laws that a user writes, as blocks of sets, and what they ask of a relation.
namespace nonsmooth::describe {

/// @throws InvalidArgument for a parameter out of range, or a null pointer.
[[nodiscard]] LawBlock block_of(const Law& law, bool first_order);
/// @throws InvalidArgument where the law asks for what the relation cannot give, with the reason.
void check_law_fits(const LawBlock& block, const Law& law, bool first_order, bool compliant);

}  // namespace nonsmooth::describe
