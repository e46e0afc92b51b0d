// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

/// A run that failed, in one paragraph: what failed, where (systems and interactions by their names), since when (the
/// last state that is sound, steps that were accepted before, what was noticed and from which t on), the likely cause,
/// what to try. Empty where report.ok(). `simulation` is the one that gave the report, and has not gone on since.
[[nodiscard]] std::string explain_failure(const Simulation& simulation, const RunReport& report);

/// explain_failure(), and writes the problem that was not solved (RunReport::problem) into one file (dump_problem,
/// replacing one of that name), which the paragraph names with the command that solves it again: for runs without a
/// Recorder, which writes it by itself and whose file explain_failure() names.
///
///     const RunReport report = simulation.advance_to(T);
///     if (!report) std::cerr << dump_failed_step(simulation, report, "pile_failed.h5") << '\n';
///
/// Empty, and nothing is written, where report.ok(). Never throws for the file: the paragraph says why it is not there.
/// @throws InvalidArgument where the extension means no format of problems
[[nodiscard]] std::string dump_failed_step(const Simulation& simulation, const RunReport& report,
                                           const std::filesystem::path& path = "failed_step.h5");

}  // namespace nonsmooth
