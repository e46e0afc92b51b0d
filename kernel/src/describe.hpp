// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/model.hpp>

/// What the model asks of descriptions before it takes them.
namespace nonsmooth::describe {

void validate(const LagrangianLinearSystem& system);
void validate(const LagrangianSystem& system);
void validate(const FirstOrderLinearSystem& system);

/// The block that a law stands for. @throws InvalidArgument for parameters out of range.
[[nodiscard]] LawBlock block_of(const Law& law, bool first_order);

/// @throws InvalidArgument for a law that this kind of relation cannot carry, saying which can.
void check_law_fits(const LawBlock& law, bool first_order);

}  // namespace nonsmooth::describe
