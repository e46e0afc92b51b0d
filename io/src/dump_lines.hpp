// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

/// The lines of a title behind its remark (dump_title.hpp). `algorithm`: empty where `nonsmooth solve` has none of that
/// name.
[[nodiscard]] std::string dump_lines(const OneStepNSProblem& problem, std::string_view file, std::string_view algorithm,
                                     std::optional<double> tolerance);

/// "step 12 to t = 0.25 s" of time-stepping, behind that step; "the last instant at t = 0.25 s" of event-driven runs.
[[nodiscard]] std::string step_remark(const Simulation& simulation, Index step, double t);
/// The same of a run that failed.
[[nodiscard]] std::string failure_remark(const Simulation& simulation, const RunReport& report);
/// "of the run 00c0ffee00c0ffee"
[[nodiscard]] std::string run_remark(std::uint64_t run);

/// "nonsmooth solve pile_failed.h5 --tolerance 1e-10"
[[nodiscard]] std::string solve_command(const std::string& path, std::optional<double> tolerance);
/// "The problem is in <path>: <command> solves its 2 rows again."
[[nodiscard]] std::string dump_sentence(const OneStepNSProblem& problem, const std::string& path,
                                        const std::string& command);
/// Adds a sentence to what a report says of its failure.
void tell(const std::string& own, RunReport& report);

}  // namespace nonsmooth
