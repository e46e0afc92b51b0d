// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

/// The program `nonsmooth`: everything but main(), so that tests run it in their own process.
namespace nonsmooth::command {

/// What the program returns to its shell. Where both apply, bad input wins.
enum ExitCode : int {
  success = 0,  ///< done; for `solve` and `replay`: every problem is solved
  /// `solve`, `replay`: at least one problem has no certified solution (proved infeasible counts as such); `compare`:
  /// the runs differ.
  not_solved = 1,
  bad_input = 2,  ///< a file, solver, class, option or value that cannot be used
};

/// Runs `nonsmooth <arguments>`; results go to out, messages to err. Keeps no state between calls.
[[nodiscard]] int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace nonsmooth::command
