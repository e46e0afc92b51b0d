// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// update_outputs(). @throws CallableFailure.
void ask_outputs(const NonSmoothDynamicalSystem& model, State& state);
/// @throws InvalidArgument: arrays of other sizes than the layout's, numbers that are not finite.
void require_sound(const State& state);

/// Positions that somebody wrote. @throws InvalidArgument: what MechanicalSystem::validate_position() of a system
/// throws, with its name. Cost: one virtual call a system.
void require_configurations(const NonSmoothDynamicalSystem& model, const State& state);

}  // namespace nonsmooth
