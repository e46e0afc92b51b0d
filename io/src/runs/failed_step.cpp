// SPDX-License-Identifier: Apache-2.0
#include "failed_step.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include <nonsmooth/io/problem_dump.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../dump_lines.hpp"
#include "../dump_title.hpp"
#include "../number.hpp"
#include "../sentence.hpp"

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

FailedStepKeeper::FailedStepKeeper(const Simulation& simulation, std::filesystem::path run_path, std::uint64_t run)
    : simulation_(&simulation), run_path_(std::move(run_path)), run_(run) {}

/// The sentence that tells it, or why it cannot be written.
std::string FailedStepKeeper::keep(const OneStepNSProblem& problem, const std::string& remark) {
  keeps_ = false;
  const std::filesystem::path path = failed_step_path(run_path_);
  const auto refused = [&](const char* why) {
    return "Its problem could not be written to " + path.string() + ": " + std::string(why);
  };
  try {
    dump_problem(problem, path, remark + "\n" + run_remark(run_), solver_tolerance(*simulation_));
    return dump_sentence(problem, path.string(), "nonsmooth replay " + run_path_.string());
  } catch (const FileError& error) {
    return refused(error.what());
  } catch (const InvalidArgument& error) {  // numbers that are not finite
    return refused(error.what());
  }
}

void FailedStepKeeper::look_at(const State& state, const StepReport& step) {
  const auto* stepping = dynamic_cast<const TimeStepping*>(simulation_);
  if (!stepping || !keeps_ || step.rows == 0) return;
  const bool projects = step.outcome == StepReport::Outcome::ProjectionLimit;
  if (!step.problem && !step.taken) return;  // it failed on none
  const OneStepNSProblem& problem = step.problem ? *step.problem
                                    : projects   ? stepping->projection_problem()
                                                 : stepping->problem();
  if (problem.empty()) return;
  const std::string where = step_remark(*simulation_, static_cast<Index>(state.steps) + (step.taken ? 0 : 1), step.t);
  const std::string remark = where + (step.taken ? ", which failed and was taken" : ", which was not taken");
  to_tell_ = "Of " + remark + ". " + keep(problem, remark);
}

void FailedStepKeeper::end(RunReport& report) {
  told_ = report.problem ? keep(*report.problem, failure_remark(*simulation_, report)) : to_tell_;
  if (!told_.empty()) tell(told_, report);
  to_tell_.clear();
}

std::string ending_of(const RunReport& report, const std::string& told) {
  if (report.outcome == RunReport::Outcome::Completed) return "closed";
  if (report.ok()) {
    if (!report.detail.empty() && report.detail != told) return report.detail;
    const bool by_event = report.outcome == RunReport::Outcome::StoppedByEvent;
    const std::string text = std::string("stopped by ") + (by_event ? "a terminal event" : "an observer") +
                             " at t = " + number(report.t, 9) + " s";
    return told.empty() ? text : with_sentence(text, told);
  }
  RunReport bare = report;
  bare.findings.clear();  // they were noticed before
  bare.steps_accepted = bare.ambiguous_steps = bare.verified_steps = 0;
  return "failed at t = " + number(report.t, 9) + " s: " + bare.message();
}

}  // namespace runs
}  // namespace nonsmooth
