// SPDX-License-Identifier: Apache-2.0
#include "subcommands.hpp"

#include <ostream>
#include <system_error>

#include <nonsmooth/io/fclib_file.hpp>
#include <nonsmooth/numerics/error.hpp>

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

bool is_read(const std::filesystem::path& path, const std::filesystem::path& problem_file) {
  const auto same = [&](const std::filesystem::path& other) {  // links, other spellings
    std::error_code error;
    return std::filesystem::equivalent(path, other, error) && !error;
  };
  if (same(problem_file)) return true;
  for (const char* suffix : {"_q", "_lower", "_upper"}) {  // the vectors beside a matrix of Matrix Market
    std::filesystem::path beside = problem_file;
    beside.replace_filename(problem_file.stem().string() + suffix + problem_file.extension().string());
    if (problem_file.extension() == ".mtx" && same(beside)) return true;
  }
  return false;
}

namespace {

/// What only FCLIB has a place for, of what this file has.
std::vector<std::string_view> parts_beside(const FclibFile& file) {
  std::vector<std::string_view> parts;
  if (!file.info.description.empty()) parts.emplace_back("description");
  if (!file.info.math_info.empty()) parts.emplace_back("math_info");
  if (file.info.degrees_of_freedom != 0) parts.emplace_back("number of degrees of freedom");
  if (file.solution) parts.emplace_back("solution");
  if (!file.guesses.empty()) parts.emplace_back("guesses");
  return parts;
}

/// What a file of MPS has beside the problem, which is not written in any format.
std::vector<std::string_view> parts_beside(const ProblemFile& file) {
  std::vector<std::string_view> parts;
  if (file.maximise) parts.emplace_back("maximisation, the negative is minimised");
  if (file.objective_constant != 0.0) parts.emplace_back("constant of the objective");
  if (!file.unknown_names.empty()) parts.emplace_back("names of unknowns and rows");
  return parts;
}

}  // namespace

ExitCode convert(const ConvertArguments& arguments, const Streams& streams) {
  const FileFormat format =
      format_of(arguments.output);  // an extension nobody knows is refused before a large file is read
  if (is_read(arguments.output, arguments.input)) {
    throw InvalidArgument("convert", "'" + arguments.output + "', which holds the problem", "another file");
  }
  const ProblemFile file = read(arguments.input, arguments.problem_class);
  std::vector<std::string_view> left_out;
  if (file.format == FileFormat::Fclib) {
    const FclibFile whole = read_fclib(arguments.input);
    if (format == FileFormat::Fclib) {
      write_fclib(whole, arguments.output);
      return success;
    }
    left_out = parts_beside(whole);
  } else {
    left_out = parts_beside(file);
  }
  write_problem(file.problem, arguments.output, file.title);
  if (!left_out.empty()) {
    streams.say(arguments.input + ": not written to " + arguments.output + ": " + joined(left_out));
  }
  return success;
}

}  // namespace nonsmooth::command
