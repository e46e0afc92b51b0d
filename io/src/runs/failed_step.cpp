// SPDX-License-Identifier: Apache-2.0
#include "failed_step.hpp"

#include <optional>
#include <system_error>

#include <nonsmooth/io/problem_dump.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../dump_title.hpp"
#include "../number.hpp"

namespace nonsmooth {

std::filesystem::path failed_step_path(const std::filesystem::path& run) {
  std::filesystem::path path = run;
  return path.replace_filename(run.stem().string() + ".failed.h5");
}

std::optional<std::filesystem::path> failed_step_of(const RunFile& run) {
  const std::filesystem::path path = failed_step_path(run.parts().front().path);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  try {
    const std::optional<DumpTitle> title = read_dump_title(read_problem(path).title);
    if (title && title->run == run.about().run) return path;
  } catch (const FileError&) {  // somebody else's
  }
  return std::nullopt;
}

namespace runs {

std::string keep_failed_step(const OneStepNSProblem& problem, const std::string& remark,
                             std::optional<double> tolerance, const std::filesystem::path& run_path,
                             std::uint64_t run) {
  const std::filesystem::path path = failed_step_path(run_path);
  const auto refused = [&](const char* why) {
    return "Its problem could not be written to " + path.string() + ": " + std::string(why);
  };
  try {
    dump_problem(problem, path, remark + "\n" + run_remark(run), tolerance);
    return dump_sentence(problem, path.string(), "nonsmooth replay " + run_path.string());
  } catch (const FileError& error) {
    return refused(error.what());
  } catch (const InvalidArgument& error) {  // numbers that are not finite
    return refused(error.what());
  }
}

std::string ending_of(const RunReport& report) {
  if (report.ok()) return report.detail.empty() ? "closed" : report.detail;
  RunReport bare = report;
  bare.findings.clear();  // they were noticed before
  bare.steps_accepted = bare.ambiguous_steps = bare.verified_steps = 0;
  return "failed at t = " + number(report.t, 9) + " s: " + bare.message();
}

}  // namespace runs
}  // namespace nonsmooth
