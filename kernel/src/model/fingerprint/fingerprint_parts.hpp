// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/state.hpp>

#include "fingerprint_text.hpp"
#include "model/prepared_law.hpp"

/// What fingerprint_of() puts together; nothing here throws what a model's functions throw.
namespace nonsmooth::fingerprint {

[[nodiscard]] std::string line_of(Index number, const NonSmoothDynamicalSystem::System& system);
/// `start`: the initial values of all systems.
[[nodiscard]] std::string line_of(Index number, const NonSmoothDynamicalSystem::InteractionRecord& interaction,
                                  const State& start);
[[nodiscard]] std::string line_of(Index number, const ContactSource& source, const State& start);

/// Shape, block and impact rule of a law, and what its class is.
[[nodiscard]] std::string law_text(const PreparedLaw& law);
/// Of all shapes, in their order, the functions of conveyors and floors at t = 0 and 0.
[[nodiscard]] std::string shapes_text(const ContactSource& source, const Layout& layout);

/// "2 (wheel), 3 (axle)" of systems by slot.
[[nodiscard]] std::string names_of(const Layout& layout, const std::vector<std::uint32_t>& slots);

}  // namespace nonsmooth::fingerprint
