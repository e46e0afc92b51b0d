// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/arguments.hpp>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <string_view>
#include <system_error>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {

Arguments::Arguments(int argc, const char* const* argv, const std::vector<std::string>& options) {
  std::string known = "--check, --pictures DIR";
  for (const std::string& option : options) known += ", --" + option + " N";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--check") {
      check_ = true;
      continue;
    }
    const std::string name = argument.starts_with("--") ? argument.substr(2) : std::string{};
    if (name != "pictures" && std::find(options.begin(), options.end(), name) == options.end()) {
      throw InvalidArgument("command line", "'" + argument + "'", known);
    }
    if (i + 1 == argc || std::string_view(argv[i + 1]).empty()) {
      throw InvalidArgument(argument, "nothing after it", "its value");
    }
    if (!values_.emplace(name, argv[++i]).second) throw InvalidArgument(argument, "it twice", "it once");
  }
  if (const auto found = values_.find("pictures"); found != values_.end()) {
    pictures_ = found->second;
    std::error_code error;
    std::filesystem::create_directories(*pictures_, error);
    if (error) throw FileError(pictures_->string() + ": " + error.message());
  }
}

Index Arguments::integer(const std::string& option, Index otherwise, Index low) const {
  const auto found = values_.find(option);
  if (found == values_.end()) return otherwise;
  const std::string& text = found->second;
  Index value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value < low) {
    throw InvalidArgument("--" + option, "'" + text + "'", "an integer of at least " + std::to_string(low));
  }
  return value;
}

std::string Arguments::usage(std::string_view program, const std::vector<std::string>& options) {
  std::string text = "Usage: " + std::string(program) + " [--check] [--pictures DIR]";
  for (const std::string& option : options) text += " [--" + option + " N]";
  return text +
         "\n"
         "  --check         figures only; exit status 1 when one leaves its bounds\n"
         "  --pictures DIR  draw into this folder\n";
}

int run_example(int argc, const char* const* argv, const std::vector<std::string>& options,
                const std::function<int(const Arguments&)>& example, std::ostream& out, std::ostream& err) {
  const std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "example";
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string_view("--help") || argv[i] == std::string_view("-h")) {
      out << Arguments::usage(program, options);
      return 0;
    }
  }
  std::optional<Arguments> arguments;
  try {
    arguments.emplace(argc, argv, options);
    return example(*arguments);
  } catch (const std::exception& error) {
    err << program << ": " << error.what() << '\n';
    if (!arguments) err << Arguments::usage(program, options);
    return 2;
  }
}

int run_example(int argc, const char* const* argv, const std::vector<std::string>& options,
                const std::function<int(const Arguments&)>& example) {
  return run_example(argc, argv, options, example, std::cout, std::cerr);
}

}  // namespace nonsmooth
