// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "catalogue.hpp"

namespace nonsmooth::command {

/// The file of --solution: opened before the solve, which may be long, and under its name when it is complete.
class SolutionFile {
 public:
  /// @throws InvalidArgument: `path` is the file of the problem, or one that is read with it; FileError: it cannot be
  /// written.
  SolutionFile(const std::string& path, const std::string& problem_file);
  ~SolutionFile();  ///< what is not complete is removed
  SolutionFile(const SolutionFile&) = delete;
  SolutionFile& operator=(const SolutionFile&) = delete;

  /// @throws FileError.
  void write(const std::string& text);

 private:
  std::filesystem::path path_, partial_;
  std::ofstream file_;
};

/// Comma-separated values, a line of names first. lcp and relay: z,w; mlcp: kind,index,z,w, where kind is free (no w),
/// equality (no z) or complementarity; a global form: kind,index,v,r,u, where kind is velocity (v alone) or contact (r
/// and u); qp, cone program and mpcc: kind,index,value,multiplier, where kind is unknown, row, G or H, with name behind
/// index where the file has names, and direction behind all where the program is unbounded; mcp: x,w; vi: x,w, and
/// kind,index,x,w,proof where its set is empty; the other classes: r,u. With the status infeasible a column proof
/// follows, empty for a free unknown and a velocity.
[[nodiscard]] std::string solution_text(const ProblemFile& file, const Answer& answer);

}  // namespace nonsmooth::command
