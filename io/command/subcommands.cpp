// SPDX-License-Identifier: Apache-2.0
#include "subcommands.hpp"

#include <ostream>

#include "text.hpp"

namespace nonsmooth::command {

void Streams::say(std::string_view message) const { err << "nonsmooth: " << printable(message) << '\n' << std::flush; }

void Streams::say(const std::string& file, const std::exception& error) const {
  const std::string_view what = error.what();
  say(what.find(file) == std::string_view::npos ? file + ": " + std::string(what) : std::string(what));
}

ProblemFile read(const std::string& file, const std::optional<ProblemClass>& problem_class) {
  return problem_class ? read_problem(file, *problem_class) : read_problem(file);
}

ExitCode convert(const ConvertArguments& arguments, const Streams&) {
  (void)format_of(arguments.output);  // an extension nobody knows is refused before a large file is read
  const ProblemFile file = read(arguments.input, arguments.problem_class);
  write_problem(file.problem, arguments.output, file.title);
  return success;
}

}  // namespace nonsmooth::command
