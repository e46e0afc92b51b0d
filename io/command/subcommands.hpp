// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/paraview.hpp>
#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/limits.hpp>

#include "command.hpp"

/// One function a subcommand, after its arguments were read. What stops it as a whole is thrown (InvalidArgument,
/// FileError); what stops one file of several is said on err, and the others still run.
namespace nonsmooth::command {

/// Where a subcommand writes.
struct Streams {
  std::ostream& out;
  std::ostream& err;

  /// "nonsmooth: <message>", on one line.
  void say(std::string_view message) const;
  /// The same for what went wrong with a file; it is named where the error does not name it.
  void say(const std::string& file, const std::exception& error) const;
};

/// Tells something of each file by tell(name, out), an empty line between two unless it is JSON; what goes wrong with
/// one is said, and the others are still told.
template <class Tell>
[[nodiscard]] ExitCode tell_files(const std::vector<std::string>& files, bool json, const Streams& streams,
                                  const Tell& tell) {
  ExitCode code = success;
  bool first = true;
  for (const std::string& name : files) {
    try {
      std::ostringstream text;
      tell(name, text);
      streams.out << (first || json ? "" : "\n") << text.str();
      first = false;
    } catch (const std::exception& error) {
      streams.say(name, error);
      code = bad_input;
    }
  }
  return code;
}

struct InfoArguments {
  std::vector<std::string> files;
  std::optional<ProblemClass> problem_class{};
  bool json = false;
};
[[nodiscard]] ExitCode info(const InfoArguments& arguments, const Streams& streams);

struct SolveArguments {
  std::vector<std::string> files;
  std::string solver = "automatic";
  Limits limits{.tolerance = 1e-8};
  std::optional<ProblemClass> problem_class{};
  std::string solution{};  ///< a CSV file; empty: none
  bool json = false;
};
[[nodiscard]] ExitCode solve(const SolveArguments& arguments, const Streams& streams);

struct Answer;
/// What went wrong with the problem of a file, or is at round-off; nothing where all is well.
void say_answer(const std::string& file, const Answer& answer, const Streams& streams);

struct ReplayArguments {
  std::vector<std::string> places;  ///< files of runs, folders, problem files
  std::string solver{};             ///< empty: the one that each problem's title names, else automatic
  Limits limits{.tolerance = 1e-8};
  bool has_tolerance = false;  ///< limits.tolerance is for all; false: for those whose title names none
  bool json = false;
};
/// Solves the dumped problems of runs again, beside how they ended then.
[[nodiscard]] ExitCode replay(const ReplayArguments& arguments, const Streams& streams);

struct SolversArguments {
  std::optional<ProblemClass> problem_class{};  ///< none: every class
  bool json = false;
};
[[nodiscard]] ExitCode solvers(const SolversArguments& arguments, const Streams& streams);

struct ConvertArguments {
  std::string input, output;
  std::optional<ProblemClass> problem_class{};
};
[[nodiscard]] ExitCode convert(const ConvertArguments& arguments, const Streams& streams);

/// Prints the completion script of a shell. @throws InvalidArgument for a shell other than bash and zsh.
[[nodiscard]] ExitCode completion(std::string_view shell, const Streams& streams);

struct RunInfoArguments {
  std::vector<std::string> files;
  bool json = false;
};
/// What runs hold: model, steps, how they ended.
[[nodiscard]] ExitCode run_info(const RunInfoArguments& arguments, const Streams& streams);

/// Steps of a run: begin, begin + every, ..., below end.
struct StepRange {
  Index begin = 0, end = -1;  ///< end = -1: all that are there
  Index every = 1;
};

struct ExtractArguments {
  std::string file, output{};        ///< no output: standard output
  std::vector<std::string> names{};  ///< of columns and entries (run_series.hpp); none: all
  StepRange steps{};
  bool contacts = false;  ///< a line a contact, not a step
};
[[nodiscard]] ExitCode extract(const ExtractArguments& arguments, const Streams& streams);

struct CompareArguments {
  std::string first, second;
  double tolerance = 0.0;  ///< of |a - b| / max(1e-12, largest |b| of the column); 0: the same bits
  bool restarted = false;  ///< the second began at a step of the first; what is behind it is compared
  bool json = false;
};
/// success: all within the tolerance; not_solved: the runs differ.
[[nodiscard]] ExitCode compare(const CompareArguments& arguments, const Streams& streams);

struct PlotArguments {
  std::string file, output;
  std::vector<std::string> names;
  std::string x = "t";
  bool logarithmic = false, spectrum = false;
};
[[nodiscard]] ExitCode plot(const PlotArguments& arguments, const Streams& streams);

struct ViewArguments {
  std::string file, output, title{}, three{};
  Index frames = 1000;
  double megabytes = 60.0;
};
[[nodiscard]] ExitCode view(const ViewArguments& arguments, const Streams& streams);

struct ParaviewArguments {
  std::string file, output;  ///< a folder
  ParaviewOptions options{};
};
[[nodiscard]] ExitCode paraview(const ParaviewArguments& arguments, const Streams& streams);

/// True if `path` is the file of a problem, whatever its name, or one that is read with it.
[[nodiscard]] bool is_read(const std::filesystem::path& path, const std::filesystem::path& problem_file);

/// read_problem with or without a class to expect.
[[nodiscard]] ProblemFile read(const std::string& file, const std::optional<ProblemClass>& problem_class);

}  // namespace nonsmooth::command
