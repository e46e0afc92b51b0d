// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "catalogue.hpp"
#include "json.hpp"
#include "subcommands.hpp"
#include "text_table.hpp"

namespace nonsmooth::command {
namespace {

void print_json(ProblemClass problem_class, const SolverLine& line, std::ostream& out) {
  JsonObject object;
  object.add("class", to_string(problem_class))
      .add("name", line.name)
      .add("description", line.description)
      .add("dense", line.dense)
      .add("sparse", line.sparse);
  if (line.max_rows > 0) {
    object.add("max_rows", line.max_rows);
  } else {
    object.add_raw("max_rows", "null");
  }
  out << object.text() << '\n';
}

std::string_view storage(const SolverLine& line) {
  return line.dense && line.sparse ? "dense, sparse" : line.dense ? "dense" : "sparse";
}

}  // namespace

ExitCode solvers(const SolversArguments& arguments, const Streams& streams) {
  std::vector<std::pair<ProblemClass, SolverLine>> rows;
  std::size_t longest = 0;
  for (const ProblemClass problem_class : all_classes()) {
    if (arguments.problem_class && *arguments.problem_class != problem_class) continue;
    for (const SolverLine& line : solvers_of(problem_class)) {
      rows.emplace_back(problem_class, line);
      longest = std::max(longest, line.name.size());
    }
  }
  const TextTable table({{"class", 15}, {"name", longest}, {"storage", 13}, {"max_rows", 8, true}, {"description"}});
  if (!arguments.json) table.print_titles(streams.out);
  for (const auto& [problem_class, line] : rows) {
    if (arguments.json) {
      print_json(problem_class, line, streams.out);
    } else {
      table.print_row(streams.out,
                      {std::string(to_string(problem_class)), std::string(line.name), std::string(storage(line)),
                       line.max_rows > 0 ? std::to_string(line.max_rows) : "-", std::string(line.description)});
    }
  }
  return success;
}

}  // namespace nonsmooth::command
