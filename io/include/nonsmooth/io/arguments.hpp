// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// What every example takes on its command line: --check, --pictures DIR, and options of its own, each with a value.
///
///     const Arguments arguments(argc, argv, {"disks"});        // also takes --disks N
///     const Index disks = arguments.integer("disks", 10000);
class Arguments {
 public:
  /// @throws InvalidArgument: an option that is not known, one without its value or given twice.
  Arguments(int argc, const char* const* argv, const std::vector<std::string>& options = {});

  [[nodiscard]] bool check() const noexcept { return check_; }  ///< --check: quick figures only, no picture
  /// --pictures DIR: where to draw; the folder is made. Nothing is drawn without it.
  [[nodiscard]] const std::optional<std::filesystem::path>& pictures() const noexcept { return pictures_; }
  /// `--OPTION N`, an integer of at least `low`. @throws InvalidArgument otherwise.
  [[nodiscard]] Index integer(const std::string& option, Index otherwise, Index low = 1) const;

  /// What --help prints.
  [[nodiscard]] static std::string usage(std::string_view program, const std::vector<std::string>& options = {});

 private:
  bool check_ = false;
  std::optional<std::filesystem::path> pictures_;
  std::map<std::string, std::string> values_;
};

/// The main() of an example:  int main(int argc, char** argv) { return run_example(argc, argv, {"disks"}, example); }
/// --help prints the usage on `out`, nothing runs, and 0 is returned. What is thrown is said on `err`, with the usage
/// where the command line cannot be read, and 2 is returned.
[[nodiscard]] int run_example(int argc, const char* const* argv, const std::vector<std::string>& options,
                              const std::function<int(const Arguments&)>& example, std::ostream& out,
                              std::ostream& err);
[[nodiscard]] int run_example(int argc, const char* const* argv, const std::vector<std::string>& options,
                              const std::function<int(const Arguments&)>& example);  ///< on std::cout and std::cerr

}  // namespace nonsmooth
