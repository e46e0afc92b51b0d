// SPDX-License-Identifier: Apache-2.0
#include "dump_title.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/status.hpp>

#include "number.hpp"
#include "sentence.hpp"

namespace nonsmooth {
namespace {

constexpr std::string_view kLevel = "level ", kRun = "of the run ", kCommand = "nonsmooth solve ";
constexpr std::string_view kSolver = " --solver \"", kTolerance = " --tolerance ";
constexpr std::string_view kRows = " rows, ", kBy = " by ", kAfter = " after ", kIterations = " iterations, residual ";

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

/// The number at the front of a text; nothing where there is none.
template <class Number>
std::optional<Number> leading(std::string_view text) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

/// What stands behind the last `key`; nothing where it is not there.
std::optional<std::string_view> behind(std::string_view line, std::string_view key) {
  const std::size_t place = line.rfind(key);
  if (place == std::string_view::npos) return std::nullopt;
  return line.substr(place + key.size());
}

void read_remark(std::string_view line, DumpTitle& title) {
  if (line.starts_with("step ")) title.step = leading<Index>(line.substr(5));
  if (const auto t = behind(line, "t = ")) title.t = leading<double>(*t).value_or(title.t);
}

void read_run(std::string_view line, DumpTitle& title) {
  line.remove_prefix(kRun.size());
  std::uint64_t run = 0;
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), run, 16);
  if (error == std::errc{} && stop == line.data() + line.size()) title.run = run;
}

/// "velocity, 2 rows, infeasible by closed form after 0 iterations, residual 1"
bool read_answer(std::string_view line, DumpTitle& title) {
  const std::size_t rows = line.find(kRows), after = line.rfind(kAfter), iterations = line.rfind(kIterations);
  if (rows == std::string_view::npos || after == std::string_view::npos || iterations == std::string_view::npos ||
      after < rows || iterations < after)
    return false;
  const std::string_view answer = line.substr(rows + kRows.size(), after - rows - kRows.size());
  const std::size_t by = answer.find(kBy);
  title.status = answer.substr(0, by);
  if (by != std::string_view::npos) title.solver = answer.substr(by + kBy.size());
  title.iterations = leading<Index>(line.substr(after + kAfter.size())).value_or(0);
  title.residual = leading<double>(line.substr(iterations + kIterations.size())).value_or(title.residual);
  return true;
}

void read_command(std::string_view line, DumpTitle& title) {
  if (const auto name = behind(line, kSolver)) title.algorithm = name->substr(0, name->find('"'));
  if (const auto tolerance = behind(line, kTolerance)) title.tolerance = leading<double>(*tolerance);
}

}  // namespace

std::optional<DumpTitle> read_dump_title(std::string_view title) {
  DumpTitle found;
  bool is_dump = false;
  while (!title.empty()) {
    const std::string_view line = title.substr(0, title.find('\n'));
    title.remove_prefix(std::min(title.size(), line.size() + 1));
    if (line.starts_with(kLevel)) {
      is_dump = read_answer(line, found) || is_dump;
    } else if (line.starts_with(kRun)) {
      read_run(line, found);
    } else if (line.starts_with(kCommand)) {
      read_command(line, found);
    } else if (!is_dump) {
      read_remark(line, found);
    }
  }
  if (!is_dump) return std::nullopt;
  return found;
}

std::string dump_lines(const OneStepNSProblem& problem, std::string_view file, std::string_view algorithm,
                       std::optional<double> tolerance) {
  const mixed::Result& result = problem.result;
  std::string lines = std::string(kLevel) + std::string(name_of(problem.level)) + ", " +
                      std::to_string(problem.num_rows()) + std::string(kRows) + std::string(to_string(result.status));
  if (!result.solver.empty()) lines.append(kBy).append(result.solver);
  lines.append(kAfter).append(std::to_string(result.iterations)).append(kIterations);
  lines += number(result.certificate.residual, 3);
  const Index worst = result.certificate.worst_row;
  if (worst >= 0 && worst < problem.num_rows()) lines += "\nworst: " + problem.place(worst);
  lines.append("\n").append(kCommand).append(file);
  if (!algorithm.empty()) lines.append(kSolver).append(algorithm).append("\"");
  if (tolerance) lines.append(kTolerance).append(number(*tolerance, 6));
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

std::string run_remark(std::uint64_t run) { return std::string(kRun) + hexadecimal(run); }

std::string solve_command(const std::string& path, std::optional<double> tolerance) {
  return std::string(kCommand) + path + (tolerance ? std::string(kTolerance) + number(*tolerance, 6) : std::string());
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
