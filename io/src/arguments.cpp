// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/arguments.hpp>

#include <algorithm>
#include <charconv>
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

}  // namespace nonsmooth
