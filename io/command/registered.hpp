// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "subcommands.hpp"

namespace CLI {
class App;
}

/// What the command line knows of a subcommand: its options are texts until the line is parsed.
namespace nonsmooth::command {

struct Registered {
  std::string name;
  std::function<ExitCode(const Streams&)> run;          ///< once the line is parsed
  std::function<std::vector<std::string*>()> operands;  ///< what may stand behind `--`
};

/// info, solve, solvers, convert, completion.
void add_problem_commands(CLI::App& app, std::vector<Registered>& commands);
/// run-info, extract, compare, plot, view, paraview.
void add_run_commands(CLI::App& app, std::vector<Registered>& commands);

}  // namespace nonsmooth::command
