// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>
#include <tuple>
#include <utility>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "catalogue.hpp"
#include "dump_title.hpp"
#include "json.hpp"
#include "number.hpp"
#include "subcommands.hpp"
#include "text.hpp"
#include "text_table.hpp"

namespace nonsmooth::command {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kExtensions = {".fclib.h5", ".fclib.hdf5", ".h5", ".hdf5"};
constexpr std::array<std::string_view, 3> kReasons = {"failed-", "step-", "slow-"};

/// A file as ProblemDump names it: "run-" of "run-step-000300-2.h5", 300 and 2; without a part the largest number, as
/// it is the step's last problem.
struct DumpName {
  std::string prefix;
  std::uint64_t number = 0, part = ~std::uint64_t{0};
};

/// Takes the digits at the end of a name off; nothing where there are none, or too many.
std::optional<std::uint64_t> take_number(std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size() || name.size() - digits > 18) return std::nullopt;
  const std::uint64_t number = std::stoull(name.substr(digits));
  name.resize(digits);
  return number;
}

/// Nothing where the name is another.
std::optional<DumpName> dump_name(std::string name) {
  const auto extension =
      std::find_if(kExtensions.begin(), kExtensions.end(), [&](std::string_view one) { return name.ends_with(one); });
  if (extension == kExtensions.end()) return std::nullopt;
  name.resize(name.size() - extension->size());
  DumpName found;
  std::optional<std::uint64_t> number = take_number(name);
  if (!number) return std::nullopt;
  if (name.size() > 1 && name.ends_with('-') && std::isdigit(static_cast<unsigned char>(name[name.size() - 2]))) {
    found.part = *number;
    name.pop_back();
    number = take_number(name);
    if (!number) return std::nullopt;
  }
  found.number = *number;
  for (const std::string_view reason : kReasons) {
    if (!name.ends_with(reason)) continue;
    name.resize(name.size() - reason.size());
    if (!name.empty() && !name.ends_with('-')) continue;
    found.prefix = name;
    return found;
  }
  return std::nullopt;
}

/// Files of a folder that `takes(path)` keeps, by their numbers, then their names; those without a number last.
template <class Takes>
std::vector<std::string> files_in(const fs::path& folder, const Takes& takes) {
  using Entry = std::tuple<std::uint64_t, std::uint64_t, std::string>;
  std::vector<Entry> found;
  for (const auto& one : fs::directory_iterator(folder.empty() ? fs::path(".") : folder)) {
    if (!one.is_regular_file() || !takes(one.path())) continue;
    const auto name = dump_name(one.path().filename().string());
    found.emplace_back(name ? name->number : ~std::uint64_t{0}, name ? name->part : 0,
                       (folder / one.path().filename()).string());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> files;
  for (Entry& one : found) files.push_back(std::move(std::get<2>(one)));
  return files;
}

/// What was dumped beside a run's file, and of it.
std::vector<std::string> dumps_of(const std::string& place) {
  const RunFile run(place);
  const fs::path first = run.parts().front().path;
  const std::string prefix = first.stem().string() + "-";
  std::vector<std::string> files = files_in(first.parent_path(), [&](const fs::path& path) {
    const auto name = dump_name(path.filename().string());
    return name && name->prefix == prefix;
  });
  if (const auto failed = failed_step_of(run)) files.push_back(failed->string());
  if (files.empty()) {
    throw InvalidArgument("RUN", place + ", beside which no problem of it was dumped",
                          failed_step_path(first).filename().string() +
                              ", which a Recorder writes where a run fails, " + "or " + prefix +
                              "step-*.h5 and such of a ProblemDump, whose folder may be named too");
  }
  return files;
}

/// What may be a dumped problem in a folder; its title decides.
std::vector<std::string> candidates_in(const std::string& folder) {
  return files_in(folder, [](const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".h5" || extension == ".hdf5";
  });
}

class Replay {
 public:
  Replay(const ReplayArguments& arguments, const Streams& streams)
      : arguments_(arguments), streams_(streams), table_(make_table()) {}

  /// What stands on the command line. @throws FileError, InvalidArgument
  void place(const std::string& name) {
    if (fs::is_directory(name)) return folder(name);
    std::optional<ProblemFile> file;
    std::string why;
    try {
      file = read_problem(name);
    } catch (const FormatError& error) {
      why = error.what();
    }
    if (file) return solve_again(name, *file);
    std::vector<std::string> dumps;
    try {
      dumps = dumps_of(name);
    } catch (const FormatError& error) {
      throw FormatError("neither a problem (" + why + ") nor a run (" + error.what() + ")");
    }
    for (const std::string& one : dumps) each(one, [&] { solve_again(one, read_problem(one)); });
  }

  /// Solves one of several; what goes wrong with it is said: false.
  template <class Action>
  bool each(const std::string& name, const Action& action) {
    try {
      action();
      return true;
    } catch (const std::exception& error) {
      streams_.say(name, error);
      any_bad_ = true;
      return false;
    }
  }

  [[nodiscard]] ExitCode verdict() const {
    if (arguments_.json) {
      streams_.out << JsonObject()
                          .add("problems", solved_ + unsolved_)
                          .add("solved", solved_)
                          .add("solved_that_were_not", gained_)
                          .add("not_solved_that_were", lost_)
                          .text()
                   << '\n';
    } else if (solved_ + unsolved_ > 0) {
      streams_.out << solved_ << " of " << solved_ + unsolved_ << (solved_ + unsolved_ == 1 ? " problem" : " problems")
                   << " solved";
      if (gained_ > 0) streams_.out << ", " << gained_ << " of them not solved then";
      if (lost_ > 0)
        streams_.out << "; " << lost_ << " of the others " << (lost_ == 1 ? "was" : "were") << " solved then";
      if (gained_ == 0 && lost_ == 0) streams_.out << (known_ == solved_ + unsolved_ ? ", as then" : "");
      streams_.out << '\n';
    }
    return any_bad_ ? bad_input : unsolved_ == 0 ? success : not_solved;
  }

 private:
  [[nodiscard]] TextTable make_table() const {
    const std::size_t status = to_string(Status::NumericalFailure).size();
    std::size_t longest = 20;  // of names in folders, which are not known yet
    for (const std::string& place : arguments_.places) longest = std::max(longest, width(printable(place)));
    return TextTable({{"file", longest},
                      {"step", 8, true},
                      {"t_s", 12, true},
                      {"rows", 8, true},
                      {"solver", longest_solver_name()},
                      {"status_then", status},
                      {"status", status},
                      {"residual_then", 13, true},
                      {"residual", 9, true},
                      {"iterations", 10, true},
                      {"elapsed_s", 9, true}});
  }

  void folder(const std::string& name) {
    bool any = false;
    for (const std::string& one : candidates_in(name)) {
      const bool read = each(one, [&] {
        std::optional<ProblemFile> file;
        try {
          file = read_problem(one);
        } catch (const FormatError&) {  // a run, a table: nobody said that it is a problem
          if (dump_name(fs::path(one).filename().string())) throw;
          return;
        }
        if (!read_dump_title(file->title)) return;
        any = true;
        solve_again(one, *file);
      });
      any = any || !read;
    }
    if (!any)
      throw InvalidArgument("FOLDER", name + ", in which nothing was dumped", "files as a ProblemDump writes them");
  }

  void solve_again(const std::string& name, const ProblemFile& file) {
    const std::optional<DumpTitle> then = read_dump_title(file.title);
    Limits limits = arguments_.limits;
    if (!arguments_.has_tolerance && then && then->tolerance) limits.tolerance = *then->tolerance;
    limits.validate();
    std::string solver = arguments_.solver;
    if (solver.empty()) solver = then && !then->algorithm.empty() ? then->algorithm : "automatic";
    const Answer answer = solve(file.problem, solver, limits);
    arguments_.json ? print_json(name, file, then, answer) : print_row(name, file, then, answer);
    streams_.out << std::flush;  // a row is seen when its problem is done
    say_answer(name, answer, streams_);
    count(then, answer);
  }

  void count(const std::optional<DumpTitle>& then, const Answer& answer) {
    const bool solved = answer.status == Status::Solved;
    ++(solved ? solved_ : unsolved_);
    if (!then) return;
    ++known_;
    const bool was_solved = then->status == to_string(Status::Solved);
    if (solved && !was_solved) ++gained_;
    if (!solved && was_solved) ++lost_;
  }

  void print_row(const std::string& name, const ProblemFile& file, const std::optional<DumpTitle>& then,
                 const Answer& answer) {
    if (!std::exchange(titles_printed_, true)) table_.print_titles(streams_.out);
    const auto known = [&](bool is_known, const std::string& text) { return is_known ? text : std::string("-"); };
    const DumpTitle was = then.value_or(DumpTitle{});
    table_.print_row(streams_.out,
                     {printable(name), known(was.step.has_value(), std::to_string(was.step.value_or(0))),
                      known(!std::isnan(was.t), number(was.t, 6)), std::to_string(num_rows_of(file.problem)),
                      answer.solver, known(then.has_value(), printable(was.status)),
                      std::string(to_string(answer.status)), known(then.has_value(), number(was.residual, 3)),
                      number(answer.residual, 3), std::to_string(answer.iterations), number(answer.elapsed, 3)});
  }

  void print_json(const std::string& name, const ProblemFile& file, const std::optional<DumpTitle>& then,
                  const Answer& answer) const {
    const DumpTitle was = then.value_or(DumpTitle{});
    JsonObject object;
    object.add("file", name);
    was.step ? object.add("step", *was.step) : object.add_raw("step", "null");
    object.add("t", was.t).add("rows", num_rows_of(file.problem)).add("solver", answer.solver);
    then ? object.add("status_then", was.status) : object.add_raw("status_then", "null");
    object.add("status", to_string(answer.status)).add("residual_then", was.residual).add("residual", answer.residual);
    then ? object.add("iterations_then", was.iterations) : object.add_raw("iterations_then", "null");
    object.add("iterations", answer.iterations).add("elapsed_s", answer.elapsed);
    streams_.out << object.text() << '\n';
  }

  const ReplayArguments& arguments_;
  const Streams& streams_;
  TextTable table_;
  bool titles_printed_ = false, any_bad_ = false;
  Index solved_ = 0, unsolved_ = 0;
  Index known_ = 0, gained_ = 0, lost_ = 0;  ///< of dumps that say how they ended: all; solved now alone; then alone
};

}  // namespace

ExitCode replay(const ReplayArguments& arguments, const Streams& streams) {
  Replay replay(arguments, streams);
  for (const std::string& place : arguments.places) replay.each(place, [&] { replay.place(place); });
  return replay.verdict();
}

}  // namespace nonsmooth::command
