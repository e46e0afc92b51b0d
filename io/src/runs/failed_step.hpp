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

 private:
  [[nodiscard]] std::string keep(const OneStepNSProblem& problem, const std::string& remark);

  const Simulation* simulation_;
  std::filesystem::path run_path_;
  std::uint64_t run_;
  bool keeps_ = true;    ///< none was kept yet
  std::string to_tell_;  ///< of one that was
};

/// How a run's file says that the last call ended: "closed"; what an observer said; why it failed.
[[nodiscard]] std::string ending_of(const RunReport& report);

}  // namespace nonsmooth::runs
