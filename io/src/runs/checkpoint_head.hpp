// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/fingerprint.hpp>
#include <nonsmooth/kernel/simulation.hpp>

#include "state_bytes.hpp"

/// What a checkpoint of a simulation says beside its state.
namespace nonsmooth::runs {

[[nodiscard]] CheckpointHead head_of(const Simulation& simulation);
/// fingerprint_of(), a line each.
[[nodiscard]] std::string fingerprint_text(const NonSmoothDynamicalSystem& model);
/// @throws InvalidArgument where the simulation's state is not all that its next step depends on
void require_whole(const Simulation& simulation);

}  // namespace nonsmooth::runs
