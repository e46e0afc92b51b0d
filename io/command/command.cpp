// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>

#include <nonsmooth/numerics/error.hpp>

#include "registered.hpp"
#include "text.hpp"

namespace nonsmooth::command {
namespace {

void describe_interface(CLI::App& app, std::vector<Registered>& commands) {
  app.name("nonsmooth");
  app.description(
      "Reads, solves and converts complementarity and friction problems; shows and compares recorded runs.");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "nonsmooth " NONSMOOTH_VERSION, "Print the version and exit");
  app.require_subcommand(1, 1);
  app.get_formatter()->column_width(28);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  add_problem_commands(app, commands);
  add_run_commands(app, commands);
  app.footer(
      "`nonsmooth COMMAND --help` says more.\n\n"
      "Examples:\n"
      "  nonsmooth info contact.dat\n"
      "  nonsmooth solve contact.dat\n"
      "  nonsmooth solvers friction\n"
      "  nonsmooth convert contact.dat contact.h5\n"
      "  nonsmooth run-info pile.h5\n"
      "  nonsmooth view pile.h5 -o pile.html");
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
  std::vector<Registered> commands;
  CLI::App app;
  describe_interface(app, commands);
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
    const CLI::App& subcommand = *app.get_subcommands().front();
    const auto& chosen = *std::find_if(commands.begin(), commands.end(), [&](const Registered& command) {
      return command.name == subcommand.get_name();
    });
    for (std::string* text : chosen.operands())
      if (text->starts_with(guard)) text->erase(0, 1);
    refuse_empty_values(subcommand);
    return chosen.run(streams);
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
