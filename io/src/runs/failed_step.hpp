// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth::runs {

/// Writes the problem on which a run fails beside its file (failed_step_path), before that the first of a step that
/// failed and was taken, and tells so in the report of the call.
class FailedStepKeeper {
 public:
  /// `simulation` has to stay where it is. `run`: RunAbout::run.
  FailedStepKeeper(const Simulation& simulation, std::filesystem::path run_path, std::uint64_t run);

  /// A step that failed: it was taken all the same, or somebody else steps.
  void look_at(const State& state, const StepReport& step);
  /// The end of a call.
  void end(RunReport& report);
  /// What that call was told; empty: nothing.
  [[nodiscard]] const std::string& told() const noexcept { return told_; }
  /// What no call was told, as of somebody who steps; empty: nothing.
  [[nodiscard]] const std::string& to_tell() const noexcept { return to_tell_; }

 private:
  [[nodiscard]] std::string keep(const OneStepNSProblem& problem, const std::string& remark);

  const Simulation* simulation_;
  std::filesystem::path run_path_;
  std::uint64_t run_;
  bool keeps_ = true;    ///< none was kept yet
  std::string to_tell_;  ///< of one that was
  std::string told_;     ///< in the last report
};

/// How a run's file says that the last call ended: "closed" where it reached its T; who stopped it, or what they said;
/// why it failed. `told`: what a FailedStepKeeper added to the report.
[[nodiscard]] std::string ending_of(const RunReport& report, const std::string& told);

}  // namespace nonsmooth::runs
