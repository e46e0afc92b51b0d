// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth::runs {

/// "TimeStepping", "AdaptiveTimeStepping", "EventDriven", ..., or the name of another class.
[[nodiscard]] std::string kind_of(const Simulation& simulation);

/// The options of a simulation, a line each, "name = value": those that a step depends on, as far as they are numbers
/// and names, and the threads, which no result depends on.
[[nodiscard]] std::string options_of(const Simulation& simulation);

}  // namespace nonsmooth::runs
