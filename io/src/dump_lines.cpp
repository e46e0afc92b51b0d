// SPDX-License-Identifier: Apache-2.0
#include "dump_lines.hpp"

#include <utility>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/status.hpp>

#include "dump_words.hpp"
#include "number.hpp"
#include "sentence.hpp"

namespace nonsmooth {
namespace {

std::string_view name_of(OneStepNSProblem::Level level) {
  switch (level) {
    case OneStepNSProblem::Level::Velocity:
      return "velocity";
    case OneStepNSProblem::Level::Position:
      return "position";
    case OneStepNSProblem::Level::Impact:
      return "impact";
    case OneStepNSProblem::Level::Acceleration:
      return "acceleration";
    case OneStepNSProblem::Level::Projection:
      return "projection";
    case OneStepNSProblem::Level::Mode:
      return "mode";
    case OneStepNSProblem::Level::Jump:
      return "jump";
  }
  return "unknown";
}

}  // namespace

std::string dump_lines(const OneStepNSProblem& problem, std::string_view file, std::string_view algorithm,
                       std::optional<double> tolerance) {
  const mixed::Result& result = problem.result;
  std::string lines = std::string(dump_words::level) + std::string(name_of(problem.level)) + ", " +
                      std::to_string(problem.num_rows()) + std::string(dump_words::rows) +
                      std::string(to_string(result.status));
  if (!result.solver.empty()) lines.append(dump_words::by).append(result.solver);
  lines.append(dump_words::after).append(std::to_string(result.iterations)).append(dump_words::iterations);
  lines += number(result.certificate.residual, 3);
  const Index worst = result.certificate.worst_row;
  if (worst >= 0 && worst < problem.num_rows()) lines += "\nworst: " + problem.place(worst);
  lines.append("\n").append(dump_words::command).append(file);
  if (!algorithm.empty()) lines.append(dump_words::solver).append(algorithm).append("\"");
  if (tolerance) lines.append(dump_words::tolerance).append(number(*tolerance, 6));
  return lines;
}

std::string step_remark(const Simulation& simulation, Index step, double t) {
  const bool steps = dynamic_cast<const TimeStepping*>(&simulation) != nullptr;
  return (steps ? "step " + std::to_string(step) + " to t = " : "the last instant at t = ") + number(t, 9) + " s";
}

std::string failure_remark(const Simulation& simulation, const RunReport& report) {
  const bool steps = dynamic_cast<const TimeStepping*>(&simulation) != nullptr;
  const std::string where =
      step_remark(simulation, static_cast<Index>(simulation.state().steps) + 1, steps ? report.last.t : report.t);
  return where + (steps ? ", which was not taken" : ", where the run failed");
}

std::string run_remark(std::uint64_t run) { return std::string(dump_words::run) + hexadecimal(run); }

std::string solve_command(const std::string& path, std::optional<double> tolerance) {
  return std::string(dump_words::command) + path +
         (tolerance ? std::string(dump_words::tolerance) + number(*tolerance, 6) : std::string());
}

std::string dump_sentence(const OneStepNSProblem& problem, const std::string& path, const std::string& command) {
  return "The problem is in " + path + ": " + command + " solves its " + std::to_string(problem.num_rows()) +
         " rows again.";
}

void tell(const std::string& own, RunReport& report) {
  report.detail = with_sentence(std::move(report.detail), own);
  if (!report.last.taken) report.last.detail = with_sentence(std::move(report.last.detail), own);
}

}  // namespace nonsmooth
