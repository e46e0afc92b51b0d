// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>

#include <nonsmooth/numerics/error.hpp>

#include "catalogue.hpp"
#include "json.hpp"
#include "number.hpp"
#include "solution.hpp"
#include "subcommands.hpp"
#include "text.hpp"
#include "text_table.hpp"

namespace nonsmooth::command {
namespace {

/// One row; JSON and table have the same keys.
struct Row {
  const std::string& file;
  std::string_view problem_class;
  Index size;
  const Answer& answer;
  double objective;  ///< the file's; NaN where it has none
};

TextTable make_table(const std::vector<std::string>& files) {
  std::size_t longest = 0;
  for (const std::string& file : files) longest = std::max(longest, width(printable(file)));
  return TextTable({{"file", longest},
                    {"class", 15},
                    {"size", 8, true},
                    {"solver", longest_solver_name()},
                    {"status", to_string(Status::NumericalFailure).size()},
                    {"iterations", 10, true},
                    {"residual", 9, true},
                    {"elapsed_s", 9, true}});
}

/// What is solved has the kind of its stationarity behind, where there are several.
std::string status_cell(const Answer& answer) {
  std::string text(answer.status_text());
  if (answer.status == Status::Solved && !answer.stationarity.empty())
    text += " (" + std::string(answer.stationarity) + ')';
  return text;
}

void print_row(const TextTable& table, const Row& row, std::ostream& out) {
  table.print_row(out, {printable(row.file), std::string(row.problem_class), std::to_string(row.size),
                        row.answer.solver, status_cell(row.answer), std::to_string(row.answer.iterations),
                        number(row.answer.residual, 3), number(row.answer.elapsed, 3)});
}

void print_json(const Row& row, std::ostream& out) {
  JsonObject object;
  object.add("file", row.file)
      .add("class", row.problem_class)
      .add("size", row.size)
      .add("solver", row.answer.solver)
      .add("status", row.answer.status_text())
      .add("iterations", row.answer.iterations)
      .add("residual", row.answer.residual)
      .add("elapsed_s", row.answer.elapsed);
  if (!std::isnan(row.objective)) object.add("objective", row.objective);
  if (!row.answer.stationarity.empty()) object.add("stationarity", row.answer.stationarity);
  out << object.text() << '\n';
}

}  // namespace

void say_answer(const std::string& file, const Answer& answer, const Streams& streams) {
  if (answer.status != Status::Solved || answer.at_round_off) streams.say(file + ": " + answer.message());
}

ExitCode solve(const SolveArguments& arguments, const Streams& streams) {
  arguments.limits.validate();
  if (!arguments.solution.empty() && arguments.files.size() != 1) {
    throw InvalidArgument("--solution", std::to_string(arguments.files.size()) + " problems", "one");
  }
  const TextTable table = make_table(arguments.files);
  bool any_bad = false, all_solved = true, titles_printed = arguments.json;
  for (const std::string& name : arguments.files) {
    try {
      const ProblemFile file = read(name, arguments.problem_class);
      std::optional<SolutionFile> solution;
      if (!arguments.solution.empty()) solution.emplace(arguments.solution, name);
      const Answer answer = solve(file.problem, arguments.solver, arguments.limits);
      const Row row{name, to_string(class_of(file.problem)), num_rows_of(file.problem), answer,
                    file.objective(answer.value)};
      if (!titles_printed) table.print_titles(streams.out);
      titles_printed = true;
      arguments.json ? print_json(row, streams.out) : print_row(table, row, streams.out);
      streams.out << std::flush;  // a row is seen when its problem is done
      all_solved = all_solved && answer.status == Status::Solved;
      say_answer(name, answer, streams);
      if (solution) solution->write(solution_text(file, answer));
    } catch (const std::exception& error) {
      streams.say(name, error);
      any_bad = true;
    }
  }
  return any_bad ? bad_input : all_solved ? success : not_solved;
}

}  // namespace nonsmooth::command
