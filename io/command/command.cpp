// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <ostream>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>

#include <nonsmooth/numerics/error.hpp>

#include "catalogue.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace nonsmooth::command {
namespace {

/// A whole number or a double, in the C locale and to the last character; CLI11 would read 010 as 8.
template <class Number>
Number parse_number(std::string_view option, std::string_view text, std::string_view expected,
                    const std::function<bool(Number)>& admissible) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || !admissible(value)) {
    throw InvalidArgument(std::string(option), "'" + std::string(text) + "'", std::string(expected));
  }
  return value;
}

/// The command line as text, before its values are checked.
struct CommandLine {
  std::vector<std::string> files;
  std::string solver, tolerance, max_iterations, time_limit, problem_class, solution, input, output, shell;
  bool json = false;

  /// What may stand behind `--`.
  [[nodiscard]] std::vector<std::string*> positional() {
    std::vector<std::string*> texts = {&problem_class, &input, &output, &shell};
    for (std::string& file : files) texts.push_back(&file);
    return texts;
  }

  [[nodiscard]] std::optional<ProblemClass> expected_class(std::string_view argument) const {
    if (problem_class.empty()) return std::nullopt;
    return find_class(argument, problem_class);
  }
};

void add_files(CLI::App* app, CommandLine& line) {
  app->add_option("FILE", line.files, "Problem files: .dat, .mtx, .h5 (the content decides)")
      ->required()
      ->type_name("");
}

void add_class(CLI::App* app, CommandLine& line) {
  app->add_option("--class", line.problem_class, "Read the files as this class, where the content leaves it open")
      ->type_name("CLASS");
}

void add_json(CLI::App* app, CommandLine& line, const std::string& what) {
  app->add_flag("--json", line.json, "JSON Lines: one object for each " + what);
}

void add_info(CLI::App& app, CommandLine& line) {
  CLI::App* info = app.add_subcommand("info", "Say what problem files hold");
  add_files(info, line);
  add_class(info, line);
  add_json(info, line, "file");
  info->footer(
      "Exit status: 0, or 2 where a file cannot be read.\n\n"
      "Examples:\n"
      "  nonsmooth info contact.dat\n"
      "  nonsmooth info --json *.h5");
}

void add_solve(CLI::App& app, CommandLine& line) {
  CLI::App* solve = app.add_subcommand("solve", "Solve problems and certify the answers");
  add_files(solve, line);
  solve->add_option("--solver", line.solver, "Algorithm, as listed by `nonsmooth solvers`; default: automatic")
      ->type_name("NAME");
  solve->add_option("--tolerance", line.tolerance, "Largest residual of a solution, > 0; default: 1e-8")
      ->type_name("T");
  solve
      ->add_option("--max-iterations", line.max_iterations,
                   "Pivots, Newton steps or sweeps; default, and 0: the algorithm's own limit")
      ->type_name("N");
  solve->add_option("--time-limit", line.time_limit, "Seconds for each solve, > 0; default: none")->type_name("S");
  add_class(solve, line);
  solve
      ->add_option("--solution", line.solution,
                   "Write the solution, or the proof that there is none, of the one problem as CSV")
      ->type_name("OUT");
  add_json(solve, line, "problem");
  solve->footer(
      "The residual is recomputed from the problem's data. elapsed_s is the time of the solve alone, reading\n"
      "excluded: the median of repeated solves where one takes less than 0.2 s.\n\n"
      "Exit status: 0 all solved, 1 some not solved, 2 a file or argument that cannot be used.\n\n"
      "Examples:\n"
      "  nonsmooth solve contact.dat\n"
      "  nonsmooth solve --solver lemke --tolerance 1e-10 *.dat\n"
      "  nonsmooth solve --json --time-limit 60 *.h5 > results.jsonl\n"
      "  nonsmooth solve contact.dat --solution contact.csv");
}

void add_solvers(CLI::App& app, CommandLine& line) {
  CLI::App* solvers = app.add_subcommand("solvers", "List the algorithms");
  solvers->add_option("CLASS", line.problem_class, "Of this class alone")->type_name("");
  add_json(solvers, line, "algorithm");
  solvers->footer(
      "Classes: lcp, relay, mlcp, soclcp, friction, plasticity, mixed, rolling, global friction, global rolling\n"
      "(global-friction and global_friction are the same).\n\n"
      "Examples:\n"
      "  nonsmooth solvers\n"
      "  nonsmooth solvers friction\n"
      "  nonsmooth solvers lcp --json");
}

void add_convert(CLI::App& app, CommandLine& line) {
  CLI::App* convert = app.add_subcommand("convert", "Write a problem in another format");
  convert->add_option("IN", line.input, "Problem file to read")->required()->type_name("");
  convert->add_option("OUT", line.output, "File to write; its extension says the format: .dat, .mtx, .h5, .fclib.h5")
      ->required()
      ->type_name("");
  add_class(convert, line);
  convert->footer(
      "Examples:\n"
      "  nonsmooth convert contact.dat contact.h5\n"
      "  nonsmooth convert contact.hdf5 contact.fclib.h5\n"
      "  nonsmooth convert --class relay problem.dat problem.h5");
}

void add_completion(CLI::App& app, CommandLine& line) {
  CLI::App* completion = app.add_subcommand("completion", "Print the completion script of a shell");
  completion->add_option("SHELL", line.shell, "bash or zsh")->required()->type_name("");
  completion->footer(
      "Examples:\n"
      "  source <(nonsmooth completion bash)\n"
      "  nonsmooth completion zsh > ~/.zfunc/_nonsmooth");
}

void describe_interface(CLI::App& app, CommandLine& line) {
  app.name("nonsmooth");
  app.description("Reads, solves and converts complementarity and friction problems.");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "nonsmooth " NONSMOOTH_VERSION, "Print the version and exit");
  app.require_subcommand(1, 1);
  app.get_formatter()->column_width(28);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  add_info(app, line);
  add_solve(app, line);
  add_solvers(app, line);
  add_convert(app, line);
  add_completion(app, line);
  app.footer(
      "`nonsmooth COMMAND --help` says more.\n\n"
      "Examples:\n"
      "  nonsmooth info contact.dat\n"
      "  nonsmooth solve contact.dat\n"
      "  nonsmooth solvers friction\n"
      "  nonsmooth convert contact.dat contact.h5");
}

SolveArguments solve_arguments(const CommandLine& line) {
  SolveArguments arguments{.files = line.files};
  if (!line.solver.empty()) arguments.solver = line.solver;
  if (!line.tolerance.empty()) {
    arguments.limits.tolerance = parse_number<double>("--tolerance", line.tolerance, "a finite number > 0",
                                                      [](double t) { return t > 0.0 && std::isfinite(t); });
  }
  if (!line.max_iterations.empty()) {
    arguments.limits.max_iterations = parse_number<Index>("--max-iterations", line.max_iterations,
                                                          "a whole number >= 0", [](Index n) { return n >= 0; });
  }
  if (!line.time_limit.empty()) {
    arguments.limits.time_limit = parse_number<double>("--time-limit", line.time_limit, "a number of seconds > 0",
                                                       [](double s) { return s > 0.0; });
  }
  arguments.problem_class = line.expected_class("--class");
  arguments.solution = line.solution;
  arguments.json = line.json;
  return arguments;
}

ExitCode run_subcommand(const std::string& name, const CommandLine& line, const Streams& streams) {
  if (name == "info") {
    return info({.files = line.files, .problem_class = line.expected_class("--class"), .json = line.json}, streams);
  }
  if (name == "solve") return solve(solve_arguments(line), streams);
  if (name == "solvers") {
    return solvers({.problem_class = line.expected_class("solvers"), .json = line.json}, streams);
  }
  if (name == "convert") {
    return convert({.input = line.input, .output = line.output, .problem_class = line.expected_class("--class")},
                   streams);
  }
  return completion(line.shell, streams);
}

/// What CLI11 says would not name the commands.
void refuse_unknown_command(const CLI::App& app, const std::string& first) {
  std::vector<std::string_view> names;
  for (const CLI::App* subcommand : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(subcommand->get_name());
    if (names.back() == first) return;
  }
  if (first != "-h" && first != "--help" && first != "--version")
    throw InvalidArgument("command", "'" + first + "'", "one of " + joined(names));
}

/// An option that is there, but says nothing, would pass for one that is not there.
void refuse_empty_values(const CLI::App& subcommand) {
  for (const CLI::Option* option : subcommand.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) throw InvalidArgument(option->get_name(), "an empty text", "a value");
    }
  }
}

constexpr char guard = '\x1f';

/// The words without the first `--`, those behind it guarded from being read as options: CLI11 refuses `--` once a
/// command has the operands it needs.
std::vector<std::string> guard_operands(std::vector<std::string> words) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  if (mark == words.end()) return words;
  for (auto word = mark + 1; word != words.end(); ++word)
    if (word->starts_with('-')) word->insert(word->begin(), guard);
  words.erase(mark);
  return words;
}

/// The same text without guards.
std::string unguarded(std::string text) {
  std::erase(text, guard);
  return text;
}

/// A file whose name begins with '-' reads like an option.
std::string hint_at_files(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    if (argument == "--") break;
    if (argument.starts_with('-') && std::filesystem::exists(argument, ignored)) {
      return "; write `-- " + argument + "` or `./" + argument + "` for the file";
    }
  }
  return {};
}

ExitCode run_line(const std::vector<std::string>& arguments, const Streams& streams) {
  CommandLine line;
  CLI::App app;
  describe_interface(app, line);
  const auto refuse = [&](const std::string& message) {
    const auto chosen = app.get_subcommands();
    streams.say(message);
    streams.err << "Try `nonsmooth " << (chosen.empty() ? "" : chosen.front()->get_name() + " ") << "--help`.\n";
    return bad_input;
  };
  if (arguments.empty()) {
    streams.err << app.help();
    return bad_input;
  }
  std::vector<std::string> words = arguments;
  if (words.front() == "help") {  // `nonsmooth help`, `nonsmooth help COMMAND`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  try {
    refuse_unknown_command(app, words.front());
    words = guard_operands(std::move(words));
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
    for (std::string* text : line.positional())
      if (text->starts_with(guard)) text->erase(0, 1);
    const CLI::App& subcommand = *app.get_subcommands().front();
    refuse_empty_values(subcommand);
    return run_subcommand(subcommand.get_name(), line, streams);
  } catch (const CLI::Success& asked) {  // --help, --version
    (void)app.exit(asked, streams.out, streams.err);
    return success;
  } catch (const CLI::ParseError& error) {
    return refuse(unguarded(error.what()) + hint_at_files(arguments));
  } catch (const InvalidArgument& error) {
    return refuse(error.what());
  } catch (const std::exception& error) {
    streams.say(error.what());
    return bad_input;
  }
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  const Streams streams{out, err};
  const ExitCode code = run_line(arguments, streams);
  out.flush();
  if (!out) {
    streams.say("the output could not be written to its end");
    return bad_input;
  }
  return code;
}

}  // namespace nonsmooth::command
