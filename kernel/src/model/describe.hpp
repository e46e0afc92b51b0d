// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/model.hpp>

/// What the model asks of descriptions before it takes them.
namespace nonsmooth::describe {

void validate(const LagrangianLinearSystem& system);
void validate(const LagrangianSystem& system);
void validate(const FirstOrderLinearSystem& system);
void validate(const FirstOrderSystem& system);
void validate(const SweepingProcess& system);

}  // namespace nonsmooth::describe
