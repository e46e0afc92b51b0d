// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth::runs {

/// Writes a problem that was not solved beside the file of its run (failed_step_path). The sentence that tells so; or
/// why it cannot be written.
[[nodiscard]] std::string keep_failed_step(const OneStepNSProblem& problem, const std::string& remark,
                                           std::optional<double> tolerance, const std::filesystem::path& run_path,
                                           std::uint64_t run);

/// How a run's file says that the last call ended: "closed"; what an observer said of its stop; why it failed.
[[nodiscard]] std::string ending_of(const RunReport& report);

}  // namespace nonsmooth::runs
