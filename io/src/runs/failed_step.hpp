// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth::runs {

/// Writes the problem on which a call ended beside the file of its run (failed_step_path), and tells so in the report;
/// or why it cannot be written.
void keep_failed_step(const Simulation& simulation, const std::filesystem::path& run_path, std::uint64_t run,
                      RunReport& report);

/// How a run's file says that the last call ended: "closed"; what an observer said of its stop; why it failed.
[[nodiscard]] std::string ending_of(const RunReport& report);

}  // namespace nonsmooth::runs
